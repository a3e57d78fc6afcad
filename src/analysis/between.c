/*
 * between.c - violated atomic sections: accesses that came between two of another thread, which
 * belong together.
 *
 * Source: Letko, Vojnar, Krena, "AtomRace: Data Race and Atomicity Violation Detector and Healer",
 * PADTAD 2008, section 3.2, read off a trace; the table of unserialisable interleavings is its
 * Table 1 (after Lu and others, AVIO, ASPLOS 2006).
 *
 * The rule: z is the next access of its thread to a variable after a, both in one block; b, between
 * the two, is an access of another thread to it.  It is reported if the three cannot be
 * serialised.  In blocks named "section NAME", as `foreweave atomrace` writes them, every b is:
 * there only what the section does not allow is told (src/atomrace/region_tell.c).
 *
 * The trace up to z is the witness of that order.
 *
 * Of each variable and thread the latest access in a block is kept, with the first read and the
 * first write of others since.
 */
#include "analysis/analysis.h"
#include "analysis/blocks.h"
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static const char prefix[] = "section ";

/* What one thread did last to a variable, in a block. */
struct latest {
    struct fw_mark a;
    bool has_read, has_write;       /* of others since */
    struct fw_mark read, write;     /* the first ones */
};

struct variable {
    FW_VEC(struct latest) at; /* one a thread */
};

struct between {
    struct fw_analysis_setup setup;
    FW_VEC(struct fw_block_stack) stacks; /* by thread */
    FW_VEC(struct variable) variables;
    struct fw_beginning beginning;
    uint64_t seen;  /* events, with the one at hand */
    uint64_t steps; /* of witnesses so far */
};

static void *between_create(const struct fw_analysis_setup *setup)
{
    struct between *between = fw_xcalloc(1, sizeof *between);

    between->setup = *setup;
    return between;
}

static struct fw_block_stack *stack_of(struct between *between, uint32_t thread)
{
    fw_vec_extend(&between->stacks, thread + (size_t)1);
    return &between->stacks.at[thread];
}

/* --- blocks ---------------------------------------------------------------------------------- */

static void between_begin(void *state, const struct fw_event *event, const struct fw_place *place)
{
    fw_blocks_enter(stack_of(state, event->thread), event, fw_place_index(place));
}

static void between_end(void *state, const struct fw_event *event, const struct fw_place *place)
{
    (void)place;
    fw_blocks_leave(stack_of(state, event->thread), event);
}

static const char *name_of(const struct between *between, const struct fw_block *block)
{
    return fw_symbols_name(between->setup.symbols, FW_SPACE_BLOCK, block->label);
}

static bool is_section(const char *name)
{
    return strncmp(name, prefix, sizeof prefix - 1) == 0;
}

/* The innermost block that holds the earlier event too, a section if there is one; NULL: none. */
static const struct fw_block *common_block(const struct between *between,
                                           const struct fw_block_stack *stack, uint64_t index)
{
    uint32_t level = fw_blocks_common(stack, index);

    for (uint32_t i = level; i > 0; i--)
        if (is_section(name_of(between, &stack->at[i - 1])))
            return &stack->at[i - 1];
    return level ? &stack->at[level - 1] : NULL;
}

/* --- accesses -------------------------------------------------------------------------------- */

static bool is_read(unsigned kind)
{
    return fw_is_class(kind, FW_CLASS_READ);
}

/* Table 1: r-w-r, w-w-r, r-w-w; w-r-w. */
static bool is_unserialisable(unsigned a, unsigned b, unsigned z)
{
    return (fw_is_write(b) && (is_read(a) || is_read(z))) ||
           (is_read(b) && fw_is_write(a) && fw_is_write(z));
}

static char *describe(const char *name)
{
    if (is_section(name))
        return fw_xasprintf("section '%s' is not atomic: the second access came between the others",
                            name + sizeof prefix - 1);
    if (!*name)
        return fw_xstrdup("a block without a name is not atomic: the second access came between"
                          " the others");
    return fw_xasprintf("block '%s' is not atomic: the second access came between the others",
                        name);
}

static void report(struct between *between, const struct fw_block *block, const struct fw_mark *a,
                   const struct fw_mark *b, const struct fw_place *place)
{
    struct fw_mark events[3] = { *a, *b, fw_place_mark(place) };
    char *detail = describe(name_of(between, block));
    struct fw_occurrence occurrence = { .kind = FW_FINDING_ATOMICITY,
                                        .events = events,
                                        .event_count = 3,
                                        .variable = a->target,
                                        .detail = detail,
                                        .claim = FW_CLAIM_ORDER,
                                        .beginning = &between->beginning,
                                        .before = between->seen };

    if (!fw_findings_known(between->setup.findings, &occurrence))
        between->steps += between->seen;
    if (between->steps > FW_BEGINNING_STEPS)
        occurrence.unproven = FW_BEGINNING_TOO_LONG;
    fw_findings_add(between->setup.findings, &occurrence);
    free(detail);
}

static void judge(struct between *between, const struct latest *latest,
                  const struct fw_event *event, const struct fw_place *place)
{
    const struct fw_block_stack *stack = stack_of(between, event->thread);
    const struct fw_block *block = common_block(between, stack, latest->a.index);
    bool all, same = latest->has_read && latest->has_write &&
                     latest->read.index == latest->write.index;

    if (!block)
        return;
    all = is_section(name_of(between, block));
    if (latest->has_read && !same &&
        (all || is_unserialisable(latest->a.kind, latest->read.kind, event->kind)))
        report(between, block, &latest->a, &latest->read, place);
    if (latest->has_write &&
        (all || is_unserialisable(latest->a.kind, latest->write.kind, event->kind)))
        report(between, block, &latest->a, &latest->write, place);
}

/* The other thread's access comes after the latest one of this thread. */
static void meet(struct latest *latest, const struct fw_event *event, const struct fw_place *place)
{
    if (fw_is_write(event->kind) && !latest->has_write) {
        latest->write = fw_place_mark(place);
        latest->has_write = true;
    }
    if (is_read(event->kind) && !latest->has_read) {
        latest->read = fw_place_mark(place);
        latest->has_read = true;
    }
}

static void between_access(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct between *between = state;
    struct variable *variable;
    struct latest now = { .a = fw_place_mark(place) };
    size_t own = SIZE_MAX;

    fw_vec_extend(&between->variables, event->target + (size_t)1);
    variable = &between->variables.at[event->target];
    for (size_t i = 0; i < variable->at.len; i++) {
        if (variable->at.at[i].a.thread == event->thread)
            own = i;
        else
            meet(&variable->at.at[i], event, place);
    }
    if (own != SIZE_MAX)
        judge(between, &variable->at.at[own], event, place);
    if (own != SIZE_MAX)
        variable->at.at[own] = now;
    else if (stack_of(between, event->thread)->len)
        fw_vec_push(&variable->at, now);
}

static void between_event(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct between *between = state;

    fw_beginning_put(&between->beginning, fw_place_index(place));
    between->seen++;
    switch (event->kind) {
    case FW_BEGIN:
        between_begin(state, event, place);
        break;
    case FW_END:
        between_end(state, event, place);
        break;
    case FW_READ:
    case FW_WRITE:
    case FW_ATOMIC_LOAD:
    case FW_ATOMIC_STORE:
    case FW_ATOMIC_RMW:
        between_access(state, event, place);
        break;
    default:
        break;
    }
}

static void between_finish(void *state, struct fw_outcome *outcome)
{
    (void)state;
    (void)outcome;
}

static void between_destroy(void *state)
{
    struct between *between = state;

    for (size_t i = 0; i < between->variables.len; i++)
        fw_vec_release(&between->variables.at[i].at);
    for (size_t i = 0; i < between->stacks.len; i++)
        fw_vec_release(&between->stacks.at[i]);
    fw_vec_release(&between->variables);
    fw_vec_release(&between->stacks);
    fw_beginning_release(&between->beginning);
    free(between);
}

const struct fw_analysis fw_analysis_between = {
    .name = "between",
    .summary = "atomic sections and blocks that the run itself shows violated",
    .guarantee = FW_OBSERVED,
    .observed = true,
    .adjacent = true,
    .claim = "Certain: in this run it came between them, or both it and the last were next",
    .create = between_create,
    .finish = between_finish,
    .destroy = between_destroy,
#define X(name, std, tid, space, classes) [FW_##name] = between_event,
    .on = { FW_EVENT_KINDS(X) },
#undef X
};
