/*
 * watcher.h - which iRoots the latest run of a session has exposed.
 *
 * Reads what the runtime tells of accesses and locks (orders with FW_CONTROL_OBSERVE) and hands it
 * to the observer.  Static accesses are numbered by the caller: once for each site and what is done
 * there.  Not thread-safe.
 */
#ifndef FW_EXPLORE_WATCHER_H
#define FW_EXPLORE_WATCHER_H

#include "explore/coverage.h"
#include "explore/session.h"
#include "iroot/observe.h"

struct fw_watcher;

/* The number of a static access. */
typedef uint32_t (*fw_number_access)(void *context, const char *module, uint64_t offset,
                                     enum fw_iroot_does does);

/* The session is borrowed and outlives it. */
struct fw_watcher *fw_watcher_create(const struct fw_session *session,
                                     const struct fw_observe_options *options,
                                     fw_number_access number, void *context);
void fw_watcher_destroy(struct fw_watcher *watcher);

/* What the latest run has exposed; good until the next call. */
const struct fw_iroot_set *fw_watcher_look(struct fw_watcher *watcher);
/* The same, added to a list. */
void fw_watcher_list(struct fw_watcher *watcher, struct fw_iroot_vec *list);

/* The access of a site of the session, if it can do that; FW_STRTAB_NONE: it cannot. */
uint32_t fw_watcher_access(struct fw_watcher *watcher, uint32_t site, enum fw_iroot_does does);

#endif
