/*
 * race_strcpy: a string is measured while another thread writes it.
 *
 * expect: race A B
 */
#include "program.h"

char name[32] = "nobody";
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
const char *volatile new_name = "somebody";
volatile size_t length;

static void *set_name(void *unused)
{
    const char *from = new_name;

    strcpy(name, from); /* @A */
    return unused;
}

static void *measure(void *unused)
{
    size_t n;

    n = strlen(name); /* @B */
    length = n;
    return unused;
}

int main(void)
{
    run2(set_name, measure);
    printf("%s %d\n", name, length >= 6);
    return 0;
}
