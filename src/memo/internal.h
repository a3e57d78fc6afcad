/*
 * internal.h - what the files of the memo share.
 */
#ifndef FW_MEMO_INTERNAL_H
#define FW_MEMO_INTERNAL_H

#include "base/idmap.h"
#include "memo/memo.h"
#include "memo/sql.h"

#define FW_MEMO_CHUNK 100u  /* rows that one statement speaks of */
#define FW_MEMO_NAME  1000u /* bytes of a name that stands in an index */

/* What becomes of a prediction that is there: the greater verdict holds, schedules stay. */
#define FW_MEMO_BETTER                                                                             \
    " ON CONFLICT (iroot, input, build, predictor) DO UPDATE SET verdict = excluded.verdict, "     \
    "schedule = coalesce(excluded.schedule, predictions.schedule) "                                \
    "WHERE excluded.verdict > predictions.verdict OR "                                             \
    "(excluded.verdict = predictions.verdict AND predictions.schedule IS NULL)"

FW_VEC_TYPE(fw_memo_ids, int64_t);

/* An access or iRoot whose number in the database is known. */
struct fw_known_access {
    int64_t id;
    char *place;
};

struct fw_known_iroot {
    uint8_t idiom, waits;
    int64_t access[FW_IROOT_MOST];
    int64_t id;
};

/* Numbers of rows, which never change: learnt as they are met, forgotten if a transaction fails,
 * since it may have made them. */
struct fw_known {
    int64_t program; /* whose */
    struct fw_strtab texts;
    FW_VEC(struct fw_known_access) accesses; /* by number of their text */
    struct fw_idmap by_key;
    FW_VEC(struct fw_known_iroot) iroots;
};

struct fw_memo {
    struct fw_sql *sql;
    enum fw_memo_mode mode;
    struct fw_query q; /* empty between uses */
    struct fw_known known;
    char *campaign;
    int64_t program, input, session; /* 0: not entered */
    int64_t build; /* 0: not known */
    int64_t judge; /* 0: not entered */
    int64_t scope; /* the build that looks are about, or FW_MEMO_ALL_BUILDS */
};

/* A statement that is in memo->q. */
int fw_memo_do(struct fw_memo *memo, struct fw_error *err);
/* The number in its first cell; 0 if there is no row. */
int fw_memo_ask(struct fw_memo *memo, int64_t *number, struct fw_error *err);

/* Numbers of a row that others may have written. */
static inline bool fw_memo_is_idiom(int64_t number)
{
    return number >= 1 && number <= (int64_t)FW_IDIOMS;
}

static inline bool fw_memo_is_verdict(int64_t number)
{
    return number >= 0 && number < FW_MEMO_VERDICTS;
}

/* Are they such in all rows?  In a transaction. */
int fw_memo_check_numbers(struct fw_memo *memo, struct fw_error *err);
/* Says that it has a row of an iRoot that is none; -1. */
int fw_memo_damaged(const struct fw_memo *memo, struct fw_error *err);

/* Runs the body in a transaction that writes; what is known is forgotten if it fails. */
int fw_memo_write(struct fw_memo *memo, fw_sql_body *body, void *context, struct fw_error *err);

/* The program's number by name; an error if there is none. */
int fw_memo_find_program(struct fw_memo *memo, const char *name, int64_t *id,
                         struct fw_error *err);

/* --- intern.c: numbers for accesses and iRoots, which are made if they are not there ---------- */

#define FW_MEMO_DIGEST 33u

/* Of a text that may be too long for an index. */
void fw_memo_digest(const char *text, char digest[FW_MEMO_DIGEST]);

/* Numbers are looked up anew from now on. */
void fw_memo_forget(struct fw_memo *memo);
void fw_known_init(struct fw_known *known);
void fw_known_release(struct fw_known *known);

/*
 * ids->at[i] becomes the number of iroots[i], in this program.  In a transaction that writes.
 */
int fw_memo_intern(struct fw_memo *memo, int64_t program, const struct fw_memo_names *names,
                   const struct fw_iroot *iroots, size_t count, struct fw_memo_ids *ids,
                   struct fw_error *err);

/* Of an access that was just interned: where it was then, unless that is older than what is known.
 * What is remembered of its place is wrong afterwards: forget it. */
int fw_memo_place(struct fw_memo *memo, const char *text, const char *place, int64_t placed,
                  struct fw_error *err);

/* --- host.c: who is alive --------------------------------------------------------------------- */

/* What names this machine, since it was started, and this view of its processes.  The caller's. */
char *fw_host_name(void);
/* When the process was started, in ticks of its machine; 0: there is none. */
int64_t fw_host_started(int64_t pid);

/* Random bytes. */
void fw_host_random(void *bytes, size_t count);

#endif
