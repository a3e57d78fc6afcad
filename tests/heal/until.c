/*
 * until.c - two threads count in a section until the file that is named by the argument is there.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static volatile long count;
static const char *file;

static __attribute__((noinline)) void add(void)
{
    count = count + 1;
}

static void *work(void *unused)
{
    while (access(file, F_OK) != 0)
        for (int i = 0; i < 100; i++)
            add();
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];

    file = argv[argc - 1];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    puts("stopped");
    return 3;
}
