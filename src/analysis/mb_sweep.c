/*
 * mb_sweep.c - forgets released sections that rule (3) will not ask for.
 *
 * Rule (3) asks a row for its latest section whose acquire is at or before a
 * time, which is a component of a clock; and the answer matters only if its
 * release is not before the acquire of the section that asks.  So a section
 * can go
 *   (i)  if its release is in the clock of every thread, and in that of every
 *        live section's acquire: whoever asks later has it already;
 *   (ii) if no clock has a time from its acquire to before the next one's.
 *        Times to come are in clocks that exist (of threads, live sections,
 *        what variables and slots remember), or are later than the last
 *        section of a row; and in the clocks of the sections that these ask
 *        for, and so on.
 * Both are exact, but (i) as it is would keep everything for a thread that
 * sleeps (a main thread that waits to join), since its clock does not move.  So
 * (i) counts only threads that had events since the last sweep.  If another
 * one asks later for what has been forgotten, that is noticed, and the outcome
 * says that the answer is not complete.  The same holds for the limit on the
 * number of sections, for threads that never learn of each other.
 */
#include "analysis/mb_state.h"

#define LIMIT_LEAST (1u << 20) /* sections kept, whatever the number of variables and locks */

/* --- (i) --------------------------------------------------------------------------------- */

static void lower_floor(struct fw_clock *floor, const struct fw_clock *clock)
{
    for (uint32_t i = 0; i < floor->len; i++)
        if (floor->at[i] > fw_clock_get(clock, i))
            floor->at[i] = fw_clock_get(clock, i);
}

/* What every thread that is awake and every live section has in its past. */
static void find_floor(struct fw_mb *mb, struct fw_clock *floor)
{
    fw_vec_extend(&mb->threads, fw_symbols_count(mb->symbols, FW_SPACE_THREAD));
    fw_clock_grow(floor, (uint32_t)mb->threads.len);
    memset(floor->at, 0xff, floor->len * sizeof *floor->at);
    for (size_t i = 0; i < mb->threads.len; i++) {
        struct mb_thread *thread = &mb->threads.at[i];

        if (mb->exact || thread->time != thread->swept)
            lower_floor(floor, &thread->mb);
        thread->swept = thread->time;
    }
    for (size_t i = 0; i < mb->live.len; i++)
        if (!mb->live.at[i].section->complete)
            lower_floor(floor, &mb->live.at[i].section->begin.clock);
}

/* Forgets the first sections of the row. */
static void forget_first(struct fw_mb *mb, struct mb_row *row, size_t count)
{
    if (!count)
        return;
    if (!row->forgotten_released)
        row->forgotten_acquired = row->sections.at[0].acquired;
    row->forgotten_released = row->sections.at[count - 1].released;
    for (size_t i = 0; i < count; i++)
        mb_snap_put(mb, row->sections.at[i].end);
    row->sections.len -= count;
    memmove(row->sections.at, row->sections.at + count,
            row->sections.len * sizeof *row->sections.at);
    mb->sections -= count;
}

static void forget_below(struct fw_mb *mb, struct mb_row *row, uint32_t floor)
{
    size_t count = 0;

    while (count + 1 < row->sections.len && row->sections.at[count].released <= floor)
        count++;
    forget_first(mb, row, count);
}

static void forget_known(struct fw_mb *mb)
{
    struct fw_clock floor = { 0 };

    find_floor(mb, &floor);
    for (size_t i = 0; i < mb->locks.len; i++)
        for (size_t j = 0; j < mb->locks.at[i].rows.len; j++) {
            struct mb_row *row = &mb->locks.at[i].rows.at[j];

            forget_below(mb, row, fw_clock_get(&floor, row->thread));
        }
    fw_clock_release(&floor);
}

/* --- (ii) -------------------------------------------------------------------------------- */

/* A section in the order of its thread's acquires, on whatever lock. */
struct item {
    uint32_t acquired, place; /* time; in the row */
    struct mb_row *row;
};

/*
 * The sections of one thread.  best is a tree of maxima over `until`: the
 * number of the row's next section, which a time must not have reached to ask
 * for this one; 0 once it has been asked for.
 */
struct timeline {
    FW_VEC(struct item) items;
    FW_VEC(uint8_t) asked; /* by item: a time from its acquire to the next item's */
    uint32_t *best;
    uint32_t leaves; /* power of two */
};

/* A section that is asked for. */
struct found {
    struct mb_snap *end;
    uint32_t thread, released;
};

struct sweep {
    struct fw_mb *mb;
    uint32_t stamp;
    FW_VEC(struct timeline) timelines; /* by thread */
    FW_VEC(struct found) found;        /* not looked at yet */
};

static int compare_items(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    return x->acquired < y->acquired ? -1 : x->acquired > y->acquired;
}

static void collect_items(struct sweep *sweep)
{
    struct fw_mb *mb = sweep->mb;

    fw_vec_extend(&sweep->timelines, mb->threads.len);
    for (size_t i = 0; i < mb->locks.len; i++) {
        for (size_t j = 0; j < mb->locks.at[i].rows.len; j++) {
            struct mb_row *row = &mb->locks.at[i].rows.at[j];

            for (uint32_t k = 0; k < row->sections.len; k++)
                fw_vec_push(&sweep->timelines.at[row->thread].items,
                            ((struct item) { row->sections.at[k].acquired, k, row }));
            row->next = 0;
        }
    }
}

static void build_timeline(struct timeline *line)
{
    uint32_t count = (uint32_t)line->items.len;

    if (!count)
        return;
    qsort(line->items.at, count, sizeof *line->items.at, compare_items);
    fw_vec_extend(&line->asked, count);
    line->leaves = 1;
    while (line->leaves < count)
        line->leaves *= 2;
    line->best = fw_xcalloc(2 * (size_t)line->leaves, sizeof *line->best);
    for (uint32_t i = count; i-- > 0;) {
        struct mb_row *row = line->items.at[i].row;

        line->best[line->leaves + i] = row->next ? row->next : count;
        row->next = i;
    }
    for (uint32_t i = line->leaves; i-- > 1;)
        line->best[i] =
            line->best[2 * i] > line->best[2 * i + 1] ? line->best[2 * i] : line->best[2 * i + 1];
}

/* The section is asked for; its clock may ask for others. */
static void take_item(struct sweep *sweep, struct timeline *line, uint32_t item)
{
    const struct mb_row *row = line->items.at[item].row;
    const struct mb_closed *closed = &row->sections.at[line->items.at[item].place];

    fw_vec_push(&sweep->found, ((struct found) { closed->end, row->thread, closed->released }));
    line->best[line->leaves + item] = 0;
    for (uint32_t i = (line->leaves + item) / 2; i; i /= 2)
        line->best[i] =
            line->best[2 * i] > line->best[2 * i + 1] ? line->best[2 * i] : line->best[2 * i + 1];
}

/* Takes all items of the subtree up to `last` whose row goes on only after `last`. */
static void take_upto(struct sweep *sweep, struct timeline *line, uint32_t node, uint32_t first,
                      uint32_t width, uint32_t last)
{
    if (first > last || line->best[node] <= last)
        return;
    if (width == 1) {
        take_item(sweep, line, first);
        return;
    }
    take_upto(sweep, line, 2 * node, first, width / 2, last);
    take_upto(sweep, line, 2 * node + 1, first + width / 2, width / 2, last);
}

static void ask(struct sweep *sweep, uint32_t thread, uint32_t time)
{
    struct timeline *line = &sweep->timelines.at[thread];
    size_t low = 0, high = line->items.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (line->items.at[middle].acquired <= time)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || line->asked.at[low - 1])
        return;
    line->asked.at[low - 1] = 1;
    take_upto(sweep, line, 1, 0, line->leaves, (uint32_t)low - 1);
}

static void ask_clock(struct sweep *sweep, const struct fw_clock *clock)
{
    uint32_t len = clock->len < sweep->timelines.len ? clock->len : (uint32_t)sweep->timelines.len;

    for (uint32_t i = 0; i < len; i++)
        if (clock->at[i])
            ask(sweep, i, clock->at[i]);
}

static void ask_snap(struct sweep *sweep, struct mb_snap *snap)
{
    if (!snap || snap->mark == sweep->stamp)
        return;
    snap->mark = sweep->stamp;
    mb_adjust(sweep->mb, &snap->at);
    ask_clock(sweep, &snap->at.clock);
}

static void ask_access(struct sweep *sweep, const struct mb_access *access)
{
    if (!access->point.time)
        return;
    ask_snap(sweep, access->seen);
    ask(sweep, access->point.mark.thread, access->point.time);
}

static void ask_variables(struct sweep *sweep)
{
    struct fw_mb *mb = sweep->mb;

    for (uint32_t i = 0; i < mb->variables.lines.len; i++) {
        const struct mb_variable *variable = fw_live_find(&mb->variables, i);

        if (!variable)
            continue;
        ask_access(sweep, &variable->write);
        if (variable->read)
            ask_access(sweep, variable->read);
        for (size_t j = 0; variable->more && j < variable->more->reads.len; j++)
            ask_access(sweep, &variable->more->reads.at[j]);
    }
}

static void ask_all(struct sweep *sweep)
{
    struct fw_mb *mb = sweep->mb;

    for (uint32_t i = 0; i < mb->threads.len; i++) {
        ask_clock(sweep, &mb->threads.at[i].mb);
        ask(sweep, i, MB_NEVER); /* times to come */
    }
    for (size_t i = 0; i < mb->live.len; i++) {
        ask_clock(sweep, &mb->live.at[i].section->begin.clock);
        ask_clock(sweep, &mb->live.at[i].section->end);
    }
    for (size_t i = 0; i < mb->slots.len; i++)
        ask_snap(sweep, mb->slots.at[i].mb);
    for (size_t i = 0; i < mb->conditions.len; i++)
        ask_snap(sweep, mb->conditions.at[i].mb);
    ask_variables(sweep);
    while (sweep->found.len) {
        struct found found = fw_vec_pop(&sweep->found);

        ask_snap(sweep, found.end);
        ask(sweep, found.thread, found.released);
    }
}

/* Marks what nobody asked for, by taking its snapshot away. */
static void drop_unasked(struct sweep *sweep, struct timeline *line)
{
    for (uint32_t i = 0; i < line->items.len; i++) {
        struct mb_closed *closed = &line->items.at[i].row->sections.at[line->items.at[i].place];

        if (!line->best[line->leaves + i])
            continue;
        mb_snap_put(sweep->mb, closed->end);
        closed->end = NULL;
    }
    fw_vec_release(&line->items);
    fw_vec_release(&line->asked);
    free(line->best);
}

static void close_gaps(struct fw_mb *mb, struct mb_row *row)
{
    size_t kept = 0;

    for (size_t i = 0; i < row->sections.len; i++)
        if (row->sections.at[i].end)
            row->sections.at[kept++] = row->sections.at[i];
    mb->sections -= row->sections.len - kept;
    row->sections.len = kept;
}

static void forget_unasked(struct fw_mb *mb)
{
    struct sweep sweep = { .mb = mb, .stamp = ++mb->stamp };

    collect_items(&sweep);
    for (size_t i = 0; i < sweep.timelines.len; i++)
        build_timeline(&sweep.timelines.at[i]);
    ask_all(&sweep);
    for (size_t i = 0; i < sweep.timelines.len; i++)
        drop_unasked(&sweep, &sweep.timelines.at[i]);
    for (size_t i = 0; i < mb->locks.len; i++)
        for (size_t j = 0; j < mb->locks.at[i].rows.len; j++)
            close_gaps(mb, &mb->locks.at[i].rows.at[j]);
    fw_vec_release(&sweep.timelines);
    fw_vec_release(&sweep.found);
}

/* --- the limit --------------------------------------------------------------------------- */

static void keep_limit(struct fw_mb *mb)
{
    uint64_t rows = 0, limit;

    for (size_t i = 0; i < mb->locks.len; i++)
        rows += mb->locks.at[i].rows.len;
    limit = 4 * (mb->variables.lines.len + rows);
    if (limit < LIMIT_LEAST)
        limit = LIMIT_LEAST;
    if (mb->exact || mb->sections <= limit)
        return;
    for (size_t i = 0; i < mb->locks.len; i++)
        for (size_t j = 0; j < mb->locks.at[i].rows.len; j++)
            forget_first(mb, &mb->locks.at[i].rows.at[j],
                         mb->locks.at[i].rows.at[j].sections.len / 2);
}

/*
 * The second part looks at all variables, so it pays only after about as many
 * new sections.
 */
void mb_sweep(struct fw_mb *mb)
{
    uint64_t before = mb->sections;

    forget_known(mb);
    if (mb->sections * 2 > before || mb->exact)
        forget_unasked(mb);
    keep_limit(mb);
    mb->new_sections = 0;
    mb->sweep_at = mb->sweep_least;
    if (mb->sweep_at < mb->sections)
        mb->sweep_at = mb->sections;
    if (mb->sweep_at < mb->snaps && !mb->exact)
        mb->sweep_at = mb->snaps;
}
