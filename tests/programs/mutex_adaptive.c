/*
 * mutex_adaptive: a value is written under an adaptive lock and read without it.
 *
 * expect: race A B
 */
#include "program.h"

int value;
pthread_mutex_t lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;

static void *writer(void *unused)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        value = value + 1; /* @A */
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *reader(void *unused)
{
    int seen;

    seen = *(volatile int *)&value; /* @B */
    return seen > 3 ? &value : unused;
}

int main(void)
{
    run2(writer, reader);
    printf("%d\n", value);
    return 0;
}
