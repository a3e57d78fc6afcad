/*
 * memo_check.h - what the tests of the memo share: databases of both kinds, and small worlds to put
 * into them.
 *
 * A world has accesses "w m f+1#1", "r m f+2#1", ... and iRoots of them by number, so that tests
 * speak of iRoot 7.  Each test runs once with each kind of database (see test_memo.c).
 */
#ifndef FW_TESTS_MEMO_CHECK_H
#define FW_TESTS_MEMO_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "memo/memo.h"
#include "memo/sql.h"
#include "support/postgres.h"
#include "support/random.h"

struct store {
    struct fw_postgres *server; /* NULL: SQLite */
    char folder[64];
    unsigned count;
};

/* The store that the test at hand is about; set by test_memo.c. */
extern struct store *store;

/* Where a new database may be. */
const char *new_place(void);

#define OK(call)                                                                                   \
    do {                                                                                           \
        struct fw_error err = { "" };                                                              \
        if ((call) < 0)                                                                            \
            fail_msg("%s: %s", #call, err.message);                                                \
    } while (0)

/* The call fails, and the message has this in it. */
#define FAILS(call, words)                                                                         \
    do {                                                                                           \
        struct fw_error err = { "" };                                                              \
        if ((call) >= 0)                                                                           \
            fail_msg("%s: did not fail", #call);                                                   \
        if (!strstr(err.message, words))                                                           \
            fail_msg("%s: said '%s', not '%s'", #call, err.message, words);                        \
    } while (0)

#define ACCESSES 60u

extern struct fw_memo_names names; /* ACCESSES of them; those from 40 on are a library's */
extern const struct fw_memo_who somebody;

struct fw_iroot iroot(unsigned number); /* below 20,000; of idiom number % 6 + 1 */

struct fw_memo *open_memo(const char *where);
/* Opened and entered as somebody, with this campaign and input. */
struct fw_memo *enter_memo(const char *where, const char *campaign, const char *input);

/* A run that exposes iRoots `from` to `to` - 1. */
uint64_t expose(struct fw_memo *memo, uint64_t number, unsigned from, unsigned to);
uint64_t predict(struct fw_memo *memo, unsigned from, unsigned to, enum fw_memo_predictor by,
                 enum fw_memo_verdict verdict);
/* At most 64 of them. */
struct fw_memo_claims claim(struct fw_memo *memo, const struct fw_memo_wish *wish);
void release_claims(struct fw_memo_claims *claims);
/* Records a run that has tried it. */
void finish(struct fw_memo *memo, uint64_t number, const struct fw_memo_claim *claim, bool exposed,
            bool failed);

/* A child in which a check that fails ends it, not the test that it was copied from. */
pid_t fork_child(void);

/* One number that SQL gives. */
int64_t ask(const char *where, const char *text);
void tell(const char *where, const char *text);
/* Everything in it that is about programs, as text; the caller's. */
char *dump(const char *where);

/* The tests, by file. */
void memo_records(void **state);
void memo_counts_a_run_once(void **state);
void memo_predicts(void **state);
void memo_tells_builds_apart(void **state);
void memo_tells_judges_apart(void **state);
void memo_knows_failures(void **state);
void memo_knows_what_failures_sought(void **state);
void memo_counts_plain_runs(void **state);
void memo_records_many_runs_at_once(void **state);
void memo_takes_any_text(void **state);
void memo_follows_a_model(void **state);
void memo_claims_in_order(void **state);
void memo_claims_ruled_out_last(void **state);
void memo_claims_within_limits(void **state);
void memo_claims_one_at_a_time(void **state);
void memo_leases_end(void **state);
void memo_many_claim(void **state);
void memo_many_write(void **state);
void memo_of_the_dead(void **state);
void memo_survives_kill(void **state);
void memo_connects_again(void **state);
void memo_loses_an_answer(void **state);
void memo_merges(void **state);
void memo_merges_copies(void **state);
void memo_merges_kinds(void **state);
void memo_check_finds_damage(void **state);
void memo_believes_no_nonsense(void **state);
void memo_climbs_versions(void **state);
void memo_climbs_from_the_first(void **state);
void memo_refuses_strangers(void **state);
void memo_waits_for_writers(void **state);

#endif
