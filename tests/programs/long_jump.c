/*
 * long_jump: a jump out of the depth leads behind the unlock.
 *
 * expect: race A A
 */
#include "program.h"
#include <setjmp.h>

int failures;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE int dive(jmp_buf *out, int depth)
{
    if (depth < 0)
        return 0;
    if (depth == 0)
        longjmp(*out, 1);
    return dive(out, depth - 1) + 1;
}

static void *work(void *unused)
{
    jmp_buf out;

    pthread_mutex_lock(&lock);
    if (setjmp(out) == 0)
        dive(&out, 20);
    pthread_mutex_unlock(&lock);
    failures++; /* @A */
    return unused;
}

int main(void)
{
    run2(work, work);
    printf("%d\n", failures > 0);
    return 0;
}
