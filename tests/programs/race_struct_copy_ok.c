/*
 * race_struct_copy_ok: the structure is copied under the lock that guards its fields.
 *
 * expect: nothing
 */
#include "program.h"

struct settings {
    long values[40];
};
struct settings current, copy;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *take_copy(void *unused)
{
    pthread_mutex_lock(&lock);
    copy = current; /* @A */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *change(void *unused)
{
    pthread_mutex_lock(&lock);
    current.values[20] = 5; /* @B */
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(take_copy, change);
    printf("%ld %d\n", current.values[20], copy.values[0] == 0);
    return 0;
}
