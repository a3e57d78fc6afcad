/*
 * sited.h - a random trace with sites, and with threads that wait at its end.
 *
 * The same trace, but every event has a site: one of its own, or one of a few, or one for all that
 * its thread does to the same object.  Threads that may still do something ask for a lock that
 * another one has, now and then.  Some traces lack repeats, and some of their plain writes have no
 * site: these say again what was left out.  It is a function of the text and the seed.
 */
#ifndef FW_TESTS_SITED_H
#define FW_TESTS_SITED_H

#include "trace/trace.h"

/* NULL and the cause in `why` if it does not load. */
struct fw_trace *fw_load_sited(const char *text, size_t size, uint64_t seed, char *why,
                               size_t why_size);

#endif
