/*
 * race_heap: a field of a heap object is written by two threads.
 *
 * expect: race A B
 */
#include "program.h"

struct pair {
    long left;
    long right;
};

static void *set_left(void *argument)
{
    struct pair *pair = argument;

    pair->left = 1; /* @A */
    return NULL;
}

static void *set_right(void *argument)
{
    struct pair *pair = argument;

    pair->left = 2; /* @B */
    pair->right = 2;
    return NULL;
}

int main(void)
{
    struct pair *pair = calloc(1, sizeof(*pair));
    pthread_t one = start(set_left, pair);
    pthread_t two = start(set_right, pair);

    finish(one);
    finish(two);
    printf("%d %ld\n", pair->left != 0, pair->right);
    free(pair);
    return 0;
}
