/*
 * standstill.h - which threads of a program that still runs cannot go on, and what they wait for.
 *
 * The runtime says so (FW_WIRE_STUCK), and then this is looked up in the spool: it happens once or
 * never, so nothing is kept for it while all is well.
 */
#ifndef FW_RECORD_STANDSTILL_H
#define FW_RECORD_STANDSTILL_H

#include "base/error.h"
#include "record/modules.h"

struct fw_stander {
    uint32_t thread;
    enum fw_wire_wait kind;
    uint64_t object;  /* address; of a join: the number of the other thread */
    uint64_t pc;      /* return address; 0: unknown */
    uint64_t held_by; /* a thread that holds the lock, + 1; 0: unknown */
};

struct fw_standstill {
    enum fw_wire_stuck kind; /* FW_WIRE_STUCK_NOT: none was told */
    FW_VEC(struct fw_stander) threads; /* of a cycle: each waits for the next */
    struct fw_modules modules;
};

/* Looks through the spool for the latest one. */
int fw_standstill_read(struct fw_standstill *standstill, const char *path, struct fw_error *err);
void fw_standstill_release(struct fw_standstill *standstill);

/* The name of an address as traces have it, PATH+0x10, or 0x7f10; the caller frees it. */
char *fw_standstill_name(const struct fw_standstill *standstill, uint64_t address);

#endif
