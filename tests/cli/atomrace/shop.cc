/*
 * shop.cc - what atomrace is tried on.  The first argument says what the threads do:
 *
 *   plain      they change variables that nothing protects
 *   locked     the same under a lock: silent
 *   heap       plain, in a block of the heap
 *   copy       memcpy and strlen of a common text, and its change
 *   fork       plain, in a child process
 *   jump       locked, while signal handlers jump out of everything
 *   ignored    plain, where accesses are ignored
 *   expected   plain, where races are expected
 *   exit       locked, while the process ends with status 7
 */
#include <foreweave/annotate.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 300

namespace bank {
long total;
struct account {
    int id;
    long balance;
} accounts[8];
} // namespace bank

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char text[64] = "some text";
static long *block;
static bool locked, ignored, copying;

static void add(int i)
{
    static long calls;

    bank::total += i;
    bank::accounts[3].balance += 2; /* @balance */
    calls++;
    if (block)
        ++*block;
}

static void copy(int i)
{
    char mine[64];

    memcpy(mine, text, sizeof mine);
    if (strlen(mine) > 60)
        abort();
    if (i % 2)
        memset(text, 'a', 5);
}

static void once(int i)
{
    if (locked)
        pthread_mutex_lock(&lock);
    if (ignored)
        FOREWEAVE_IGNORE_BEGIN();
    if (copying)
        copy(i);
    else
        add(i);
    if (ignored)
        FOREWEAVE_IGNORE_END();
    if (locked)
        pthread_mutex_unlock(&lock);
}

static void *work(void *argument)
{
    for (int i = 0; i < ROUNDS; i++)
        once(i);
    return argument;
}

/* Both are there before one of them begins. */
static pthread_barrier_t both;

static void *begin(void *argument)
{
    pthread_barrier_wait(&both);
    return work(argument);
}

static void two()
{
    pthread_t threads[2];

    pthread_barrier_init(&both, nullptr, 2);
    for (pthread_t &thread : threads)
        pthread_create(&thread, nullptr, begin, nullptr);
    for (pthread_t &thread : threads)
        pthread_join(thread, nullptr);
}

/* --- signals --------------------------------------------------------------------------------- */

static thread_local sigjmp_buf back;
static thread_local volatile sig_atomic_t may_jump;

static void handler(int)
{
    if (may_jump)
        siglongjmp(back, 1);
}

/* Jumps out of accesses to what is the thread's own. */
static void *jumper(void *argument)
{
    static thread_local volatile long own[64];
    volatile int jumps = 0;

    for (volatile int rounds = 0; jumps < 30 && rounds < 2000; rounds++) {
        if (sigsetjmp(back, 1)) {
            may_jump = 0;
            jumps++;
        }
        may_jump = 1;
        for (int i = 0; i < 64; i++)
            own[i] += 1;
        may_jump = 0;
    }
    return argument;
}

static void jump()
{
    struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = {};
    pthread_t threads[2];

    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &often, nullptr);
    for (pthread_t &thread : threads)
        pthread_create(&thread, nullptr, jumper, nullptr);
    two();
    for (pthread_t &thread : threads)
        pthread_join(thread, nullptr);
    setitimer(ITIMER_REAL, &never, nullptr);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "plain";

    locked = !strcmp(how, "locked") || !strcmp(how, "jump") || !strcmp(how, "exit") ||
             (argc > 2 && !strcmp(argv[2], "locked"));
    ignored = !strcmp(how, "ignored");
    copying = !strcmp(how, "copy");
    if (!strcmp(how, "heap"))
        block = static_cast<long *>(calloc(1, sizeof *block));
    if (!strcmp(how, "expected")) {
        FOREWEAVE_EXPECT_RACE(&bank::total, sizeof bank::total, "a test");
        FOREWEAVE_EXPECT_RACE(bank::accounts, sizeof bank::accounts, "a test");
        copying = true; /* and nothing else */
        FOREWEAVE_EXPECT_RACE(text, sizeof text, "a test");
    }
    if (!strcmp(how, "fork")) {
        if (fork() == 0) {
            two();
            _exit(0);
        }
        wait(nullptr);
    } else if (!strcmp(how, "jump")) {
        jump();
    } else {
        two();
    }
    printf("done\n");
    return !strcmp(how, "exit") ? 7 : 0;
}
