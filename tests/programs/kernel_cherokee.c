/*
 * kernel_cherokee: two threads add to one buffer; none of them takes a lock.
 *
 * expect: race A B
 * may: race B B
 */
#include "program.h"

struct buffer {
    volatile unsigned length;
    char text[64];
};
struct buffer access_log;

static NOINLINE void add(struct buffer *buffer, unsigned length)
{
    unsigned room;

    room = sizeof(buffer->text) - buffer->length; /* @A */
    if (room > length)
        buffer->length = sizeof(buffer->text) - room + length; /* @B */
}

static void *connection(void *unused)
{
    add(&access_log, 20);
    return unused;
}

int main(void)
{
    run2(connection, connection);
    printf("%d\n", access_log.length > 0);
    return 0;
}
