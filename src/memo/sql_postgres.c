/*
 * sql_postgres.c - PostgreSQL behind sql.h: one server, any number of machines.
 *
 * libpq brings two dozen libraries along, which would make every call of the program slower, so it
 * is loaded when a URL is met, and not before.
 *
 * Our tables lie in a schema of their own, `foreweave`.  Who writes first takes one advisory lock
 * for the length of the transaction.
 */
#include "base/bug.h"
#include "memo/sql.h"

#include <dlfcn.h>
#include <postgresql/libpq-fe.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
#define FUNCTIONS(X)                                                                               \
    X(PQconnectdbParams) X(PQstatus) X(PQreset) X(PQfinish) X(PQerrorMessage) X(PQexec)            \
    X(PQexecParams) X(PQclear) X(PQresultStatus) X(PQresultErrorField) X(PQntuples) X(PQnfields)   \
    X(PQgetvalue) X(PQgetisnull) X(PQsetNoticeProcessor) X(PQconninfoParse) X(PQconninfoFree)
/* clang-format on */

#define FIELD(name) __typeof__(name) *name;
static struct {
    void *library;
    FUNCTIONS(FIELD)
} pq;

struct postgres {
    struct fw_sql sql;
    PGconn *db;
    unsigned patience;
};

static struct postgres *of(struct fw_sql *sql)
{
    return (struct postgres *)sql;
}

static int load(struct fw_error *err)
{
    void *library = pq.library ? pq.library : dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);

    if (!library)
        return fw_error_set(err, "libpq, which speaks to PostgreSQL, cannot be loaded: install it "
                                 "(%s)", dlerror());
#define LOOK_UP(name)                                                                              \
    if (!(pq.name = (__typeof__(name) *)dlsym(library, #name)))                                    \
        return fw_error_set(err, "libpq is too old: it has no %s", #name);
    FUNCTIONS(LOOK_UP)
    pq.library = library;
    return 0;
}

/* --- errors ---------------------------------------------------------------------------------- */

/* libpq ends its messages with newlines, and puts several lines into one, indented by tabs. */
static int describe(const struct postgres *p, const char *what, const char *text,
                    struct fw_error *err)
{
    char message[512];
    size_t used = 0;

    for (; *text && used + 1 < sizeof message; text++) {
        if (*text != '\n' && *text != '\t')
            message[used++] = *text;
        else if (*text == '\n' && text[1] && used + 3 < sizeof message)
            used += (size_t)sprintf(message + used, "; ");
    }
    message[used] = '\0';
    return fw_error_set(err, "%s '%s': %s", what, p->sql.name, message);
}

static int failed(struct postgres *p, const PGresult *result, struct fw_error *err)
{
    const char *state = result ? pq.PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;

    if (state && strcmp(state, "55P03") == 0)
        return fw_error_set(err, "database '%s' is locked: another process has been writing for %u "
                                 "seconds", p->sql.name, p->patience);
    return describe(p, "database", pq.PQerrorMessage(p->db), err);
}

/* --- statements ------------------------------------------------------------------------------ */

static int hand_over(const PGresult *result, fw_sql_take *take, void *context)
{
    int columns = pq.PQnfields(result);
    const char *cells[columns + 1];
    struct fw_sql_row row = { cells, (unsigned)columns };

    for (int i = 0, rows = pq.PQntuples(result); i < rows; i++) {
        for (int k = 0; k < columns; k++)
            cells[k] = pq.PQgetisnull(result, i, k) ? NULL : pq.PQgetvalue(result, i, k);
        if (take(context, &row) < 0)
            return -1;
    }
    return 0;
}

static int run(struct fw_sql *sql, const char *text, const char *const *values, size_t count,
               fw_sql_take *take, void *context, struct fw_error *err)
{
    struct postgres *p = of(sql);
    PGresult *result = count ? pq.PQexecParams(p->db, text, (int)count, NULL, values, NULL, NULL, 0)
                             : pq.PQexec(p->db, text);
    ExecStatusType status = pq.PQresultStatus(result);
    int answer = 0;

    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        answer = failed(p, result, err);
    else if (take)
        answer = hand_over(result, take, context);
    pq.PQclear(result);
    return answer;
}

static int begin(struct fw_sql *sql, bool write, struct fw_error *err)
{
    struct fw_error ignored;

    if (fw_sql_do(sql, write ? "BEGIN; SELECT pg_advisory_xact_lock(hashtext('foreweave memo'))"
                             : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", err) == 0)
        return 0;
    fw_sql_do(sql, "ROLLBACK", &ignored);
    return -1;
}

static int now(struct fw_sql *sql, int64_t *ms, struct fw_error *err)
{
    return sql->kind->run(sql, "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint",
                          NULL, 0, fw_sql_take_number, ms, err);
}

/* The server looks after itself. */
static int check(struct fw_sql *sql, struct fw_error *err)
{
    (void)sql, (void)err;
    return 0;
}

/* Our queries are short: compiling them, as PostgreSQL 11 and newer may, takes longer. */
static int set_up(struct postgres *p, struct fw_error *err)
{
    char text[256];

    snprintf(text, sizeof text, "SET search_path TO foreweave; SET lock_timeout TO '%us'; "
                                "SET client_min_messages TO warning; SET jit TO off", p->patience);
    return fw_sql_do(&p->sql, text, err);
}

/* Only a connection that was lost is made anew. */
static bool again(struct fw_sql *sql)
{
    struct postgres *p = of(sql);
    struct fw_error ignored;

    if (pq.PQstatus(p->db) == CONNECTION_OK)
        return false;
    pq.PQreset(p->db);
    return pq.PQstatus(p->db) == CONNECTION_OK && set_up(p, &ignored) == 0;
}

static void close_it(struct fw_sql *sql)
{
    if (of(sql)->db)
        pq.PQfinish(of(sql)->db);
    free(sql->name);
    free(sql);
}

static const struct fw_sql_kind kind = {
    .identity = "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
    .text = "TEXT COLLATE \"C\"",
    .home = "CREATE SCHEMA IF NOT EXISTS foreweave",
    /* Also those that this role has no rights to, which information_schema does not show. */
    .tables = "SELECT CASE WHEN has_schema_privilege(n.oid, 'USAGE') AND "
              "has_table_privilege(c.oid, 'SELECT') THEN c.relname END FROM pg_catalog.pg_class c "
              "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = "
              "'foreweave' AND c.relkind = 'r'",
    .run = run,
    .begin = begin,
    .now = now,
    .check = check,
    .again = again,
    .close = close_it,
};

/* --- opening --------------------------------------------------------------------------------- */

static void ignore_notice(void *context, const char *message)
{
    (void)context, (void)message;
}

/* Without user and password. */
static int name_it(struct postgres *p, const char *url, struct fw_error *err)
{
    PQconninfoOption *options = pq.PQconninfoParse(url, NULL);
    const char *host = "", *port = "", *db = "";

    if (!options) /* its message would show the URL */
        return fw_error_set(err, "the URL of the database is malformed: "
                                 "postgresql://[USER@]HOST[:PORT]/DATABASE[?NAME=VALUE]");
    for (const PQconninfoOption *o = options; o->keyword; o++) {
        if (o->val && strcmp(o->keyword, "host") == 0)
            host = o->val;
        else if (o->val && strcmp(o->keyword, "port") == 0)
            port = o->val;
        else if (o->val && strcmp(o->keyword, "dbname") == 0)
            db = o->val;
    }
    p->sql.name = *host == '/' ? fw_xasprintf("postgresql:///%s?host=%s", db, host)
                               : fw_xasprintf("postgresql://%s%s%s/%s", host, *port ? ":" : "",
                                              port, db);
    pq.PQconninfoFree(options);
    return 0;
}

/* What stands behind the URL is ours to say, what stands before it is the URL's to change. */
static int connect_to(struct postgres *p, const char *url, struct fw_error *err)
{
    const char *const keywords[] = { "connect_timeout", "fallback_application_name", "dbname",
                                     "client_encoding", NULL };
    const char *const values[] = { "10", "foreweave", url, "UTF8", NULL };

    p->db = pq.PQconnectdbParams(keywords, values, 1);
    if (!p->db)
        FW_BUG("libpq has no memory");
    if (pq.PQstatus(p->db) != CONNECTION_OK)
        return describe(p, "cannot open database", pq.PQerrorMessage(p->db), err);
    pq.PQsetNoticeProcessor(p->db, ignore_notice, NULL);
    return set_up(p, err);
}

int fw_sql_open_postgres(struct fw_sql **sql, const char *url, const struct fw_sql_way *way,
                         struct fw_error *err)
{
    struct postgres *p;

    if (load(err) < 0)
        return -1;
    p = fw_xcalloc(1, sizeof *p);
    p->sql.kind = &kind;
    p->patience = way->patience;
    if (name_it(p, url, err) < 0 || connect_to(p, url, err) < 0) {
        close_it(&p->sql);
        return -1;
    }
    *sql = &p->sql;
    return 0;
}
