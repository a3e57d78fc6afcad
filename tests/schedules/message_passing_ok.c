/*
 * message_passing_ok: one thread writes two parts of a message and a flag, another one reads
 * them if it sees the flag.
 *
 * mended: the flag comes last
 */
#include <stdatomic.h>
#include "threads.h"

static atomic_int head;
static atomic_int rest;
static atomic_int flag;

static void *write_message(void *unused)
{
    atomic_store(&head, 1);
    atomic_store(&rest, 2);
    atomic_store(&flag, 1);
    return unused;
}

static void *read_message(void *unused)
{
    if (atomic_load(&flag)) {
        assert(atomic_load(&head) == 1);
        assert(atomic_load(&rest) == 2);
    }
    return unused;
}

int main(void)
{
    run2(write_message, read_message);
    return 0;
}
