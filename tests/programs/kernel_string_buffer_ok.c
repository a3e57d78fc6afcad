/*
 * kernel_string_buffer_ok: append keeps the other buffer's lock from the length to the text.
 *
 * expect: nothing
 * never: atomicity A B C
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
    printf("%d\n", overrun);
    return 0;
}
