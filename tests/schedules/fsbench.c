/*
 * fsbench: threads give blocks of a disk to inodes; each looks for a free block from its own
 * place on.
 *
 * bug: whether a block is free is asked without its lock: two inodes can get the same one
 * fails-as: assertion
 * depth: 2 (each asks before the other takes the block)
 * preemptions: 1
 * recorded: yes
 * variants: THREADS=4 THREADS=12
 */
#include "threads.h"

enum { BLOCKS = THREADS };

static int busy[BLOCKS];
static int block_of[THREADS];
static pthread_mutex_t locks[BLOCKS];

/* Takes a block, if it is free. */
static int take(int block)
{
    int taken = 0;

    if (!busy[block]) { /* @bug */
        pthread_mutex_lock(&locks[block]);
        busy[block] = 1; /* @bug */
        pthread_mutex_unlock(&locks[block]);
        taken = 1;
    }
    return taken;
}

static void *allocate(void *argument)
{
    int self = (int)(long)argument;
    int block = self * 2 % BLOCKS;

    while (!take(block))
        block = (block + 1) % BLOCKS;
    block_of[self] = block;
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int users[BLOCKS] = { 0 };

    for (int i = 0; i < BLOCKS; i++)
        pthread_mutex_init(&locks[i], NULL);
    for (long i = 0; i < THREADS; i++)
        threads[i] = start(allocate, (void *)i);
    for (int i = 0; i < THREADS; i++)
        finish(threads[i]);
    for (int i = 0; i < THREADS; i++)
        assert(++users[block_of[i]] == 1);
    return 0;
}
