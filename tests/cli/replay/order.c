/* order.c - a thread uses what main has not made yet; made before it starts with -DOK. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct config {
    int size;
};

static struct config *volatile config;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void prepare(void)
{
    struct config *made = malloc(sizeof *made);

    made->size = 3;
    config = made;
}

static void *reader(void *arg)
{
    pthread_mutex_lock(&lock);
    int size = config ? config->size : 0;
    pthread_mutex_unlock(&lock);
    assert(size == 3);
    return arg;
}

int main(void)
{
    pthread_t t;

#ifdef OK
    prepare();
#endif
    pthread_create(&t, NULL, reader, NULL);
#ifndef OK
    prepare();
#endif
    pthread_join(t, NULL);
    return 0;
}
