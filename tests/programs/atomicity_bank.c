/*
 * atomicity_bank: a transfer looks at the balance in one section and takes the money in another.
 *
 * expect: atomicity A B C
 */
#include "program.h"

volatile int balance = 100, other_balance;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE int transfer(int amount)
{
    int enough;

    pthread_mutex_lock(&lock);
    enough = balance >= amount; /* @A */
    pthread_mutex_unlock(&lock);
    if (!enough)
        return 0;
    pthread_mutex_lock(&lock);
    balance = balance - amount; /* @C */
    other_balance = other_balance + amount;
    pthread_mutex_unlock(&lock);
    return 1;
}

static void *freeze(void *unused)
{
    step_aside();
    pthread_mutex_lock(&lock);
    balance = 0; /* @B */
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread = start(freeze, NULL);
    int done = transfer(80);

    finish(thread);
    printf("%d\n", done == 0 || other_balance == 80);
    return 0;
}
