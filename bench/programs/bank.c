/*
 * bank.c - accounts under striped locks.
 *
 *     bank [TRANSFERS [ACCOUNTS [STRIPES [THREADS]]]]
 *
 * Every thread makes its share of the transfers: it draws two accounts, takes the locks of both (in
 * the order of the stripes), moves an amount and writes it down in both accounts.  Now and then it
 * adds up the accounts of a stripe under its lock.  Balances may fall below zero, so the final ones
 * do not depend on the order of the transfers.
 */
#include "program.h"

#define AUDIT_EVERY 256

struct account {
    long balance;
    long transfers;
    long turnover;
};

static long transfers, accounts, stripes, threads;
static struct account *account;
static pthread_mutex_t *stripe;
static long audits[MAX_THREADS];

static void lock_both(long a, long b)
{
    pthread_mutex_lock(&stripe[a < b ? a : b]);
    if (a != b)
        pthread_mutex_lock(&stripe[a < b ? b : a]);
}

static void unlock_both(long a, long b)
{
    if (a != b)
        pthread_mutex_unlock(&stripe[a < b ? b : a]);
    pthread_mutex_unlock(&stripe[a < b ? a : b]);
}

static void transfer(long from, long to, long amount)
{
    long a = from % stripes, b = to % stripes;

    lock_both(a, b);
    account[from].balance -= amount;
    account[from].transfers++;
    account[from].turnover += amount;
    account[to].balance += amount;
    account[to].transfers++;
    account[to].turnover += amount;
    unlock_both(a, b);
}

/* How many accounts of a stripe were ever used. */
static long audit(long which)
{
    long used = 0;

    pthread_mutex_lock(&stripe[which]);
    for (long i = which; i < accounts; i += stripes)
        used += account[i].turnover >= account[i].transfers;
    pthread_mutex_unlock(&stripe[which]);
    return used;
}

static void *work(void *argument)
{
    long self = (long)argument;
    uint64_t state = (uint64_t)self + 1;

    for (long i = self; i < transfers; i += threads) {
        long from = (long)(random_next(&state) % (uint64_t)accounts);
        long to = (long)(random_next(&state) % (uint64_t)accounts);

        transfer(from, to, (long)(random_next(&state) % 100) + 1);
        if (i / threads % AUDIT_EVERY == 0)
            audits[self] += audit((long)(random_next(&state) % (uint64_t)stripes));
    }
    return NULL;
}

int main(int argc, char **argv)
{
    uint64_t sum = 0;
    long total = 0, wanted = 0, made = 0;

    transfers = argument(argc, argv, 1, 1, 3000000);
    accounts = argument(argc, argv, 2, 1, 4096);
    stripes = argument(argc, argv, 3, 1, 64);
    threads = argument(argc, argv, 4, 1, 4);
    if (threads > MAX_THREADS)
        threads = MAX_THREADS;
    account = allocate((size_t)accounts, sizeof *account);
    stripe = allocate((size_t)stripes, sizeof *stripe);
    for (long i = 0; i < stripes; i++)
        pthread_mutex_init(&stripe[i], NULL);
    for (long i = 0; i < accounts; i++)
        wanted += account[i].balance = 1000 + i % 7;
    run_threads(threads, work);
    for (long i = 0; i < accounts; i++) {
        total += account[i].balance;
        made += account[i].transfers;
        sum = checksum_add(sum, (uint64_t)account[i].balance);
    }
    for (long i = 0; i < threads; i++)
        sum = checksum_add(sum, (uint64_t)audits[i]);
    for (long i = 0; i < stripes; i++)
        pthread_mutex_destroy(&stripe[i]);
    free(account);
    free(stripe);
    return report("bank", total == wanted && made == 2 * transfers, sum);
}
