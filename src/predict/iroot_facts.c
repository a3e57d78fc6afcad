/*
 * iroot_facts.c - see iroot_state.h: what is known of the accesses of a trace before any question
 * is asked.
 *
 * An immediate dependency a => b is refuted without asking if
 *
 *  - b must precede a;
 *  - the next access of a's thread to the object must precede b, or a must precede the latest one
 *    of b's thread before b: that would come between;
 *  - both hold a lock that keeps them apart, and in a's section another access of the object
 *    follows, or in b's section another one comes before.  The sections come one after the other,
 *    so a must be the last access of its section, and b the first of its own.
 */
#include "predict/iroot_state.h"

#include "iroot/observe_trace.h"

/* --- accesses ---------------------------------------------------------------------------- */

static const struct fw_event *event_at(const struct fw_iroot_facts *facts, uint32_t e)
{
    return &facts->trace->events[e];
}

static void number_accesses(struct fw_iroot_facts *facts)
{
    struct fw_naming *naming = fw_naming_create(facts->trace->symbols, facts->names,
                                                facts->trace->lacks_repeats);

    facts->accesses = fw_xcalloc((size_t)facts->trace->count + 1, sizeof *facts->accesses);
    for (uint32_t e = 0; e < facts->trace->count; e++)
        if (fw_iroot_does_of(event_at(facts, e)->kind) != FW_DOES_COUNT)
            facts->accesses[e] = fw_naming_access(naming, event_at(facts, e));
    fw_naming_destroy(naming);
}

/* Neighbours in a row of accesses of one object; `latest` is FW_NO_EVENT for all its threads. */
static void link_row(struct fw_iroot_facts *facts, const uint32_t *row, uint32_t count,
                     uint32_t *latest)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *own = &latest[event_at(facts, row[i])->thread];

        if (!fw_iroot_is_access(event_at(facts, row[i])->kind))
            continue;
        facts->before[row[i]] = *own;
        if (*own != FW_NO_EVENT)
            facts->behind[*own] = row[i];
        *own = row[i];
    }
    for (uint32_t i = 0; i < count; i++)
        latest[event_at(facts, row[i])->thread] = FW_NO_EVENT;
}

static bool is_shared(const struct fw_iroot_facts *facts, const uint32_t *row, uint32_t count)
{
    bool two = false, writes = false;

    for (uint32_t i = 0; i < count && !(two && writes); i++) {
        two |= event_at(facts, row[i])->thread != event_at(facts, row[0])->thread;
        writes |= fw_iroot_is_access(event_at(facts, row[i])->kind) &&
                  fw_iroot_writes(event_at(facts, row[i])->kind);
    }
    return two && writes;
}

static uint32_t *no_events(size_t count)
{
    uint32_t *events = fw_xmalloc((count + 1) * sizeof *events);

    memset(events, 0xff, (count + 1) * sizeof *events);
    return events;
}

/* Requests are not in the rows: a lock that somebody waits for counts as shared. */
static void share_requests(struct fw_iroot_facts *facts)
{
    for (uint32_t t = 0; t < facts->core->threads; t++) {
        uint32_t length = fw_thread_length(facts->core, t), e, object;

        e = length ? fw_event_at(facts->core, t, length - 1) : 0;
        if (!length || !fw_is_class(event_at(facts, e)->kind, FW_CLASS_REQUEST))
            continue;
        object = fw_iroot_object(event_at(facts, e));
        facts->shared[object / 64] |= (uint64_t)1 << object % 64;
    }
}

static void link_objects(struct fw_iroot_facts *facts)
{
    const struct fw_rows *rows[2] = { &facts->index->by_variable, &facts->index->by_lock };
    uint32_t most = rows[0]->rows > rows[1]->rows ? rows[0]->rows : rows[1]->rows;
    uint32_t *latest = no_events(facts->core->threads);

    facts->before = no_events(facts->trace->count);
    facts->behind = no_events(facts->trace->count);
    facts->shared = fw_xcalloc((size_t)most / 32 + 1, sizeof *facts->shared);
    for (uint32_t lock = 0; lock < 2; lock++)
        for (uint32_t i = 0; i < rows[lock]->rows; i++) {
            const uint32_t *row = fw_row(rows[lock], i);
            uint32_t count = fw_row_count(rows[lock], i), object = i * 2 + lock;

            link_row(facts, row, count, latest);
            if (is_shared(facts, row, count))
                facts->shared[object / 64] |= (uint64_t)1 << object % 64;
        }
    share_requests(facts);
    free(latest);
}

static void count_accesses(struct fw_iroot_facts *facts)
{
    uint32_t *made = fw_xcalloc((size_t)facts->core->threads + 1, sizeof *made);

    facts->ordinal = fw_xcalloc((size_t)facts->trace->count + 1, sizeof *facts->ordinal);
    for (uint32_t e = 0; e < facts->trace->count; e++) {
        facts->ordinal[e] = made[event_at(facts, e)->thread];
        made[event_at(facts, e)->thread] += fw_iroot_is_access(event_at(facts, e)->kind);
    }
    free(made);
}

/* --- what the trace exposes -------------------------------------------------------------- */

static void observe(struct fw_iroot_facts *facts, const struct fw_predict_options *options)
{
    struct fw_observe_options how = { .simple = options->idioms == 1u << 1,
                                      .window = options->window };

    facts->exposed = fw_iroot_set_create();
    facts->known = facts->exposed;
    fw_observe_trace(facts->trace, facts->names, facts->exposed, &how);
}

void fw_iroot_facts_init(struct fw_iroot_facts *facts, const struct fw_core *core,
                         const struct fw_predict_options *options)
{
    const struct fw_iroot_source *source = options->iroots;

    *facts = (struct fw_iroot_facts) { .core = core,
                                       .index = core->index,
                                       .trace = core->trace,
                                       .names = source ? source->accesses : NULL,
                                       .known = source ? source->known : NULL };
    fw_strtab_init(&facts->own_names);
    if (!facts->names)
        facts->names = &facts->own_names;
    number_accesses(facts);
    link_objects(facts);
    count_accesses(facts);
    if (!facts->known)
        observe(facts, options);
}

void fw_iroot_facts_release(struct fw_iroot_facts *facts)
{
    fw_strtab_release(&facts->own_names);
    free(facts->accesses);
    free(facts->before);
    free(facts->behind);
    free(facts->ordinal);
    free(facts->shared);
    fw_iroot_set_destroy(facts->exposed);
}

/* --- what can be refuted ----------------------------------------------------------------- */

static bool precedes(const struct fw_iroot_facts *facts, uint32_t a, uint32_t b)
{
    return a < b && fw_core_must_precede(facts->core, a, b);
}

/* The thread's latest acquire of the lock before its event. */
static uint32_t acquire_before(const struct fw_iroot_facts *facts, uint32_t e, uint32_t lock)
{
    const struct fw_core *core = facts->core;
    const struct fw_group *group =
        fw_grouped_find(&core->acquires, lock, event_at(facts, e)->thread);

    return group ? fw_group_last(&core->acquires, core->index, group, fw_place_of(core, e))
                 : FW_NO_EVENT;
}

static bool holds(const struct fw_iroot_facts *facts, uint32_t e, uint32_t lock)
{
    struct fw_lock_list held = fw_lock_list(facts->index, facts->index->lock_set[e]);

    for (uint32_t i = 0; i < held.len; i++)
        if (held.at[i] / 2 == lock)
            return true;
    return false;
}

/* Are both in one section of the lock?  `other` may be FW_NO_EVENT. */
static bool in_one_section(const struct fw_iroot_facts *facts, uint32_t e, uint32_t other,
                           uint32_t lock)
{
    return other != FW_NO_EVENT && holds(facts, other, lock) &&
           acquire_before(facts, e, lock) == acquire_before(facts, other, lock);
}

bool fw_iroot_locks_let(const struct fw_iroot_facts *facts, uint32_t a, uint32_t b)
{
    struct fw_lock_list x = fw_lock_list(facts->index, facts->index->lock_set[a]);
    struct fw_lock_list y = fw_lock_list(facts->index, facts->index->lock_set[b]);

    for (uint32_t i = 0; i < x.len; i++)
        for (uint32_t k = 0; k < y.len; k++) {
            if (x.at[i] / 2 != y.at[k] / 2 || (x.at[i] & y.at[k] & 1))
                continue;
            if (in_one_section(facts, a, facts->behind[a], x.at[i] / 2) ||
                in_one_section(facts, b, facts->before[b], x.at[i] / 2))
                return false;
        }
    return true;
}

bool fw_iroot_open(const struct fw_iroot_facts *facts, uint32_t a, uint32_t b)
{
    uint32_t behind = facts->behind[a], before = facts->before[b];

    if (precedes(facts, b, a) || (behind != FW_NO_EVENT && precedes(facts, behind, b)) ||
        (before != FW_NO_EVENT && precedes(facts, a, before)))
        return false;
    return fw_iroot_locks_let(facts, a, b);
}
