/*
 * kernel_string_buffer: append asks the other buffer for its length and then for its text, in two
 * sections; in between somebody makes it shorter.
 *
 * expect: atomicity A B C
 */
#include "program.h"

volatile int length = 5;
int overrun;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *append(void *unused)
{
    int wanted, there;

    pthread_mutex_lock(&lock);
    wanted = length; /* @A */
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    there = length; /* @C */
    pthread_mutex_unlock(&lock);
    overrun = wanted > there;
    return unused;
}

static void *erase(void *unused)
{
    step_aside();
    pthread_mutex_lock(&lock);
    length = 0; /* @B */
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(append, erase);
    printf("%d\n", overrun <= 1);
    return 0;
}
