/*
 * use_after_free: a connection is used by one thread and given back to the pool by another one.
 *
 * bug: whether it is still open is asked before it is used, and it can be given back in between
 * fails-as: exit 1
 * depth: 2 (given back after it was asked, before it is used)
 * preemptions: 1
 * recorded: yes
 */
#include <stdatomic.h>
#include "threads.h"

struct connection {
    atomic_int open;
    atomic_int owner; /* 0: it lies in the pool, and nobody may use it */
};

static struct connection connection = { 1, 1 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void send_to(struct connection *to)
{
    if (atomic_load(&to->owner) == 0) /* @bug */
        exit(1);
}

static void *use(void *unused)
{
    int open;

    pthread_mutex_lock(&lock);
    open = atomic_load(&connection.open);
    pthread_mutex_unlock(&lock);
    if (open)
        send_to(&connection);
    return unused;
}

static void *give_back(void *unused)
{
    pthread_mutex_lock(&lock);
    atomic_store(&connection.open, 0);
    atomic_store(&connection.owner, 0); /* @bug */
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(use, give_back);
    return 0;
}
