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
 */
#include "analysis/cp_state.h"

FW_VEC_TYPE(times, uint32_t);

struct sweep {
    struct fw_cp *cp;
    uint32_t stamp;
    FW_VEC(struct times) times; /* by thread: components that can come up */
};

static void add_clock(void *visitor, const struct fw_clock *clock)
{
    struct sweep *sweep = visitor;

    fw_vec_extend(&sweep->times, clock->len);
    for (uint32_t i = 0; i < clock->len; i++)
        if (clock->at[i])
            fw_vec_push(&sweep->times.at[i], clock->at[i]);
}

static void add_shared(struct sweep *sweep, struct cp_shared *shared)
{
    if (!shared || shared->mark == sweep->stamp)
        return;
    shared->mark = sweep->stamp;
    add_clock(sweep, &shared->clock);
}

static void add_access(struct sweep *sweep, const struct cp_access *access)
{
    add_shared(sweep, access->seen);
    if (!access->seen)
        return;
    fw_vec_extend(&sweep->times, access->about.mark.thread + 1u);
    fw_vec_push(&sweep->times.at[access->about.mark.thread], access->time);
}

static void add_cells(struct sweep *sweep, const struct cp_cells *cells)
{
    for (size_t i = 0; i < cells->len; i++)
        add_shared(sweep, cells->at[i]->value);
}

static void add_touch(struct sweep *sweep, const struct cp_touch *touch)
{
    for (int i = 0; i < 2; i++) {
        if (touch->read[i])
            add_shared(sweep, touch->read[i]->release);
        if (touch->write[i])
            add_shared(sweep, touch->write[i]->release);
    }
}

static void add_variable(struct sweep *sweep, const struct cp_variable *variable)
{
    for (uint32_t i = 0; i < variable->access_count; i++)
        add_access(sweep, &variable->accesses[i]);
    for (uint32_t i = 0; i < variable->touch_count; i++)
        add_touch(sweep, &variable->touches[i]);
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
        add_shared(sweep, cp->locks.at[i].hb);
        add_clock(sweep, &cp->locks.at[i].plain);
        add_clock(sweep, &cp->locks.at[i].readers);
        add_cells(sweep, &cp->locks.at[i].live);
    }
    for (size_t i = 0; i < cp->waiting.len; i++) {
        add_clock(sweep, &cp->waiting.at[i]->plain);
        add_shared(sweep, cp->waiting.at[i]->value);
        add_cells(sweep, &cp->waiting.at[i]->deps);
        if (cp->waiting.at[i]->suspect)
            add_access(sweep, &cp->waiting.at[i]->suspect->first);
    }
    for (uint32_t i = 0; i < cp->variables.lines.len; i++)
        if (fw_live_find(&cp->variables, i))
            add_variable(sweep, fw_live_find(&cp->variables, i));
    if (cp->roots)
        cp->roots(cp->roots_context, add_clock, sweep);
}

static int compare_times(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static void sort_times(struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->times.len; i++) {
        struct times *times = &sweep->times.at[i];
        size_t kept = 0;

        if (times->len)
            qsort(times->at, times->len, sizeof *times->at, compare_times);
        for (size_t j = 0; j < times->len; j++)
            if (!kept || times->at[kept - 1] != times->at[j])
                times->at[kept++] = times->at[j];
        times->len = kept;
    }
}

/* Is there a time from `from` up to, not including, `to`? */
static bool has_time(const struct times *times, uint32_t from, uint32_t to)
{
    size_t low = 0, high = times->len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (times->at[middle] < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low < times->len && times->at[low] < to;
}

/* Can the row's section be the answer to rule (b)? */
static bool is_needed(const struct sweep *sweep, const struct cp_row *row, size_t i)
{
    const struct cp_sections *sections = &row->sections;

    if (i + 1 == sections->len)
        return true;
    /* A waiting section asks its own row for what is before it. */
    if (sections->at[i]->waiting || sections->at[i + 1]->waiting)
        return true;
    return row->thread < sweep->times.len &&
           has_time(&sweep->times.at[row->thread], sections->at[i]->time,
                    sections->at[i + 1]->time);
}

/* Marks the sections of the row that can be asked for; true if there are new ones. */
static bool mark_row(struct sweep *sweep, const struct cp_row *row)
{
    bool news = false;

    for (size_t i = 0; i < row->sections.len; i++) {
        struct cp_section *section = row->sections.at[i];

        if (section->mark == sweep->stamp || !is_needed(sweep, row, i))
            continue;
        section->mark = sweep->stamp;
        news = true;
    }
    return news;
}

static bool mark_rows(struct sweep *sweep)
{
    struct fw_cp *cp = sweep->cp;
    bool news = false;

    for (size_t i = 0; i < cp->locks.len; i++)
        for (size_t j = 0; j < cp->locks.at[i].rows.len; j++)
            news |= mark_row(sweep, &cp->locks.at[i].rows.at[j]);
    return news;
}

/* The release clocks of marked sections can become values too. */
static void add_marked(struct sweep *sweep)
{
    struct fw_cp *cp = sweep->cp;

    for (size_t i = 0; i < cp->locks.len; i++) {
        for (size_t j = 0; j < cp->locks.at[i].rows.len; j++) {
            const struct cp_sections *sections = &cp->locks.at[i].rows.at[j].sections;

            for (size_t k = 0; k < sections->len; k++)
                if (sections->at[k]->mark == sweep->stamp)
                    add_shared(sweep, sections->at[k]->release);
        }
    }
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

void cp_sweep(struct fw_cp *cp)
{
    struct sweep sweep = { .cp = cp, .stamp = ++cp->stamp };

    add_roots(&sweep);
    sort_times(&sweep);
    while (mark_rows(&sweep)) {
        add_marked(&sweep);
        sort_times(&sweep);
    }
    for (size_t i = 0; i < cp->locks.len; i++)
        for (size_t j = 0; j < cp->locks.at[i].rows.len; j++)
            drop_unmarked(&sweep, &cp->locks.at[i].rows.at[j].sections);
    cp->sweep_at = cp->sections * 2 > cp->sweep_first ? cp->sections * 2 : cp->sweep_first;
    for (size_t i = 0; i < sweep.times.len; i++)
        fw_vec_release(&sweep.times.at[i]);
    fw_vec_release(&sweep.times);
}
