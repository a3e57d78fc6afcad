/*
 * cp_access.c - rule (a) and the race check.
 *
 * Rule (a) needs, for a lock and a variable, the latest section that accessed
 * the variable in another thread.  Releases of one lock are ordered, so the
 * latest is enough, and two of different threads serve every third.
 *
 * The race check compares with the latest plain write and the accesses since:
 * a plain write clashes with everything, so whatever is older and unordered
 * with this access is unordered with it or with the write.  In relation mode
 * it compares with all accesses.
 */
#include "analysis/cp_state.h"

#define FIRST_TOUCHES 1024u

/* --- rule (a) ---------------------------------------------------------------------------- */

static size_t touch_slot(const struct cp_touch *touches, size_t mask, uint64_t key)
{
    size_t i = (size_t)((key * 0x9e3779b97f4a7c15u) >> 20) & mask;

    while (touches[i].key && touches[i].key != key)
        i = (i + 1) & mask;
    return i;
}

static void grow_touches(struct fw_cp *cp)
{
    size_t old_count = cp->touches ? cp->touch_mask + 1 : 0;
    size_t count = old_count ? old_count * 2 : FIRST_TOUCHES;
    struct cp_touch *old = cp->touches;

    cp->touches = fw_xcalloc(count, sizeof *cp->touches);
    cp->touch_mask = count - 1;
    for (size_t i = 0; i < old_count; i++)
        if (old[i].key)
            cp->touches[touch_slot(cp->touches, cp->touch_mask, old[i].key)] = old[i];
    free(old);
}

static struct cp_touch *touch_of(struct fw_cp *cp, uint32_t lock, uint32_t variable)
{
    uint64_t key = ((uint64_t)lock << 32 | variable) + 1;
    struct cp_touch *touch;

    if (!cp->touches || cp->touch_count * 2 > cp->touch_mask)
        grow_touches(cp);
    touch = &cp->touches[touch_slot(cp->touches, cp->touch_mask, key)];
    if (!touch->key) {
        touch->key = key;
        cp->touch_count++;
    }
    return touch;
}

void cp_touches_release(struct fw_cp *cp)
{
    for (size_t i = 0; cp->touches && i <= cp->touch_mask; i++) {
        for (int j = 0; j < 2; j++) {
            cp_cell_put(cp->touches[i].read[j]);
            cp_cell_put(cp->touches[i].write[j]);
        }
    }
    free(cp->touches);
}

/* Remembers that the section did it: [0] is the latest, [1] the latest of another thread. */
static void remember(struct cp_cell *latest[2], struct cp_cell *section)
{
    if (latest[0] == section)
        return;
    if (latest[0] && latest[0]->thread != section->thread) {
        cp_cell_put(latest[1]);
        latest[1] = latest[0];
    } else {
        cp_cell_put(latest[0]);
    }
    latest[0] = cp_cell_get(section);
}

static void raise_from(struct cp_cell *section, struct cp_cell *const latest[2])
{
    for (int i = 0; i < 2; i++) {
        if (!latest[i] || latest[i]->thread == section->thread)
            continue;
        cp_raise(section, latest[i]);
        return;
    }
}

static void apply_rule_a(struct fw_cp *cp, struct cp_thread *self,
                         const struct fw_cp_access *access)
{
    for (size_t i = 0; i < self->held.len; i++) {
        struct cp_cell *section = self->held.at[i];
        struct cp_touch *touch = touch_of(cp, section->lock, access->variable);

        raise_from(section, touch->write);
        if (access->writes)
            raise_from(section, touch->read);
        if (access->reads)
            remember(touch->read, section);
        if (access->writes)
            remember(touch->write, section);
    }
}

/* --- race check -------------------------------------------------------------------------- */

static bool clash(const struct fw_cp_access *a, const struct fw_cp_access *b)
{
    return a->thread != b->thread && (a->writes || b->writes) && !(a->atomic && b->atomic);
}

/*
 * Is the earlier access known to be before the thread's present?  An undecided
 * suspect counts too: if its first access is after x, then x is ordered in
 * either case, by the order of the pair or by its report.
 */
static bool is_known_ordered(const struct fw_cp *cp, const struct cp_thread *self,
                             const struct cp_access *x)
{
    uint32_t thread = x->about.thread, time = x->time;

    if (fw_clock_covers(&self->plain, thread, time))
        return true;
    for (size_t i = 0; i < self->live.len; i++) {
        const struct cp_cell *cell = self->live.at[i];

        if (cp_shared_covers(cell->value, thread, time))
            return true;
        if (cell->is_suspect && !cp->relation && cp_access_covers(&cell->first, thread, time))
            return true;
    }
    return false;
}

static void inject(struct cp_thread *self, const struct cp_access *x)
{
    cp_access_join(&self->hb, x);
    cp_access_join(&self->plain, x);
    cp_shared_put(self->seen);
    self->seen = NULL;
}

/* Undecided: waits until what the thread has seen is settled. */
static void suspect(struct fw_cp *cp, struct cp_thread *self, const struct cp_access *x,
                    const struct cp_access *e)
{
    struct cp_cell *cell = fw_xcalloc(1, sizeof *cell);

    cell->refs = 1;
    cell->is_suspect = true;
    cell->thread = e->about.thread;
    cell->time = e->time;
    cell->horizon = x->about.position + 1;
    cp_access_copy(&cell->first, x);
    cp_access_copy(&cell->second, e);
    fw_clock_copy(&cell->plain, &self->plain);
    for (size_t i = 0; i < self->live.len; i++)
        cp_cells_add(&cell->deps, self->live.at[i]);
    if (!cp->relation)
        cp_cells_add(&self->live, cell);
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
    hb = fw_clock_covers(&self->hb, x->about.thread, x->time);
    if (hb && self->live.len) {
        suspect(cp, self, x, e);
        return;
    }
    cp->report(cp->report_context, &x->about, &e->about, !hb);
    if (!cp->relation)
        inject(self, x);
}

static void check_latest(struct fw_cp *cp, struct cp_thread *self, struct cp_variable *variable,
                         const struct cp_access *e)
{
    if (variable->write.seen)
        check(cp, self, &variable->write, e);
    for (size_t i = 0; i < variable->others.len; i++)
        check(cp, self, &variable->others.at[i], e);
}

/* Does the later access clash with whatever the earlier one clashes with?  (Same thread.) */
static bool stands_for(const struct fw_cp_access *later, const struct fw_cp_access *earlier)
{
    return later->thread == earlier->thread && later->writes == earlier->writes &&
           later->atomic == earlier->atomic;
}

static void keep_latest(struct cp_variable *variable, const struct cp_access *e)
{
    size_t i = 0;

    if (e->about.writes && !e->about.atomic) {
        for (; i < variable->others.len; i++)
            cp_access_release(&variable->others.at[i]);
        fw_vec_clear(&variable->others);
        cp_access_copy(&variable->write, e);
        return;
    }
    while (i < variable->others.len && !stands_for(&e->about, &variable->others.at[i].about))
        i++;
    if (i == variable->others.len)
        fw_vec_push(&variable->others, (struct cp_access) { .seen = NULL });
    cp_access_copy(&variable->others.at[i], e);
}

void fw_cp_access(struct fw_cp *cp, const struct fw_cp_access *access)
{
    struct cp_thread *self = cp_thread_at(cp, access->thread);
    struct cp_variable *variable;
    struct cp_access e = { .about = *access, .time = self->time };

    fw_vec_extend(&cp->variables, access->variable + 1);
    variable = &cp->variables.at[access->variable];
    apply_rule_a(cp, self, access);
    if (!self->seen)
        self->seen = cp_share(&self->hb);
    e.seen = cp_shared_get(self->seen);
    if (cp->relation) {
        for (size_t i = 0; i < variable->all.len; i++)
            check(cp, self, &variable->all.at[i], &e);
        fw_vec_push(&variable->all, (struct cp_access) { .seen = NULL });
        cp_access_copy(&fw_vec_last(&variable->all), &e);
    } else {
        check_latest(cp, self, variable, &e);
        keep_latest(variable, &e);
    }
    cp_access_release(&e);
}

void cp_variable_release_state(struct cp_variable *variable)
{
    cp_access_release(&variable->write);
    for (size_t i = 0; i < variable->others.len; i++)
        cp_access_release(&variable->others.at[i]);
    for (size_t i = 0; i < variable->all.len; i++)
        cp_access_release(&variable->all.at[i]);
    fw_vec_release(&variable->others);
    fw_vec_release(&variable->all);
}
