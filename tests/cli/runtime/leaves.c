/* leaves.c - threads that end by a system call of their own: detached, joined, and the first one. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static sem_t there;
static int sum;

static void *leave(void *context)
{
    sem_post(&there);
    syscall(SYS_exit, 0);
    return context;
}

static void *last(void *context)
{
    pthread_join(*(pthread_t *)context, NULL);
    printf("%d\n", sum);
    exit(sum != 3);
}

static void *add(void *context)
{
    sum += 3;
    return context;
}

int main(void)
{
    static pthread_t threads[2];

    sem_init(&there, 0, 0);
    for (int i = 0; i < 4; i++) {
        pthread_create(&threads[0], NULL, leave, NULL);
        if (i % 2)
            pthread_detach(threads[0]);
        sem_wait(&there);
        if (i % 2 == 0)
            pthread_join(threads[0], NULL);
    }
    pthread_create(&threads[0], NULL, add, NULL);
    pthread_create(&threads[1], NULL, last, &threads[0]);
    syscall(SYS_exit, 0);
    return 9;
}
