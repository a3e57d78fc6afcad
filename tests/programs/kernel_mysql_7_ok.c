/*
 * kernel_mysql_7_ok: the new size is made ready and then set at once, atomically.
 *
 * expect: nothing
 */
#include "program.h"
#include <stdatomic.h>

atomic_long query_cache_size = 1024;
long seen;

static void *resize(void *unused)
{
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
    printf("%d\n", seen > 0);
    return 0;
}
