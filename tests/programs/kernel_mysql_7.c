/*
 * kernel_mysql_7: resizing sets the size of the query cache to zero for a moment, and a query
 * believes it.
 *
 * expect: race A B
 * expect: race B C
 * expect: atomicity A B C
 */
#include "program.h"

volatile long query_cache_size = 1024;
long seen;
pthread_mutex_t structure_lock = PTHREAD_MUTEX_INITIALIZER;

static void *resize(void *unused)
{
    query_cache_size = 0; /* @A */
    pthread_mutex_lock(&structure_lock);
    pthread_mutex_unlock(&structure_lock);
    query_cache_size = 2048; /* @C */
    return unused;
}

static void *store_query(void *unused)
{
    seen = query_cache_size; /* @B */
    return unused;
}

int main(void)
{
    run2(resize, store_query);
    printf("%d\n", seen >= 0);
    return 0;
}
