/*
 * control_pending.c - what a thread is about to do: would it wait, and what does it depend on?
 *
 * For systematic search.  Whoever would only wait is no candidate, so that no run differs from
 * another just by an attempt in vain.  What is not known here is taken to depend on everything.
 */
#include "runtime/control.h"
#include "runtime/sync.h"

#include <string.h>

enum kind {
    OTHER,
    MEMORY,
    EXCLUSIVE,
    SHARED,
    SEMAPHORE,
    OBJECT,
    FILES,
    CREATE,
    JOIN,
    NOTHING
};

static const struct {
    const char *name;
    enum kind kind;
} kinds[] = {
    { "read", MEMORY },
    { "write", MEMORY },
    { "load", MEMORY },
    { "store", MEMORY },
    { "rmw", MEMORY },
    { "pthread_mutex_lock", EXCLUSIVE },
    { "mtx_lock", EXCLUSIVE },
    { "pthread_spin_lock", EXCLUSIVE },
    { "pthread_rwlock_wrlock", EXCLUSIVE },
    { "pthread_rwlock_rdlock", SHARED },
    { "pthread_mutex_unlock", OBJECT },
    { "mtx_unlock", OBJECT },
    { "pthread_spin_unlock", OBJECT },
    { "pthread_rwlock_unlock", OBJECT },
    { "pthread_mutex_trylock", OBJECT },
    { "mtx_trylock", OBJECT },
    { "pthread_spin_trylock", OBJECT },
    { "sem_wait", SEMAPHORE },
    { "sem_post", OBJECT },
    { "sem_trywait", OBJECT },
    { "pthread_create", CREATE },
    { "thrd_create", CREATE },
    { "pthread_join", JOIN },
    { "thrd_join", JOIN },
    { "start", NOTHING },
};

static enum kind kind_of(const struct fw_thread *t)
{
    const char *name = t->plan.name;

    if (!name) /* it has not begun */
        return NOTHING;
    switch (t->plan.reach) {
    case FW_REACH_FD:
    case FW_REACH_LIBC:
        return OBJECT;
    case FW_REACH_FILES:
        return FILES;
    case FW_REACH_ALL:
        return OTHER;
    default:
        break;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return kinds[i].kind;
    return OTHER;
}

static bool lock_is_taken(const struct fw_thread *t, bool shared)
{
    const struct fw_cell *cell =
        fw_cell_find(FW_CELL_LOCK, (const void *)(uintptr_t)t->plan.object, 0);

    if (!cell || cell->of.lock.holder == t->number + 1)
        return false;
    return cell->of.lock.holder || (!shared && cell->of.lock.readers);
}

struct search {
    pthread_t handle;
    bool runs;
};

static void look_for_handle(struct fw_thread *t, void *context)
{
    struct search *search = context;

    if (t->has_handle && !t->forgotten && pthread_equal(t->handle, search->handle))
        search->runs = t->state != FW_STATE_DEAD;
}

static bool thread_runs(const struct fw_thread *t)
{
    struct search search = { (pthread_t)t->plan.object, false };

    fw_thread_each(look_for_handle, &search);
    return search.runs;
}

bool fw_pending_waits(const struct fw_thread *t)
{
    switch (kind_of(t)) {
    case EXCLUSIVE:
        return lock_is_taken(t, false);
    case SHARED:
        return lock_is_taken(t, true);
    case SEMAPHORE: /* its value is its first word */
        return *(const volatile uint32_t *)(uintptr_t)t->plan.object == 0;
    case JOIN:
        return thread_runs(t);
    default:
        return false;
    }
}

#define LONGEST 512u /* bytes: longer accesses depend on everything, as only so many are compared */
#define THREADS UINT64_C(8) /* as an object: numbers of threads depend on who creates first */

struct fw_control_candidate fw_pending_describe(const struct fw_thread *t)
{
    struct fw_control_candidate candidate = { .thread = t->number,
                                              .site = t->plan.site,
                                              .object = t->plan.object,
                                              .size = t->plan.size + t->plan.extent,
                                              .flags = t->plan.writes ? FW_CANDIDATE_WRITES : 0 };

    if (t->state == FW_STATE_BLOCKED) { /* its limit passes, which others may learn from clocks */
        candidate.flags = FW_CANDIDATE_WRITES | FW_CANDIDATE_GLOBAL | FW_CANDIDATE_EXPIRES;
        return candidate;
    }
    if (candidate.size > LONGEST)
        candidate.flags |= FW_CANDIDATE_GLOBAL;
    switch (kind_of(t)) {
    case OTHER:
        candidate.flags |= FW_CANDIDATE_GLOBAL;
        break;
    case FILES:
        candidate.size = FW_FILES_BYTES;
        break;
    case CREATE:
        candidate.object = THREADS;
        candidate.flags |= FW_CANDIDATE_QUIET;
        break;
    case JOIN:
    case NOTHING:
        candidate.flags |= FW_CANDIDATE_NOTHING | FW_CANDIDATE_QUIET;
        break;
    default:
        break;
    }
    return candidate;
}

bool fw_pending_depend(const struct fw_control_candidate *a, const struct fw_control_candidate *b)
{
    uint64_t a_end = (a->object + (a->size ? a->size : 1) - 1) >> 3;
    uint64_t b_end = (b->object + (b->size ? b->size : 1) - 1) >> 3;
    uint32_t any = a->flags | b->flags;

    if (any & FW_CANDIDATE_NOTHING)
        return false;
    if (any & FW_CANDIDATE_GLOBAL)
        return true;
    return any & FW_CANDIDATE_WRITES && a->object >> 3 <= b_end && b->object >> 3 <= a_end;
}
