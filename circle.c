#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static void *work(void *order)
{
    pthread_mutex_lock(order ? &a : &b);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(order ? &b : &a);
    return order;
}
int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&thread, NULL, work, &a);
    work(NULL);
    return 0;
}
