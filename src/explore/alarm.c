/* alarm.c - see alarm.h. */
#include "explore/alarm.h"

#include "explore/session.h"

#include <time.h>

#define LOOK   20000000 /* nanoseconds between two looks at the clock */
#define SECOND 1000000000

static struct timespec next_look(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_nsec += LOOK;
    time.tv_sec += time.tv_nsec / SECOND;
    time.tv_nsec %= SECOND;
    return time;
}

static void *watch_clock(void *context)
{
    struct fw_alarm *alarm = context;

    pthread_mutex_lock(&alarm->lock);
    while (!alarm->done) {
        struct timespec next = next_look();

        if ((alarm->stop && *alarm->stop) || (alarm->until > 0 && fw_session_now() >= alarm->until))
            alarm->over = true;
        pthread_cond_clockwait(&alarm->changed, &alarm->lock, CLOCK_MONOTONIC, &next);
    }
    pthread_mutex_unlock(&alarm->lock);
    return NULL;
}

void fw_alarm_start(struct fw_alarm *alarm, double until, const atomic_int *stop)
{
    *alarm = (struct fw_alarm) { .until = until, .stop = stop };
    pthread_mutex_init(&alarm->lock, NULL);
    pthread_cond_init(&alarm->changed, NULL);
    alarm->started = pthread_create(&alarm->thread, NULL, watch_clock, alarm) == 0;
}

void fw_alarm_end(struct fw_alarm *alarm)
{
    pthread_mutex_lock(&alarm->lock);
    alarm->done = true;
    pthread_cond_signal(&alarm->changed);
    pthread_mutex_unlock(&alarm->lock);
    if (alarm->started)
        pthread_join(alarm->thread, NULL);
    pthread_cond_destroy(&alarm->changed);
    pthread_mutex_destroy(&alarm->lock);
}
