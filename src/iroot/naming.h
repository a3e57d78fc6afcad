/*
 * naming.h - the static accesses of a trace's events.
 *
 * An event's access is what it does and where (iroot.h).  Numbers are worked out once for each site
 * and what is done there; the texts are added to a table that the caller owns, which several
 * traces may share.  Not thread-safe.
 */
#ifndef FW_IROOT_NAMING_H
#define FW_IROOT_NAMING_H

#include "iroot/iroot.h"
#include "trace/event.h"
#include "trace/symbols.h"

/* What an event of this kind does, requests of a lock included; FW_DOES_COUNT: it is no access. */
enum fw_iroot_does fw_iroot_does_of(unsigned kind);
/* Does it write, in the sense of iroot.h?  Exclusive operations of locks do. */
bool fw_iroot_writes(unsigned kind);

/* Is the name a recorder's, PATH+0xOFFSET?  Then the path is the caller's, and `returns` where the
 * hook or call returns to: one behind. */
bool fw_naming_recorded(const char *name, char **path, uint64_t *returns);

struct fw_naming;

/* Both are borrowed, and outlive it.  `lacks_repeats`: as the trace has it (trace.h). */
struct fw_naming *fw_naming_create(const struct fw_symbols *symbols, struct fw_strtab *accesses,
                                   bool lacks_repeats);
void fw_naming_destroy(struct fw_naming *naming);

/* The number of the event's access; it is one.  FW_ACCESS_NONE: the write says again what was
 * written at places that the recording left out; no iRoot may name it. */
uint32_t fw_naming_access(struct fw_naming *naming, const struct fw_event *event);

#endif
