/*
 * till.c - two tills sell, and one balance counts it: without a lock, so some sales are lost.
 */
#include <pthread.h>
#include <stdio.h>

static long balance;

static void *sell(void *price)
{
    for (int i = 0; i < 1000; i++)
        if (price)
            balance += *(long *)price;
    return NULL;
}

int main(void)
{
    long price = 3;
    pthread_t tills[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&tills[i], NULL, sell, &price);
    for (int i = 0; i < 2; i++)
        pthread_join(tills[i], NULL);
    printf("%ld of 6000\n", balance);
    return 0;
}
