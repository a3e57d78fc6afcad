/*
 * kernel_circular_list: the last unit of a work list is taken out, worked on and put back; others
 * put theirs in between, and the order is lost.
 *
 * expect: atomicity A B C
 */
#include "program.h"

volatile int last_unit = 1;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    int unit;

    pthread_mutex_lock(&lock);
    unit = last_unit; /* @A */
    pthread_mutex_unlock(&lock);
    unit += 10;
    pthread_mutex_lock(&lock);
    last_unit = unit; /* @C */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *add(void *unused)
{
    step_aside();
    pthread_mutex_lock(&lock);
    last_unit = 2; /* @B */
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(work, add);
    printf("%d\n", last_unit > 0);
    return 0;
}
