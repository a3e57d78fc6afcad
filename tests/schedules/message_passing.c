/*
 * message_passing: one thread writes two parts of a message and a flag, another one reads them
 * if it sees the flag.
 *
 * bug: the flag comes before the second part
 * fails-as: assertion
 * depth: 2 (the flag is seen after it is set, the second part is read before it is there)
 * preemptions: 1
 * recorded: yes
 */
#include <stdatomic.h>
#include "threads.h"

static atomic_int head;
static atomic_int rest;
static atomic_int flag;

static void *write_message(void *unused)
{
    atomic_store(&head, 1);
    atomic_store(&flag, 1); /* @bug */
    atomic_store(&rest, 2); /* @bug */
    return unused;
}

static void *read_message(void *unused)
{
    if (atomic_load(&flag)) { /* @bug */
        assert(atomic_load(&head) == 1);
        assert(atomic_load(&rest) == 2); /* @bug */
    }
    return unused;
}

int main(void)
{
    run2(write_message, read_message);
    return 0;
}
