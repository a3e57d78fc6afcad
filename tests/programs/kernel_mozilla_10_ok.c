/*
 * kernel_mozilla_10_ok: content and length are changed in one section.
 *
 * options: --two-variables
 * expect: nothing
 * never: atomicity A C D B
 */
#include "program.h"

volatile int content, length;
int mixed;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *update(void *unused)
{
    pthread_mutex_lock(&lock);
    content = 8; /* @A */
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
    printf("%d\n", mixed);
    return 0;
}
