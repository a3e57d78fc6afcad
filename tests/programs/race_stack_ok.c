/*
 * race_stack_ok: main looks at its local variable when the thread has been joined.
 *
 * expect: nothing
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

    finish(thread);
    printf("%d\n", result);
    return 0;
}
