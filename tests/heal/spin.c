/*
 * spin.c - a section that waits for another thread in a way that nobody sees, and that thread
 * comes to the section's variable first.  With a lock around the section both would wait for ever,
 * if patience did not end.
 *
 * With an argument it does not wait.
 */
#include <pthread.h>
#include <stdio.h>

#define NOINLINE __attribute__((noinline))

static volatile long total;
static volatile int go, inside;

/* Without a hook. */
#define LOOK(value, at) __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(at))

static NOINLINE void add(void)
{
    long seen = total;
    int may_go = 0;
    inside = 1;
    while (!may_go)
        LOOK(may_go, go);
    total = seen + 1;
}

static void *other(void *unused)
{
    while (!inside)
        ;
    total = total + 10;
    go = 1;
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;

    (void)argv;
    go = argc > 1;
    pthread_create(&thread, NULL, other, NULL);
    add();
    pthread_join(thread, NULL);
    puts("done");
    return 0;
}
