/*
 * shared_maps.h - memory that other processes may share: what is written there is seen by threads
 * that are none of ours, so that it is not taken back (region.h).
 *
 * Known are mappings of before the program began, and those that it makes by mmap and shmat.  There
 * is room for some; what does not fit widens the last one, so that memory may be taken for shared
 * which is not.
 *
 * Thread-safety: anybody, any time.
 */
#ifndef FW_GUARD_SHARED_MAPS_H
#define FW_GUARD_SHARED_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is there now; from now on mmap and its like are followed. */
void fw_shared_maps_begin(void);
/* It is not mapped any more, or private memory. */
void fw_shared_maps_forget(uintptr_t address, size_t bytes);

/* Is one of these bytes shared? */
bool fw_shared_maps_have(uintptr_t address, size_t bytes);

#endif
