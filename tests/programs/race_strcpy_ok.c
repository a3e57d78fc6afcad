/*
 * race_strcpy_ok: the string is written and measured under a lock.
 *
 * expect: nothing
 */
#include "program.h"

char name[32] = "nobody";
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
const char *volatile new_name = "somebody";
volatile size_t length;

static void *set_name(void *unused)
{
    const char *from = new_name;

    pthread_mutex_lock(&lock);
    strcpy(name, from); /* @A */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *measure(void *unused)
{
    size_t n;

    pthread_mutex_lock(&lock);
    n = strlen(name); /* @B */
    pthread_mutex_unlock(&lock);
    length = n;
    return unused;
}

int main(void)
{
    run2(set_name, measure);
    printf("%s %d\n", name, length >= 6);
    return 0;
}
