/*
 * kernel_mysql_8_ok: the value is there before the node starts.
 *
 * expect: nothing
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

    president = 1; /* @B */
    thread = start(node, &number);
    finish(thread);
    printf("%d\n", is_master);
    return 0;
}
