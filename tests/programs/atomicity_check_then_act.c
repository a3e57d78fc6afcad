/*
 * atomicity_check_then_act: the table is checked in one section and filled in another.
 *
 * expect: atomicity A B C
 */
#include "program.h"

volatile int owner;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *claim(void *unused)
{
    int is_free;

    pthread_mutex_lock(&lock);
    is_free = owner == 0; /* @A */
    pthread_mutex_unlock(&lock);
    if (is_free) {
        pthread_mutex_lock(&lock);
        owner = 1; /* @C */
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *take_over(void *unused)
{
    step_aside();
    pthread_mutex_lock(&lock);
    owner = 2; /* @B */
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread = start(take_over, NULL);

    claim(NULL);
    finish(thread);
    printf("%d\n", owner > 0);
    return 0;
}
