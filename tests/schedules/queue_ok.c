/*
 * queue_ok: two consumers of a queue that holds one element for one of them and one for the other,
 * and a producer that adds the second.
 *
 * mended: asked and taken in one section
 */
#include "threads.h"

enum { SIZE = 4 };

static int elements[SIZE] = { 1 };
static int head;
static int tail = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *consume(void *unused)
{
    int length;

    pthread_mutex_lock(&lock);
    length = tail - head;
    if (length > 0) {
        assert(head < tail);
        assert(elements[head] != 0);
        head++;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *produce(void *unused)
{
    pthread_mutex_lock(&lock);
    elements[tail] = 2;
    tail++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run3(produce, consume, consume);
    return 0;
}
