/*
 * kernel_bank_account: a withdrawal reads the balance in one section and writes it in another; a
 * deposit in between is lost.
 *
 * expect: atomicity A B C
 */
#include "program.h"

volatile int balance = 100;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE void withdraw(int amount)
{
    int before;

    pthread_mutex_lock(&lock);
    before = balance; /* @A */
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    balance = before - amount; /* @C */
    pthread_mutex_unlock(&lock);
}

static void *customer(void *unused)
{
    withdraw(30);
    return unused;
}

static void *employer(void *unused)
{
    step_aside();
    pthread_mutex_lock(&lock);
    balance += 50; /* @B */
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(customer, employer);
    printf("%d\n", balance > 0);
    return 0;
}
