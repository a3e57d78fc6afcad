/* coverage.c - see coverage.h: loading, and small words. */
#include "report/coverage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* --- loading --------------------------------------------------------------------------------- */

static const char *keep(struct fw_coverage *c, const char *text)
{
    return text ? fw_strtab_text(&c->texts, fw_strtab_intern(&c->texts, text, strlen(text))) : NULL;
}

static void keep_iroot(struct fw_coverage *c, struct fw_memo_iroot *iroot)
{
    for (unsigned i = 0; i < iroot->count; i++) {
        iroot->access[i] = keep(c, iroot->access[i]);
        iroot->place[i] = keep(c, iroot->place[i]);
    }
}

static int take_iroot(void *context, const struct fw_memo_row *row)
{
    struct fw_coverage *c = context;
    struct fw_memo_row own = *row;

    if (c->idiom && row->iroot.idiom != c->idiom)
        return 0;
    keep_iroot(c, &own.iroot);
    own.campaign = keep(c, row->campaign);
    own.input = keep(c, row->input);
    own.strategy = keep(c, row->strategy);
    fw_vec_push(&c->iroots, own);
    return 0;
}

static int take_run(void *context, const struct fw_memo_past *run)
{
    struct fw_coverage *c = context;
    struct fw_memo_past own = *run;

    own.campaign = keep(c, run->campaign);
    own.input = keep(c, run->input);
    own.strategy = keep(c, run->strategy);
    own.outcome = keep(c, run->outcome);
    own.failure = keep(c, run->failure);
    own.message = keep(c, run->message);
    own.schedule = keep(c, run->schedule);
    own.way = keep(c, run->way);
    keep_iroot(c, &own.sought);
    c->failures += *run->failure != 0;
    fw_vec_push(&c->runs, own);
    return 0;
}

static void estimate(struct fw_coverage *c)
{
    struct fw_saturation *s = &c->saturation;
    double runs = (double)c->all_runs;

    for (size_t i = 0; i < c->iroots.len; i++) {
        s->seen += c->iroots.at[i].seen > 0;
        s->once += c->iroots.at[i].seen == 1;
        s->twice += c->iroots.at[i].seen == 2;
    }
    s->known = c->all_runs >= 2 && s->seen;
    if (!s->known)
        return;
    s->all = (double)s->seen;
    if (s->once)
        s->all += (runs - 1) / runs * (double)s->once * (double)(s->once - 1) /
                  (2 * (double)(s->twice + 1));
    s->next = (double)s->once / runs;
}

struct choosing {
    struct fw_coverage *coverage;
    const char *wanted; /* NULL: the latest */
    int64_t number;
    size_t matches;
};

static int take_build(void *context, const struct fw_memo_build *build)
{
    struct choosing *choosing = context;
    struct fw_coverage *c = choosing->coverage;

    c->builds++;
    if (choosing->wanted ? strncmp(build->name, choosing->wanted, strlen(choosing->wanted)) != 0
                         : c->builds > 1)
        return 0;
    c->build = keep(c, build->name);
    choosing->number = build->number;
    choosing->matches++;
    return 0;
}

static int choose_build(struct fw_coverage *c, struct fw_memo *memo, const char *wanted,
                        struct fw_error *err)
{
    bool all = wanted && strcmp(wanted, "all") == 0;
    bool named = wanted && !all && strcmp(wanted, "latest") != 0;
    struct choosing choosing = { c, named ? wanted : NULL, FW_MEMO_ALL_BUILDS, 0 };

    if (fw_memo_each_build(memo, c->program.name, take_build, &choosing, err) < 0)
        return -1;
    if (named && choosing.matches != 1)
        return fw_error_set(err, "'%s' knows %s build '%s' of '%s'", fw_memo_name(memo),
                            choosing.matches ? "more than one" : "no", wanted, c->program.name);
    if (all)
        c->build = NULL;
    fw_memo_look_at(memo, all ? FW_MEMO_ALL_BUILDS : choosing.number);
    return 0;
}

int fw_coverage_load(struct fw_coverage *c, struct fw_memo *memo,
                     const struct fw_memo_program *program, const char *build, unsigned idiom,
                     struct fw_error *err)
{
    memset(c, 0, sizeof *c);
    fw_strtab_init(&c->texts);
    c->idiom = idiom;
    c->program = *program;
    c->program.name = keep(c, program->name);
    if (choose_build(c, memo, build, err) < 0 ||
        fw_memo_count(memo, program->name, c->counts, err) < 0 ||
        fw_memo_each_iroot(memo, program->name, take_iroot, c, err) < 0 ||
        fw_memo_each_run(memo, program->name, take_run, c, err) < 0 ||
        fw_memo_count_runs(memo, program->name, &c->all_runs, err) < 0)
        return -1;
    estimate(c);
    return 0;
}

void fw_coverage_release(struct fw_coverage *c)
{
    fw_vec_release(&c->iroots);
    fw_vec_release(&c->runs);
    fw_strtab_release(&c->texts);
}

uint64_t fw_coverage_fresh(const struct fw_coverage *c, const struct fw_memo_past *run)
{
    return run->fresh[c->idiom];
}

/* --- words ----------------------------------------------------------------------------------- */

void fw_coverage_many(struct fw_output *out, uint64_t count, const char *what)
{
    fw_output_printf(out, "%" PRIu64 " %s%s", count, what, count == 1 ? "" : "s");
}

void fw_coverage_time(char text[32], int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm parts;

    gmtime_r(&seconds, &parts);
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts);
}
