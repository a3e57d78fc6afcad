/*
 * two_variables_ok: a table and the number of its entries, which belong together.
 *
 * mended: both are read under one lock
 */
#include "threads.h"

static int entries = 4;
static int filled = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *clear(void *unused)
{
    pthread_mutex_lock(&lock);
    filled = 0;
    entries = 0;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *look(void *unused)
{
    int seen_filled;
    int seen_entries;

    pthread_mutex_lock(&lock);
    seen_filled = filled;
    seen_entries = entries;
    pthread_mutex_unlock(&lock);
    assert((seen_filled == 0) == (seen_entries == 0));
    return unused;
}

int main(void)
{
    run2(look, clear);
    return 0;
}
