/*
 * pbzip2: the main thread waits for the thread that writes the output, and takes the queue away;
 * one that compresses may not have given it back yet.
 *
 * kind: order, race
 */
#include "kernel.h"

struct queue {
    pthread_mutex_t lock;
    int left, users;
};

struct {
    struct queue *queue;
    bool lost;
} shared;

static NOINLINE bool take_block(void)
{
    struct queue *queue = shared.queue;
    bool took;

    pthread_mutex_lock(&queue->lock);
    took = queue->left > 0;
    queue->left -= took;
    pthread_mutex_unlock(&queue->lock);
    return took;
}

static NOINLINE void give_back(void)
{
    struct queue *queue = shared.queue;

    if (!queue) {
        shared.lost = true;
        return;
    }
    pthread_mutex_lock(&queue->lock);
    queue->users--;
    pthread_mutex_unlock(&queue->lock);
}

static void compress_blocks(void)
{
    while (take_block())
        ;
    hold();
    give_back();
}

static void finish(void)
{
    meanwhile();
    shared.queue = NULL;
}

int main(int argc, char **argv)
{
    struct queue queue = { PTHREAD_MUTEX_INITIALIZER, 2, 1 };

    begin(argc, argv);
    shared.queue = &queue;
    run_two(compress_blocks, finish);
    return verdict(!shared.lost);
}
