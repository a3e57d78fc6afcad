/*
 * kernel_mozilla_2_ok: two threads seek to an item of an archive, one at a time.
 *
 * expect: nothing
 */
#include "program.h"

volatile int seeked, offset = 30;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *seek_to_item(void *unused)
{
    pthread_mutex_lock(&lock);
    if (!seeked) { /* @A */
        offset = offset + 16; /* @C */
        seeked = 1; /* @B */
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(seek_to_item, seek_to_item);
    printf("%d\n", offset);
    return 0;
}
