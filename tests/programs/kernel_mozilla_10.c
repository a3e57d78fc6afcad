/*
 * kernel_mozilla_10: content and length are changed in two sections, and a reader sees the new one
 * with the old one.  No race, and no single variable that is wrong.
 *
 * options: --two-variables
 * expect: atomicity A C D B
 */
#include "program.h"

volatile int content, length;
int mixed;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *update(void *unused)
{
    pthread_mutex_lock(&lock);
    content = 8; /* @A */
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    length = 8; /* @B */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *print(void *unused)
{
    int text, bytes;

    pthread_mutex_lock(&lock);
    text = content; /* @C */
    bytes = length; /* @D */
    pthread_mutex_unlock(&lock);
    mixed = text != bytes;
    return unused;
}

int main(void)
{
    run2(update, print);
    printf("%d\n", mixed <= 1);
    return 0;
}
