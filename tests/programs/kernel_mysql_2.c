/*
 * kernel_mysql_2: the fields of a join are counted, then collected; another thread marks one
 * more in between.
 *
 * expect: race A B
 * expect: race B C
 * expect: atomicity A B C
 */
#include "program.h"

volatile int used_fields = 1;
int overrun, caches;
pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;

static void *join_init_cache(void *unused)
{
    int counted, collected;

    counted = used_fields; /* @A */
    pthread_mutex_lock(&cache_lock);
    caches++;
    pthread_mutex_unlock(&cache_lock);
    collected = used_fields; /* @C */
    overrun = collected > counted;
    return unused;
}

static void *fix_fields(void *unused)
{
    step_aside();
    used_fields = 2; /* @B */
    return unused;
}

int main(void)
{
    run2(join_init_cache, fix_fields);
    printf("%d\n", overrun <= 1);
    return 0;
}
