/*
 * leftover.h - processes that a program has started and that outlive its run.
 *
 * The calling process adopts them (it becomes a subreaper, for good), so none is out of sight,
 * whatever group or session it is in.  Children that the process had before are left alone.
 *
 * Not thread-safe: nobody may start or await a child meanwhile.
 */
#ifndef FW_EXPLORE_LEFTOVER_H
#define FW_EXPLORE_LEFTOVER_H

#include "base/vec.h"

#include <sys/types.h>

FW_VEC_TYPE(fw_pids, pid_t);

struct fw_leftover {
    struct fw_pids before;
};

void fw_leftover_init(struct fw_leftover *leftover);
void fw_leftover_release(struct fw_leftover *leftover);

/* As fw_leftover_kill, but asks them to end first and gives them a while. */
unsigned fw_leftover_end(const struct fw_leftover *leftover);
/* Kills and buries all children but these; returns how many did not end by themselves. */
unsigned fw_leftover_kill(const struct fw_leftover *leftover, const struct fw_pids *own);

#endif
