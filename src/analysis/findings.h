/*
 * findings.h - what an analysis has to say.
 *
 * Each analysis has one sink.  It adds every occurrence; the sink merges those
 * with equal sites (or keeps all, with --pairs=all) and counts.  The result is
 * the same for the same trace whatever else runs: findings are sorted by the
 * index of their latest event, then of the earlier ones.
 *
 * What makes two occurrences equal: the kind, the label and the sites; the
 * two sites of a race in either order, those of other kinds in the order
 * given.  Where an event has no site the name of the variable counts as well,
 * or, if the occurrence is on no variable, the names of the events' targets.
 *
 * Ids are fingerprints of just that: the same bug has the same id in every run
 * and every analysis.  They are as short as they can be without two findings
 * sharing one, but at least six digits.  With --pairs=all the indices are
 * appended, so that ids stay unique.
 *
 * A sink belongs to one analysis and is not thread-safe.
 */
#ifndef FW_ANALYSIS_FINDINGS_H
#define FW_ANALYSIS_FINDINGS_H

#include "analysis/beginning.h"
#include "analysis/context.h"
#include "base/idrange.h"
#include "base/vec.h"
#include "predict/schedule.h"
#include "trace/verify.h"

enum fw_finding_kind {
    FW_FINDING_RACE,
    FW_FINDING_DEADLOCK,
    FW_FINDING_ATOMICITY,
    FW_FINDING_NONDETERMINISM,
    FW_FINDING_ORDER, /* the answer to a question, not a bug */
    FW_FINDING_IROOT, /* what has not been tested, not a bug */
    FW_FINDING_KIND_COUNT,
};

extern const char *const fw_finding_kind_names[FW_FINDING_KIND_COUNT];

/* An event as findings remember it, long after it has gone by: 32 bytes. */
struct fw_mark {
    uint64_t index;
    uint32_t thread : 20;
    uint32_t kind : 8;
    uint32_t target;
    uint32_t site;
    uint32_t size; /* bytes accessed; 0: the trace does not say */
    struct fw_context context;
};

_Static_assert(sizeof(struct fw_mark) == 32, "a mark is 32 bytes");

#define FW_NO_VARIABLE UINT32_MAX

struct fw_finding {
    char id[64];
    enum fw_finding_kind kind;
    bool first;     /* set in the sorted result: no earlier finding of this analysis */
    bool observed;  /* happened in the trace itself, though others of its analysis are predicted */
    const char *unproven; /* why its analysis's guarantee does not cover it; NULL: it does */
    uint64_t count; /* occurrences merged into this one */
    FW_VEC(struct fw_mark) events;      /* of the earliest occurrence (by its latest event) */
    FW_VEC(uint32_t) variables;         /* all that occurrences were on, ascending ids */
    char label[32];                     /* a kind within the kind: "before-error"; or empty */
    char *detail;                       /* lines for people ('\n' between them), or NULL; owned */
    struct fw_mark saw;                 /* of a read that may see another write: the one that it
                                           saw in the trace, without its context */
    bool saw_some;                      /* it saw one */
    const struct fw_schedule *witness;  /* of the events above, borrowed; NULL: there is none */
    enum fw_claim claim;                /* what it shows; only with a witness */
    const struct fw_beginning *beginning; /* the witness is the trace itself: `before` events of it,
                                             then those of `then`, if any, then, of a race,
                                             those above; borrowed; NULL: it is not */
    uint64_t before;
    const struct fw_beginning *then;
};

struct fw_findings;

/* pairs_all: keep every occurrence as a finding of its own. */
struct fw_findings *fw_findings_create(const struct fw_symbols *symbols, bool pairs_all);
void fw_findings_destroy(struct fw_findings *findings);

/*
 * Variables on which findings are expected: those on nothing else are left out of the result and
 * counted.  The set must be complete when the sink is finished, not before.
 */
void fw_findings_expect(struct fw_findings *findings, const struct fw_id_ranges *variables);
uint64_t fw_findings_expected(const struct fw_findings *findings);

/* An occurrence, as an analysis describes it. */
struct fw_occurrence {
    enum fw_finding_kind kind;
    const struct fw_mark *events;
    uint32_t event_count;
    uint32_t variable;  /* or FW_NO_VARIABLE */
    bool observed;      /* happened in the trace itself; equal labels, equal answers */
    const char *unproven; /* as in struct fw_finding; not copied */
    const char *label;  /* copied; NULL: none.  Part of what makes findings equal. */
    const char *detail; /* copied; NULL: none.  Only the earliest occurrence's is kept. */
    const struct fw_mark *saw; /* as in struct fw_finding; copied; NULL: none */
    const struct fw_schedule *witness; /* or NULL; must outlive the findings */
    enum fw_claim claim;
    const struct fw_beginning *beginning; /* as in struct fw_finding; must outlive the findings */
    uint64_t before;
    const struct fw_beginning *then;
};

/* The kind of finding whose witness shows this claim. */
enum fw_finding_kind fw_finding_kind_of(enum fw_claim claim);

void fw_findings_add(struct fw_findings *findings, const struct fw_occurrence *occurrence);

/*
 * A short cut where races are many: the race of an event with this index and
 * an earlier one, whose sites (0: none) are known to race, is counted.  False
 * if it has to be added.
 */
bool fw_findings_count_race(struct fw_findings *findings, const uint32_t sites[2], uint64_t index,
                            uint32_t variable);

/* Is this combination known already (so that costly details can be left out)? */
bool fw_findings_known(const struct fw_findings *findings, const struct fw_occurrence *occurrence);

/* Sorts, marks the first, fills in the ids.  Nothing may be added afterwards. */
void fw_findings_finish(struct fw_findings *findings);

/* Makes the ids of several finished sinks differ where the findings do; for one report. */
void fw_findings_finish_ids(struct fw_findings *const *sinks, size_t count);

uint64_t fw_findings_count(const struct fw_findings *findings);
const struct fw_finding *fw_findings_get(const struct fw_findings *findings, uint64_t i);

#endif
