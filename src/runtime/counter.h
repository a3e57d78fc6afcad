/*
 * counter.h - what waiting with epoll, and for it, needs of io_counter.c.
 */
#ifndef FW_RUNTIME_COUNTER_H
#define FW_RUNTIME_COUNTER_H

#include "runtime/rt.h"

#include <sys/epoll.h>

/* The events that a wait on the set has returned. */
void fw_epoll_tell(struct fw_thread *t, int set_fd, const struct epoll_event *events, int ready,
                   uintptr_t pc);
/* Some descriptor of the set is ready. */
void fw_epoll_ready(struct fw_thread *t, unsigned set, uintptr_t pc);

#endif
