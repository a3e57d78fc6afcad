/*
 * handed.c - a thread takes what its maker has written for it, and has looked at once more itself:
 * it comes behind the maker's read, not its write.  Nothing is ever wrong; a guard that does not
 * watch the maker's second look takes it for something new.
 */
#include <pthread.h>
#include <stdio.h>

static struct {
    int *volatile base;
    int sum;
} shared;

static void *work(void *unused)
{
    shared.sum = *shared.base + 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    int base = 41;

    shared.base = &base;
    if (!shared.base)
        return 2;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    puts(shared.sum == 42 ? "right" : "wrong");
    return shared.sum != 42;
}
