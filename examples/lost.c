/*
 * lost.c - two threads deposit at the same time, and one deposit may get lost.
 *
 * lost.sched makes that happen: foreweave replay lost.sched
 */
#include <pthread.h>
#include <stdio.h>

static int balance;

static void *deposit(void *amount)
{
    int old = balance;

    balance = old + *(int *)amount;
    return NULL;
}

int main(void)
{
    int amounts[] = { 30, 70 };
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, deposit, &amounts[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("balance: %d\n", balance);
    return balance != 100;
}
