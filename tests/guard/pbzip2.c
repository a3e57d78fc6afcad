/*
 * pbzip2: the main thread waits for the thread that writes the output, and takes the queue away;
 * one that compresses may still be about to use it.
 *
 * kind: order, race
 */
#include "kernel.h"

struct queue {
    pthread_mutex_t lock;
    int left;
};

struct {
    struct queue *queue;
    bool lost;
} shared;

static NOINLINE void consume(void)
{
    struct queue *queue = shared.queue;

    if (!queue) {
        shared.lost = true;
        return;
    }
    pthread_mutex_lock(&queue->lock);
    queue->left--;
    pthread_mutex_unlock(&queue->lock);
}

static void compress_blocks(void)
{
    consume();
    hold();
    consume();
}

static void finish(void)
{
    meanwhile();
    shared.queue = NULL;
}

int main(int argc, char **argv)
{
    struct queue queue = { PTHREAD_MUTEX_INITIALIZER, 2 };

    begin(argc, argv);
    shared.queue = &queue;
    run_two(compress_blocks, finish);
    return verdict(!shared.lost);
}
