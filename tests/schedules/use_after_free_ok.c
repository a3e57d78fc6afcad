/*
 * use_after_free_ok: a connection is used by one thread and given back to the pool by another one.
 *
 * mended: asked and used under the lock
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
    if (atomic_load(&to->owner) == 0)
        exit(1);
}

static void *use(void *unused)
{
    pthread_mutex_lock(&lock);
    if (atomic_load(&connection.open))
        send_to(&connection);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *give_back(void *unused)
{
    pthread_mutex_lock(&lock);
    atomic_store(&connection.open, 0);
    atomic_store(&connection.owner, 0);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(use, give_back);
    return 0;
}
