/*
 * sql.h - a connection to a database that speaks SQL, whichever it is.
 *
 * Only what SQLite and PostgreSQL both understand is said through it; the few differences are
 * behind the functions of struct fw_sql_kind.  Values go in as parameters, and come out as texts.
 *
 *     struct fw_query q = { 0 };
 *     fw_query_say(&q, "SELECT id FROM programs WHERE name = ");
 *     fw_query_text(&q, name);
 *     if (fw_query_run(&q, sql, take_id, &id, err) < 0) ...
 *     fw_query_release(&q);
 *
 * A query is empty again after it was run, and can be filled anew.
 *
 * Transactions: one at a time.  Those that write are strictly one after another in all processes,
 * so whatever a transaction reads stays true until its end.  Those that read see one moment.
 *
 * One thread at a time.
 */
#ifndef FW_MEMO_SQL_H
#define FW_MEMO_SQL_H

#include "base/error.h"
#include "base/output.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define FW_SQL_PATIENCE 60u /* seconds */

struct fw_sql;

/* A row of an answer. */
struct fw_sql_row {
    const char *const *at; /* NULL where it is null */
    unsigned count;
};

/* -1, with err described, ends the query with that error. */
typedef int fw_sql_take(void *context, const struct fw_sql_row *row);

struct fw_sql_kind {
    const char *identity; /* type of a column that numbers its rows */
    const char *text;     /* that of texts, which are compared byte by byte */
    const char *home;     /* makes the place for the tables; NULL: it is there */
    const char *tables;   /* asks for the names of all tables; null: it must not be read */
    int (*run)(struct fw_sql *sql, const char *text, const char *const *values, size_t count,
               fw_sql_take *take, void *context, struct fw_error *err);
    int (*begin)(struct fw_sql *sql, bool write, struct fw_error *err);
    /* It is one of ours, or empty, and will be written to; NULL: there is nothing to be done. */
    int (*settle)(struct fw_sql *sql, struct fw_error *err);
    int (*now)(struct fw_sql *sql, int64_t *ms, struct fw_error *err);
    /* Is the store itself whole? */
    int (*check)(struct fw_sql *sql, struct fw_error *err);
    /* After an error: true if it is worth trying the transaction once more. */
    bool (*again)(struct fw_sql *sql);
    void (*close)(struct fw_sql *sql);
};

/* Every kind's own struct begins with it. */
struct fw_sql {
    const struct fw_sql_kind *kind;
    char *name; /* for messages, without passwords */
};

/* How it is opened. */
struct fw_sql_way {
    bool write;        /* it is made if it is not there */
    unsigned patience; /* seconds to wait for others who write; 0: FW_SQL_PATIENCE */
};

int fw_sql_open(struct fw_sql **sql, const char *where, const struct fw_sql_way *way,
                struct fw_error *err);
void fw_sql_close(struct fw_sql *sql);
int fw_sql_open_sqlite(struct fw_sql **sql, const char *path, const struct fw_sql_way *way,
                       struct fw_error *err);
int fw_sql_open_postgres(struct fw_sql **sql, const char *url, const struct fw_sql_way *way,
                         struct fw_error *err);
bool fw_sql_is_url(const char *where);

/* What happens in one transaction; -1 undoes it. */
typedef int fw_sql_body(void *context, struct fw_error *err);

/*
 * Runs the body in a transaction.  It may be run twice, if a connection was lost: so all it does
 * outside of the database must not depend on how often that is.  Returns what the body did.
 */
int fw_sql_write(struct fw_sql *sql, fw_sql_body *body, void *context, struct fw_error *err);
int fw_sql_read(struct fw_sql *sql, fw_sql_body *body, void *context, struct fw_error *err);

/* A statement without values and rows. */
int fw_sql_do(struct fw_sql *sql, const char *text, struct fw_error *err);
/* The database's own clock: milliseconds since 1970. */
int fw_sql_now(struct fw_sql *sql, int64_t *ms, struct fw_error *err);

/* --- queries --------------------------------------------------------------------------------- */

struct fw_query {
    struct fw_output text;
    bool open;
    FW_VEC(char *) values; /* owned */
};

void fw_query_say(struct fw_query *q, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* As a value: never part of the statement. */
void fw_query_text(struct fw_query *q, const char *text); /* NULL: null */
int fw_query_run(struct fw_query *q, struct fw_sql *sql, fw_sql_take *take, void *context,
                 struct fw_error *err);
void fw_query_release(struct fw_query *q);

/* Cells as numbers and as texts; null is 0, and the empty text. */
int64_t fw_sql_number(const struct fw_sql_row *row, unsigned cell);
const char *fw_sql_text(const struct fw_sql_row *row, unsigned cell);
/* For `take`: the number in the first cell, into an int64_t. */
int fw_sql_take_number(void *context, const struct fw_sql_row *row);

/* A copy in valid UTF-8, without NUL.  The caller's. */
char *fw_sql_clean(const char *text);

#endif
