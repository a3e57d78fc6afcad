/*
 * kernel_mysql_6: a procedure is dropped from the cache, and freed, while it is being executed.
 *
 * expect: race B C
 * overlap: no, free is no access here
 */
#include "program.h"

struct procedure {
    int references;
    int body[8];
};
struct procedure *cache;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
volatile int result;

static void *drop(void *unused)
{
    struct procedure *dropped;

    step_aside();
    pthread_mutex_lock(&lock);
    dropped = cache;
    cache = NULL;
    pthread_mutex_unlock(&lock);
    free(dropped); /* @B */
    return unused;
}

static NOINLINE void execute(void)
{
    struct procedure *found;

    pthread_mutex_lock(&lock);
    found = cache;
    pthread_mutex_unlock(&lock);
    if (!found)
        return;
    result = found->body[3]; /* @C */
}

int main(void)
{
    pthread_t thread;

    cache = calloc(1, sizeof(*cache));
    cache->references = 1;
    cache->body[3] = 9;
    thread = start(drop, NULL);
    execute();
    finish(thread);
    puts("dropped");
    return 0;
}
