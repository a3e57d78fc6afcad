/*
 * cp_sweep.c - forgets sections that no future event can need.
 *
 * Sections that nothing ever orders pile up: two threads that take a lock in
 * turn without touching common data leave all their sections undecided.  Rule
 * (b) will ask a row for its latest section at or before a time, and that time
 * is a component of some clock.  Which times can still come up?  Those in a
 * clock that exists (of threads, locks, cells, remembered accesses, and the
 * caller's for hard edges), those in the release clocks of sections that can
 * still be asked for, and those yet to come, for which the last section of the
 * row is the answer.  Joining clocks makes no new components.  So the sections
 * to keep are found like live objects in a heap: from these roots, through the
 * release clocks, to a fixpoint.  Everything else is dropped, and the relation
 * stays exact.
 *
 * A release clock of a section of lock l gets into P as the value of a later
 * section h of l.  Then all that it covers is known to h and to every section
 * of l after it: it asks nothing of the rows of l itself.  So a time has a
 * source, and two sources are as good as any.
 *
 * Asking goes back in time mostly, so sections are looked at from the latest
 * to the earliest and the other way round, until nothing is new.
 */
#include "analysis/cp_state.h"

#define ANY_SOURCE 0u /* else a lock, plus one */

/*
 * A thread's part of the clocks.  The acquires of its sections cut its time
 * into pieces; it is enough to know which pieces are asked for.
 */
struct asked {
    FW_VEC(uint32_t) acquires; /* times, ascending */
    uint64_t *pieces;          /* bit i: a time from acquire i on, before the next one */
    uint32_t *sources;         /* of these times */
};

/* A section in a row; it is the answer for the pieces from, .., to - 1. */
struct item {
    struct cp_section *section;
    uint32_t lock, from, to;
};

struct sweep {
    struct fw_cp *cp;
    uint32_t stamp;
    FW_VEC(struct asked) asked; /* by thread */
    FW_VEC(struct item) items;  /* by position */
    bool news;
};

/* --- what is asked for -------------------------------------------------------------------- */

/* How many acquires of the thread are at or before the time. */
static uint32_t acquires_until(const struct asked *asked, uint32_t time)
{
    uint32_t low = 0, high = (uint32_t)asked->acquires.len;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (asked->acquires.at[middle] <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void ask(struct sweep *sweep, uint32_t thread, uint32_t time, uint32_t source)
{
    struct asked *asked = thread < sweep->asked.len ? &sweep->asked.at[thread] : NULL;
    uint32_t piece = asked ? acquires_until(asked, time) : 0;
    uint64_t bit;

    if (!piece)
        return;
    piece--;
    bit = (uint64_t)1 << piece % 64;
    if (!(asked->pieces[piece / 64] & bit))
        asked->sources[piece] = source;
    else if (asked->sources[piece] != source)
        asked->sources[piece] = ANY_SOURCE;
    asked->pieces[piece / 64] |= bit;
}

/* Is one of the item's pieces asked for, by another source than its own lock? */
static bool is_asked(const struct sweep *sweep, const struct item *item)
{
    const struct asked *asked = &sweep->asked.at[item->section->thread];

    for (uint32_t i = item->from; i < item->to;) {
        uint64_t rest = asked->pieces[i / 64] >> i % 64;

        if (!rest) {
            i = (i / 64 + 1) * 64;
            continue;
        }
        i += (uint32_t)__builtin_ctzll(rest);
        if (i < item->to && asked->sources[i] != item->lock + 1)
            return true;
        i++;
    }
    return false;
}

static void add_times(struct sweep *sweep, const struct fw_clock *clock, uint32_t source)
{
    for (uint32_t i = 0; i < clock->len; i++)
        if (clock->at[i])
            ask(sweep, i, clock->at[i], source);
}

static void add_clock(void *visitor, const struct fw_clock *clock)
{
    add_times(visitor, clock, ANY_SOURCE);
}

/* Clocks of any source come first. */
static void add_shared(struct sweep *sweep, struct cp_shared *shared, uint32_t source)
{
    if (!shared || shared->mark == sweep->stamp)
        return;
    shared->mark = sweep->stamp;
    add_times(sweep, &shared->clock, source);
}

/* --- roots -------------------------------------------------------------------------------- */

static void add_access(struct sweep *sweep, const struct cp_access *access)
{
    add_shared(sweep, access->seen, ANY_SOURCE);
    if (access->seen)
        ask(sweep, access->about.mark.thread, access->time, ANY_SOURCE);
}

static void add_cells(struct sweep *sweep, const struct cp_cells *cells)
{
    for (size_t i = 0; i < cells->len; i++)
        add_shared(sweep, cells->at[i]->value, ANY_SOURCE);
}

static void add_accesses(struct sweep *sweep, const struct cp_variable *variable)
{
    for (uint32_t i = 0; i < variable->access_count; i++)
        add_access(sweep, &variable->accesses[i]);
}

static void add_touches(struct sweep *sweep, const struct cp_variable *variable)
{
    for (uint32_t i = 0; i < variable->touch_count; i++) {
        const struct cp_touch *touch = &variable->touches[i];

        for (int j = 0; j < 2; j++) {
            if (touch->read[j])
                add_shared(sweep, touch->read[j]->release, touch->lock + 1);
            if (touch->write[j])
                add_shared(sweep, touch->write[j]->release, touch->lock + 1);
        }
    }
}

static void add_variables(struct sweep *sweep,
                          void (*add)(struct sweep *, const struct cp_variable *))
{
    const struct fw_live *variables = &sweep->cp->variables;

    for (uint32_t i = 0; i < variables->lines.len; i++)
        if (fw_live_find(variables, i))
            add(sweep, fw_live_find(variables, i));
}

static void add_roots(struct sweep *sweep)
{
    struct fw_cp *cp = sweep->cp;

    for (size_t i = 0; i < cp->threads.len; i++) {
        add_clock(sweep, &cp->threads.at[i].hb);
        add_clock(sweep, &cp->threads.at[i].plain);
        add_cells(sweep, &cp->threads.at[i].live);
    }
    for (size_t i = 0; i < cp->locks.len; i++) {
        add_shared(sweep, cp->locks.at[i].hb, ANY_SOURCE);
        add_clock(sweep, &cp->locks.at[i].plain);
        add_clock(sweep, &cp->locks.at[i].readers);
        add_cells(sweep, &cp->locks.at[i].live);
    }
    for (size_t i = 0; i < cp->waiting.len; i++) {
        add_clock(sweep, &cp->waiting.at[i]->plain);
        add_shared(sweep, cp->waiting.at[i]->value, ANY_SOURCE);
        add_cells(sweep, &cp->waiting.at[i]->deps);
        if (cp->waiting.at[i]->suspect)
            add_access(sweep, &cp->waiting.at[i]->suspect->first);
    }
    add_variables(sweep, add_accesses);
    if (cp->roots)
        cp->roots(cp->roots_context, add_clock, sweep);
    add_variables(sweep, add_touches);
}

/* --- sections ----------------------------------------------------------------------------- */

static int compare_times(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static int compare_items(const void *a, const void *b)
{
    uint64_t x = ((const struct item *)a)->section->position;
    uint64_t y = ((const struct item *)b)->section->position;

    return x < y ? -1 : x > y;
}

static void list_acquires(struct sweep *sweep, const struct cp_row *row)
{
    fw_vec_extend(&sweep->asked, row->thread + (size_t)1);
    for (size_t i = 0; i < row->sections.len; i++)
        fw_vec_push(&sweep->asked.at[row->thread].acquires, row->sections.at[i]->time);
}

static void list_sections(struct sweep *sweep, const struct cp_row *row, uint32_t lock)
{
    const struct asked *asked = &sweep->asked.at[row->thread];

    for (size_t i = 0; i < row->sections.len; i++) {
        bool last = i + 1 == row->sections.len;
        struct item item = { .section = row->sections.at[i], .lock = lock };

        item.from = acquires_until(asked, item.section->time) - 1;
        item.to = last ? (uint32_t)asked->acquires.len
                       : acquires_until(asked, row->sections.at[i + 1]->time) - 1;
        fw_vec_push(&sweep->items, item);
    }
}

static void for_rows(struct sweep *sweep, bool acquires)
{
    const struct fw_cp *cp = sweep->cp;

    for (uint32_t i = 0; i < cp->locks.len; i++) {
        for (size_t j = 0; j < cp->locks.at[i].rows.len; j++) {
            if (acquires)
                list_acquires(sweep, &cp->locks.at[i].rows.at[j]);
            else
                list_sections(sweep, &cp->locks.at[i].rows.at[j], i);
        }
    }
}

static void list_all(struct sweep *sweep)
{
    for_rows(sweep, true);
    for (size_t i = 0; i < sweep->asked.len; i++) {
        struct asked *asked = &sweep->asked.at[i];
        size_t count = asked->acquires.len;

        if (count)
            qsort(asked->acquires.at, count, sizeof *asked->acquires.at, compare_times);
        asked->pieces = fw_xcalloc(count / 64 + 1, sizeof *asked->pieces);
        asked->sources = fw_xcalloc(count + 1, sizeof *asked->sources);
    }
    for_rows(sweep, false);
    if (sweep->items.len)
        qsort(sweep->items.at, sweep->items.len, sizeof *sweep->items.at, compare_items);
}

/* The release clock of a section that is kept can become a value too. */
static void keep(struct sweep *sweep, struct cp_section *section, uint32_t lock)
{
    if (section->mark == sweep->stamp)
        return;
    section->mark = sweep->stamp;
    add_shared(sweep, section->release, lock + 1);
    sweep->news = true;
}

/* The last one of a row; and a waiting section asks its own row for what is before it. */
static void keep_ends(struct sweep *sweep, const struct cp_row *row, uint32_t lock)
{
    const struct cp_sections *sections = &row->sections;

    for (size_t i = 0; i < sections->len; i++)
        if (i + 1 == sections->len || sections->at[i]->waiting || sections->at[i + 1]->waiting)
            keep(sweep, sections->at[i], lock);
}

static void look_at(struct sweep *sweep, const struct item *item)
{
    if (item->section->mark != sweep->stamp && is_asked(sweep, item))
        keep(sweep, item->section, item->lock);
}

static void keep_asked(struct sweep *sweep)
{
    do {
        sweep->news = false;
        for (size_t i = sweep->items.len; i-- > 0;)
            look_at(sweep, &sweep->items.at[i]);
        for (size_t i = 0; i < sweep->items.len; i++)
            look_at(sweep, &sweep->items.at[i]);
    } while (sweep->news);
}

static void drop_unmarked(struct sweep *sweep, struct cp_sections *sections)
{
    size_t kept = 0;

    for (size_t i = 0; i < sections->len; i++) {
        if (sections->at[i]->mark == sweep->stamp)
            sections->at[kept++] = sections->at[i];
        else
            cp_section_put(sections->at[i]);
    }
    sweep->cp->sections -= sections->len - kept;
    sections->len = kept;
}

static void release(struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->asked.len; i++) {
        fw_vec_release(&sweep->asked.at[i].acquires);
        free(sweep->asked.at[i].pieces);
        free(sweep->asked.at[i].sources);
    }
    fw_vec_release(&sweep->asked);
    fw_vec_release(&sweep->items);
}

void cp_sweep(struct fw_cp *cp)
{
    struct sweep sweep = { .cp = cp, .stamp = ++cp->stamp };

    list_all(&sweep);
    add_roots(&sweep);
    for (uint32_t i = 0; i < cp->locks.len; i++)
        for (size_t j = 0; j < cp->locks.at[i].rows.len; j++)
            keep_ends(&sweep, &cp->locks.at[i].rows.at[j], i);
    keep_asked(&sweep);
    for (size_t i = 0; i < cp->locks.len; i++)
        for (size_t j = 0; j < cp->locks.at[i].rows.len; j++)
            drop_unmarked(&sweep, &cp->locks.at[i].rows.at[j].sections);
    cp->sweep_at = cp->sections * 2 > cp->sweep_first ? cp->sections * 2 : cp->sweep_first;
    release(&sweep);
}
