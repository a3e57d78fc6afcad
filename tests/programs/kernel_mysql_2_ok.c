/*
 * kernel_mysql_2_ok: the fields of a join are counted and collected under their lock.
 *
 * expect: nothing
 * never: atomicity A B C
 */
#include "program.h"

volatile int used_fields = 1;
int overrun, caches;
pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *join_init_cache(void *unused)
{
    int counted, collected;

    pthread_mutex_lock(&lock);
    counted = used_fields; /* @A */
    pthread_mutex_lock(&cache_lock);
    caches++;
    pthread_mutex_unlock(&cache_lock);
    collected = used_fields; /* @C */
    pthread_mutex_unlock(&lock);
    overrun = collected > counted;
    return unused;
}

static void *fix_fields(void *unused)
{
    step_aside();
    pthread_mutex_lock(&lock);
    used_fields = 2; /* @B */
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(join_init_cache, fix_fields);
    printf("%d\n", overrun);
    return 0;
}
