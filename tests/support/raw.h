/*
 * raw.h - raw records for tests, as the runtime would send them, and the trace they become.
 */
#ifndef FW_TESTS_RAW_H
#define FW_TESTS_RAW_H

#include "record/spool.h"
#include "trace/trace.h"

/* Starts empty (all zero); release with fw_vec_release(&raw.units). */
struct raw {
    struct fw_units units;
    uint64_t records;
};

/* Each returns the number of the record. */
uint64_t raw_put(struct raw *raw, enum fw_wire_kind kind, uint64_t operand, unsigned n,
                 unsigned aux, uint64_t pc);
uint64_t raw_put_more(struct raw *raw, enum fw_wire_kind kind, uint64_t operand, uint64_t a1,
                      uint64_t b1, uint64_t pc);
uint64_t raw_put_text(struct raw *raw, enum fw_wire_kind kind, uint64_t operand, const char *text);
uint64_t raw_put_module(struct raw *raw, uint64_t base, uint64_t bytes, uint64_t flags,
                        const char *path);

static inline uint64_t raw_switch(struct raw *raw, uint32_t thread)
{
    return raw_put(raw, FW_WIRE_SWITCH, thread, 0, 0, 0);
}

static inline uint64_t raw_read(struct raw *raw, uint64_t address, unsigned bytes, uint64_t pc)
{
    return raw_put(raw, FW_WIRE_READ, address, bytes, 0, pc);
}

static inline uint64_t raw_write(struct raw *raw, uint64_t address, unsigned bytes, uint64_t pc)
{
    return raw_put(raw, FW_WIRE_WRITE, address, bytes, 0, pc);
}

/* Writes a spool; `block`: units after which it is flushed; `end`: with an end mark. */
void raw_spool(const struct raw *raw, int fd, size_t block, bool end);
/* The bytes of such a spool; the caller frees them. */
unsigned char *raw_spool_bytes(const struct raw *raw, size_t block, bool end, size_t *size);
/* The trace that readers make of it; stops the test if they cannot. */
struct fw_trace *raw_trace(const struct raw *raw);
/* The trace as STD text without its first line, blanks for line ends; the caller frees it. */
char *raw_trace_text(const struct raw *raw);

#endif
