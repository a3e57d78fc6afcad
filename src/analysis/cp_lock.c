/*
 * cp_lock.c - critical sections and rule (b).
 *
 * Rule (b) asks for the latest section k of the lock whose acquire is in P at
 * the release of h.  For each thread only the latest covered section can be
 * it, so the sections are kept in rows by thread and found by bisection.
 * Sections up to `best` of the latest settled section are dropped: every later
 * section inherits that edge through happens-before.
 */
#include "analysis/cp_state.h"

#include "base/bug.h"

static struct cp_lock *lock_at(struct fw_cp *cp, uint32_t lock)
{
    fw_vec_extend(&cp->locks, lock + 1);
    return &cp->locks.at[lock];
}

void cp_lock_release_state(struct cp_lock *lock)
{
    cp_shared_put(lock->hb);
    fw_clock_release(&lock->plain);
    fw_clock_release(&lock->readers);
    cp_cells_release(&lock->live);
    cp_cells_release(&lock->waiting);
    for (size_t i = 0; i < lock->rows.len; i++) {
        for (size_t j = 0; j < lock->rows.at[i].sections.len; j++)
            cp_section_put(lock->rows.at[i].sections.at[j]);
        fw_vec_release(&lock->rows.at[i].sections);
    }
    fw_vec_release(&lock->rows);
}

bool cp_raise(struct cp_cell *cell, const struct cp_section *k)
{
    if (k->number <= cell->best)
        return false;
    cell->best = k->number;
    cp_shared_put(cell->value);
    cell->value = cp_shared_get(k->release);
    return true;
}

/* How much of the thread is covered by the clock, the cells and the section itself. */
static uint32_t covered(const struct cp_cell *cell, const struct fw_clock *plain,
                        const struct cp_cells *deps, uint32_t thread)
{
    uint32_t most = fw_clock_get(plain, thread);

    for (size_t i = 0; i < deps->len; i++) {
        const struct cp_shared *value = deps->at[i]->value;
        uint32_t time = value ? fw_clock_get(&value->clock, thread) : 0;

        most = time > most ? time : most;
    }
    if (cell->value && fw_clock_get(&cell->value->clock, thread) > most)
        most = fw_clock_get(&cell->value->clock, thread);
    return most;
}

/* The latest section of the row before `before` whose acquire is at or before `time`. */
static const struct cp_section *latest_covered(const struct cp_row *row, uint32_t time,
                                               uint32_t before)
{
    size_t low = 0, high = row->sections.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct cp_section *section = row->sections.at[middle];

        if (section->time <= time && section->number < before)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? row->sections.at[low - 1] : NULL;
}

bool cp_apply_rule_b(struct fw_cp *cp, struct cp_cell *cell, const struct fw_clock *plain,
                     const struct cp_cells *deps)
{
    struct cp_lock *lock = &cp->locks.at[cell->lock];
    bool risen = false, again;

    do {
        again = false;
        for (size_t i = 0; i < lock->rows.len; i++) {
            const struct cp_row *row = &lock->rows.at[i];
            uint32_t time = covered(cell, plain, deps, row->thread);
            const struct cp_section *k =
                time ? latest_covered(row, time, cell->section->number) : NULL;

            if (k)
                again |= cp_raise(cell, k);
        }
        risen |= again;
    } while (again);
    return risen;
}

static struct cp_cell *open_section(struct fw_cp *cp, uint32_t thread, uint32_t lock)
{
    struct cp_cell *cell = fw_xcalloc(1, sizeof *cell);
    struct cp_section *section = fw_xcalloc(1, sizeof *section);

    section->refs = cell->refs = 1;
    section->thread = cell->thread = thread;
    section->time = cell->time = cp->threads.at[thread].time;
    section->position = cp->position;
    section->number = ++cp->locks.at[lock].count;
    cell->state = CP_OPEN;
    cell->horizon = cp->position;
    cell->lock = lock;
    cell->section = section;
    return cell;
}

/* The proof of CP knows acquires that wait; one alone is like them. */
static void hold(struct fw_cp *cp, struct cp_thread *self, uint32_t lock, bool tries)
{
    if (tries && self->locks.len)
        fw_cp_uncover(cp);
    fw_vec_push(&self->locks, lock);
}

/* And it wants the latest lock to be released first. */
static void let_go(struct fw_cp *cp, struct cp_thread *self, uint32_t lock)
{
    size_t i = self->locks.len;

    while (i > 0 && self->locks.at[i - 1] != lock)
        i--;
    FW_ASSERT(i > 0);
    if (i < self->locks.len)
        fw_cp_uncover(cp);
    memmove(self->locks.at + i - 1, self->locks.at + i,
            (self->locks.len - i) * sizeof *self->locks.at);
    self->locks.len--;
}

void fw_cp_acquire(struct fw_cp *cp, uint32_t thread, uint32_t lock, bool tries)
{
    struct cp_thread *self = cp_thread_at(cp, thread);
    struct cp_lock *state = lock_at(cp, lock);
    struct cp_cell *cell;

    if (state->readers.len)
        fw_cp_receive(cp, thread, &state->readers);
    if (state->hb) {
        fw_clock_join(&self->hb, &state->hb->clock);
        cp_prune(&state->plain, &state->live);
        fw_clock_join(&self->plain, &state->plain);
        cp_cells_join(cp, &self->live, &state->live);
        cp_shared_put(self->seen);
        self->seen = NULL;
    }
    cp_prune(&self->plain, &self->live);
    cell = open_section(cp, thread, lock);
    if (cell->section->number > 1) /* else there is no section that could have an edge into it */
        fw_vec_push(&self->live, cp_cell_get(cell));
    fw_vec_push(&self->held, cell);
    hold(cp, self, lock, tries);
}

/* Does the earlier waiting section get all that the dependency may still add? */
static bool passes_on(const struct cp_cell *earlier, const struct cp_cell *dep)
{
    if (dep == earlier)
        return true;
    for (size_t i = 0; i < earlier->deps.len; i++)
        if (earlier->deps.at[i] == dep)
            return dep->horizon < earlier->horizon;
    return false;
}

/*
 * Is there an earlier section of the lock, still waiting, that will pass on all
 * that this one could still get?  Then this one need not wait: it has the
 * earlier one in its past.  What a dependency may still add lies before its
 * horizon, so that must lie before the earlier section's acquire: then (b)
 * means the same sections for both.
 */
static bool is_redundant(const struct cp_lock *lock, const struct cp_cells *deps)
{
    for (size_t i = 0; i < lock->waiting.len; i++) {
        size_t j = 0;

        while (j < deps->len && passes_on(lock->waiting.at[i], deps->at[j]))
            j++;
        if (j == deps->len)
            return true;
    }
    return false;
}

/* The first section of the row behind number `best`, or NULL. */
static const struct cp_section *first_after(const struct cp_row *row, uint32_t best)
{
    size_t low = 0, high = row->sections.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (row->sections.at[middle]->number <= best)
            low = middle + 1;
        else
            high = middle;
    }
    return low < row->sections.len ? row->sections.at[low] : NULL;
}

/*
 * Can what the dependencies may still add contain the acquire of an earlier
 * section of the lock, so that (b) raises this one?  What they add lies before
 * their horizons.
 */
static bool can_rise(const struct cp_lock *lock, const struct cp_cell *cell,
                     const struct cp_cells *deps)
{
    uint64_t horizon = 0;

    for (size_t i = 0; i < deps->len; i++)
        horizon = deps->at[i]->horizon > horizon ? deps->at[i]->horizon : horizon;
    for (size_t i = 0; i < lock->rows.len; i++) {
        const struct cp_section *k = first_after(&lock->rows.at[i], cell->best);

        if (k && k->number < cell->section->number && k->position < horizon)
            return true;
    }
    return false;
}

/* Rule (b) at the release; the section settles, or waits for what the thread has seen. */
static void close_section(struct fw_cp *cp, struct cp_thread *self, struct cp_cell *cell)
{
    cp_cells_remove(&self->live, cell);
    cp_prune(&self->plain, &self->live);
    cp_apply_rule_b(cp, cell, &self->plain, &self->live);
    if (!can_rise(&cp->locks.at[cell->lock], cell, &self->live) ||
        is_redundant(&cp->locks.at[cell->lock], &self->live)) {
        cell->state = CP_SETTLED;
        if (cell->value)
            fw_clock_join(&self->plain, &cell->value->clock);
    } else {
        fw_clock_copy(&cell->plain, &self->plain);
        cp_cells_copy(&cell->deps, &self->live);
        fw_vec_push(&self->live, cp_cell_get(cell));
        cp_wait(cp, cell);
    }
    cp_closed(cp, cell);
    cp_prune(&self->plain, &self->live);
}

/* Sections that no later one can need: an edge from them is inherited by all. */
static void drop_inherited(struct fw_cp *cp, struct cp_lock *lock, const struct cp_cell *latest)
{
    if (latest->state != CP_SETTLED || lock->waiting.len || !latest->best)
        return;
    if (latest->best > lock->inherited)
        lock->inherited = latest->best;
    for (size_t i = 0; i < lock->rows.len; i++) {
        struct cp_sections *row = &lock->rows.at[i].sections;
        size_t gone = 0;

        while (gone < row->len && row->at[gone]->number <= latest->best)
            cp_section_put(row->at[gone++]);
        if (!gone)
            continue;
        row->len -= gone;
        memmove(row->at, row->at + gone, row->len * sizeof *row->at);
        cp->sections -= gone;
    }
}

static void keep_section(struct fw_cp *cp, struct cp_lock *lock, struct cp_section *section)
{
    struct cp_row *row = NULL;

    for (size_t i = 0; !row && i < lock->rows.len; i++)
        if (lock->rows.at[i].thread == section->thread)
            row = &lock->rows.at[i];
    if (!row) {
        fw_vec_push(&lock->rows, ((struct cp_row) { .thread = section->thread }));
        row = &fw_vec_last(&lock->rows);
    }
    fw_vec_push(&row->sections, cp_section_get(section));
    if (++cp->sections >= cp->sweep_at)
        cp_sweep(cp);
}

static void publish(struct cp_lock *lock, struct cp_thread *self,
                    const struct cp_section *section)
{
    cp_shared_put(lock->hb);
    lock->hb = cp_shared_get(section->release);
    fw_clock_copy(&lock->plain, &self->plain);
    cp_cells_copy(&lock->live, &self->live);
}

void fw_cp_release(struct fw_cp *cp, uint32_t thread, uint32_t lock)
{
    struct cp_thread *self = cp_thread_at(cp, thread);
    struct cp_lock *state = lock_at(cp, lock);
    struct cp_cell *cell = NULL;

    for (size_t i = self->held.len; !cell && i-- > 0;)
        if (self->held.at[i]->lock == lock)
            cell = cp_cell_get(self->held.at[i]);
    FW_ASSERT(cell);
    let_go(cp, self, lock);
    cp_cells_remove(&self->held, cell);
    cell->section->release = cp_share(&self->hb);
    close_section(cp, self, cell);
    publish(state, self, cell->section);
    drop_inherited(cp, state, cell);
    keep_section(cp, state, cell->section);
    cp_cell_put(cell);
}

void cp_close_all(struct fw_cp *cp)
{
    for (size_t i = 0; i < cp->threads.len; i++)
        for (size_t j = 0; j < cp->threads.at[i].held.len; j++)
            cp->threads.at[i].held.at[j]->state = CP_SETTLED;
    for (size_t i = 0; i < cp->threads.len; i++)
        for (size_t j = 0; j < cp->threads.at[i].held.len; j++)
            cp_closed(cp, cp->threads.at[i].held.at[j]);
}

void fw_cp_shared_acquire(struct fw_cp *cp, uint32_t thread, uint32_t lock, bool tries)
{
    const struct cp_lock *state = lock_at(cp, lock);

    if (state->hb)
        fw_cp_receive(cp, thread, &state->hb->clock);
    hold(cp, cp_thread_at(cp, thread), lock, tries);
}

void fw_cp_shared_release(struct fw_cp *cp, uint32_t thread, uint32_t lock)
{
    struct cp_thread *self = cp_thread_at(cp, thread);

    fw_clock_join(&lock_at(cp, lock)->readers, &self->hb);
    let_go(cp, self, lock);
}
