/*
 * kernel_mysql_8: a node decides whether it is the master by a value that is not there yet.
 *
 * expect: race A B
 */
#include "program.h"

volatile int president = -1;
int is_master;

static void *node(void *argument)
{
    int me = *(int *)argument;

    is_master = president == -1 || president == me; /* @A */
    return NULL;
}

int main(void)
{
    int number = 2;
    pthread_t thread;

    thread = start(node, &number);
    president = 1; /* @B */
    finish(thread);
    printf("%d\n", is_master <= 1);
    return 0;
}
