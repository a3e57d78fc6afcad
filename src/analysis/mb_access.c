/*
 * mb_access.c - accesses: communication order and race checks.
 *
 * Rules of the source: [MB READ], [MB WRITE], [MB VOLATILE READ] and [MB
 * VOLATILE WRITE]; atomic accesses are its volatile ones.
 *
 * Communication order: writes to a variable are totally ordered, so the latest
 * write and the reads since, the latest of each thread, stand for all earlier
 * accesses.  These are the variable's front.
 *
 * Race checks look at the front.  With plain accesses that is enough to find a
 * pair for every variable that has one: what left the front is before what
 * took its place, so if it is not ordered before b, neither is that; and the
 * first race of happens-before on a variable is with the front, as in
 * FastTrack.  Where an atomic access took the place this fails, since two
 * atomic accesses are no race.  Then what left is *hidden*, and looked at too:
 *   a plain access, in case b is atomic;
 *   an atomic access that happens-before does not order before the one that
 *   took its place, in case b is plain (the variable is *loose* then: having
 *   the front in the past no longer means having all in the past).
 * The next plain write stands for all of them.  With pairs=all every access is
 * kept and looked at.
 *
 * Happens-before is embedded (section 16.3): the times of events are common to
 * both relations, so one access serves both checks.
 */
#include "analysis/mb_state.h"

static enum mb_class class_of(unsigned kind)
{
    bool writes = fw_is_write(kind) || kind == FW_FREE;

    if (fw_is_class(kind, FW_CLASS_ATOMIC))
        return writes ? MB_ATOMIC_WRITE : MB_ATOMIC_READ;
    return writes ? MB_PLAIN_WRITE : MB_PLAIN_READ;
}

static bool is_write(enum mb_class class)
{
    return class == MB_PLAIN_WRITE || class == MB_ATOMIC_WRITE;
}

/* The present access. */
struct now {
    struct fw_mb *mb;
    struct mb_thread *self;
    struct mb_variable *variable;
    enum mb_class class;
    struct mb_point point;
};

/* --- what is remembered ------------------------------------------------------------------ */

static const struct mb_access *first_read(const struct mb_variable *variable)
{
    static const struct mb_access none;

    return variable->read ? variable->read : &none;
}

static struct mb_more *more_of(struct mb_variable *variable)
{
    if (!variable->more)
        variable->more = fw_xcalloc(1, sizeof *variable->more);
    return variable->more;
}

static void put_access(struct fw_mb *mb, struct mb_access *access)
{
    mb_snap_put(mb, access->seen);
    access->seen = NULL;
    access->point.time = 0;
}

static void set_access(const struct now *now, struct mb_access *access)
{
    struct mb_snap *seen = mb_present(now->mb, now->point.mark.thread);

    access->point = now->point;
    if (access->seen == seen)
        return;
    mb_snap_put(now->mb, access->seen);
    access->seen = mb_snap_get(seen);
}

static void forget_reads(struct fw_mb *mb, struct mb_variable *variable)
{
    struct mb_more *more = variable->more;

    if (variable->read && variable->read->point.time)
        put_access(mb, variable->read);
    if (!more)
        return;
    for (size_t i = 0; i < more->reads.len; i++)
        put_access(mb, &more->reads.at[i]);
    fw_vec_clear(&more->reads);
    fw_vec_clear(&more->readers);
}

/* The slot for reads of the present thread that is not the first reader. */
static struct mb_access *later_reader(const struct now *now)
{
    struct mb_more *more = more_of(now->variable);
    uint32_t thread = now->point.mark.thread;

    for (size_t i = 0; i < more->readers.len; i++)
        if (more->readers.at[i] == thread)
            return &more->reads.at[i];
    fw_vec_push(&more->readers, thread);
    fw_vec_push(&more->reads, (struct mb_access) { .seen = NULL });
    return &fw_vec_last(&more->reads);
}

/* The place of what is hidden of the thread. */
static size_t hidden_of(struct mb_more *more, uint32_t thread)
{
    for (size_t i = 0; i < more->hidden.len; i++)
        if (more->hidden.at[i].thread == thread)
            return i;
    fw_vec_push(&more->hidden, (struct mb_history) { .thread = thread });
    fw_vec_extend(&more->marks, more->hidden.len * MB_CLASS_COUNT);
    return more->hidden.len - 1;
}

static bool in_hb(const struct now *now, const struct mb_point *point)
{
    return fw_clock_covers(&now->self->hb, point->mark.thread, point->time);
}

/* The present access, which is atomic, takes the place of the point in the front. */
static void hide(const struct now *now, const struct mb_point *point)
{
    bool atomic = fw_is_class(point->mark.kind, FW_CLASS_ATOMIC);
    enum mb_class class = class_of(point->mark.kind);
    struct mb_more *more;
    size_t i;

    if (!point->time)
        return;
    if (atomic && (point->mark.thread == now->point.mark.thread || in_hb(now, point)))
        return;
    more = more_of(now->variable);
    more->loose |= atomic;
    i = hidden_of(more, point->mark.thread);
    more->hidden.at[i].time[class] = point->time;
    more->hidden.at[i].newest = point->time;
    more->marks.at[i * MB_CLASS_COUNT + class] = point->mark;
}

static void reveal_all(struct mb_more *more)
{
    fw_vec_clear(&more->hidden);
    fw_vec_clear(&more->marks);
    more->loose = false;
}

/* A write takes the place of the whole front. */
static void replace_front(const struct now *now)
{
    struct mb_variable *variable = now->variable;

    if (now->class == MB_ATOMIC_WRITE) {
        hide(now, &variable->write.point);
        hide(now, &first_read(variable)->point);
        for (size_t i = 0; variable->more && i < variable->more->reads.len; i++)
            hide(now, &variable->more->reads.at[i].point);
    } else if (variable->more) {
        reveal_all(variable->more);
    }
    forget_reads(now->mb, variable);
    set_access(now, &variable->write);
}

static void replace_read(const struct now *now)
{
    struct mb_access *slot = now->variable->read;

    if (!slot)
        slot = now->variable->read = fw_live_get(&now->mb->reads, now->point.mark.target);
    if (slot->point.time && slot->point.mark.thread != now->point.mark.thread)
        slot = later_reader(now);
    if (now->class == MB_ATOMIC_READ)
        hide(now, &slot->point);
    set_access(now, slot);
}

static void remember(const struct now *now)
{
    if (is_write(now->class))
        replace_front(now);
    else
        replace_read(now);
    if (now->mb->pairs_all)
        fw_vec_push(&more_of(now->variable)->all, now->point);
}

static void release_variable(struct fw_mb *mb, struct mb_variable *variable)
{
    put_access(mb, &variable->write);
    forget_reads(mb, variable);
    if (!variable->more)
        return;
    fw_vec_release(&variable->more->readers);
    fw_vec_release(&variable->more->reads);
    fw_vec_release(&variable->more->hidden);
    fw_vec_release(&variable->more->marks);
    fw_vec_release(&variable->more->all);
    free(variable->more);
}

void mb_variable_drop(struct fw_mb *mb, uint32_t variable)
{
    struct mb_variable *state = fw_live_find(&mb->variables, variable);

    if (!state)
        return;
    release_variable(mb, state);
    fw_live_drop(&mb->variables, variable);
    fw_live_drop(&mb->reads, variable);
}

void mb_variables_release(struct fw_mb *mb)
{
    for (uint32_t i = 0; i < mb->variables.lines.len; i++)
        mb_variable_drop(mb, i);
    fw_live_release(&mb->variables);
    fw_live_release(&mb->reads);
}

/* --- race checks ------------------------------------------------------------------------- */

static bool in_mb(const struct now *now, const struct mb_point *point)
{
    return fw_clock_covers(&now->self->mb, point->mark.thread, point->time);
}

/* A pair that happens-before leaves unordered is reported; one that only must-before does not
   order so far is doubtful. */
static void check(const struct now *now, const struct mb_point *point)
{
    if (!point->time || point->mark.thread == now->point.mark.thread ||
        !fw_kinds_conflict(point->mark.kind, now->point.mark.kind))
        return;
    if (!in_hb(now, point))
        mb_report(now->mb, &point->mark, &now->point.mark, true);
    else if (!in_mb(now, point))
        fw_vec_push(&now->mb->doubtful, *point);
}

static void check_hidden(const struct now *now, const struct mb_more *more)
{
    for (size_t i = 0; i < more->hidden.len; i++) {
        const struct mb_history *hidden = &more->hidden.at[i];
        uint32_t mb = fw_clock_get(&now->self->mb, hidden->thread);
        uint32_t hb = fw_clock_get(&now->self->hb, hidden->thread);
        uint32_t known = mb < hb ? mb : hb;

        for (int class = 0; hidden->newest > known && class < MB_CLASS_COUNT; class ++)
            check(now, &(struct mb_point) { more->marks.at[i * MB_CLASS_COUNT + class],
                                            hidden->time[class] });
    }
}

static void check_front(const struct now *now)
{
    const struct mb_variable *variable = now->variable;
    const struct mb_more *more = variable->more;

    check(now, &variable->write.point);
    if (is_write(now->class)) {
        check(now, &first_read(variable)->point);
        for (size_t i = 0; more && i < more->reads.len; i++)
            check(now, &more->reads.at[i].point);
    }
    if (more)
        check_hidden(now, more);
}

static void check_all(const struct now *now)
{
    const struct mb_more *more = now->variable->more;

    for (size_t i = 0; more && i < more->all.len; i++)
        check(now, &more->all.at[i]);
}

/* --- communication order ----------------------------------------------------------------- */

static bool join_access(const struct now *now, const struct mb_access *access)
{
    const struct mb_point *point = &access->point;

    if (!point->time || in_mb(now, point))
        return false;
    mb_adjust(now->mb, &access->seen->at);
    mb_clock_join(&now->self->mb, &access->seen->at.clock);
    mb_clock_raise(&now->self->mb, point->mark.thread, point->time);
    return true;
}

static bool join_all(const struct now *now)
{
    const struct mb_more *more = now->variable->more;
    bool risen = join_access(now, &now->variable->write);

    if (!is_write(now->class))
        return risen;
    risen |= join_access(now, first_read(now->variable));
    for (size_t i = 0; more && i < more->reads.len; i++)
        risen |= join_access(now, &more->reads.at[i]);
    return risen;
}

/* After the edges that the access itself brought: may the pairs still get ordered? */
static void decide(const struct now *now)
{
    struct fw_mb *mb = now->mb;
    struct mb_snap *snap = NULL;

    for (size_t i = 0; i < mb->doubtful.len; i++) {
        const struct mb_point *point = &mb->doubtful.at[i];

        if (fw_clock_covers(&mb->before, point->mark.thread, point->time))
            continue;
        if (!snap)
            snap = mb_snap_create(mb, &mb->before);
        mb_suspect(mb, point, &now->point.mark, mb_snap_get(snap));
    }
    mb_snap_put(mb, snap);
    fw_vec_clear(&mb->doubtful);
}

/* Something is not ordered yet. */
static void access_unordered(const struct now *now)
{
    struct fw_mb *mb = now->mb;

    if (mb->pairs_all)
        check_all(now);
    else
        check_front(now);
    if (mb->doubtful.len) {
        fw_clock_copy(&mb->before, &now->self->mb);
        mb->probe = &mb->before;
    }
    if (join_all(now))
        mb_risen(mb, now->point.mark.thread);
    mb->probe = NULL;
    decide(now);
}

/* Is the earlier access before this one in both relations? */
static bool is_ordered(const struct now *now, const struct mb_access *access)
{
    return !access->point.time || access->point.mark.thread == now->point.mark.thread ||
           (in_mb(now, &access->point) && in_hb(now, &access->point));
}

static bool all_ordered(const struct now *now)
{
    const struct mb_variable *variable = now->variable;
    const struct mb_more *more = variable->more;

    if (more && (more->loose || now->mb->pairs_all))
        return false;
    if (!is_ordered(now, &variable->write))
        return false;
    if (!is_write(now->class))
        return true;
    if (!is_ordered(now, first_read(variable)))
        return false;
    for (size_t i = 0; more && i < more->reads.len; i++)
        if (!is_ordered(now, &more->reads.at[i]))
            return false;
    return true;
}

void mb_access(struct fw_mb *mb, const struct fw_event *event, const struct fw_place *place)
{
    struct now now = { .mb = mb, .self = &mb->threads.at[event->thread] };

    now.variable = fw_live_get(&mb->variables, event->target);
    now.class = class_of(event->kind);
    now.point = (struct mb_point) { fw_place_mark(place), now.self->time };
    if (!all_ordered(&now))
        access_unordered(&now);
    remember(&now);
}
