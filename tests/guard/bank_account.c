/*
 * bank_account: a balance is read in one critical section and written in another.
 *
 * kind: atomicity
 */
#include "kernel.h"

struct {
    pthread_mutex_t lock;
    int balance;
} shared = { PTHREAD_MUTEX_INITIALIZER, 1000 };

static NOINLINE int read_balance(void)
{
    int balance;

    pthread_mutex_lock(&shared.lock);
    balance = shared.balance;
    pthread_mutex_unlock(&shared.lock);
    return balance;
}

static NOINLINE void write_balance(int balance)
{
    pthread_mutex_lock(&shared.lock);
    shared.balance = balance;
    pthread_mutex_unlock(&shared.lock);
}

static NOINLINE void transfer(int amount)
{
    int balance = read_balance();

    hold();
    write_balance(balance + amount);
}

static void deposit(void)
{
    transfer(100);
}

static void withdraw(void)
{
    meanwhile();
    transfer(-30);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    run_two(deposit, withdraw);
    return verdict(shared.balance == 1070);
}
