/*
 * signal_handler: a handler changes what another thread changes.
 *
 * expect: race A B
 */
#include "program.h"

volatile int alarms, work_done;

static void handle(int number)
{
    (void)number;
    alarms = alarms + 1; /* @A */
}

static void *work(void *unused)
{
    alarms = 0; /* @B */
    return unused;
}

int main(void)
{
    pthread_t thread;

    signal(SIGUSR1, handle);
    thread = start(work, NULL);
    raise(SIGUSR1);
    finish(thread);
    printf("%d\n", alarms >= 0 && work_done <= 1);
    return 0;
}
