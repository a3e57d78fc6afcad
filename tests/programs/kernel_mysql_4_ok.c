/*
 * kernel_mysql_4_ok: file and position of the log are read and changed under a lock.
 *
 * expect: nothing
 */
#include "program.h"

volatile int log_file = 1, log_position = 100;
int mixed;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *rotate(void *unused)
{
    pthread_mutex_lock(&lock);
    log_file = 2; /* @A */
    log_position = 4; /* @B */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *next_event(void *unused)
{
    int file, position;

    pthread_mutex_lock(&lock);
    file = log_file; /* @C */
    position = log_position; /* @D */
    pthread_mutex_unlock(&lock);
    mixed = (file == 1) != (position == 100);
    return unused;
}

int main(void)
{
    run2(rotate, next_event);
    printf("%d\n", mixed);
    return 0;
}
