/*
 * log_rotate_ok: one thread changes to a new log while another one writes to it; what is written
 * to a closed log is dropped.
 *
 * mended: closed and opened under one lock
 */
#include "threads.h"

static int is_open = 1;
static int written;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *rotate(void *unused)
{
    pthread_mutex_lock(&lock);
    is_open = 0;
    is_open = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *write_line(void *unused)
{
    pthread_mutex_lock(&lock);
    if (is_open)
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
