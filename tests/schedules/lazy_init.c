/*
 * lazy_init: an object is made when it is first asked for.
 *
 * bug: two threads can both find that it is not there yet, and make it twice
 * fails-as: assertion
 * depth: 2 (each looks before the other has made it)
 * preemptions: 1
 * recorded: yes
 */
#include "threads.h"

static int there;
static int made;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *ask(void *unused)
{
    if (!there) { /* @bug */
        pthread_mutex_lock(&lock);
        made++;
        there = 1; /* @bug */
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    run2(ask, ask);
    assert(made == 1);
    return 0;
}
