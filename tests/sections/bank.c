/*
 * bank.c - a bank whose fees are charged without the lock, once a teller: the one section that must
 * be atomic and is not.  What it keeps of statistics may be lost, and often is.
 *
 * Exits with 0 if no money is lost.
 */
#include <pthread.h>
#include <stdlib.h>

#define TELLERS  3
#define DEPOSITS 40
#define FEE      1000 /* more than all deposits that it can meet: losses do not make up */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long balance;
/* Hints for people: nobody minds. */
static long operations, largest, latest, total, changes, rush, hint, mood;

static void note_amount(long amount)
{
    operations++;
    total += amount;
    if (amount > largest)
        largest = amount;
    latest = amount;
    changes += latest != hint;
    hint = latest;
}

static void note_rush(long who)
{
    rush = rush + 1;
    if (mood != who)
        mood = who;
    rush = rush - 1;
    hint ^= rush & 1;
}

static void deposit(long amount)
{
    pthread_mutex_lock(&lock);
    balance += amount;
    pthread_mutex_unlock(&lock);
}

static void charge(long fee)
{
    balance -= fee; /* @bug */
}

static void *teller(void *argument)
{
    long who = (long)argument;

    for (long i = 1; i <= DEPOSITS; i++) {
        note_rush(who);
        deposit(i);
        note_amount(i + who);
        if (i == 7 * who + 5)
            charge(FEE);
    }
    return NULL;
}

int main(void)
{
    pthread_t tellers[TELLERS];

    for (long i = 0; i < TELLERS; i++)
        if (pthread_create(&tellers[i], NULL, teller, (void *)i) != 0)
            abort();
    for (int i = 0; i < TELLERS; i++)
        pthread_join(tellers[i], NULL);
    return balance != TELLERS * (DEPOSITS * (DEPOSITS + 1) / 2 - FEE);
}
