/*
 * semaphore_turns_ok: two threads take turns.
 *
 * expect: nothing
 */
#include "program.h"
#include <semaphore.h>

int value;
sem_t ping, pong;

static void *left(void *unused)
{
    for (int i = 0; i < 4; i++) {
        sem_wait(&ping);
        value++; /* @A */
        sem_post(&pong);
    }
    return unused;
}

static void *right(void *unused)
{
    for (int i = 0; i < 4; i++) {
        sem_wait(&pong);
        value += 10;
        sem_post(&ping);
    }
    return unused;
}

int main(void)
{
    sem_init(&ping, 0, 1);
    sem_init(&pong, 0, 0);
    run2(left, right);
    printf("%d\n", value);
    return 0;
}
