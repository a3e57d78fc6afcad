/*
 * race_hidden: the lock happens to be taken by main first, which hides the race on x.
 *
 * expect: race A B
 */
#include "program.h"

int x, y, z;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *second(void *unused)
{
    step_aside();
    pthread_mutex_lock(&lock);
    y++;
    pthread_mutex_unlock(&lock);
    x = 2; /* @A */
    return unused;
}

int main(void)
{
    pthread_t thread = start(second, NULL);

    x = 1; /* @B */
    pthread_mutex_lock(&lock);
    z++;
    pthread_mutex_unlock(&lock);
    finish(thread);
    printf("%d %d %d\n", x != 0, y, z);
    return 0;
}
