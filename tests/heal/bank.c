/*
 * bank.c - an account that loses money: deposits and withdrawals read the balance and write it
 * back, with nothing that keeps others out in between.
 */
#include "kernel.h"

static struct {
    long owner;
    volatile long balance;
} account = { 1, 1000 };

static NOINLINE void deposit(long amount)
{
    account.balance = account.balance + amount;
}

static NOINLINE void withdraw(long amount)
{
    account.balance = account.balance - amount;
}

static void customer(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        deposit(30);
        withdraw(10);
    }
}

int main(int argc, char **argv)
{
    works[0] = works[1] = works[2] = customer;
    run_all(argc, argv, 3, 20);
    printf("%ld\n", account.balance);
    return verdict(account.balance == 1000 + 3 * 20L * rounds_of_all);
}
