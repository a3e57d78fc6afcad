#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>
static pthread_barrier_t both;
static void together(void) { pthread_barrier_wait(&both); }
static void run2(void *(*f)(void *), void *(*g)(void *))
{
    pthread_t x, y;
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&x, NULL, f, NULL);
    pthread_create(&y, NULL, g, NULL);
    pthread_join(x, NULL);
    pthread_join(y, NULL);
}
