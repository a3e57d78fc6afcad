/*
 * race_hidden_ok: x is written under the lock, too.
 *
 * expect: nothing
 */
#include "program.h"

int x, y, z;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *second(void *unused)
{
    step_aside();
    pthread_mutex_lock(&lock);
    y++;
    x = 2; /* @A */
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread = start(second, NULL);

    pthread_mutex_lock(&lock);
    x = 1; /* @B */
    z++;
    pthread_mutex_unlock(&lock);
    finish(thread);
    printf("%d %d %d\n", x != 0, y, z);
    return 0;
}
