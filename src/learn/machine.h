/*
 * machine.h - how much of the machine others use while a program is learnt from.
 *
 * Threads that lack a processor for long come by interleavings that are rare otherwise.  Those that
 * happen to go well are learnt, and allowed from then on.
 *
 *     fw_machine_look(&before);
 *     ... runs ...
 *     fw_machine_look(&after);
 *     percent = fw_machine_others(&before, &after);
 */
#ifndef FW_LEARN_MACHINE_H
#define FW_LEARN_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/* Ticks of all processors since the machine began, and of this process and its children that have
 * ended; all 0 where that is not known. */
struct fw_machine_use {
    uint64_t all, busy, own;
};

void fw_machine_look(struct fw_machine_use *use);
/* The first line of /proc/stat.  False: it is something else. */
bool fw_machine_parse(const char *line, struct fw_machine_use *use);
/* What others had meanwhile of what there was, in percent; 0 if that is not known. */
unsigned fw_machine_others(const struct fw_machine_use *before,
                           const struct fw_machine_use *after);

#endif
