/*
 * sql_sqlite.c - SQLite behind sql.h: one file, several processes of one machine.
 *
 * The file is in WAL mode: those who read never wait, and a writer that was killed leaves nothing
 * but pages behind the last commit, which the next one ignores.  `synchronous` is NORMAL, so only
 * the loss of power can take the last transactions, and not even that the rest.
 */
#include "memo/sql.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct sqlite {
    struct fw_sql sql;
    sqlite3 *db;
    unsigned patience;
};

static struct sqlite *of(struct fw_sql *sql)
{
    return (struct sqlite *)sql;
}

/* --- errors ---------------------------------------------------------------------------------- */

/* A reason of the system, if there is one; else SQLite's words. */
static int io_failed(struct sqlite *s, const char *what, struct fw_error *err)
{
    int reason = sqlite3_system_errno(s->db);

    if (!reason)
        return fw_error_set(err, "cannot %s '%s': %s", what, s->sql.name, sqlite3_errmsg(s->db));
    errno = reason;
    return fw_error_errno(err, "cannot %s '%s'", what, s->sql.name);
}

static int failed(struct sqlite *s, struct fw_error *err)
{
    const char *name = s->sql.name;

    switch (sqlite3_extended_errcode(s->db) & 0xff) {
    case SQLITE_NOTADB:
        return fw_error_set(err, "'%s' is no database", name);
    case SQLITE_CORRUPT:
        return fw_error_set(err, "database '%s' is damaged: %s", name, sqlite3_errmsg(s->db));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return fw_error_set(err, "database '%s' is locked: another process has been writing for %u "
                                 "seconds", name, s->patience);
    case SQLITE_READONLY:
        return fw_error_set(err, "cannot write '%s': it is read-only", name);
    case SQLITE_FULL:
        return fw_error_set(err, "cannot write '%s': no space left on device", name);
    case SQLITE_CANTOPEN:
        return io_failed(s, "open", err);
    case SQLITE_IOERR:
        return io_failed(s, "read or write", err);
    default:
        return fw_error_set(err, "database '%s': %s", name, sqlite3_errmsg(s->db));
    }
}

/* --- statements ------------------------------------------------------------------------------ */

static int step(struct sqlite *s, sqlite3_stmt *statement, fw_sql_take *take, void *context,
                struct fw_error *err)
{
    int columns = sqlite3_column_count(statement), result;
    const char *cells[columns + 1];
    struct fw_sql_row row = { cells, (unsigned)columns };

    while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int i = 0; i < columns; i++)
            cells[i] = (const char *)sqlite3_column_text(statement, i);
        if (take && take(context, &row) < 0)
            return -1;
    }
    return result == SQLITE_DONE ? 0 : failed(s, err);
}

static int run(struct fw_sql *sql, const char *text, const char *const *values, size_t count,
               fw_sql_take *take, void *context, struct fw_error *err)
{
    struct sqlite *s = of(sql);
    int result = 0;

    while (result == 0 && *text) {
        sqlite3_stmt *statement = NULL;

        if (sqlite3_prepare_v2(s->db, text, -1, &statement, &text) != SQLITE_OK)
            return failed(s, err);
        for (size_t i = 0; i < count && result == 0; i++)
            if (sqlite3_bind_text(statement, (int)i + 1, values[i], -1, SQLITE_STATIC) != SQLITE_OK)
                result = failed(s, err);
        if (result == 0 && statement)
            result = step(s, statement, take, context, err);
        sqlite3_finalize(statement);
    }
    return result;
}

static int begin(struct fw_sql *sql, bool write, struct fw_error *err)
{
    return fw_sql_do(sql, write ? "BEGIN IMMEDIATE" : "BEGIN", err);
}

/*
 * The time limit does not hold for becoming a WAL database, since two who want it could wait for
 * each other; they are asked to try again.
 */
static int settle(struct fw_sql *sql, struct fw_error *err)
{
    struct sqlite *s = of(sql);
    const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };
    int result = SQLITE_BUSY;

    for (unsigned i = 0; i < s->patience * 100 && result == SQLITE_BUSY; i++) {
        if (i)
            nanosleep(&pause, NULL);
        result = sqlite3_exec(s->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    }
    if (result != SQLITE_OK || sqlite3_exec(s->db, "PRAGMA synchronous = NORMAL", NULL, NULL,
                                            NULL) != SQLITE_OK)
        return failed(s, err);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    return 0;
}

/* One machine, one clock. */
static int now(struct fw_sql *sql, int64_t *ms, struct fw_error *err)
{
    struct timespec t;

    (void)sql, (void)err;
    clock_gettime(CLOCK_REALTIME, &t);
    *ms = (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
    return 0;
}

struct verdict {
    const char *name;
    struct fw_error *err;
};

static int take_verdict(void *context, const struct fw_sql_row *row)
{
    struct verdict *verdict = context;

    if (row->at[0] && strcmp(row->at[0], "ok") == 0)
        return 0;
    return fw_error_set(verdict->err, "database '%s' is damaged: %s", verdict->name,
                        row->at[0] ? row->at[0] : "a reference to nothing");
}

static int check(struct fw_sql *sql, struct fw_error *err)
{
    struct verdict verdict = { sql->name, err };

    return sql->kind->run(sql, "PRAGMA integrity_check; PRAGMA foreign_key_check", NULL, 0,
                          take_verdict, &verdict, err);
}

static bool again(struct fw_sql *sql)
{
    (void)sql;
    return false;
}

static void close_it(struct fw_sql *sql)
{
    sqlite3_close(of(sql)->db);
    free(sql->name);
    free(sql);
}

static const struct fw_sql_kind kind = {
    .identity = "INTEGER PRIMARY KEY",
    .text = "TEXT",
    .tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    .run = run,
    .begin = begin,
    .settle = settle,
    .now = now,
    .check = check,
    .again = again,
    .close = close_it,
};

/* --- opening --------------------------------------------------------------------------------- */

/* The folder that it is in, if it is not there. */
static int make_folder(const char *path, struct fw_error *err)
{
    char *folder = fw_xstrdup(path), *slash = strrchr(folder, '/');
    int result = 0;

    if (slash && slash != folder) {
        *slash = '\0';
        if (mkdir(folder, 0777) < 0 && errno != EEXIST)
            result = fw_error_errno(err, "cannot make folder '%s'", folder);
    }
    free(folder);
    return result;
}

/* Of what is no file SQLite has no more to say than that it cannot be opened. */
static int look_at(const char *path, const struct fw_sql_way *way, struct fw_error *err)
{
    struct stat file;

    if (stat(path, &file) < 0) {
        if (errno != ENOENT)
            return fw_error_errno(err, "cannot open '%s'", path);
        if (way->write)
            return make_folder(path, err);
        return fw_error_set(err, "there is no memo database '%s'", path);
    }
    if (!S_ISREG(file.st_mode))
        return fw_error_set(err, "'%s' is no database, and no file either", path);
    if (access(path, R_OK) < 0)
        return fw_error_errno(err, "cannot open '%s'", path);
    if (way->write && access(path, W_OK) < 0)
        return fw_error_set(err, "cannot write '%s': it is read-only", path);
    return 0;
}

/* As a URI, in which some letters would mean something. */
static char *uri(const char *path)
{
    char *text = fw_xmalloc(strlen(path) * 3 + 32), *to = text + sprintf(text, "file:");

    for (; *path; path++)
        to += strchr("%?#", *path) ? sprintf(to, "%%%02x", *path) : sprintf(to, "%c", *path);
    sprintf(to, "?immutable=1");
    return text;
}

/*
 * A database that nobody has open can be read where nothing can be written, if SQLite is told that
 * nobody will change it.
 */
static int open_immutable(struct sqlite *s, const char *path, struct fw_error *err)
{
    char *log = fw_xasprintf("%s-wal", path), *text = uri(path);
    bool in_use = access(log, F_OK) == 0;
    int result;

    if (in_use) {
        result = failed(s, err);
    } else {
        sqlite3_close(s->db);
        result = sqlite3_open_v2(text, &s->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
        if (result != SQLITE_OK ||
            sqlite3_exec(s->db, "PRAGMA schema_version", NULL, NULL, NULL) != SQLITE_OK)
            result = failed(s, err);
    }
    free(text);
    free(log);
    return result;
}

static int set_up_reader(struct sqlite *s, const char *path, struct fw_error *err)
{
    int result = sqlite3_exec(s->db, "PRAGMA schema_version", NULL, NULL, NULL);

    if (result == SQLITE_CANTOPEN || result == SQLITE_READONLY)
        return open_immutable(s, path, err);
    return result == SQLITE_OK ? 0 : failed(s, err);
}

/* Nothing that would be written: it may be the database of something else. */
static int set_up_writer(struct sqlite *s, struct fw_error *err)
{
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    return sqlite3_exec(s->db, "PRAGMA foreign_keys = ON", NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : failed(s, err);
}

int fw_sql_open_sqlite(struct fw_sql **sql, const char *path, const struct fw_sql_way *way,
                       struct fw_error *err)
{
    struct sqlite *s;
    char *plain;
    int result;

    if (look_at(path, way, err) < 0)
        return -1;
    s = fw_xcalloc(1, sizeof *s);
    s->sql = (struct fw_sql) { .kind = &kind, .name = fw_xstrdup(path) };
    s->patience = way->patience;
    plain = fw_xasprintf("%s%s", *path == '/' ? "" : "./", path); /* ":memory:" is a name as any */
    result = sqlite3_open_v2(plain, &s->db,
                             way->write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                        : SQLITE_OPEN_READONLY, NULL);
    if (result == SQLITE_OK) {
        sqlite3_busy_timeout(s->db, (int)way->patience * 1000);
        result = way->write ? set_up_writer(s, err) : set_up_reader(s, plain, err);
    } else {
        failed(s, err);
    }
    free(plain);
    if (result != 0) {
        close_it(&s->sql);
        return -1;
    }
    *sql = &s->sql;
    return 0;
}
