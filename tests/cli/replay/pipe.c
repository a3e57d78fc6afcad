/* pipe.c - threads that sleep and wait for a pipe, and count without a lock. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2];
static int count;

static void bump(void)
{
    int old = count;
    count = old + 1;
}

static void *producer(void *arg)
{
    for (int i = 0; i < 3; i++) {
        usleep(500);
        if (write(ends[1], "x", 1) != 1)
            return arg;
        bump();
    }
    return arg;
}

static void *consumer(void *arg)
{
    char c;

    for (int i = 0; i < 3; i++) {
        if (read(ends[0], &c, 1) != 1)
            return arg;
        bump();
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;

    if (pipe(ends) != 0)
        return 2;
    pthread_create(&a, NULL, producer, NULL);
    pthread_create(&b, NULL, consumer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", count);
    return count != 6;
}
