/*
 * kernel_mysql_3_ok: the log is rotated under the lock that an insertion takes.
 *
 * expect: nothing
 * never: atomicity A B C
 */
#include "program.h"

enum { LOG_CLOSED, LOG_OPEN };

volatile int log_type = LOG_OPEN;
int logged, files;
pthread_mutex_t file_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *rotate(void *unused)
{
    pthread_mutex_lock(&lock);
    log_type = LOG_CLOSED; /* @A */
    pthread_mutex_lock(&file_lock);
    files++;
    pthread_mutex_unlock(&file_lock);
    log_type = LOG_OPEN; /* @C */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *insert(void *unused)
{
    pthread_mutex_lock(&lock);
    if (log_type == LOG_OPEN) /* @B */
        logged++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(rotate, insert);
    printf("%d\n", logged);
    return 0;
}
