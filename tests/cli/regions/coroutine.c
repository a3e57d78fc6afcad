/*
 * coroutine.c [alone] - a coroutine stops in the middle of step() and goes on in the other thread,
 * two threads in turns: nobody comes between, but each finds a frame of step() at the place where
 * it has left one.  alone: it does not stop, and the other thread does come between.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#define STEPS 200

static ucontext_t coroutine, back[2];
static volatile long total;
static pthread_barrier_t both;
static sem_t turn[2];
static int who, done;

static __attribute__((noinline)) void step(void)
{
    long sum = total; // @step-load

    swapcontext(&coroutine, &back[who]);
    total = sum + 1; // @step-store
}

static __attribute__((noinline)) void step_alone(void)
{
    long sum = total; // @step_alone-load

    for (volatile int i = 0; i < 100; i++)
        ;
    total = sum + 1; // @step_alone-store
}

static void body(void)
{
    for (int i = 0; i < STEPS; i++)
        step();
    done = 1;
    for (;;)
        swapcontext(&coroutine, &back[who]);
}

static void *take_turns(void *number)
{
    int own = number != NULL;

    for (;;) {
        sem_wait(&turn[own]);
        if (!done) {
            who = own;
            swapcontext(&back[own], &coroutine);
        }
        sem_post(&turn[!own]);
        if (done)
            return NULL;
    }
}

static void *run_alone(void *unused)
{
    pthread_barrier_wait(&both);
    for (int i = 0; i < STEPS; i++)
        step_alone();
    return unused;
}

int main(int count, char **arguments)
{
    void *(*run)(void *) = count > 1 ? run_alone : take_turns;
    pthread_t threads[2];

    (void)arguments;
    pthread_barrier_init(&both, NULL, 2);
    sem_init(&turn[0], 0, 1);
    sem_init(&turn[1], 0, 0);
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = malloc(65536);
    coroutine.uc_stack.ss_size = 65536;
    makecontext(&coroutine, body, 0);
    pthread_create(&threads[0], NULL, run, NULL);
    pthread_create(&threads[1], NULL, run, &who);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", total);
    return 0;
}
