/*
 * log_rotate: one thread changes to a new log while another one writes to it; what is written to
 * a closed log is dropped.
 *
 * bug: between closing the old and opening the new log it is closed for the others
 * fails-as: assertion
 * depth: 2 (written after it was closed, before it is opened)
 * preemptions: 1
 * recorded: yes
 */
#include "threads.h"

static int is_open = 1;
static int written;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *rotate(void *unused)
{
    pthread_mutex_lock(&lock);
    is_open = 0; /* @bug */
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    is_open = 1; /* @bug */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *write_line(void *unused)
{
    pthread_mutex_lock(&lock);
    if (is_open) /* @bug */
        written++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(rotate, write_line);
    assert(written == 1);
    return 0;
}
