/* interrupt.c - see interrupt.h. */
#include "cmd/interrupt.h"

#include <signal.h>

/* Threads look at it. */
static atomic_int came;

static void note(int number)
{
    came = number;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

const atomic_int *fw_interrupt_watch(void)
{
    struct sigaction action = { .sa_handler = note };

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &came;
}

int fw_interrupt_status(void)
{
    int number = came;

    return number ? 128 + number : 0;
}
