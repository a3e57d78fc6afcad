/*
 * kernel_mysql_5_ok: proc_info is read once, atomically.
 *
 * expect: nothing
 */
#include "program.h"
#include <stdatomic.h>

_Atomic(const char *) proc_info = "Sending data";
int crashed;

static void *clear(void *unused)
{
    step_aside();
    proc_info = NULL; /* @B */
    return unused;
}

static NOINLINE void print_thread(void)
{
    const char *info = proc_info; /* @A */

    if (info)
        crashed = info[0] != 'S';
}

int main(void)
{
    pthread_t thread = start(clear, NULL);

    print_thread();
    finish(thread);
    printf("%d\n", crashed);
    return 0;
}
