/*
 * mozilla_cache: a table and whether it is empty are changed one after the other; who reads both
 * between finds them at odds.
 *
 * kind: atomicity, two variables
 */
#include "kernel.h"

struct {
    pthread_mutex_t lock;
    int table;
    bool empty;
    bool corrupt;
} shared = { PTHREAD_MUTEX_INITIALIZER, 5, false, false };

static NOINLINE void set_table(int table)
{
    pthread_mutex_lock(&shared.lock);
    shared.table = table;
    pthread_mutex_unlock(&shared.lock);
}

static NOINLINE void set_empty(bool empty)
{
    pthread_mutex_lock(&shared.lock);
    shared.empty = empty;
    pthread_mutex_unlock(&shared.lock);
}

static void flush(void)
{
    set_table(0);
    hold();
    set_empty(true);
}

static NOINLINE void look(void)
{
    pthread_mutex_lock(&shared.lock);
    shared.corrupt = !shared.empty && shared.table == 0;
    pthread_mutex_unlock(&shared.lock);
}

static void use(void)
{
    meanwhile();
    look();
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    run_two(flush, use);
    return verdict(!shared.corrupt);
}
