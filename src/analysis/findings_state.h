/*
 * findings_state.h - inside a sink: what findings.c and findings_ids.c share.
 */
#ifndef FW_ANALYSIS_FINDINGS_STATE_H
#define FW_ANALYSIS_FINDINGS_STATE_H

#include "analysis/findings.h"
#include "analysis/tally.h"
#include "base/idmap.h"

FW_VEC_TYPE(parts, const char *);

/* When an occurrence was complete: the indices of its two latest events, latest first. */
struct moment {
    uint64_t latest, second;
};

struct entry {
    struct fw_finding finding;
    struct moment moment;
    const char **parts; /* NULL with pairs_all */
    size_t part_count;
    size_t tidy; /* the first so many variables are ascending and distinct */
    uint64_t fingerprint;
};

struct fw_findings {
    const struct fw_symbols *symbols;
    bool pairs_all;
    bool finished;
    FW_VEC(struct entry) entries;
    struct fw_idmap by_parts;
    struct parts *scratch;
    struct fw_tally *tally; /* of races whose sites raced before; NULL before the first race */
    uint64_t shown;         /* the latest index in the events of any entry */
    const struct fw_id_ranges *expected; /* variables; NULL: none */
    uint64_t expected_count;             /* findings left out */
};

static inline int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

#endif
