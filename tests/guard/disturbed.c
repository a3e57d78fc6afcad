/*
 * disturbed.c - threads that count under locks and without, while a timer's handler counts as well
 * and the process is copied again and again.  However often stretches of it are run again, nothing
 * is lost or counted twice.
 *
 *   disturbed [ROUNDS]
 *
 * Exit status 1: something was.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 3

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static struct {
    unsigned long sum;
    unsigned count;
    unsigned short low;
    unsigned char odd;
} shared;
static unsigned own[THREADS];
static volatile unsigned ticks, called;

static __attribute__((noinline)) void count(void)
{
    ticks++;
    called++;
}

static void tick(int number)
{
    (void)number;
    count();
}

static __attribute__((noinline)) void add(unsigned *mine)
{
    pthread_mutex_lock(&outer);
    shared.count++;
    pthread_mutex_lock(&inner);
    shared.sum += shared.count;
    if (shared.count % 2)
        shared.odd++;
    shared.low++;
    ++*mine;
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
}

static void *work(void *mine)
{
    for (unsigned i = *(unsigned *)mine; i > 0; i--)
        add(mine);
    return NULL;
}

static int is_right(unsigned rounds)
{
    unsigned all = rounds * THREADS;
    int right = shared.count == all && shared.sum == (unsigned long)all * (all + 1) / 2 &&
                shared.odd == (unsigned char)((all + 1) / 2) &&
                shared.low == (unsigned short)all && ticks == called;

    for (int i = 0; i < THREADS; i++)
        right &= own[i] == 2 * rounds;
    return right;
}

int main(int argc, char **argv)
{
    unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
    struct sigaction action = { .sa_handler = tick, .sa_flags = SA_RESTART };
    struct itimerval often = { { 0, 1000 }, { 0, 1000 } }, never = { 0 };
    pthread_t threads[THREADS];
    int right;

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < THREADS; i++) {
        own[i] = rounds;
        pthread_create(&threads[i], NULL, work, &own[i]);
    }
    for (int i = 0; i < 5; i++) {
        pid_t child = fork();

        if (child == 0)
            _exit(0);
        waitpid(child, NULL, 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    setitimer(ITIMER_REAL, &never, NULL);
    right = is_right(rounds);
    puts(right ? "right" : "wrong");
    return !right;
}
