/*
 * heal.c - see heal.h: how the file is mapped, what is done when, and healing by scheduling.
 */
#include "atomrace/heal.h"

#include "atomrace/heal_lock.h"
#include "atomrace/heal_log.h"
#include "atomrace/mask.h"
#include "atomrace/region_state.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define YIELDS 64u /* at most, when a section is met */
#define SLEEPS 4u
#define TRIES  4u  /* to enter a section that another thread is in */
#define SAMPLE 16u /* of so many sections one is timed, before it, for all of them */
#define RAISE  10 /* steps of niceness */
#define RAISED 0x40000000u /* in fw_hot.regions: the thread runs at a higher priority */

bool fw_heal_on;

static __thread int niceness;  /* before it was raised */
static _Atomic bool forbidden; /* priorities may not be raised */

static bool is_off(void)
{
    return atomic_load_explicit(&fw_heal_wire->off, memory_order_relaxed);
}

/* --- accesses, functions, interceptors ------------------------------------------------------- */

static void lower(void)
{
    if (!(fw_hot.regions & RAISED))
        return;
    fw_hot.regions &= ~RAISED;
    fw_call(SYS_setpriority, PRIO_PROCESS, 0, niceness, 0);
}

static void settle(const struct fw_overlap_access *access)
{
    if (is_off())
        fw_holds_drop();
    else
        fw_holds_settle(access);
    if (fw_hot.regions & RAISED && !fw_regions_mine())
        lower();
}

void fw_heal_arrive(const struct fw_overlap_access *access)
{
    if (FW_UNLIKELY(fw_hot.regions) && !fw_holds_are_frozen())
        settle(access);
}

void fw_heal_access(const struct fw_overlap_access *access)
{
    if (fw_heal_wire->how == FW_HEAL_LOCK && !is_off() && !fw_holds_are_frozen())
        fw_holds_access(access);
}

/* Ticks only count: there is no noise, and no region. */
void fw_heal_hook(const struct fw_overlap_access *access)
{
    if (FW_UNLIKELY(fw_holds_are_frozen()))
        return;
    if (FW_UNLIKELY(fw_hot.ticks < 0))
        fw_holds_forced();
    if (fw_hot.regions)
        settle(access);
    if (FW_LIKELY(!is_off()) && !access->late)
        fw_holds_access(access);
}

void fw_heal_await(const struct fw_overlap_access *accesses, unsigned count)
{
    if (fw_heal_wire->how != FW_HEAL_LOCK || fw_holds_are_frozen())
        return;
    fw_hot.ticks--; /* a hook for all of them */
    if (fw_heal_alone && fw_hot.ticks < 0)
        fw_holds_forced();
    if (fw_hot.regions)
        settle(&accesses[0]);
    if (!is_off())
        fw_holds_await(accesses, count);
}

static void follow(enum fw_flow what)
{
    if (!fw_heal_alone)
        fw_regions_flow(what);
    if ((fw_heal_alone && fw_holds_go_quickly()) || FW_UNLIKELY(fw_holds_are_frozen()))
        return;
    /* Nobody waits for anything of the program's while it holds a lock. */
    if (what == FW_FLOW_CALL && !fw_heal_wire->unsafe)
        fw_holds_let_go(fw_self);
    settle(NULL);
}

static bool locks_mutex(const char *name)
{
    static const char *const names[] = { "pthread_mutex_lock", "pthread_mutex_timedlock",
                                         "pthread_mutex_clocklock", "mtx_lock", "mtx_timedlock" };

    /* memcmp and strlen are our own here, strcmp is an interceptor */
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(name) == strlen(names[i]) && memcmp(name, names[i], strlen(name)) == 0)
            return true;
    return false;
}

/* Where locks are kept over interceptors: every thread says which mutex it is about to lock. */
static void follow_call(const char *name, const void *object)
{
    if (fw_self && !is_off() && !fw_holds_are_frozen())
        fw_holds_mutex(fw_self, locks_mutex(name) ? object : NULL);
}

static void switched(void)
{
    fw_regions_switched();
    if (!fw_holds_are_frozen())
        fw_holds_drop();
}

/* --- scheduling ------------------------------------------------------------------------------ */

static void yield(void)
{
    fw_heal_count(FW_HEAL_YIELDED, 1);
    fw_call(SYS_sched_yield, 0, 0, 0, 0);
}

/* The kernel's answer is 20 - niceness. */
static void raise_priority(void)
{
    long now;

    if (fw_hot.regions & RAISED || atomic_load_explicit(&forbidden, memory_order_relaxed))
        return;
    now = fw_call(SYS_getpriority, PRIO_PROCESS, 0, 0, 0);
    if (now <= 0)
        return;
    niceness = 20 - (int)now;
    if (fw_call(SYS_setpriority, PRIO_PROCESS, 0, niceness - RAISE, 0) < 0) {
        atomic_store(&forbidden, true);
        fw_heal_count(FW_HEAL_FORBIDDEN, 1);
        return;
    }
    fw_heal_count(FW_HEAL_RAISED, 1);
    fw_hot.regions |= RAISED;
}

static void yield_or_raise(void)
{
    if (fw_heal_wire->how == FW_HEAL_YIELD)
        yield();
    else
        raise_priority();
}

/* The clock costs as much as what is timed: a yield, or a call that raises the priority, which one
 * that lowers it will follow. */
static void before(const struct fw_overlap_access *access, uint32_t entry)
{
    static __thread unsigned count;
    struct fw_giving_way way;

    (void)entry;
    if (is_off())
        return;
    fw_holds_come(access->thread);
    if (fw_heal_wire->how != FW_HEAL_YIELD && fw_heal_wire->how != FW_HEAL_PRIORITY)
        return;
    if (count++ % SAMPLE) {
        yield_or_raise();
        return;
    }
    fw_holds_give_way(&way, access->thread, UINT32_MAX);
    yield_or_raise();
    fw_holds_gave_way(&way, access->thread,
                      fw_heal_wire->how == FW_HEAL_YIELD ? SAMPLE : 2 * SAMPLE);
}

static void ended(uint32_t entry)
{
    (void)entry;
    fw_heal_count(FW_HEAL_ENDED, 1);
}

static void sleep_once(void)
{
    struct timespec time = { (time_t)(fw_heal_wire->sleep / FW_SECOND),
                             (long)(fw_heal_wire->sleep % FW_SECOND) };

    fw_heal_count(FW_HEAL_SLEPT, 1);
    fw_call(SYS_nanosleep, &time, NULL, 0, 0);
}

static void yield_or_sleep(void)
{
    if (fw_heal_wire->how == FW_HEAL_SLEEP)
        sleep_once();
    else
        yield();
}

/* While the other thread is in its section, for some time. */
static void give_way(const struct fw_overlap_access *access, uint32_t owner)
{
    unsigned most = fw_heal_wire->how == FW_HEAL_SLEEP   ? SLEEPS
                    : fw_heal_wire->how == FW_HEAL_YIELD ? YIELDS
                                                         : 0;
    struct fw_region_view now = { .owner = owner };
    struct fw_giving_way way;
    bool open = true;

    if (!most)
        return;
    fw_holds_give_way(&way, access->thread, owner);
    for (unsigned i = 0; i < most && open && now.owner == owner; i++) {
        yield_or_sleep();
        open = fw_region_at(access->address, &now);
    }
    fw_holds_gave_way(&way, access->thread, 1);
}

/* Another thread is in a section of this word. */
static void met(const struct fw_overlap_access *access, const struct fw_region_view *view)
{
    if (is_off())
        return;
    fw_heal_count(FW_HEAL_MET, 1);
    fw_heal_log(&(struct fw_heal_entry){ .time = fw_heal_now(),
                                         .address = access->address & ~(uintptr_t)7,
                                         .pc = access->pc,
                                         .what = FW_HEAL_LOG_MET,
                                         .thread = access->thread->number,
                                         .other = view->owner,
                                         .section = fw_regions_entry(view->entry)->section });
    give_way(access, view->owner);
}

/* Of two that come at once one is not let in: it has met the other, and tries again. */
static bool entered(const struct fw_overlap_access *access, uint32_t entry, bool opened,
                    unsigned tries)
{
    struct fw_region_view view;

    (void)entry;
    if (!opened && tries < TRIES && !is_off() && fw_region_at(access->address, &view)) {
        met(access, &view);
        return true;
    }
    fw_heal_count(FW_HEAL_ENTERED, 1);
    return false;
}

static const struct fw_region_healing by_scheduling = {
    .before = before,
    .entered = entered,
    .met = met,
    .ended = ended,
};

/* --- beginning and ending -------------------------------------------------------------------- */

static struct fw_heal_wire *map(const char *path)
{
    long fd = fw_call(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    long at = fd < 0 ? fd
                     : fw_syscall(SYS_mmap, 0, sizeof(struct fw_heal_wire), PROT_READ | PROT_WRITE,
                                  MAP_SHARED, fd, 0);

    if (fd >= 0)
        fw_call(SYS_close, fd, 0, 0, 0);
    return at > 0 ? (struct fw_heal_wire *)at : NULL;
}

bool fw_heal_open(const char *path)
{
    fw_heal_wire = map(path);
    if (!fw_heal_wire || fw_heal_wire->magic != FW_HEAL_MAGIC)
        return false;
    fw_heal_alone = fw_heal_wire->how == FW_HEAL_LOCK && !fw_heal_wire->watch;
    fw_heal_patience(fw_heal_wire->bound, fw_heal_wire->unsafe ? INT32_MAX : FW_HEAL_LONGEST,
                     &fw_heal_wire->off);
    if (fw_heal_wire->how != FW_HEAL_LOCK)
        fw_region_healing = &by_scheduling;
    else if (fw_heal_wire->unsafe)
        fw_calls_follow = follow_call;
    else if (fw_heal_alone)
        fw_mutex_follow = fw_holds_follow_mutex;
    fw_flow_follow = follow;
    fw_flow_switched = switched;
    if (fw_heal_wire->how == FW_HEAL_LOCK)
        fw_holds_follow_handlers();
    fw_heal_on = true;
    return true;
}

void fw_heal_module(const char *path, uintptr_t base)
{
    struct stat file;

    if (!fw_heal_on || fw_heal_wire->how != FW_HEAL_LOCK ||
        fw_call(SYS_stat, path, &file, 0, 0) != 0)
        return;
    for (uint32_t i = 0; i < fw_heal_wire->word_count && i < FW_HEAL_WORDS; i++) {
        const struct fw_heal_word *word = &fw_heal_wire->words[i];

        if (word->device == file.st_dev && word->inode == file.st_ino)
            fw_holds_prepare(base + word->offset, word->reads_wait);
    }
}

void fw_heal_ended(void)
{
    if (fw_heal_on)
        fw_holds_ended();
}

void fw_heal_forked(void)
{
    if (fw_heal_on)
        fw_holds_forked();
}
