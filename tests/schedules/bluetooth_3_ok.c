/*
 * bluetooth_3_ok: the last one to leave a driver releases its resources.
 *
 * mended: who counts down to zero is the last one
 */
#include <stdatomic.h>
#include "threads.h"

static atomic_int users = 2;
static atomic_int releases;

static void *leave(void *unused)
{
    if (atomic_fetch_sub(&users, 1) == 1)
        atomic_fetch_add(&releases, 1);
    return unused;
}

int main(void)
{
    run2(leave, leave);
    return atomic_load(&releases) == 1 ? 0 : 1;
}
