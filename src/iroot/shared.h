/*
 * shared.h - which static accesses ever touch an object that several threads touch.
 *
 * Learnt from one run or several; a profiler that is given it leaves out the others, which costs
 * nothing but the iRoots of accesses that are shared in its own run for the first time.  Memory:
 * some bytes for each number of an object, which are small, and for the accesses of those that are
 * private so far.
 *
 * Not thread-safe.
 */
#ifndef FW_IROOT_SHARED_H
#define FW_IROOT_SHARED_H

#include <stdbool.h>
#include <stdint.h>

struct fw_shared;

struct fw_shared *fw_shared_create(void);
void fw_shared_destroy(struct fw_shared *shared);

/* A new run begins: objects are other ones, what was learnt of accesses stays. */
void fw_shared_begin(struct fw_shared *shared);
/* `access` may be FW_ACCESS_NONE. */
void fw_shared_touch(struct fw_shared *shared, uint32_t thread, uint64_t object, uint32_t access);

bool fw_shared_has(const struct fw_shared *shared, uint32_t access);
/* Of this run, so far. */
bool fw_shared_object(const struct fw_shared *shared, uint64_t object);

#endif
