/*
 * kernel_mysql_3: while the log is being rotated it is closed for a moment; an insertion that looks
 * just then is not logged.
 *
 * expect: race A B
 * expect: race B C
 * expect: atomicity A B C
 */
#include "program.h"

enum { LOG_CLOSED, LOG_OPEN };

volatile int log_type = LOG_OPEN;
int logged, files;
pthread_mutex_t file_lock = PTHREAD_MUTEX_INITIALIZER;

static void *rotate(void *unused)
{
    log_type = LOG_CLOSED; /* @A */
    pthread_mutex_lock(&file_lock);
    files++;
    pthread_mutex_unlock(&file_lock);
    log_type = LOG_OPEN; /* @C */
    return unused;
}

static void *insert(void *unused)
{
    if (log_type == LOG_OPEN) /* @B */
        logged++;
    return unused;
}

int main(void)
{
    run2(rotate, insert);
    printf("%d\n", logged <= 1);
    return 0;
}
