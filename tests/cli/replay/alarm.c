/* alarm.c - a thread holds a lock and waits for what a signal handler posts; another wants the lock. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t come;

static void on_alarm(int number)
{
    (void)number;
    sem_post(&come);
}

static void *holder(void *arg)
{
    pthread_mutex_lock(&lock);
    while (sem_wait(&come) != 0)
        ;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *other(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    struct itimerval soon = { .it_value = { 0, 300000 } };
    pthread_t a, b;

    sem_init(&come, 0, 0);
    signal(SIGALRM, on_alarm);
    pthread_create(&a, NULL, holder, NULL);
    pthread_create(&b, NULL, other, NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
