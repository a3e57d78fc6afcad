/*
 * kernel_mysql_6_ok: who executes a procedure holds a reference, and the last one frees it.
 *
 * expect: nothing
 */
#include "program.h"

struct procedure {
    int references;
    int body[8];
};
struct procedure *cache;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
volatile int result;

static NOINLINE void unreference(struct procedure *procedure)
{
    int left;

    pthread_mutex_lock(&lock);
    left = --procedure->references;
    pthread_mutex_unlock(&lock);
    if (left == 0)
        free(procedure); /* @B */
}

static void *drop(void *unused)
{
    struct procedure *dropped;

    step_aside();
    pthread_mutex_lock(&lock);
    dropped = cache;
    cache = NULL;
    pthread_mutex_unlock(&lock);
    unreference(dropped);
    return unused;
}

static NOINLINE void execute(void)
{
    struct procedure *found;

    pthread_mutex_lock(&lock);
    found = cache;
    if (found)
        found->references++;
    pthread_mutex_unlock(&lock);
    if (!found)
        return;
    result = found->body[3]; /* @C */
    unreference(found);
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
