/*
 * atomicity_check_then_act_ok: the table is checked and filled in one section.
 *
 * expect: nothing
 * never: atomicity A B C
 */
#include "program.h"

volatile int owner;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *claim(void *unused)
{
    int is_free;

    pthread_mutex_lock(&lock);
    is_free = owner == 0; /* @A */
    if (is_free)
        owner = 1; /* @C */
    pthread_mutex_unlock(&lock);
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
