/* mailbox.c - a place for one letter, with a condition variable on either side. */
#include "mailbox.h"

#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static bool full;
static int box;

void mailbox_put(int letter)
{
    pthread_mutex_lock(&lock);
    while (full)
        pthread_cond_wait(&emptied, &lock);
    box = letter;
    full = true;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
}

int mailbox_take(void)
{
    int letter;

    pthread_mutex_lock(&lock);
    while (!full)
        pthread_cond_wait(&filled, &lock);
    letter = box;
    full = false;
    pthread_cond_signal(&emptied);
    pthread_mutex_unlock(&lock);
    return letter;
}
