/*
 * cp_access.c - rule (a) and the race check.
 *
 * Rule (a) needs, for a lock and a variable, the latest section that accessed
 * the variable in another thread.  Releases of one lock are ordered, so the
 * latest is enough, and two of different threads serve every third.
 *
 * The race check compares with the latest plain write and the accesses since:
 * a plain write clashes with everything, so whatever is older and unordered
 * with this access is unordered with it or with the write.  The latest comes
 * first, as in the theorem that the first race is real.  In relation mode it
 * compares with all accesses.
 *
 * An access that does the same as the latest one to the variable, by the same
 * thread and with no synchronisation of the thread since, brings nothing new.
 */
#include "analysis/cp_state.h"

static bool reads(const struct fw_cp_access *access)
{
    return fw_is_read(access->mark.kind);
}

static bool writes(const struct fw_cp_access *access)
{
    return fw_is_write(access->mark.kind) || access->mark.kind == FW_FREE;
}

static bool is_atomic(const struct fw_cp_access *access)
{
    return fw_is_class(access->mark.kind, FW_CLASS_ATOMIC);
}

/* --- rule (a) ---------------------------------------------------------------------------- */

/* Where the lock's touch is, or belongs. */
static uint32_t touch_place(const struct cp_variable *variable, uint32_t lock)
{
    uint32_t low = 0, high = variable->touch_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (variable->touches[middle].lock < lock)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void forget_inherited(const struct cp_lock *lock, struct cp_section **section)
{
    if (!*section || (*section)->number > lock->inherited)
        return;
    cp_section_put(*section);
    *section = NULL;
}

/* Drops touches by sections that can add nothing any more; see drop_inherited in cp_lock.c. */
static void drop_touches(const struct fw_cp *cp, struct cp_variable *variable)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < variable->touch_count; i++) {
        struct cp_touch *touch = &variable->touches[i];
        const struct cp_lock *lock = &cp->locks.at[touch->lock];

        for (int j = 0; j < 2; j++) {
            forget_inherited(lock, &touch->read[j]);
            forget_inherited(lock, &touch->write[j]);
        }
        if (touch->read[0] || touch->write[0])
            variable->touches[kept++] = *touch;
    }
    variable->touch_count = kept;
}

/* Makes room for one more; to look through all of them first costs no more than they did. */
static void reserve_touch(const struct fw_cp *cp, struct cp_variable *variable)
{
    if (variable->touch_count < variable->touch_cap)
        return;
    drop_touches(cp, variable);
    if (variable->touch_cap && variable->touch_count * 2 <= variable->touch_cap)
        return;
    variable->touch_cap = variable->touch_cap ? variable->touch_cap * 2 : 1;
    variable->touches =
        fw_xrealloc(variable->touches, variable->touch_cap, sizeof *variable->touches);
}

static struct cp_touch *touch_of(const struct fw_cp *cp, struct cp_variable *variable,
                                 uint32_t lock)
{
    uint32_t at = touch_place(variable, lock);

    if (at < variable->touch_count && variable->touches[at].lock == lock)
        return &variable->touches[at];
    reserve_touch(cp, variable);
    at = touch_place(variable, lock);
    memmove(variable->touches + at + 1, variable->touches + at,
            (variable->touch_count - at) * sizeof *variable->touches);
    variable->touch_count++;
    variable->touches[at] = (struct cp_touch) { .lock = lock };
    return &variable->touches[at];
}

/* Remembers that the section did it: [0] is the latest, [1] the latest of another thread. */
static void remember(struct cp_section *latest[2], struct cp_section *section)
{
    if (latest[0] == section)
        return;
    if (latest[0] && latest[0]->thread != section->thread) {
        cp_section_put(latest[1]);
        latest[1] = latest[0];
    } else {
        cp_section_put(latest[0]);
    }
    latest[0] = cp_section_get(section);
}

static void raise_from(struct cp_cell *cell, struct cp_section *const latest[2])
{
    for (int i = 0; i < 2; i++) {
        if (!latest[i] || latest[i]->thread == cell->thread)
            continue;
        cp_raise(cell, latest[i]);
        return;
    }
}

static void apply_rule_a(const struct fw_cp *cp, struct cp_thread *self,
                         struct cp_variable *variable, const struct fw_cp_access *access)
{
    for (size_t i = 0; i < self->held.len; i++) {
        struct cp_cell *cell = self->held.at[i];
        struct cp_touch *touch = touch_of(cp, variable, cell->lock);

        raise_from(cell, touch->write);
        if (writes(access))
            raise_from(cell, touch->read);
        if (reads(access))
            remember(touch->read, cell->section);
        if (writes(access))
            remember(touch->write, cell->section);
    }
}

/* --- race check -------------------------------------------------------------------------- */

static bool clash(const struct fw_cp_access *a, const struct fw_cp_access *b)
{
    return a->mark.thread != b->mark.thread && (writes(a) || writes(b)) &&
           !(is_atomic(a) && is_atomic(b));
}

/*
 * Is the earlier access known to be before the thread's present?  An undecided
 * suspect counts too: if its first access is after x, then x is ordered in
 * either case, by the order of the pair or by its report.
 */
static bool is_known_ordered(const struct fw_cp *cp, const struct cp_thread *self,
                             const struct cp_access *x)
{
    uint32_t thread = x->about.mark.thread, time = x->time;

    if (fw_clock_covers(&self->plain, thread, time))
        return true;
    for (size_t i = 0; i < self->live.len; i++) {
        const struct cp_cell *cell = self->live.at[i];

        if (cp_shared_covers(cell->value, thread, time))
            return true;
        if (cell->suspect && !cp->relation &&
            cp_access_covers(&cell->suspect->first, thread, time))
            return true;
    }
    return false;
}

/*
 * Atomic accesses are no race, but who comes first decides what a load sees:
 * the proof, which knows plain data only, does not cover a pair without order.
 */
static bool is_uncovered(const struct fw_cp *cp, const struct cp_thread *self,
                         const struct cp_access *x, const struct cp_access *e)
{
    return is_atomic(&x->about) && is_atomic(&e->about) &&
           x->about.mark.thread != e->about.mark.thread &&
           (writes(&x->about) || writes(&e->about)) && !is_known_ordered(cp, self, x);
}

static void inject(struct cp_thread *self, const struct cp_access *x)
{
    cp_access_join(&self->hb, x);
    cp_access_join(&self->plain, x);
    cp_shared_put(self->seen);
    self->seen = NULL;
    self->phase++;
}

/* Undecided: waits until what the thread has seen is settled. */
static void suspect(struct fw_cp *cp, struct cp_thread *self, const struct cp_access *x,
                    const struct cp_access *e)
{
    struct cp_cell *cell = fw_xcalloc(1, sizeof *cell);

    cell->refs = 1;
    cell->suspect = fw_xcalloc(1, sizeof *cell->suspect);
    cell->thread = e->about.mark.thread;
    cell->time = e->time;
    cell->horizon = x->about.position + 1;
    cp_access_copy(&cell->suspect->first, x);
    cp_access_copy(&cell->suspect->second, e);
    fw_clock_copy(&cell->plain, &self->plain);
    cp_cells_copy(&cell->deps, &self->live);
    if (!cp->relation)
        fw_vec_push(&self->live, cp_cell_get(cell));
    cp_wait(cp, cell);
    cp_cell_put(cell);
}

static void check(struct fw_cp *cp, struct cp_thread *self, const struct cp_access *x,
                  const struct cp_access *e)
{
    bool hb;

    if (!clash(&x->about, &e->about) || is_known_ordered(cp, self, x))
        return;
    cp_prune(&self->plain, &self->live);
    if (is_known_ordered(cp, self, x))
        return;
    hb = fw_clock_covers(&self->hb, x->about.mark.thread, x->time);
    if (hb && self->live.len) {
        suspect(cp, self, x, e);
        return;
    }
    cp_report(cp, x, e, !hb);
    if (!cp->relation)
        inject(self, x);
}

/* Does the later access clash with whatever the earlier one clashes with?  (Same thread.) */
static bool stands_for(const struct fw_cp_access *later, const struct fw_cp_access *earlier)
{
    return later->mark.thread == earlier->mark.thread && writes(later) == writes(earlier) &&
           is_atomic(later) == is_atomic(earlier);
}

/* --- variables --------------------------------------------------------------------------- */

static void forget_accesses(struct cp_variable *variable)
{
    for (uint32_t i = 0; i < variable->access_count; i++)
        cp_access_release(&variable->accesses[i]);
    variable->access_count = 0;
}

static struct cp_access *new_access(struct cp_variable *variable)
{
    if (variable->access_count == variable->access_cap) {
        variable->access_cap = variable->access_cap ? variable->access_cap * 2 : 1;
        variable->accesses =
            fw_xrealloc(variable->accesses, variable->access_cap, sizeof *variable->accesses);
    }
    variable->accesses[variable->access_count] = (struct cp_access) { .seen = NULL };
    return &variable->accesses[variable->access_count++];
}

static void remove_access(struct cp_variable *variable, uint32_t i)
{
    cp_access_release(&variable->accesses[i]);
    variable->access_count--;
    memmove(variable->accesses + i, variable->accesses + i + 1,
            (variable->access_count - i) * sizeof *variable->accesses);
}

/* The access becomes the last one, in place of the one that it stands for. */
static void keep(const struct fw_cp *cp, struct cp_variable *variable, const struct cp_access *e)
{
    uint32_t i = 0;

    if (cp->relation)
        i = variable->access_count;
    else if (writes(&e->about) && !is_atomic(&e->about))
        forget_accesses(variable);
    while (i < variable->access_count && !stands_for(&e->about, &variable->accesses[i].about))
        i++;
    if (i < variable->access_count)
        remove_access(variable, i);
    cp_access_copy(new_access(variable), e);
}

/* The latest access, if this one only repeats it. */
static struct cp_access *repeated(const struct fw_cp *cp, const struct cp_variable *variable,
                                  const struct fw_cp_access *access, uint32_t phase)
{
    struct cp_access *latest = &variable->accesses[variable->access_count - 1];

    return variable->access_count && !cp->relation && latest->phase == phase &&
                   stands_for(access, &latest->about)
               ? latest
               : NULL;
}

void fw_cp_access(struct fw_cp *cp, const struct fw_cp_access *access)
{
    struct cp_thread *self = cp_thread_at(cp, access->mark.thread);
    struct cp_variable *variable = fw_live_get(&cp->variables, access->mark.target);
    struct cp_access *again = repeated(cp, variable, access, self->phase);
    struct cp_access e = { .about = *access, .time = self->time };

    if (again) {
        again->about = *access;
        again->time = self->time;
        return;
    }
    apply_rule_a(cp, self, variable, access);
    for (uint32_t i = variable->access_count; i-- > 0;) {
        check(cp, self, &variable->accesses[i], &e);
        if (is_uncovered(cp, self, &variable->accesses[i], &e))
            fw_cp_uncover(cp);
    }
    if (!self->seen)
        self->seen = cp_share(&self->hb); /* with the races that were reported just now */
    e.phase = self->phase;
    e.seen = cp_shared_get(self->seen);
    keep(cp, variable, &e);
    cp_access_release(&e);
}

void fw_cp_prefetch(const struct fw_cp *cp, const struct fw_place *place)
{
    uint32_t ahead = place->i + FW_LIVE_AHEAD / 2;
    const struct cp_variable *variable = NULL;

    fw_live_prefetch(&cp->variables, place);
    if (ahead < place->batch->count)
        variable = fw_live_find(&cp->variables, place->batch->events[ahead].target);
    if (variable && variable->access_count)
        __builtin_prefetch(&variable->accesses[variable->access_count - 1], 1);
}

static void release_variable(struct cp_variable *variable)
{
    forget_accesses(variable);
    for (uint32_t i = 0; i < variable->touch_count; i++) {
        for (int j = 0; j < 2; j++) {
            cp_section_put(variable->touches[i].read[j]);
            cp_section_put(variable->touches[i].write[j]);
        }
    }
    free(variable->accesses);
    free(variable->touches);
}

void cp_variables_release(struct fw_cp *cp)
{
    for (uint32_t i = 0; i < cp->variables.lines.len; i++) {
        struct cp_variable *variable = fw_live_find(&cp->variables, i);

        if (variable)
            release_variable(variable);
    }
    fw_live_release(&cp->variables);
}

uint32_t fw_cp_alloc(struct fw_cp *cp, const struct fw_symbols *symbols, uint32_t variable)
{
    uint32_t former = fw_live_renew(&cp->variables, symbols, variable);
    struct cp_variable *gone =
        former == FW_NO_VARIABLE ? NULL : fw_live_find(&cp->variables, former);

    if (gone) {
        release_variable(gone);
        fw_live_drop(&cp->variables, former);
    }
    return former;
}

void fw_cp_free(struct fw_cp *cp, const struct fw_symbols *symbols, uint32_t variable)
{
    fw_live_freed(&cp->variables, symbols, variable);
}
