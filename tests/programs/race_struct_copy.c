/*
 * race_struct_copy: a large structure is assigned while another thread changes a field of it.
 *
 * expect: race A B
 */
#include "program.h"

struct settings {
    long values[40];
};
struct settings current, copy;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *take_copy(void *unused)
{
    copy = current; /* @A */
    return unused;
}

static void *change(void *unused)
{
    current.values[20] = 5; /* @B */
    return unused;
}

int main(void)
{
    run2(take_copy, change);
    printf("%ld %d\n", current.values[20], copy.values[0] == 0);
    return 0;
}
