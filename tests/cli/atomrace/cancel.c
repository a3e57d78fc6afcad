/*
 * cancel.c - threads that are cancelled wherever they are, in sections as well; the others go on.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void *endless(void *argument)
{
    static _Thread_local volatile long own[64];

    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (int i = 0;; i++)
        own[i % 64] += 1;
    return argument;
}

static void *count(void *argument)
{
    for (int i = 0; i < 500; i++) {
        pthread_mutex_lock(&lock);
        total++;
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

int main(void)
{
    pthread_t counters[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&counters[i], NULL, count, NULL);
    for (int i = 0; i < 20; i++) {
        pthread_t thread;

        pthread_create(&thread, NULL, endless, NULL);
        usleep(300);
        pthread_cancel(thread);
        pthread_join(thread, NULL);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(counters[i], NULL);
    printf("%ld\n", total);
    return 0;
}
