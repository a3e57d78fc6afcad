/*
 * sidetrack_acquire.c - [ST OUTSIDE ACQUIRE], [ST FIRST ACQUIRE] and [ST SECOND ACQUIRE].
 *
 * All comparisons of the rules are with the thread's clock as it was before
 * the acquire: it has not yet learnt from the lock.  That is what makes them
 * tell whether two acquires are concurrent (chapter 19): an event that the
 * earlier one happens before must *enable* the later one, and an edge of the
 * lock itself does not count.
 *
 * The source has blocks that do not nest.  Here the rules hold for every block
 * at every level: an acquire is the second one for the blocks that hold the
 * previous acquire too, and the first one for those further inside.  The
 * window is the same for all of them; only the culprits before it depend on
 * where a block began (struct suspect).
 */
#include "analysis/sidetrack_state.h"

/* The acquire at hand. */
struct acquire {
    struct sidetrack *st;
    struct thread *thread;
    struct lock *lock;
    uint32_t t, lock_id;
    enum mode mode;
    struct fw_mark mark;
};

/* if V_m is not below C_t: AFTER-ERROR, for the latest window that is not */
static void check_after(const struct acquire *a, enum mode culprits)
{
    const struct view *view = &a->lock->views[culprits];
    const struct window *found = NULL;

    for (size_t i = 0; i < view->windows.len; i++) {
        const struct window *window = &view->windows.at[i];

        if (!sidetrack_seen(a->thread, window->thread, window->time) &&
            (!found || window->second.index > found->second.index))
            found = window;
    }
    if (found)
        sidetrack_after_error(a->st, found, &a->mark);
}

/* The latest culprit that is not below C_t, by its acquire (A_m) or its release (R_m). */
static const struct section *unseen_section(const struct acquire *a, enum mode culprits,
                                            bool by_release)
{
    const struct lock *lock = a->lock;
    const struct section *at = &lock->latest, *found = NULL;
    size_t count = 1;

    if (culprits == SHARED) {
        at = lock->shared->sections.at;
        count = lock->shared->sections.len;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t time = by_release ? at[i].release_time : at[i].acquire_time;

        if (!sidetrack_seen(a->thread, at[i].acquire.thread, time) &&
            (!found || at[i].acquire.index > found->acquire.index))
            found = &at[i];
    }
    return found;
}

/* I_t, for the blocks from level `low` inwards, for which this is the first acquire. */
static void note_suspect(const struct acquire *a, enum mode culprits, struct visit *visit,
                         uint32_t low)
{
    const struct section *section;
    uint32_t high = (uint32_t)a->thread->blocks.len;

    if (low > high)
        return;
    section = unseen_section(a, culprits, false);
    if (section)
        fw_vec_push(&visit->suspects, ((struct suspect) { low, high, section->acquire }));
}

/* Forgets the blocks inside level `common`, which have ended since. */
static void drop_suspects(struct visit *visit, uint32_t common)
{
    size_t kept = 0;

    for (size_t i = 0; i < visit->suspects.len; i++) {
        struct suspect suspect = visit->suspects.at[i];

        if (suspect.low > common)
            continue;
        suspect.high = suspect.high < common ? suspect.high : common;
        visit->suspects.at[kept++] = suspect;
    }
    visit->suspects.len = kept;
}

static struct window window_of(const struct acquire *a, const struct visit *visit, uint32_t common)
{
    return (struct window) {
        .thread = a->t,
        .time = fw_clock_get(&a->thread->clock, a->t),
        .path = fw_block_path(&a->st->paths, &a->thread->blocks, common),
        .waited = a->thread->woke,
        .first = visit->latest,
        .second = a->mark,
    };
}

/* [ST SECOND ACQUIRE]: m is in H_t; the errors. */
static void second_acquire(const struct acquire *a, enum mode culprits, const struct visit *visit,
                           const struct window *window)
{
    const struct section *section = unseen_section(a, culprits, true);

    for (size_t i = 0; i < visit->suspects.len; i++)
        sidetrack_before_error(a->st, window, &visit->suspects.at[i]);
    if (section)
        sidetrack_in_error(a->st, window, &section->acquire);
}

/* V_m := V_m joined with C_t: the window takes the place of those that happen before it. */
static void add_window(const struct acquire *a, enum mode culprits, const struct window *window)
{
    struct view *view = &a->lock->views[culprits];
    size_t kept = 0;

    for (size_t i = 0; i < view->windows.len; i++)
        if (!sidetrack_seen(a->thread, view->windows.at[i].thread, view->windows.at[i].time))
            view->windows.at[kept++] = view->windows.at[i];
    view->windows.len = kept;
    fw_vec_push(&view->windows, *window);
}

/* C_t := C_t joined with R_m */
static void join_releases(const struct acquire *a)
{
    struct fw_clock *clock = &a->thread->clock;

    if (a->lock->latest.release_time && a->lock->latest.acquire.thread != a->t)
        fw_clock_join(clock, &a->lock->release);
    if (a->mode == EXCLUSIVE && a->lock->shared)
        fw_clock_join(clock, &a->lock->shared->releases);
}

/*
 * One end of a window, if the thread is in a block, against culprits of one
 * mode; true and the window if it closes one.
 */
static bool visit_lock(const struct acquire *a, enum mode culprits, struct window *window)
{
    uint32_t key = a->lock_id * 2 + culprits, common = 0;
    struct visit *visit = sidetrack_visit_find(a->thread, key);

    if (!visit) {
        visit = sidetrack_visit_add(a->thread, key);
    } else {
        common = fw_blocks_common(&a->thread->blocks, visit->latest.index);
        drop_suspects(visit, common);
        *window = window_of(a, visit, common);
        second_acquire(a, culprits, visit, window);
    }
    note_suspect(a, culprits, visit, common + 1);
    visit->latest = a->mark;
    return common > 0;
}

void sidetrack_acquire(struct sidetrack *st, uint32_t lock, enum mode mode,
                       const struct fw_place *place)
{
    uint32_t t = place->batch->events[place->i].thread;
    struct acquire a = { st,   &st->threads.at[t],  &st->locks.at[lock], t, lock,
                         mode, fw_place_mark(place) };
    struct window windows[2];
    bool closed[2] = { false, false };

    if (a.thread->blocks.len) {
        closed[EXCLUSIVE] = visit_lock(&a, EXCLUSIVE, &windows[EXCLUSIVE]);
        if (a.lock->shared && mode == EXCLUSIVE)
            closed[SHARED] = visit_lock(&a, SHARED, &windows[SHARED]);
    }
    check_after(&a, mode);
    join_releases(&a);
    for (int culprits = EXCLUSIVE; culprits <= SHARED; culprits++)
        if (closed[culprits])
            add_window(&a, (enum mode)culprits, &windows[culprits]);
    a.thread->woke = false;
}
