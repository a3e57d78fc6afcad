/*
 * kernel_mysql_1_ok: a change of the table and its line in the log are one section.
 *
 * options: --two-variables
 * expect: nothing
 * never: atomicity A C D B
 */
#include "program.h"

volatile int table, last_logged;
pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

static void *delete_all(void *unused)
{
    pthread_mutex_lock(&table_lock);
    table = 0; /* @A */
    pthread_mutex_lock(&log_lock);
    last_logged = 1; /* @B */
    pthread_mutex_unlock(&log_lock);
    pthread_mutex_unlock(&table_lock);
    return unused;
}

static void *insert(void *unused)
{
    step_aside();
    pthread_mutex_lock(&table_lock);
    table = 7; /* @C */
    pthread_mutex_lock(&log_lock);
    last_logged = 2; /* @D */
    pthread_mutex_unlock(&log_lock);
    pthread_mutex_unlock(&table_lock);
    return unused;
}

int main(void)
{
    run2(delete_all, insert);
    printf("%d\n", last_logged > 0 && table >= 0);
    return 0;
}
