/*
 * recover.h - recordings that were not finished, as traces.
 *
 * Whatever was killed while a program was recorded, the spool that is left (spool.h) is finished
 * here, into a temporary file without a name, when somebody reads it: see struct fw_recovery in
 * trace/reader.h.  It has no end mark then, so the trace reads as cut.
 */
#ifndef FW_RECORD_RECOVER_H
#define FW_RECORD_RECOVER_H

#include "trace/reader.h"

extern const struct fw_recovery fw_spool_recovery;

#endif
