/*
 * violations.h - violations of constraints as lines of JSON, a versioned log that can be read back.
 *
 *     {"foreweave":"violations","version":1}
 *     {"time":"2026-11-16T13:05:12.000120Z","process":71,"thread":3,"other":2,
 *      "access":{"does":"w","module":"bank","function":"deposit","file":"bank.c","line":14,
 *                "ordinal":1,"offset":2,"text":"balance += amount;"},
 *      "after":{...},"address":"0x55d0","done":"stalled","ns":120400,"tries":0,
 *      "stack":["deposit bank.c:14","worker bank.c:31"],
 *      "iroot":"1 w bank pay+3#1 | w bank deposit+2#1"}
 *
 * `access` was about to depend on `after`, which another thread had made; "after":"self", "none" or
 * "read": it came behind an access of its own thread, none at all, or another thread's read.
 * `iroot` names the same interleaving for campaigns that look for untested ones (src/iroot).
 *
 * Of transactions ("kind":"lifetx") `after` is an access of the one that was in the way, which
 * would have been broken up; without it, where that was is not known any more.  What comes right
 * behind what is no news there, so there is no `iroot`, and such lines add no pairs.  "cut": the
 * wait was in vain, and this is the call ("does":"-") in which the other thread was blocked, or
 * else by which it had given something back in its transaction: if the run went well, that may be
 * split there.
 */
#ifndef FW_LEARN_VIOLATIONS_H
#define FW_LEARN_VIOLATIONS_H

#include "base/json.h"
#include "learn/constraints.h"

/* The head of a log. */
void fw_violations_begin(struct fw_output *out);

/* Keys "access", "after" and "iroot" of an object that is open.  after NULL: it depended on none
 * of another thread; `also` is what it came behind, FW_AFTER_*. */
void fw_violation_sites(struct fw_json *json, const struct fw_learnt_site *access,
                        const struct fw_learnt_site *after, unsigned also);

/* The same of transactions; after NULL: that is not known. */
void fw_violation_transactions(struct fw_json *json, const struct fw_learnt_site *access,
                               const struct fw_learnt_site *after);
/* Key "cut" of it. */
void fw_violation_cut(struct fw_json *json, const struct fw_learnt_site *call);

/* Of a log's lines that are of transactions. */
struct fw_accepted {
    uint64_t lines;
    uint64_t cuts; /* new cutpoints that they add; they add no pairs */
};

/* Adds the pairs and the cutpoints of a log; returns how many pairs are new, -1: err. */
int64_t fw_violations_accept(struct fw_constraints *constraints, const char *path,
                             struct fw_accepted *transactions, struct fw_error *err);
int64_t fw_violations_accept_memory(struct fw_constraints *constraints, const char *text,
                                    size_t bytes, const char *name,
                                    struct fw_accepted *transactions, struct fw_error *err);

#endif
