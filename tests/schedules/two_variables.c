/*
 * two_variables: a table and the number of its entries, which belong together.
 *
 * bug: each is read and written under the lock, but not both under one: they are seen out of step
 * fails-as: assertion
 * depth: 2 (the clearing comes after the table was read and before the number is)
 * preemptions: 1
 * recorded: yes
 */
#include "threads.h"

static int entries = 4;
static int filled = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *clear(void *unused)
{
    pthread_mutex_lock(&lock);
    filled = 0;
    entries = 0; /* @bug */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *look(void *unused)
{
    int seen_filled;
    int seen_entries;

    pthread_mutex_lock(&lock);
    seen_filled = filled;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    seen_entries = entries; /* @bug */
    pthread_mutex_unlock(&lock);
    assert((seen_filled == 0) == (seen_entries == 0));
    return unused;
}

int main(void)
{
    run2(look, clear);
    return 0;
}
