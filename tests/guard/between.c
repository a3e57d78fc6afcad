/*
 * between.c - two sections of one thread that belong together, and another thread that may come
 * between them, everything under one lock.
 *
 *   between          the other comes later: right
 *   between forced   it comes between: wrong, unless it gives its lock back and waits
 *
 * Exit status 1: it was wrong.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#define PATIENCE_MS 100 /* that the other has to come between, once it is there */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int script = 1, *volatile current;
static int wrong;
static _Atomic int loaded, coming, left, forced;

static void *load_and_run(void *unused)
{
    int *mine;

    pthread_mutex_lock(&lock);
    current = &script;
    pthread_mutex_unlock(&lock);
    atomic_store(&loaded, 1);
    while (atomic_load(&forced) && !atomic_load(&coming))
        sched_yield();
    for (int i = 0; atomic_load(&forced) && !atomic_load(&left) && i < PATIENCE_MS; i++)
        nanosleep(&(struct timespec) { 0, 1000000 }, NULL);
    pthread_mutex_lock(&lock);
    mine = current;
    pthread_mutex_unlock(&lock);
    wrong = mine == NULL;
    return unused;
}

static void *leave(void *unused)
{
    while (!atomic_load(&loaded))
        sched_yield();
    atomic_store(&coming, 1);
    pthread_mutex_lock(&lock);
    current = NULL;
    pthread_mutex_unlock(&lock);
    atomic_store(&left, 1);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t one, two;

    (void)argv;
    atomic_store(&forced, argc > 1);
    pthread_create(&one, NULL, load_and_run, NULL);
    if (argc == 1)
        pthread_join(one, NULL);
    pthread_create(&two, NULL, leave, NULL);
    pthread_join(two, NULL);
    if (argc > 1)
        pthread_join(one, NULL);
    puts(wrong ? "wrong" : "right");
    return wrong;
}
