/*
 * deadlock_philosophers: three philosophers, each takes the left fork first.
 *
 * expect: deadlock A A A
 */
#include "program.h"

#define SEATS 3

pthread_mutex_t forks[SEATS] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                 PTHREAD_MUTEX_INITIALIZER };
int meals[SEATS];

static void *dine(void *argument)
{
    int me = *(int *)argument;
    int left = me, right = (me + 1) % SEATS;

    for (int i = 0; i < me; i++)
        step_aside();
    pthread_mutex_lock(&forks[left]);
    pthread_mutex_lock(&forks[right]); /* @A */
    meals[me]++;
    pthread_mutex_unlock(&forks[right]);
    pthread_mutex_unlock(&forks[left]);
    return NULL;
}

int main(void)
{
    pthread_t threads[SEATS];
    int numbers[SEATS];

    end_when_stuck("1 1 1\n");
    for (int i = 0; i < SEATS; i++) {
        numbers[i] = i;
        threads[i] = start(dine, &numbers[i]);
    }
    for (int i = 0; i < SEATS; i++)
        finish(threads[i]);
    printf("%d %d %d\n", meals[0], meals[1], meals[2]);
    return 0;
}
