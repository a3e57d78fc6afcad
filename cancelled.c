#include <pthread.h>
#include <semaphore.h>
#include <time.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t zero;
static void unlock(void *argument)
{
    (void)argument;
    pthread_mutex_unlock(&lock);
}
static void *wait(void *argument)
{
    if (DISABLED)
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    if (HOW == 's')
        for (;;)
            sem_wait(&zero);
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(unlock, NULL);
    for (;;)
        pthread_cond_wait(&never, &lock);
    pthread_cleanup_pop(1);
    return argument;
}
int main(void)
{
    pthread_t thread;
    void *result;
    sem_init(&zero, 0, 0);
    pthread_create(&thread, NULL, wait, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    pthread_mutex_lock(&lock);
    return result != PTHREAD_CANCELED;
}
