/*
 * outsiders.c - what stretches of code that are run again must not take back, because somebody has
 * seen it who passes no watched place: who takes a spin lock by an exchange, a handler of signals,
 * another process; and what lies in the caller's frame.
 *
 *   outsiders [ROUNDS]
 *
 * Exit status 1: something was noticed, which is said.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNSEEN __attribute__((noinline, no_sanitize("thread")))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile long before, behind; /* places around what is of interest */
static int rounds = 50;

/* So that others come between. */
static inline void linger(long i)
{
    while (i > 0)
        __asm__ volatile("dec %0" : "+r"(i));
}

/* --- a spin lock that is released by a plain store ------------------------------------------- */

static volatile int spin;
static int holders, together;

static UNSEEN void count(int by)
{
    if (__atomic_fetch_add(&holders, by, __ATOMIC_SEQ_CST) != (by < 0))
        together = 1;
}

static __attribute__((noinline)) void hold(void)
{
    while (__sync_lock_test_and_set(&spin, 1))
        sched_yield();
    count(1);
    linger(20000);
    count(-1);
    spin = 0;
    linger(3000);
    behind = before + 1;
}

/* --- an array that is passed by value -------------------------------------------------------- */

struct array {
    long at[8];
};

static __attribute__((noinline)) long add(unsigned i, unsigned k, struct array array)
{
    pthread_mutex_lock(&mutex);
    before = before + 1;
    array.at[i] += 5;
    behind = behind + array.at[k];
    before = before + 1;
    array.at[k] += 7;
    pthread_mutex_unlock(&mutex);
    return array.at[i] + array.at[k];
}

/* --- a handler that is not seen -------------------------------------------------------------- */

static volatile sig_atomic_t got, handled;
static long served;

static UNSEEN void handle(int number)
{
    (void)number;
    got = 1;
    handled++;
}

static __attribute__((noinline)) void serve(void)
{
    got = 0;
    before = before + 1;
    linger(3000);
    behind = behind + 1;
}

static int has_got(void)
{
    return __atomic_load_n(&got, __ATOMIC_SEQ_CST);
}

static int times_handled(void)
{
    return __atomic_load_n(&handled, __ATOMIC_SEQ_CST);
}

/* A signal is sent when the one before is served. */
static void *send_all(void *to)
{
    for (int i = 0; i < rounds; i++) {
        pthread_kill(*(pthread_t *)to, SIGUSR1);
        while (times_handled() == i || has_got())
            sched_yield();
    }
    pthread_kill(*(pthread_t *)to, SIGUSR1);
    return NULL;
}

/* --- another process ------------------------------------------------------------------------- */

static struct page {
    volatile long number, over;
} *page;

static __attribute__((noinline)) void step(long i)
{
    page->number = i;
    before = before + 1;
    linger(3000);
    behind = behind + 1;
}

/* How often the number fell. */
static UNSEEN int watch(void)
{
    int fell = 0;

    for (long last = 0, now; !page->over; last = now) {
        now = page->number;
        fell += now < last;
    }
    return fell > 0;
}

/* --------------------------------------------------------------------------------------------- */

static void *work(void *wrong)
{
    for (unsigned i = 0; i < (unsigned)rounds; i++) {
        struct array array = { { 0 } };

        hold();
        if (add(i % 8, (i + 3) % 8, array) != 12)
            *(int *)wrong = 1;
    }
    return NULL;
}

/* Threads share it all. */
static void *look(void *sum)
{
    *(long *)sum = page->number + got + before + behind;
    return NULL;
}

static void share(void)
{
    pthread_t thread;
    long sum;

    for (int i = 0; i < 3; i++) {
        step(0);
        serve();
        pthread_create(&thread, NULL, look, &sum);
        pthread_join(thread, NULL);
    }
}

static int has_fallen(void)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0)
        _exit(watch());
    for (int i = 1; i <= rounds; i++)
        step(i);
    page->over = 1;
    waitpid(child, &status, 0);
    return status != 0;
}

static int is_lost(void)
{
    pthread_t self = pthread_self(), sender;

    signal(SIGUSR1, handle);
    pthread_create(&sender, NULL, send_all, &self);
    while (times_handled() <= rounds)
        if (has_got() && times_handled() <= rounds) {
            serve();
            served++;
        }
    pthread_join(sender, NULL);
    return served < rounds;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    int wrong[2] = { 0, 0 }, fallen, lost;

    if (argc > 1)
        rounds = atoi(argv[1]);
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return 1;
    share();
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &wrong[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    fallen = has_fallen();
    lost = is_lost();
    printf("%s%s%s%s\n", together ? "two had the spin lock, " : "",
           wrong[0] || wrong[1] ? "an array is wrong, " : "",
           fallen ? "a process saw a number fall, " : "",
           lost ? "signals were lost" : "signals were served");
    return together || wrong[0] || wrong[1] || fallen || lost;
}
