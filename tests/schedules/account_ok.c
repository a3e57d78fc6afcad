/*
 * account_ok: an account whose balance is read in one critical section and written in another.
 *
 * mended: one section for both
 */
#include "threads.h"

static int balance = 100;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void change(int amount)
{
    int seen;

    pthread_mutex_lock(&lock);
    seen = balance;
    balance = seen + amount;
    pthread_mutex_unlock(&lock);
}

static void *deposit(void *unused)
{
    change(30);
    return unused;
}

static void *withdraw(void *unused)
{
    change(-50);
    return unused;
}

int main(void)
{
    run2(deposit, withdraw);
    assert(balance == 80);
    return 0;
}
