/*
 * generate.c - the loop of the generator: who goes on, what it does, the text.
 *
 * A trace first draws its own numbers of threads, variables and locks and a
 * subset of the acts (swarm testing: traces without some acts reach deeper
 * into the others), then runs until it has its events or nobody can go on.
 */
#include "support/generate_internal.h"

#include "base/alloc.h"
#include "base/bug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TRIES 400u /* without an event: the program is stuck, and the trace ends */

static void put(struct fw_generated *out, const char *text, size_t len)
{
    if (out->size + len > out->capacity) {
        out->capacity = (out->size + len) * 2 + 1024;
        out->text = fw_xrealloc(out->text, out->capacity, 1);
    }
    memcpy(out->text + out->size, text, len);
    out->size += len;
}

static void put_text(struct fw_generated *out, const char *text)
{
    put(out, text, strlen(text));
}

static void put_number(struct fw_generated *out, int64_t number)
{
    char digits[24];

    put(out, digits, (size_t)sprintf(digits, "%lld", (long long)number));
}

static void put_key(struct fw_generated *out, bool *any, const char *key)
{
    put_text(out, *any ? "," : "|");
    *any = true;
    put_text(out, key);
}

/* Small values mostly, sometimes the ends of the range. */
static int64_t draw_value(struct generator *g)
{
    if (fw_random_percent(&g->random, 5))
        return fw_random_percent(&g->random, 50) ? INT64_MIN : INT64_MAX;
    return (int64_t)fw_random_below(&g->random, 7) - 2;
}

/* In the canonical order: ord, rf, size, val. */
static void put_attributes(struct generator *g, const struct gen_line *line, bool site)
{
    const struct fw_generate_options *options = g->options;
    bool has_size = line->takes_size && fw_random_percent(&g->random, options->size_percent);
    bool has_value = line->is_access && fw_random_percent(&g->random, options->value_percent);
    bool any = false;

    if (!line->order && !line->has_rf && !has_size && !has_value)
        return;
    if (!site)
        put_text(g->out, "|");
    if (line->order) {
        put_key(g->out, &any, "ord=");
        put_text(g->out, line->order);
    }
    if (line->has_rf) {
        put_key(g->out, &any, "rf=");
        put_number(g->out, line->rf);
    }
    if (has_size) {
        put_key(g->out, &any, "size=");
        put_number(g->out, INT64_C(1) << fw_random_below(&g->random, 7));
    }
    if (has_value) {
        put_key(g->out, &any, "val=");
        put_number(g->out, options->true_values ? line->value : draw_value(g));
    }
}

void gen_emit(struct generator *g, const struct gen_line *line)
{
    bool site = fw_random_percent(&g->random, g->options->site_percent);

    put_text(g->out, "T");
    put_number(g->out, line->thread);
    put_text(g->out, "|");
    put_text(g->out, line->op);
    if (line->target && *line->target) {
        put_text(g->out, "(");
        put_text(g->out, line->target);
        put_text(g->out, ")");
    }
    if (site) {
        put_text(g->out, fw_random_percent(&g->random, 50) ? "|a.c:" : "|lib/b.c:");
        put_number(g->out, fw_random_between(&g->random, 1, 20));
    }
    put_attributes(g, line, site);
    put_text(g->out, "\n");
    g->out->events++;
}

static void draw_weights(struct generator *g)
{
    for (unsigned i = 0; i < FW_GEN_ACT_COUNT; i++) {
        bool needed = i == FW_GEN_READ || i == FW_GEN_WRITE || i == FW_GEN_RELEASE ||
                      i == FW_GEN_FORK || i == FW_GEN_STOP;
        bool without = !needed && fw_random_percent(&g->random, g->options->swarm_percent);

        g->weights[i] = without ? 0 : g->options->weights[i];
        if (i == FW_GEN_BRANCH && !g->branches)
            g->weights[i] = 0;
        g->weight_sum += g->weights[i];
    }
}

static void draw_program(struct generator *g)
{
    const struct fw_generate_options *options = g->options;

    g->thread_count = fw_random_between(&g->random, options->threads_min, options->threads_max);
    g->variable_count = fw_random_between(&g->random, 1, options->variables);
    g->lock_count = fw_random_between(&g->random, (options->locks + 1u) / 2, options->locks);
    g->guarded_percent = options->guarded_percent * fw_random_below(&g->random, 3) / 2;
    g->branches = fw_random_percent(&g->random, options->branches_percent);
    draw_weights(g);
    g->threads[0].phase = GEN_RUNNING;
    for (uint32_t t = 1; t < g->thread_count; t++)
        if (!fw_random_percent(&g->random, options->forked_percent))
            g->threads[t].phase = GEN_RUNNING;
    for (uint32_t i = 0; i < GEN_OBJECTS; i++) {
        g->barriers[i].parties = fw_random_between(&g->random, 2, g->thread_count);
        if (g->barriers[i].parties > 2 && fw_random_percent(&g->random, 50))
            g->barriers[i].parties = 2;
    }
}

static enum fw_generate_act draw_act(struct generator *g)
{
    uint32_t at = fw_random_below(&g->random, g->weight_sum);
    unsigned act = 0;

    while (at >= g->weights[act])
        at -= g->weights[act++];
    return act;
}

/* One attempt of the thread to go on. */
static bool attempt(struct generator *g, uint32_t thread)
{
    switch (g->threads[thread].phase) {
    case GEN_RUNNING:
        return gen_act(g, thread, draw_act(g));
    case GEN_WAITING:
    case GEN_WOKEN:
    case GEN_AT_BARRIER:
        return gen_resume(g, thread);
    default:
        return false;
    }
}

/* Somebody may be waiting for a lock: a thread that has one lets it go. */
static bool make_way(struct generator *g)
{
    uint32_t thread = fw_random_below(&g->random, g->thread_count);

    return fw_random_percent(&g->random, 40) && g->threads[thread].phase == GEN_RUNNING &&
           gen_act(g, thread, FW_GEN_RELEASE);
}

static void run(struct generator *g)
{
    uint32_t wanted = fw_random_between(&g->random, g->options->events_min, g->options->events_max);
    uint32_t thread = 0, tries = 0;

    while (g->out->events < wanted && tries < MAX_TRIES) {
        if (tries > 4 || !fw_random_percent(&g->random, g->options->sticky_percent))
            thread = fw_random_below(&g->random, g->thread_count);
        tries = attempt(g, thread) || make_way(g) ? 0 : tries + 1;
    }
}

void fw_generate(struct fw_generated *out, const struct fw_generate_options *options, uint64_t seed)
{
    struct generator g = { .options = options, .out = out };

    FW_ASSERT(options && options->threads_max <= GEN_MAX_THREADS);
    FW_ASSERT(options->locks <= (options->monitors ? GEN_OBJECTS : GEN_MAX_LOCKS));
    out->size = 0;
    out->events = 0;
    fw_random_init(&g.random, seed);
    draw_program(&g);
    if (g.branches)
        put_text(out, "# branches: yes\n");
    run(&g);
    if (fw_random_percent(&g.random, 25))
        for (uint32_t t = 0; t < g.thread_count; t++)
            gen_request(&g, t);
    for (uint32_t i = 0; i < GEN_OBJECTS; i++) {
        fw_vec_release(&g.notifies[i]);
        fw_vec_release(&g.posts[i]);
    }
    fw_vec_release(&g.last_write);
    fw_vec_release(&g.last_value);
}

void fw_generated_release(struct fw_generated *out)
{
    free(out->text);
    *out = (struct fw_generated) { 0 };
}
