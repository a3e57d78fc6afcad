/* interrupt.c - see interrupt.h. */
#include "cmd/interrupt.h"

static volatile sig_atomic_t came;

static void note(int number)
{
    came = number;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

const volatile sig_atomic_t *fw_interrupt_watch(void)
{
    struct sigaction action = { .sa_handler = note };

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &came;
}

int fw_interrupt_status(void)
{
    return came ? 128 + came : 0;
}
