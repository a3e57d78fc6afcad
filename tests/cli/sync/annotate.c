/*
 * annotate.c DIALECT WHAT - two threads that are in order in a way that nobody can see, and say so
 * in one of the dialects of annotations, or in none.
 */
#include "show.h"

#include <stdatomic.h>
#include <valgrind/drd.h>
#include <valgrind/helgrind.h>

#include <foreweave/annotate.h>

void __tsan_acquire(void *object);
void __tsan_release(void *object);
void __tsan_mutex_pre_lock(void *mutex, unsigned flags);
void __tsan_mutex_post_lock(void *mutex, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock(void *mutex, unsigned flags);
void __tsan_mutex_post_unlock(void *mutex, unsigned flags);
void __tsan_ignore_thread_begin(void);
void __tsan_ignore_thread_end(void);
void AnnotateHappensBefore(const char *file, int line, const volatile void *object);
void AnnotateHappensAfter(const char *file, int line, const volatile void *object);
void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock, long write);
void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock, long write);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
void AnnotateBenignRaceSized(const char *file, int line, const volatile void *address, long bytes,
                             const char *why);

static enum {
    NONE,
    FOREWEAVE,
    TSAN,
    DYNAMIC,
    VALGRIND
} dialect;
static int value, other;
static atomic_int turn, word;

/* What really orders the threads is hidden. */
static void pass_turn(void)
{
    FOREWEAVE_IGNORE_SYNC_BEGIN();
    turn = 1;
    FOREWEAVE_IGNORE_SYNC_END();
}

static void await_turn(void)
{
    FOREWEAVE_IGNORE_SYNC_BEGIN();
    while (!turn)
        sched_yield();
    FOREWEAVE_IGNORE_SYNC_END();
}

/* --- order --- */

static void before(void)
{
    if (dialect == FOREWEAVE)
        FOREWEAVE_HAPPENS_BEFORE(&turn);
    if (dialect == TSAN)
        __tsan_release(&turn);
    if (dialect == DYNAMIC)
        AnnotateHappensBefore(__FILE__, __LINE__, &turn);
    if (dialect == VALGRIND)
        ANNOTATE_HAPPENS_BEFORE(&turn);
}

static void after(void)
{
    if (dialect == FOREWEAVE)
        FOREWEAVE_HAPPENS_AFTER(&turn);
    if (dialect == TSAN)
        __tsan_acquire(&turn);
    if (dialect == DYNAMIC)
        AnnotateHappensAfter(__FILE__, __LINE__, &turn);
    if (dialect == VALGRIND)
        ANNOTATE_HAPPENS_AFTER(&turn);
}

static void *order_first(void *unused)
{
    value = 1;
    before();
    pass_turn();
    return unused;
}

static void *order_second(void *unused)
{
    await_turn();
    after();
    value++;
    return unused;
}

/* --- a lock --- */

static void take(void)
{
    int wanted = 0;

    if (dialect == TSAN)
        __tsan_mutex_pre_lock(&word, 0);
    FOREWEAVE_IGNORE_SYNC_BEGIN();
    while (!atomic_compare_exchange_weak(&word, &wanted, 1))
        wanted = 0;
    FOREWEAVE_IGNORE_SYNC_END();
    if (dialect == FOREWEAVE)
        FOREWEAVE_LOCK_ACQUIRED(&word);
    if (dialect == TSAN)
        __tsan_mutex_post_lock(&word, 0, 0);
    if (dialect == DYNAMIC)
        AnnotateRWLockAcquired(__FILE__, __LINE__, &word, 1);
    if (dialect == VALGRIND)
        VALGRIND_HG_MUTEX_LOCK_POST(&word);
}

static void give(void)
{
    if (dialect == FOREWEAVE)
        FOREWEAVE_LOCK_RELEASED(&word);
    if (dialect == TSAN)
        __tsan_mutex_pre_unlock(&word, 0);
    if (dialect == DYNAMIC)
        AnnotateRWLockReleased(__FILE__, __LINE__, &word, 1);
    if (dialect == VALGRIND)
        VALGRIND_HG_MUTEX_UNLOCK_PRE(&word);
    FOREWEAVE_IGNORE_SYNC_BEGIN();
    word = 0;
    FOREWEAVE_IGNORE_SYNC_END();
    if (dialect == TSAN)
        __tsan_mutex_post_unlock(&word, 0);
}

static void *lock_both(void *unused)
{
    for (int i = 0; i < 3; i++) {
        take();
        value++;
        give();
    }
    return unused;
}

/* --- races that are meant --- */

static void *ignore_both(void *unused)
{
    if (dialect == FOREWEAVE)
        FOREWEAVE_IGNORE_BEGIN();
    if (dialect == TSAN)
        __tsan_ignore_thread_begin();
    if (dialect == DYNAMIC)
        AnnotateIgnoreReadsBegin(__FILE__, __LINE__), AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    if (dialect == VALGRIND)
        ANNOTATE_IGNORE_READS_AND_WRITES_BEGIN();
    value++;
    if (dialect == VALGRIND)
        ANNOTATE_IGNORE_READS_AND_WRITES_END();
    if (dialect == DYNAMIC)
        AnnotateIgnoreWritesEnd(__FILE__, __LINE__), AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    if (dialect == TSAN)
        __tsan_ignore_thread_end();
    if (dialect == FOREWEAVE)
        FOREWEAVE_IGNORE_END();
    return unused;
}

static void *expect_both(void *unused)
{
    value++;
    return unused;
}

static void expect(void)
{
    if (dialect == FOREWEAVE)
        FOREWEAVE_EXPECT_RACE(&value, sizeof value, "a statistic");
    if (dialect == DYNAMIC)
        AnnotateBenignRaceSized(__FILE__, __LINE__, &value, sizeof value, "a statistic");
    if (dialect == VALGRIND)
        DRD_IGNORE_VAR(value);
}

/* --- blocks --- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) int get(void)
{
    int got;

    pthread_mutex_lock(&mutex);
    got = other;
    pthread_mutex_unlock(&mutex);
    return got;
}

static __attribute__((noinline)) void set(int wanted)
{
    pthread_mutex_lock(&mutex);
    other = wanted;
    pthread_mutex_unlock(&mutex);
}

static void *block_reader(void *unused)
{
    if (dialect == FOREWEAVE)
        FOREWEAVE_ATOMIC_BEGIN("both the same");
    value = get();
    value -= get();
    if (dialect == FOREWEAVE)
        FOREWEAVE_ATOMIC_END("both the same");
    FOREWEAVE_THREAD_NAME("reader");
    return unused;
}

static void *block_writer(void *unused)
{
    set(5);
    return unused;
}

static void run_two(void *(*first)(void *), void *(*second)(void *))
{
    pthread_t a = start(first, NULL), b = start(second, NULL);

    finish(a);
    finish(b);
    printf("%d\n", value + other > 0);
}

int main(int argc, char **argv)
{
    static const char *const names[] = { "none", "foreweave", "tsan", "dynamic", "valgrind" };

    if (argc != 3)
        return 2;
    while (strcmp(names[dialect], argv[1]) != 0)
        dialect++;
    switch (argv[2][0]) {
    case 'o':
        run_two(order_first, order_second);
        break;
    case 'l':
        run_two(lock_both, lock_both);
        break;
    case 'i':
        run_two(ignore_both, ignore_both);
        break;
    case 'e':
        expect();
        run_two(expect_both, expect_both);
        break;
    case 'b':
        run_two(block_reader, block_writer);
        break;
    }
    return 0;
}
