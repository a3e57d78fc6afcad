/*
 * interrupted.c [plain|alternative|jump] [SEED] - two threads add to a total while signals come to
 * them at random, as often as a third thread can send them.  The handler calls, writes, and adds to
 * a variable of its own that has a section; on a stack of its own; or it jumps away, so that one
 * addition for each jump may or may not have been made.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS  800000
#define SIGNALS 100000

static volatile long total;
static volatile sig_atomic_t flag;
static __thread volatile long ticks;
static __thread sigjmp_buf out;
static __thread volatile sig_atomic_t armed;
static _Atomic int working = 2;
static _Atomic long made, jumps;
static int alternative, jumping;

static __attribute__((noinline)) void add_up(void)
{
    long sum = total;

    total = sum + 1;
}

static __attribute__((noinline)) void tick(void)
{
    ticks = ticks + 1;
}

static void handler(int number)
{
    (void)number;
    flag = 1;
    tick();
    if (!armed || ticks % 8)
        return;
    armed = 0;
    atomic_fetch_add(&jumps, 1);
    siglongjmp(out, 1);
}

static void use_own_stack(void)
{
    stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };

    if (!stack.ss_sp || sigaltstack(&stack, NULL) != 0)
        abort();
}

static void *work(void *unused)
{
    static __thread volatile long i;

    if (alternative)
        use_own_stack();
    while (i < ROUNDS) {
        if (jumping)
            sigsetjmp(out, 1);
        armed = jumping;
        for (int k = 0; k < 100 && i < ROUNDS; k++) {
            add_up();
            i++;
        }
        armed = 0;
    }
    atomic_fetch_add(&made, i);
    atomic_fetch_sub(&working, 1);
    while (atomic_load(&working) > -1) /* the sender knows the thread */
        ;
    return unused;
}

int main(int count, char **arguments)
{
    const char *how = count > 1 ? arguments[1] : "plain";
    unsigned seed = count > 2 ? (unsigned)atoi(arguments[2]) : 1;
    struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
    pthread_t threads[2];
    long lost;

    alternative = strcmp(how, "alternative") == 0;
    jumping = strcmp(how, "jump") == 0;
    if (alternative)
        action.sa_flags |= SA_ONSTACK;
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, work, NULL) != 0)
            abort();
    for (int i = 0; i < SIGNALS && atomic_load(&working) > 0; i++) {
        for (unsigned wait = (unsigned)rand_r(&seed) % 1024; wait; wait--)
            __asm__ volatile("");
        pthread_kill(threads[i % 2], SIGUSR1);
    }
    while (atomic_load(&working) > 0)
        ;
    atomic_store(&working, -1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    lost = atomic_load(&made) - total;
    puts(lost <= 0 && -lost <= atomic_load(&jumps) ? "right" : "wrong");
    return 0;
}
