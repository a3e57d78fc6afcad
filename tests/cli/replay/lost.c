/* lost.c - three deposits of each thread, not protected: one may get lost.  A fixed one with -DOK. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance;

static void deposit(int amount)
{
    int old = balance;
    balance = old + amount;
}

static void *work(void *arg)
{
    for (int i = 0; i < 3; i++) {
#ifdef OK
        pthread_mutex_lock(&lock);
        deposit(1);
        pthread_mutex_unlock(&lock);
#else
        deposit(1);
#endif
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_mutex_lock(&lock);
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_mutex_unlock(&lock);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", balance);
    return balance != 6;
}
