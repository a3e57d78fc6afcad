/*
 * reach.h - can an access that is next be made at all?
 *
 * A thread whose access hits a page that is protected, or not there, does not make it: it comes to
 * the program's handler of SIGSEGV or SIGBUS, which may wait for others, and tries again later.  So
 * it is next only if the page could be accessed at the very moment of the hit; the kernel is asked
 * then, which costs nothing anywhere else.  If it can be, nothing that protects the page later
 * matters: at that moment both accesses were next.
 *
 * Where the kernel itself makes threads wait for a page (userfaultfd), or rights are each thread's
 * own (protection keys), it cannot be asked like this: such memory is out of reach from the moment
 * that it is told of.
 *
 * Any thread, any time.
 */
#ifndef FW_ATOMRACE_REACH_H
#define FW_ATOMRACE_REACH_H

#include "atomrace/sections.h"

/* Asked while its thread is kept in the hook. */
bool fw_within_reach(const struct fw_overlap_access *access);

/* fw_map_withheld (runtime/rt.h): nobody is asked about this memory. */
void fw_reach_withheld(const void *memory, size_t bytes);

#endif
