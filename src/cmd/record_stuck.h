/*
 * record_stuck.h - says, while a program is recorded, that threads of it cannot go on.
 */
#ifndef FW_CMD_RECORD_STUCK_H
#define FW_CMD_RECORD_STUCK_H

/* `path` is the trace that is being recorded.  The first says what the user may do then. */
void fw_record_say_stuck(const char *path);
void fw_record_tell_stuck(const char *path);

#endif
