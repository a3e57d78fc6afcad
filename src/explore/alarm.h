/*
 * alarm.h - a flag that is raised when a time has come, or the user wants no more.
 */
#ifndef FW_EXPLORE_ALARM_H
#define FW_EXPLORE_ALARM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct fw_alarm {
    atomic_bool over; /* the flag */

    /* Its own. */
    double until;
    const atomic_int *stop;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool done; /* guarded by lock */
    bool started;
    pthread_t thread;
};

/* Until: by fw_session_now; 0: never.  Stop: set if the user wants no more; NULL: he always does.
 */
void fw_alarm_start(struct fw_alarm *alarm, double until, const atomic_int *stop);
/* Does not wait for it. */
void fw_alarm_end(struct fw_alarm *alarm);

#endif
