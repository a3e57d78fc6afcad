/*
 * once_ok: pthread_once makes it once, and everybody sees what it made.
 *
 * expect: nothing
 */
#include "program.h"

int table[4];
pthread_once_t made = PTHREAD_ONCE_INIT;

static NOINLINE void make(void)
{
    for (int i = 0; i < 4; i++)
        table[i] = i * 10;
}

static void *use(void *unused)
{
    pthread_once(&made, make);
    return table[3] == 30 ? unused : table;
}

int main(void)
{
    run2(use, use);
    printf("%d\n", table[3]);
    return 0;
}
