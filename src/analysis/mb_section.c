/*
 * mb_section.c - critical sections and rule (3).
 *
 * Rules of the source (figures 15.1 and 16.1): [MB ACQUIRE] is mb_acquire,
 * [MB RELEASE] mb_release, the extra edges are add_edge.  Unlike there, an
 * edge is added as soon as the acquire of the earlier section is known to be
 * before any event of the later one, and a section is looked at again when the
 * clock of its release rises.
 */
#include "analysis/mb_state.h"

#include "base/bug.h"

struct mb_thread *mb_thread_at(struct fw_mb *mb, uint32_t thread)
{
    fw_vec_extend(&mb->threads, thread + 1);
    return &mb->threads.at[thread];
}

struct mb_thread *mb_step(struct fw_mb *mb, uint32_t thread)
{
    struct mb_thread *self = mb_thread_at(mb, thread);

    self->time++;
    mb_clock_raise(&self->mb, thread, self->time);
    mb->current = thread;
    return self;
}

/* The thread's clock has risen, or an incomplete section begins. */
static void forget_present(struct fw_mb *mb, struct mb_thread *thread)
{
    mb_snap_put(mb, thread->seen);
    thread->seen = NULL;
}

/* --- edges ------------------------------------------------------------------------------- */

/* What an edge comes from: a clock, and the time of the event in its own thread. */
struct source {
    const struct fw_clock *clock;
    uint32_t thread, time;
};

static bool join_source(struct fw_clock *to, const struct source *source)
{
    bool news = mb_clock_join(to, source->clock);

    if (fw_clock_covers(to, source->thread, source->time))
        return news;
    mb_clock_raise(to, source->thread, source->time);
    return true;
}

static void make_thread_dirty(struct fw_mb *mb, uint32_t thread)
{
    struct mb_thread *self = &mb->threads.at[thread];

    if (self->dirty || !self->held.len)
        return;
    self->dirty = true;
    fw_vec_push(&mb->dirty_threads, thread);
}

static void check_complete(struct fw_mb *mb, struct mb_section *section)
{
    if (section->complete || !mb_clock_below(&section->want, &section->begin.clock))
        return;
    section->complete = true;
    mb->some_complete = true;
}

/* The clocks of a live section, if they contain the acquire of g. */
static void raise_section(struct fw_mb *mb, struct mb_section *section, const struct mb_section *g,
                          const struct source *source)
{
    if (section != g && fw_clock_covers(&section->begin.clock, g->thread, g->acquired) &&
        join_source(&section->begin.clock, source))
        check_complete(mb, section);
    if (section->open || section->complete ||
        !fw_clock_covers(&section->end, g->thread, g->acquired) ||
        !join_source(&section->end, source) || section->dirty)
        return;
    section->dirty = true;
    section->refs++;
    fw_vec_push(&mb->dirty_sections, section);
}

/* An edge from a release to the acquire of g: all that is after it rises. */
static void add_edge(struct fw_mb *mb, struct mb_section *g, const struct source *source)
{
    join_source(&g->begin.clock, source);
    check_complete(mb, g);
    for (uint32_t i = 0; i < mb->threads.len; i++) {
        struct mb_thread *thread = &mb->threads.at[i];

        if (fw_clock_covers(&thread->mb, g->thread, g->acquired) &&
            join_source(&thread->mb, source)) {
            forget_present(mb, thread);
            make_thread_dirty(mb, i);
        }
    }
    for (size_t i = 0; i < mb->live.len; i++)
        raise_section(mb, mb->live.at[i].section, g, source);
    if (mb->probe && fw_clock_covers(mb->probe, g->thread, g->acquired))
        join_source(mb->probe, source);
}

/* --- rule (3) ---------------------------------------------------------------------------- */

const struct mb_row *mb_row_of(const struct mb_lock *lock, uint32_t thread, bool shared)
{
    size_t key = 2 * (size_t)thread + shared;
    uint32_t row = key < lock->row_of.len ? lock->row_of.at[key] : 0;

    return row ? &lock->rows.at[row - 1] : NULL;
}

/* How many sections of the row have their acquires at or before `time`. */
static size_t count_upto(const struct mb_row *row, uint32_t time)
{
    size_t low = 0, high = row->sections.len, step = 1;

    /* Clocks are mostly recent: look near the end first. */
    while (step < high && row->sections.at[high - step].acquired > time)
        step *= 2;
    if (step < high)
        low = high - step;
    high -= step / 2;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (row->sections.at[middle].acquired <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/*
 * No section of the row is kept that is so old.  Notes if one that matters has
 * been forgotten; returns when that would have to be noted, at the latest at
 * `next`.
 */
static uint32_t ask_forgotten(struct fw_mb *mb, const struct mb_section *h,
                              const struct mb_row *row, uint32_t time, uint32_t next)
{
    if (!row->forgotten_released ||
        fw_clock_covers(&h->begin.clock, row->thread, row->forgotten_released))
        return next;
    if (time < row->forgotten_acquired)
        return row->forgotten_acquired;
    mb->missed++;
    return next;
}

/*
 * An edge from the thread's latest section whose acquire is in the clock, if
 * it is news.  Returns the acquire of the section after that, which is the
 * next to bring news.
 */
static uint32_t apply_to_row(struct fw_mb *mb, struct mb_section *h, const struct fw_clock *clock,
                             uint32_t thread, bool shared)
{
    const struct mb_row *row = mb_row_of(&mb->locks.at[h->lock], thread, shared);
    uint32_t time = fw_clock_get(clock, thread), next = MB_NEVER;
    const struct mb_closed *k;
    struct source source;
    size_t count;

    if (!row)
        return MB_NEVER;
    count = count_upto(row, time);
    if (count < row->sections.len)
        next = row->sections.at[count].acquired;
    if (!count)
        return ask_forgotten(mb, h, row, time, next);
    k = &row->sections.at[count - 1];
    if (fw_clock_covers(&h->begin.clock, thread, k->released))
        return next;
    mb_adjust(mb, &k->end->at);
    source = (struct source) { &k->end->at.clock, thread, k->released };
    add_edge(mb, h, &source);
    return next;
}

/* Edges into h from sections whose acquires are in the clock, which is one of its events. */
static void apply_rule_3(struct fw_mb *mb, struct mb_section *h, const struct fw_clock *clock)
{
    if (h->complete || !mb_clock_reaches(clock, &h->next))
        return;
    for (uint32_t i = 0; i < h->next.len && !h->complete; i++) {
        uint32_t next, next_shared;

        if (!fw_clock_covers(clock, i, h->next.at[i]))
            continue;
        if (fw_clock_covers(&h->begin.clock, i, fw_clock_get(&h->want, i))) {
            h->next.at[i] = MB_NEVER;
            continue;
        }
        next = apply_to_row(mb, h, clock, i, false);
        next_shared = h->shared ? MB_NEVER : apply_to_row(mb, h, clock, i, true);
        h->next.at[i] = next < next_shared ? next : next_shared;
    }
}

/* Until nothing rises. */
static void drain(struct fw_mb *mb)
{
    while (mb->dirty_threads.len || mb->dirty_sections.len) {
        if (mb->dirty_threads.len) {
            struct mb_thread *thread = &mb->threads.at[fw_vec_pop(&mb->dirty_threads)];

            thread->dirty = false;
            for (size_t i = 0; i < thread->held.len; i++)
                if (thread->held.at[i].section)
                    apply_rule_3(mb, thread->held.at[i].section, &thread->mb);
        } else {
            struct mb_section *section = fw_vec_pop(&mb->dirty_sections);

            section->dirty = false;
            apply_rule_3(mb, section, &section->end);
            mb_section_put(mb, section);
        }
    }
    if (mb->some_complete)
        mb_retire(mb);
}

void mb_risen(struct fw_mb *mb, uint32_t thread)
{
    forget_present(mb, &mb->threads.at[thread]);
    make_thread_dirty(mb, thread);
    drain(mb);
}

void mb_receive(struct fw_mb *mb, uint32_t thread, const struct fw_clock *clock)
{
    if (mb_clock_join(&mb->threads.at[thread].mb, clock))
        mb_risen(mb, thread);
}

/* --- sections ---------------------------------------------------------------------------- */

static struct mb_lock *lock_at(struct fw_mb *mb, uint32_t lock)
{
    fw_vec_extend(&mb->locks, lock + 1);
    return &mb->locks.at[lock];
}

void mb_lock_release_state(struct fw_mb *mb, struct mb_lock *lock)
{
    for (size_t i = 0; i < lock->rows.len; i++) {
        struct mb_row *row = &lock->rows.at[i];

        for (size_t j = 0; j < row->sections.len; j++)
            mb_snap_put(mb, row->sections.at[j].end);
        fw_vec_release(&row->sections);
    }
    fw_vec_release(&lock->rows);
    fw_vec_release(&lock->row_of);
    fw_clock_release(&lock->any);
    fw_clock_release(&lock->exclusive);
    fw_clock_release(&lock->hb);
    fw_clock_release(&lock->hb_shared);
}

static struct mb_section *new_section(struct fw_mb *mb)
{
    struct mb_section *section;

    if (mb->free_sections.len)
        section = fw_vec_pop(&mb->free_sections);
    else
        section = fw_xcalloc(1, sizeof *section);
    section->open = true;
    section->complete = false;
    fw_clock_clear(&section->end);
    return section;
}

/* A section that begins without some earlier release of its lock in its past. */
static struct mb_section *begin_incomplete(struct fw_mb *mb, uint32_t thread, uint32_t lock,
                                           bool shared, const struct fw_clock *want)
{
    struct mb_thread *self = &mb->threads.at[thread];
    struct mb_section *section = new_section(mb);

    section->refs = 2; /* held, live */
    section->thread = thread;
    section->acquired = self->time;
    section->lock = lock;
    section->shared = shared;
    fw_clock_copy(&section->begin.clock, &self->mb);
    fw_clock_copy(&section->want, want);
    fw_clock_clear(&section->next);
    fw_clock_grow(&section->next, want->len);
    fw_vec_push(&mb->live, ((struct mb_live) { thread, self->time, section }));
    mb_limits_lower(&mb->earliest, thread, self->time);
    return section;
}

void mb_acquire(struct fw_mb *mb, uint32_t thread, uint32_t lock, bool shared)
{
    struct mb_thread *self = &mb->threads.at[thread];
    struct mb_lock *state = lock_at(mb, lock);
    const struct fw_clock *want = shared ? &state->exclusive : &state->any;
    struct mb_held held = { .lock = lock, .acquired = self->time };
    bool complete = mb_clock_below(want, &self->mb);

    if (!complete)
        held.section = begin_incomplete(mb, thread, lock, shared, want);
    fw_vec_push(&self->held, held);
    mb->held++;
    mb_clock_join(&self->hb, &state->hb);
    if (!shared)
        mb_clock_join(&self->hb, &state->hb_shared);
    if (complete)
        return;
    forget_present(mb, self);
    make_thread_dirty(mb, thread);
    drain(mb);
}

static struct mb_held take_held(struct mb_thread *self, uint32_t lock)
{
    struct mb_held held;
    size_t i = self->held.len;

    while (i && self->held.at[i - 1].lock != lock)
        i--;
    FW_ASSERT(i);
    held = self->held.at[i - 1];
    self->held.len--;
    memmove(&self->held.at[i - 1], &self->held.at[i],
            (self->held.len - (i - 1)) * sizeof *self->held.at);
    return held;
}

static void add_to_row(struct fw_mb *mb, struct mb_lock *lock, uint32_t thread, bool shared,
                       uint32_t acquired)
{
    struct mb_thread *self = &mb->threads.at[thread];
    size_t key = 2 * (size_t)thread + shared;
    struct mb_closed closed = { acquired, self->time, mb_snap_get(mb_present(mb, thread)) };

    fw_vec_extend(&lock->row_of, key + 1);
    if (!lock->row_of.at[key]) {
        fw_vec_push(&lock->rows, ((struct mb_row) { .thread = thread }));
        lock->row_of.at[key] = (uint32_t)lock->rows.len;
    }
    fw_vec_push(&lock->rows.at[lock->row_of.at[key] - 1].sections, closed);
    mb->sections++;
    mb->new_sections++;
}

/* Does the clock contain the acquire of an incomplete section other than this one? */
static bool depends(const struct fw_mb *mb, const struct fw_clock *clock,
                    const struct mb_section *self)
{
    for (size_t i = 0; i < mb->live.len; i++) {
        const struct mb_live *live = &mb->live.at[i];

        if (live->section != self && !live->section->complete &&
            fw_clock_covers(clock, live->thread, live->acquired))
            return true;
    }
    return false;
}

/* Released: it is complete if nothing can raise its end, else it waits. */
static void close_section(struct fw_mb *mb, struct mb_thread *self, struct mb_section *section)
{
    section->open = false;
    if (section->complete)
        return;
    if (depends(mb, &self->mb, section))
        fw_clock_copy(&section->end, &self->mb);
    else
        section->complete = mb->some_complete = true;
}

static void publish_hb(struct mb_thread *self, uint32_t thread, struct mb_lock *lock, bool shared)
{
    mb_clock_raise(&self->hb, thread, self->time);
    if (shared)
        mb_clock_join(&lock->hb_shared, &self->hb);
    else
        fw_clock_copy(&lock->hb, &self->hb);
}

void mb_release(struct fw_mb *mb, uint32_t thread, uint32_t lock, bool shared)
{
    struct mb_thread *self = &mb->threads.at[thread];
    struct mb_lock *state = lock_at(mb, lock);
    struct mb_held held = take_held(self, lock);

    if (held.section) {
        close_section(mb, self, held.section);
        mb_section_put(mb, held.section);
    }
    add_to_row(mb, state, thread, shared, held.acquired);
    mb_clock_raise(&state->any, thread, self->time);
    if (!shared)
        mb_clock_raise(&state->exclusive, thread, self->time);
    publish_hb(self, thread, state, shared);
    mb->held--;
    if (mb->held == 0 || mb->live.len >= mb->settle_at)
        mb_settle(mb);
    else if (mb->some_complete)
        mb_retire(mb);
    if (mb->held == 0)
        mb_judge(mb);
    if (mb->new_sections >= mb->sweep_at)
        mb_sweep(mb);
}
