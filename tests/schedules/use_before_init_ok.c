/*
 * use_before_init_ok: one thread makes a table, another one uses it.
 *
 * mended: the user is started when the maker has ended
 */
#include "threads.h"

static int storage[4];
static int *table;

static void *make(void *unused)
{
    table = storage;
    return unused;
}

static void *use(void *unused)
{
    int *seen = table;

    if (seen == NULL)
        exit(1);
    seen[0]++;
    return unused;
}

int main(void)
{
    finish(start(make, NULL));
    finish(start(use, NULL));
    return 0;
}
