/* Two threads do A and B to one block, unordered, or to another block each. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct block {
    _Atomic int counter;
    int plain;
    char text[32];
};
static struct block *shared, *spare;
static struct block other;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int sink;

/* So that the thread's part comes behind a point of its own. */
static void pass(void)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
}

static void *work(void *x)
{
    pass();
    B;
    return x;
}

int main(void)
{
    struct block *mine = shared = calloc(1, sizeof *shared);
    pthread_t t;

    spare = calloc(1, sizeof *spare);
    pthread_create(&t, 0, work, 0);
    A;
    pass();
    pthread_join(t, 0);
    printf("%d\n", mine != 0);
    return 0;
}
