/* once.c - a deposit of each thread, not protected: one may get lost.  A fixed one with -DOK. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance;

static void *deposit(void *arg)
{
#ifdef OK
    pthread_mutex_lock(&lock);
#endif
    int old = balance;
    balance = old + 1;
#ifdef OK
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_mutex_lock(&lock);
    pthread_create(&a, NULL, deposit, NULL);
    pthread_create(&b, NULL, deposit, NULL);
    pthread_mutex_unlock(&lock);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", balance);
    return balance != 2;
}
