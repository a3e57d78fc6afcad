/*
 * property.h - checks one property on many random traces.
 *
 *     static bool holds(const struct fw_sample *sample, char *why, size_t size) { ... }
 *
 *     int main(void)
 *     {
 *         static const char *const profiles[] = { "locks", "two", NULL };
 *         return fw_property_run("prop_x", profiles, 20000, holds);
 *     }
 *
 * Trace number n is made from seed n, by profile n modulo the number of
 * profiles.  On failure the seed, the command that replays it and the trace,
 * shrunk, are printed.
 *
 *     FOREWEAVE_COUNT=N  how many traces (default: as given; a tenth under a sanitizer)
 *     FOREWEAVE_FIRST=N  the first seed (default 1), for campaigns in parts
 *     FOREWEAVE_SEED=N   just this one
 */
#ifndef FW_TESTS_PROPERTY_H
#define FW_TESTS_PROPERTY_H

#include "support/generate.h"
#include "trace/index.h"
#include "trace/trace.h"

struct fw_sample {
    uint64_t seed;
    const char *profile;
    const char *text;
    size_t size;
};

/* Does the property hold?  If not, says why.  It must be a function of the sample alone. */
typedef bool (*fw_property)(const struct fw_sample *sample, char *why, size_t why_size);

/* Returns the exit status of the test program. */
int fw_property_run(const char *program, const char *const *profiles, uint64_t count,
                    fw_property holds);

/* Loads text; NULL and the cause in `why` if it does not load. */
struct fw_trace *fw_load_text(const char *text, size_t size, const char *name, bool repair,
                              char *why, size_t why_size);

/* The same for a test's own STD text, with blanks for line ends; not to load is a bug. */
struct fw_trace *fw_load_line(const char *text);

/* Loads the sample; one in five in another spelling (decorate.h), so that indices have gaps. */
struct fw_trace *fw_load_sample(const struct fw_sample *sample, char *why, size_t why_size);

/* A property of a trace and its index; functions: the blocks are calls. */
typedef bool fw_block_property(const struct fw_index *index, bool functions, char *why,
                               size_t why_size);

/* Does it hold for the sample, with both kinds of blocks? */
bool fw_blocks_hold(const struct fw_sample *sample, fw_block_property *holds, char *why,
                    size_t why_size);

#endif
