/*
 * double_checked_ok: double-checked locking with an atomic pointer.
 *
 * expect: nothing
 */
#include "program.h"
#include <stdatomic.h>

struct config {
    int size;
};
_Atomic(struct config *) config;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE struct config *make(void)
{
    struct config *made = malloc(sizeof(*made));

    made->size = 8;
    return made;
}

static void *use(void *unused)
{
    struct config *mine = atomic_load_explicit(&config, memory_order_acquire); /* @A */

    if (!mine) {
        pthread_mutex_lock(&lock);
        mine = atomic_load_explicit(&config, memory_order_relaxed);
        if (!mine) {
            mine = make();
            atomic_store_explicit(&config, mine, memory_order_release); /* @B */
        }
        pthread_mutex_unlock(&lock);
    }
    return mine->size == 8 ? unused : mine;
}

int main(void)
{
    run2(use, use);
    puts("one made");
    free(config);
    return 0;
}
