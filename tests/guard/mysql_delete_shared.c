/*
 * mysql_delete_shared: as mysql_delete, but both threads call the same functions for the table and
 * for the log, so that their places are the same and only transactions tell them apart.
 *
 * kind: atomicity, two variables
 */
#include "kernel.h"

struct {
    pthread_mutex_t table_lock, log_lock;
    int rows;
    int entries;
    char log[8];
} shared = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, 1, 0, "" };

static NOINLINE void log_entry(char what)
{
    pthread_mutex_lock(&shared.log_lock);
    shared.log[shared.entries] = what;
    shared.entries++;
    pthread_mutex_unlock(&shared.log_lock);
}

static NOINLINE void set_rows(int rows)
{
    pthread_mutex_lock(&shared.table_lock);
    shared.rows = rows;
    pthread_mutex_unlock(&shared.table_lock);
}

static void delete_all(void)
{
    set_rows(0);
    hold();
    log_entry('d');
}

static void insert(void)
{
    meanwhile();
    set_rows(1);
    log_entry('i');
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    run_two(delete_all, insert);
    return verdict(shared.rows == (shared.log[1] == 'i'));
}
