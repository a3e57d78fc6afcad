/*
 * live.h - what an analysis keeps for each variable, as long as it can be met.
 *
 *     struct fw_live live = { 0 };
 *
 *     state = fw_live_get(&live, variable);        64 bytes, all zero at first
 *     on alloc:  former = fw_live_renew(&live, symbols, variable);
 *                if (former != FW_NO_VARIABLE)
 *                    fw_live_drop(&live, former);
 *
 * A variable has one cache line that stays where it is.  An allocation of a
 * name that was used before starts a new variable; the former one of that name
 * will not be met again, and its line serves another.  So memory follows the
 * live variables, but for eight bytes each that ever was.
 */
#ifndef FW_ANALYSIS_LIVE_H
#define FW_ANALYSIS_LIVE_H

#include "analysis/analysis.h"
#include "base/bug.h"
#include "base/idmap.h"
#include "base/vec.h"

#define FW_LIVE_SIZE  64u /* bytes for a variable */
#define FW_LIVE_AHEAD 16u /* events from fetching a variable's line to its use */
#define FW_LIVE_FAR   40u /* ... from fetching where that line is */

/* A name that was allocated, and the variable that it means now. */
struct fw_live_name {
    const char *text;
    uint32_t variable;
};

/* All zero is empty. */
struct fw_live {
    FW_VEC(void *) lines; /* by variable; NULL: not met yet, or gone */
    FW_VEC(char *) chunks;
    uint32_t chunk_used;
    FW_VEC(void *) spare;
    FW_VEC(struct fw_live_name) names;
    struct fw_idmap by_text;
};

void fw_live_release(struct fw_live *live);

/* Makes the line; for fw_live_get. */
void *fw_live_add(struct fw_live *live, uint32_t variable);

static inline void *fw_live_get(struct fw_live *live, uint32_t variable)
{
    if (FW_LIKELY(variable < live->lines.len && live->lines.at[variable]))
        return live->lines.at[variable];
    return fw_live_add(live, variable);
}

/* The line if there is one, else NULL. */
static inline void *fw_live_find(const struct fw_live *live, uint32_t variable)
{
    return variable < live->lines.len ? live->lines.at[variable] : NULL;
}

void fw_live_drop(struct fw_live *live, uint32_t variable);

/*
 * An allocation starts the variable: the former one of its name, or
 * FW_NO_VARIABLE.  A free makes the variable known by its name.
 */
uint32_t fw_live_renew(struct fw_live *live, const struct fw_symbols *symbols, uint32_t variable);
void fw_live_freed(struct fw_live *live, const struct fw_symbols *symbols, uint32_t variable);

/*
 * Most of the time of an analysis goes into waiting for variables: this brings
 * near what events to come will need, first where a line is, then the line.  A
 * function that does nothing but prefetch is dropped by gcc 12, unless it is
 * inlined at once.
 */
static inline __attribute__((always_inline)) void fw_live_prefetch(const struct fw_live *live,
                                                                   const struct fw_place *place)
{
    const struct fw_event *events = place->batch->events + place->i;
    uint32_t left = place->batch->count - place->i, variable;

    if (FW_UNLIKELY(left <= FW_LIVE_FAR))
        return;
    variable = events[FW_LIVE_FAR].target;
    if (FW_LIKELY(variable < live->lines.len))
        __builtin_prefetch(&live->lines.at[variable]);
    variable = events[FW_LIVE_AHEAD].target;
    if (FW_LIKELY(variable < live->lines.len))
        __builtin_prefetch(live->lines.at[variable], 1);
}

#endif
