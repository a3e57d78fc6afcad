/*
 * c11_call_once_ok: what call_once made is only looked at.
 *
 * expect: nothing
 */
#include "program.h"
#include <threads.h>

once_flag flag = ONCE_FLAG_INIT;
int made;

static void make(void)
{
    made = 5;
}

static int use(void *unused)
{
    call_once(&flag, make);
    return unused != NULL || made < 5;
}

int main(void)
{
    thrd_t one, two;

    thrd_create(&one, use, NULL);
    thrd_create(&two, use, NULL);
    thrd_join(one, NULL);
    thrd_join(two, NULL);
    printf("%d\n", made >= 5);
    return 0;
}
