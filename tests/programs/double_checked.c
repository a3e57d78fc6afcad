/*
 * double_checked: double-checked locking with a plain pointer.
 *
 * expect: race A B
 */
#include "program.h"

struct config {
    int size;
};
struct config *config;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE struct config *make(void)
{
    struct config *made = malloc(sizeof(*made));

    made->size = 8;
    return made;
}

static void *use(void *unused)
{
    struct config *mine = config; /* @A */

    if (!mine) {
        pthread_mutex_lock(&lock);
        mine = config;
        if (!mine) {
            mine = make();
            config = mine; /* @B */
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
