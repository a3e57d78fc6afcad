/*
 * moments.h - the events of a trace as moments of its program, where threads can be held.
 *
 * An event's moment is told by its thread, the number of basic blocks that the thread had entered,
 * and the place in the code.  Events that one call makes have one moment.  See witness.h.
 */
#ifndef FW_EXPLORE_MOMENTS_H
#define FW_EXPLORE_MOMENTS_H

#include "explore/session.h"
#include "explore/witness.h"
#include "trace/positions.h"
#include "trace/symbols.h"

struct fw_moment {
    uint32_t site; /* in the raw symbols */
    uint32_t thread : 20;
    uint32_t kind : 8;
    uint32_t annotated : 1; /* an order that the program or an interceptor has told */
};

/* An event of a thread that is never left out, by which its position is counted anew. */
struct fw_landmark {
    uint64_t event, blocks;
    uint64_t ordinal; /* among moments of its thread at its site */
};

FW_VEC_TYPE(fw_landmarks, struct fw_landmark);

struct fw_join {
    uint64_t event;
    uint32_t child;
};

struct fw_moments {
    FW_VEC(struct fw_moment) events;       /* by index */
    FW_VEC(struct fw_landmarks) landmarks; /* by thread id, ascending */
    FW_VEC(struct fw_join) joins;          /* ascending */
    struct fw_symbols *symbols;
    struct fw_positions *positions;
    struct fw_paths paths;     /* by thread id: the same numbers serve as paths */
    FW_VEC(uint32_t) children; /* by thread id: forks so far */
};

uint64_t fw_moments_blocks(const struct fw_moments *moments, uint64_t index);
/* Was the event made by a hook or call that the program makes, not by bookkeeping? */
bool fw_moments_has_place(const struct fw_moments *moments, uint64_t index);
bool fw_moments_same(const struct fw_moments *moments, uint64_t a, uint64_t b);
/* The thread's latest landmark up to the event; NULL: none. */
const struct fw_landmark *fw_moments_landmark(const struct fw_moments *moments, uint64_t index);
/* Its place as a site of the session. */
uint32_t fw_moments_site(const struct fw_moments *moments, uint64_t index,
                         struct fw_session *session);
/* The first event of the moment that the event belongs to. */
uint64_t fw_moments_start(const struct fw_moments *moments, uint64_t index);
/* The thread that the event, a join, has waited for. */
uint32_t fw_moments_joined(const struct fw_moments *moments, uint64_t index);

#endif
