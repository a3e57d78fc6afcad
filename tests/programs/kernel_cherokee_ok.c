/*
 * kernel_cherokee_ok: two threads add to one buffer, one at a time.
 *
 * expect: nothing
 */
#include "program.h"

struct buffer {
    volatile unsigned length;
    char text[64];
};
struct buffer access_log;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE void add(struct buffer *buffer, unsigned length)
{
    unsigned room;

    pthread_mutex_lock(&lock);
    room = sizeof(buffer->text) - buffer->length; /* @A */
    if (room > length)
        buffer->length = sizeof(buffer->text) - room + length; /* @B */
    pthread_mutex_unlock(&lock);
}

static void *connection(void *unused)
{
    add(&access_log, 20);
    return unused;
}

int main(void)
{
    run2(connection, connection);
    printf("%u\n", access_log.length);
    return 0;
}
