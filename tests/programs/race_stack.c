/*
 * race_stack: main looks at its local variable while a thread writes it.
 *
 * expect: race A B
 */
#include "program.h"

static void *answer(void *argument)
{
    *(int *)argument = 42; /* @A */
    return NULL;
}

int main(void)
{
    int result = 0;
    pthread_t thread = start(answer, &result);
    int early = result; /* @B */

    finish(thread);
    printf("%d\n", early == 0 || early == 42 ? result : 0);
    return 0;
}
