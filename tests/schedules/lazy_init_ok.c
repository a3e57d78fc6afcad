/*
 * lazy_init_ok: an object is made when it is first asked for.
 *
 * mended: looked at and made under one lock
 */
#include "threads.h"

static int there;
static int made;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *ask(void *unused)
{
    pthread_mutex_lock(&lock);
    if (!there) {
        made++;
        there = 1;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(ask, ask);
    assert(made == 1);
    return 0;
}
