#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#ifdef RIGHT
#define TAKE pthread_mutex_lock(&lock)
#define GIVE pthread_mutex_unlock(&lock)
#else
#define TAKE
#define GIVE
#endif

int balance;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *deposit(void *unused)
{
    int old;

    TAKE;
    old = balance;
    balance = old + 1;
    GIVE;
    return unused;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, deposit, NULL);
    pthread_create(&two, NULL, deposit, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("%d\n", balance);
    assert(balance == 2);
    return 7;
}
