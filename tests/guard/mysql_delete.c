/*
 * mysql_delete: a table is emptied under one lock and that is logged under another; an insertion
 * that comes between is in the table, and before the deletion in the log.
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

static void generate_table(void)
{
    pthread_mutex_lock(&shared.table_lock);
    shared.rows = 0;
    pthread_mutex_unlock(&shared.table_lock);
    hold();
    pthread_mutex_lock(&shared.log_lock);
    shared.log[shared.entries] = 'd';
    shared.entries++;
    pthread_mutex_unlock(&shared.log_lock);
}

static void insert_row(void)
{
    meanwhile();
    pthread_mutex_lock(&shared.table_lock);
    shared.rows++;
    pthread_mutex_unlock(&shared.table_lock);
    pthread_mutex_lock(&shared.log_lock);
    shared.log[shared.entries] = 'i';
    shared.entries++;
    pthread_mutex_unlock(&shared.log_lock);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    run_two(generate_table, insert_row);
    return verdict(shared.rows == (shared.log[1] == 'i'));
}
