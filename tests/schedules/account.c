/*
 * account: an account whose balance is read in one critical section and written in another.
 *
 * bug: a deposit between a withdrawal's two sections, or the other way round, is lost
 * fails-as: assertion
 * depth: 2 (one reads before the other writes, and writes after it)
 * preemptions: 1
 * recorded: yes
 */
#include "threads.h"

static int balance = 100;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void change(int amount)
{
    int seen;

    pthread_mutex_lock(&lock);
    seen = balance; /* @bug */
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    balance = seen + amount; /* @bug */
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
