/*
 * starved.h - how long a run has waited for a processor.
 *
 * A run that takes longer than its limit hangs only if the machine has let it run: on a busy one a
 * tenth of a second of work may take a second, and that is no failure of the program.
 */
#ifndef FW_EXPLORE_STARVED_H
#define FW_EXPLORE_STARVED_H

#include "explore/session.h"

#include <sys/types.h>

/* Seconds, of all threads of a process that are left. */
struct fw_executed {
    double ran, waited; /* the latter: ready to run, while the processors had others */
};

/* All 0 if it is not known. */
struct fw_executed fw_executed(pid_t process);

/*
 * Seconds that the run at hand, whose limit has passed, has in addition, beside those that it was
 * given before: as many as it has waited, as long as it has not executed for the whole limit; not
 * more than the budget has left, and altogether some times the limit at most.  0: none.
 */
double fw_session_grace(struct fw_session *session);

#endif
