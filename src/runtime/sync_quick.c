/*
 * sync_quick.c - mutexes that are taken and given back at points that are passed quickly.
 *
 * Plain mutexes only, that nobody waits for.  They are in a list, which is as good as a cell while
 * nobody asks; who asks (sync_cells.c) finds cells.  From then on they are given back as all
 * others are, so that whoever waits for one is woken.
 */
#include "runtime/control_quick.h"
#include "runtime/sync.h"

#define CALLS 1024u /* places that are known, by bits of their addresses */
#define MOST  8u

static struct {
    __typeof__(&pthread_mutex_trylock) trylock;
    __typeof__(&pthread_mutex_unlock) unlock;
} real;

static struct call {
    uintptr_t key; /* address << 1 | unlocks; 0: nothing */
    uint32_t site, class_;
} calls[CALLS];

static struct {
    struct fw_thread *owner; /* of all of them */
    pthread_mutex_t *at[MOST];
} held;
unsigned fw_quick_held;

void fw_quick_settle(void)
{
    unsigned count = fw_quick_held;

    fw_quick_held = 0;
    for (unsigned i = 0; i < count; i++)
        fw_lock_taken(held.owner, held.at[i]);
}

void fw_quick_forked(void)
{
    fw_quick_held = 0;
}

static inline struct call *call_of(uintptr_t key)
{
    return &calls[(key >> 3 ^ key) % CALLS];
}

static inline uintptr_t key_of(uintptr_t pc, bool unlocks)
{
    return pc << 1 | unlocks;
}

void fw_quick_learn(const struct fw_thread *t, bool unlocks, uintptr_t pc)
{
    uint32_t site = t->plan.site, flags;

    if (site == FW_CONTROL_NONE || t->plan.pc != pc)
        return;
    flags = fw_control_site(site)->flags;
    if (!(flags & (FW_SITE_CALLER | FW_SITE_ROLES)))
        *call_of(key_of(pc, unlocks)) =
            (struct call){ key_of(pc, unlocks), site, t->plan.class_ };
}

/* The thread is inside then.  NULL: it cannot be passed quickly. */
static inline struct fw_thread *enter(const pthread_mutex_t *mutex, uintptr_t key)
{
    struct fw_thread *t = fw_self;

    if (!t || !fw_quick_is_calm(t) || t->inside)
        return NULL;
    t->inside = 1;
    if (FW_LIKELY(!t->lost && !t->ignored && call_of(key)->key == key &&
                  --t->plan.quick_left > 0 && mutex->__data.__kind == PTHREAD_MUTEX_TIMED_NP &&
                  fw_quick_passes(t, 0, (uintptr_t)mutex)))
        return t;
    t->inside = 0;
    return NULL;
}

static inline void leave(struct fw_thread *t)
{
    t->inside = 0;
    if (FW_UNLIKELY(fw_signals_waiting))
        fw_signals_deliver(t);
}

static inline void count(struct fw_thread *t, const pthread_mutex_t *mutex, uintptr_t key)
{
    const struct call *call = call_of(key);

    fw_quick_count(t, call->site, call->class_, (uintptr_t)mutex);
}

/* Where it is in the list, from 1; 0: nowhere. */
static inline unsigned place_of(const pthread_mutex_t *mutex)
{
    unsigned i = fw_quick_held;

    while (i && held.at[i - 1] != mutex)
        i--;
    return i;
}

bool fw_quick_lock(pthread_mutex_t *mutex, uintptr_t pc)
{
    uintptr_t key = key_of(pc, false);
    struct fw_thread *t = enter(mutex, key);
    bool done;

    if (!t)
        return false;
    FW_REAL(real.trylock, "pthread_mutex_trylock");
    done = (!fw_quick_held || (held.owner == t && fw_quick_held < MOST && !place_of(mutex))) &&
           real.trylock(mutex) == 0;
    if (FW_LIKELY(done)) {
        held.owner = t;
        held.at[fw_quick_held++] = mutex;
        t->plan.held++;
        count(t, mutex, key);
    }
    leave(t);
    return done;
}

bool fw_quick_unlock(pthread_mutex_t *mutex, uintptr_t pc)
{
    uintptr_t key = key_of(pc, true);
    struct fw_thread *t = enter(mutex, key);
    unsigned place;

    if (!t)
        return false;
    FW_REAL(real.unlock, "pthread_mutex_unlock");
    place = held.owner == t && fw_nobody_waits(mutex) ? place_of(mutex) : 0;
    if (FW_LIKELY(place)) {
        held.at[place - 1] = held.at[--fw_quick_held];
        t->plan.held--;
        count(t, mutex, key);
        real.unlock(mutex);
    }
    leave(t);
    return place;
}
