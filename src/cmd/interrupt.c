/* interrupt.c - see interrupt.h. */
#include "cmd/interrupt.h"

#include <signal.h>
#include <stdint.h>
#include <time.h>

#define AGAIN 500 /* ms in which a further signal is the same one: timeout(1) sends it to the
                     process and to its group */

/* Threads look at it. */
static atomic_int came;
static int64_t came_at; /* the handler's */

static int64_t now_ms(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void note(int number)
{
    if (!came) {
        came_at = now_ms();
        came = number;
    } else if (now_ms() - came_at >= AGAIN) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

const atomic_int *fw_interrupt_watch(void)
{
    struct sigaction action = { .sa_handler = note };

    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &came;
}

int fw_interrupt_status(void)
{
    int number = came;

    return number ? 128 + number : 0;
}
