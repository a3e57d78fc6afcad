/*
 * heal_lock.c - see heal_lock.h.
 */
#include "atomrace/heal_lock.h"

#include "atomrace/heal_log.h"
#include "atomrace/mask.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/uio.h>

#define LOCKS   16384u /* a power of two */
#define WORDS   8192u  /* that have one: chains are short */
#define HEALERS 256u
#define WAITED  0x80000000u /* in `owner`: somebody waits; then it changes under the gate only */
#define SPINS   200u
#define SLICE   1000000u /* ns that who waits sleeps before it looks around */
#define AGAIN   10u      /* times the bound, for who only lacks a processor */

struct fw_healer {
    _Atomic uint32_t go;         /* futex: 1: it has got what it waited for */
    const void *_Atomic mutex;   /* that it is about to lock, or has locked since */
    /* under the gate */
    bool taken;
    uint32_t number;
    int32_t tid;
    struct fw_heal_lock *waits;
    uint64_t arrived; /* in the order of arrival */
    uint64_t begun;   /* ns */
};

static struct fw_heal_lock locks[LOCKS];
static _Atomic unsigned word_count; /* at least so many have a word */
static struct fw_healer healers[HEALERS];
static _Atomic unsigned healer_room; /* those behind were never taken */

static struct fw_lock gate;
static uint64_t gate_mask; /* signals of who is in, as they were */
static uint64_t arrivals;  /* under the gate */
static uint64_t time_ended;
static _Atomic uint32_t waiting; /* healers that wait for a lock */

static uint64_t bound;
static const _Atomic uint32_t *switched_off;

void fw_heal_patience(uint64_t most, const _Atomic uint32_t *off)
{
    bound = most;
    switched_off = off;
}

static void gate_enter(void)
{
    uint64_t mask = fw_mask_set(FW_MASK_ALL);

    fw_lock(&gate);
    gate_mask = mask;
}

static void gate_leave(void)
{
    uint64_t mask = gate_mask;

    fw_unlock(&gate);
    fw_mask_set(mask);
}

/* --- threads --------------------------------------------------------------------------------- */

static uint32_t id_of(const struct fw_healer *healer)
{
    return (uint32_t)(healer - healers) + 1;
}

static struct fw_healer *healer_of(uint32_t owner)
{
    return owner & ~WAITED ? &healers[(owner & ~WAITED) - 1] : NULL;
}

struct fw_healer *fw_healer_take(uint32_t number, int32_t tid, uint64_t now)
{
    struct fw_healer *healer = NULL;

    gate_enter();
    for (unsigned i = 0; i < HEALERS && !healer; i++)
        if (!healers[i].taken)
            healer = &healers[i];
    if (healer) {
        atomic_store(&healer->mutex, NULL);
        healer->taken = true;
        healer->number = number;
        healer->tid = tid;
        healer->waits = NULL;
        healer->begun = now;
        if (healer_room < id_of(healer))
            atomic_store(&healer_room, id_of(healer));
    }
    gate_leave();
    return healer;
}

void fw_healer_give(struct fw_healer *healer, uint64_t now)
{
    gate_enter();
    healer->taken = false;
    atomic_store(&healer->mutex, NULL);
    time_ended += now - healer->begun;
    gate_leave();
}

uint32_t fw_healer_number(uint32_t owner)
{
    const struct fw_healer *healer = healer_of(owner);

    return healer ? healer->number : UINT32_MAX;
}

uint64_t fw_healers_time(uint64_t now)
{
    uint64_t time;

    gate_enter();
    time = time_ended;
    for (unsigned i = 0; i < healer_room; i++)
        if (healers[i].taken)
            time += now - healers[i].begun;
    gate_leave();
    return time;
}

/* --- words ----------------------------------------------------------------------------------- */

static unsigned home_of(uintptr_t word)
{
    return (unsigned)((word >> 3) * 0x9e3779b97f4a7c15u >> 50);
}

_Static_assert(LOCKS == 1u << (64 - 50), "home_of gives a place in the table");

struct fw_heal_lock *fw_heal_find(uintptr_t word)
{
    for (unsigned probe = 0;; probe++) { /* half of them are free */
        struct fw_heal_lock *lock = &locks[(home_of(word) + probe) % LOCKS];
        /* relaxed: all of it that counts is changed by atomic operations of its own */
        uintptr_t is = atomic_load_explicit(&lock->word, memory_order_relaxed);

        if (is == word)
            return lock;
        if (!is)
            return NULL;
    }
}

struct fw_heal_lock *fw_heal_make(uintptr_t word)
{
    /* relaxed: when it is full, it stays full */
    if (atomic_load_explicit(&word_count, memory_order_relaxed) >= WORDS ||
        atomic_fetch_add(&word_count, 1) >= WORDS)
        return NULL;
    for (unsigned probe = 0;; probe++) {
        struct fw_heal_lock *lock = &locks[(home_of(word) + probe) % LOCKS];
        uintptr_t is = 0;

        if (atomic_compare_exchange_strong(&lock->word, &is, word) || is == word)
            return lock;
    }
}

uint32_t fw_heal_owner(struct fw_heal_lock *lock)
{
    return atomic_load_explicit(&lock->owner, memory_order_relaxed) & ~WAITED; /* a hint */
}

bool fw_heal_is_waited_for(struct fw_heal_lock *lock)
{
    return atomic_load_explicit(&lock->owner, memory_order_relaxed) & WAITED; /* a hint */
}

bool fw_heal_owns(struct fw_heal_lock *lock, const struct fw_healer *me)
{
    return fw_heal_owner(lock) == id_of(me);
}

bool fw_heal_try(struct fw_heal_lock *lock, struct fw_healer *me)
{
    uint32_t is = 0;

    /* acquire: pairs with the release of its former owner */
    return atomic_compare_exchange_strong_explicit(&lock->owner, &is, id_of(me),
                                                   memory_order_acquire, memory_order_relaxed);
}

/* --- handing over (all under the gate) ------------------------------------------------------- */

static struct fw_healer *first_waiter(const struct fw_heal_lock *lock, unsigned *count)
{
    struct fw_healer *first = NULL;

    *count = 0;
    for (unsigned i = 0; i < healer_room; i++) {
        struct fw_healer *healer = &healers[i];

        if (!healer->taken || healer->waits != lock)
            continue;
        ++*count;
        if (!first || healer->arrived < first->arrived)
            first = healer;
    }
    return first;
}

/* It does not wait any more.  Whoever owns the lock, the others still wait. */
static void stop_waiting(struct fw_heal_lock *lock, struct fw_healer *healer)
{
    unsigned others;

    healer->waits = NULL;
    atomic_fetch_sub(&waiting, 1);
    first_waiter(lock, &others);
    if (!others)
        atomic_fetch_and(&lock->owner, ~WAITED);
}

/* The lock is this waiter's now. */
static void give_to(struct fw_heal_lock *lock, struct fw_healer *healer)
{
    /* seq_cst, as what is said before looking for circles */
    atomic_store(&lock->owner, id_of(healer) | WAITED);
    stop_waiting(lock, healer);
    atomic_store(&healer->go, 1);
    fw_futex_wake(&healer->go, 0);
}

/* Somebody waits for it. */
static void hand_over(struct fw_heal_lock *lock)
{
    unsigned count;
    struct fw_healer *next = first_waiter(lock, &count);

    if (next)
        give_to(lock, next);
    else
        atomic_store(&lock->owner, 0);
}

void fw_heal_release(struct fw_heal_lock *lock, struct fw_healer *me)
{
    uint32_t is = id_of(me);

    /* release: pairs with who takes it next (fw_heal_try) */
    if (atomic_compare_exchange_strong_explicit(&lock->owner, &is, 0, memory_order_release,
                                                memory_order_relaxed) ||
        healer_of(is) != me)
        return;
    gate_enter();
    if (fw_heal_owns(lock, me))
        hand_over(lock);
    gate_leave();
}

/* --- circles (all under the gate) ------------------------------------------------------------ */

/* Its memory may be gone. */
static int32_t owner_of_mutex(const void *mutex)
{
    int32_t tid = 0;
    struct iovec to = { &tid, sizeof tid };
    struct iovec from = { (char *)(uintptr_t)mutex + offsetof(pthread_mutex_t, __data.__owner),
                          sizeof tid };
    long self = fw_call(SYS_getpid, 0, 0, 0, 0);
    long got = fw_syscall(SYS_process_vm_readv, self, (long)&to, 1, (long)&from, 1, 0);

    return got == (long)sizeof tid ? tid : 0;
}

static struct fw_healer *healer_with(int32_t tid)
{
    for (unsigned i = 0; tid && i < healer_room; i++)
        if (healers[i].taken && healers[i].tid == tid)
            return &healers[i];
    return NULL;
}

/* Whom it waits for, and through which lock of ours, if it is one; NULL: nobody. */
static struct fw_healer *waits_for(const struct fw_healer *healer, struct fw_heal_lock **through)
{
    const void *mutex = atomic_load(&healer->mutex);
    struct fw_healer *owner;

    if (healer->waits) {
        *through = healer->waits;
        return healer_of(atomic_load(&healer->waits->owner));
    }
    owner = mutex ? healer_with(owner_of_mutex(mutex)) : NULL;
    return owner != healer ? owner : NULL; /* it has got it meanwhile */
}

/* The lock of ours in the circle that this thread is in; NULL: it is in none, or the program has
 * made it alone. */
static struct fw_heal_lock *circle_of(const struct fw_healer *me)
{
    struct fw_heal_lock *through = NULL;
    const struct fw_healer *at = me;

    for (unsigned i = 0; i <= healer_room; i++) {
        at = waits_for(at, &through);
        if (!at)
            return NULL;
        if (at == me)
            return through;
    }
    return NULL;
}

struct fw_heal_lock *fw_heal_mutex(struct fw_healer *me, const void *mutex)
{
    struct fw_heal_lock *lock;

    /* seq_cst: who begins to wait for a lock counts itself and looks at this then */
    atomic_store(&me->mutex, mutex);
    if (!mutex || !atomic_load(&waiting))
        return NULL;
    gate_enter();
    lock = circle_of(me);
    if (lock)
        hand_over(lock);
    gate_leave();
    return lock;
}

/* --- waiting --------------------------------------------------------------------------------- */

static bool spin(struct fw_heal_lock *lock, struct fw_healer *me)
{
    for (unsigned i = 0; i < SPINS; i++) {
        uint32_t is = atomic_load_explicit(&lock->owner, memory_order_relaxed);

        if (is & WAITED)
            return false;
        if (!is && fw_heal_try(lock, me))
            return true;
        __builtin_ia32_pause();
    }
    return false;
}

/* False: it is free, and taken. */
static bool begin_to_wait(struct fw_heal_lock *lock, struct fw_healer *me)
{
    uint32_t is = 0;

    atomic_store(&me->go, 0);
    while (!atomic_compare_exchange_weak(&lock->owner, &is, is ? is | WAITED : id_of(me)))
        ;
    if (!is)
        return false;
    me->waits = lock;
    me->arrived = ++arrivals;
    atomic_fetch_add(&waiting, 1);
    return true;
}

static char *put_number(char *text, int32_t number)
{
    char digits[12];
    unsigned count = 0;

    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count)
        *text++ = digits[--count];
    return text;
}

/* Does the thread that has the lock run, or would if there were a processor for it? */
static bool owner_can_run(struct fw_heal_lock *lock)
{
    const struct fw_healer *owner = healer_of(atomic_load(&lock->owner));
    char path[48] = "/proc/self/task/", text[128];
    long fd, got;

    if (!owner)
        return false;
    memcpy(put_number(path + strlen(path), owner->tid), "/stat", sizeof "/stat");
    fd = fw_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return false;
    got = fw_call(SYS_read, fd, text, sizeof text, 0);
    fw_call(SYS_close, fd, 0, 0, 0);
    /* "TID (NAME) STATE ..."; a name has at most 15 bytes, whichever they are */
    for (long i = got - 3; i > 0; i--)
        if (text[i] == ')' && text[i + 1] == ' ')
            return text[i + 2] == 'R';
    return false;
}

/* Handlers are kept out. */
static enum fw_heal_got sit(struct fw_heal_lock *lock, struct fw_healer *me)
{
    uint64_t left = bound / SLICE, again = AGAIN;
    enum fw_heal_got got = FW_HEAL_GOT;

    /* acquire: pairs with give_to; what the former owner did is seen */
    while (!atomic_load_explicit(&me->go, memory_order_acquire)) {
        if (!left || atomic_load(switched_off)) {
            got = left ? FW_HEAL_NOT : FW_HEAL_GOT_LATE;
            break;
        }
        if (fw_futex_wait(&me->go, 0, SLICE, 0) == -ETIMEDOUT && --left == 0 && --again &&
            owner_can_run(lock))
            left = bound / SLICE;
    }
    gate_enter();
    if (!me->waits)
        got = FW_HEAL_GOT; /* it was given at the last moment */
    else if (got == FW_HEAL_GOT_LATE)
        give_to(lock, me);
    else
        stop_waiting(lock, me);
    gate_leave();
    return got;
}

enum fw_heal_got fw_heal_wait(struct fw_heal_lock *lock, struct fw_healer *me)
{
    bool waits, circle;
    enum fw_heal_got got = FW_HEAL_GOT;
    uint64_t mask;

    if (spin(lock, me))
        return FW_HEAL_GOT;
    mask = fw_mask_set(FW_MASK_ALL);
    gate_enter();
    atomic_store(&me->mutex, NULL); /* it has it, or did not get it */
    waits = begin_to_wait(lock, me);
    circle = waits && circle_of(me);
    if (circle)
        give_to(lock, me);
    gate_leave();
    if (circle)
        got = FW_HEAL_GOT_CIRCLE;
    else if (waits)
        got = sit(lock, me);
    fw_mask_set(mask);
    return got;
}

void fw_heal_locks_forked(void)
{
    memset(&gate, 0, sizeof gate);
    for (unsigned i = 0; i < LOCKS; i++)
        atomic_store(&locks[i].owner, 0);
    for (unsigned i = 0; i < HEALERS; i++)
        memset(&healers[i], 0, sizeof healers[i]);
    atomic_store(&healer_room, 0);
    atomic_store(&waiting, 0);
    time_ended = 0;
}
