/*
 * memo_store.c - tests of the memo: versions of the database, damage, and all that can be wrong
 * with where it should be.
 */
#include "memo/schema.h"
#include "memo_check.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- damage ----------------------------------------------------------------------------------- */

static const struct {
    const char *damage, *said;
} damages[] = {
    { "UPDATE iroots SET seen = seen + 1 WHERE id = 3", "than its sessions have seen it" },
    { "UPDATE iroots SET tried = 9 WHERE id = 3", "than its sessions have tried it" },
    { "UPDATE runs SET exposed = exposed - 1", "more or less than it has counted" },
    { "DELETE FROM tallies; UPDATE iroots SET seen = 0", "more or less than it has counted" },
    { "UPDATE sessions SET writes = 0", "less often than it has runs" },
    { "UPDATE iroots SET c = 7 WHERE idiom = 1", "more or fewer accesses than its idiom" },
    { "UPDATE iroots SET d = 7777 WHERE idiom = 4", "an access that is not there" },
    { "DELETE FROM predictions", "neither exposed nor predicted" },
    { "UPDATE tallies SET first_run = (SELECT max(id) FROM runs)", "of another session" },
};

void memo_check_finds_damage(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        const char *where = new_place();
        struct fw_memo *memo = enter_memo(where, "c1", "small");
        struct fw_memo *other = enter_memo(where, "c2", "small");

        expose(memo, 1, 0, 12);
        expose(other, 1, 6, 20);
        predict(memo, 15, 30, FW_MEMO_PROFILE, FW_MEMO_UNKNOWN);
        OK(fw_memo_check(memo, &err));
        tell(where, damages[i].damage);
        FAILS(fw_memo_check(memo, &err), damages[i].said);
        fw_memo_close(other);
        fw_memo_close(memo);
    }
}

/* What somebody has written into it by hand: every reader says so, and none believes it. */
static const char *const nonsense[] = {
    "UPDATE iroots SET idiom = 77 WHERE idiom = 4",
    "UPDATE iroots SET idiom = -1 WHERE idiom = 4",
    "UPDATE iroots SET d = 7777 WHERE idiom = 4",
    "UPDATE predictions SET verdict = 99",
};

static int take_any(void *context, const struct fw_memo_row *row)
{
    ++*(unsigned *)context;
    return fw_memo_verdicts[row->verdict] ? 0 : -1;
}

static void read_nonsense(const char *where, unsigned which)
{
    const struct fw_memo_wish wish = { .count = 50, .lease = 9999, .infeasible = true };
    struct fw_memo *memo = enter_memo(where, "c3", "small"), *into = open_memo(new_place()), *from;
    struct fw_memo_counts counts[FW_IDIOMS + 1];
    struct fw_memo_claims claims = { 0 };
    struct fw_memo_merged merged;
    struct fw_strtab accesses;
    unsigned rows = 0;

    fw_strtab_init(&accesses);
    OK(fw_memo_open(&from, where, FW_MEMO_READ, 0, &err));
    if (which < 2)
        FAILS(fw_memo_count(from, somebody.program, counts, &err), "is damaged: an iRoot");
    if (which != 2)
        FAILS(fw_memo_each_iroot(from, somebody.program, take_any, &rows, &err),
              "is damaged: an iRoot");
    FAILS(fw_memo_merge(into, from, &merged, &err), "is damaged: an iRoot");
    assert_true(merged.unread);
    FAILS(fw_memo_claim(memo, &wish, &accesses, &claims, NULL, &err), "is damaged: an iRoot");
    assert_int_equal(claims.len, 0);
    release_claims(&claims);
    fw_strtab_release(&accesses);
    fw_memo_close(from);
    fw_memo_close(into);
    fw_memo_close(memo);
}

void memo_believes_no_nonsense(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof nonsense / sizeof nonsense[0]; i++) {
        const char *where = new_place();
        struct fw_memo *memo = enter_memo(where, "c1", "small");

        predict(memo, 0, 30, FW_MEMO_PROFILE, FW_MEMO_UNKNOWN);
        fw_memo_close(memo);
        tell(where, nonsense[i]);
        read_nonsense(where, i);
    }
}

/* --- versions --------------------------------------------------------------------------------- */

static const char *const steps[] = {
    "CREATE TABLE things (id @ID@, name @TEXT@ NOT NULL);",
    "ALTER TABLE things ADD COLUMN size BIGINT NOT NULL DEFAULT 7;",
    "CREATE TABLE sizes (size BIGINT PRIMARY KEY, things BIGINT NOT NULL);"
    "INSERT INTO sizes (size, things) SELECT size, count(*) FROM things GROUP BY size;",
    "INSERT INTO things (name) VALUES ('new'); INSERT INTO nowhere VALUES (1);",
};

/* The database at `where` as a program of that version would open it. */
static int bring(const char *where, unsigned version, bool write, struct fw_error *err)
{
    const struct fw_schema schema = { steps, version };
    const struct fw_sql_way way = { .write = write };
    struct fw_sql *sql;
    int result;

    if (fw_sql_open(&sql, where, &way, err) < 0)
        return -1;
    result = fw_schema_bring(sql, &schema, write, err);
    fw_sql_close(sql);
    return result;
}

void memo_climbs_versions(void **state)
{
    const char *where = new_place(), *memo_place = new_place(), *at_once = new_place();
    struct fw_memo *memo;
    pid_t children[4];

    (void)state;
    OK(bring(where, 1, true, &err));
    tell(where, "INSERT INTO things (name) VALUES ('one'), ('two')");
    FAILS(bring(where, 2, false, &err), "has version 1, not 2: 'foreweave coverage merge --into=");
    OK(bring(where, 3, true, &err)); /* two steps at once */
    assert_int_equal(ask(where, "SELECT things FROM sizes WHERE size = 7"), 2);
    OK(bring(where, 3, true, &err));
    OK(bring(where, 3, false, &err));
    assert_int_equal(ask(where, "SELECT value FROM meta"), 3);
    /* A step that fails leaves nothing, and the version as it was. */
    FAILS(bring(where, 4, true, &err), "from version 3 to 4: ");
    assert_int_equal(ask(where, "SELECT count(*) FROM things"), 2);
    OK(bring(where, 3, false, &err));
    FAILS(bring(where, 2, true, &err), "has version 3, this program knows only up to 2");
    FAILS(bring(where, 2, false, &err), "has version 3, this program knows only up to 2");
    /* So it is with the real one. */
    fw_memo_close(open_memo(memo_place));
    tell(memo_place, "UPDATE meta SET value = '99'");
    FAILS(fw_memo_open(&memo, memo_place, FW_MEMO_WRITE, 0, &err), "has version 99, this program");
    FAILS(fw_memo_open(&memo, memo_place, FW_MEMO_READ, 0, &err), "has version 99, this program");
    /* Several want it at once: one does it. */
    for (unsigned i = 0; i < 4; i++) {
        children[i] = fork_child();
        if (children[i] == 0) {
            struct fw_error err;

            _exit(bring(at_once, 3, true, &err) < 0);
        }
    }
    for (unsigned i = 0; i < 4; i++) {
        int status;

        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(ask(at_once, "SELECT count(*) FROM sizes"), 0);
}

/* A database of the first version keeps what it knows, of a build that is not known. */
void memo_climbs_from_the_first(void **state)
{
    const struct fw_schema first = { fw_memo_schema.steps, 1 };
    const struct fw_sql_way way = { .write = true };
    const char *where = new_place();
    struct fw_memo_counts counts[FW_IDIOMS + 1];
    struct fw_memo *memo;
    struct fw_sql *sql;

    (void)state;
    OK(fw_sql_open(&sql, where, &way, &err));
    OK(fw_schema_bring(sql, &first, true, &err));
    fw_sql_close(sql);
    tell(where, "INSERT INTO programs (name) VALUES ('prog')");
    tell(where, "INSERT INTO builds (program, build, met) VALUES (1, 'b1', 5)");
    tell(where, "INSERT INTO inputs (program, name, command) VALUES (1, 'small', '')");
    tell(where, "INSERT INTO accesses (program, digest, text, own, place, placed) VALUES "
                "(1, 'd', 'w prog f0+0#1', 1, '', 0)");
    tell(where, "INSERT INTO iroots (program, idiom, waits, a, b, c, d, own, seen, tried) VALUES "
                "(1, 1, 0, 1, 1, 0, 0, 1, 0, 0)");
    tell(where, "INSERT INTO predictions (iroot, input, predictor, verdict) VALUES (1, 1, 1, 3)");
    tell(where, "INSERT INTO sessions (program, name, campaign, host, pid, started, began, writes) "
                "VALUES (1, 's', 'c', 'h', 1, 1, 1, 1)");
    tell(where, "INSERT INTO runs (session, number, input, strategy, outcome, began, took, "
                "exposed) VALUES (1, 1, 1, 'pct', 'exit 1', 1, 1, 1)");
    tell(where, "INSERT INTO failures (run, kind, message, schedule) VALUES (1, 'exit 1', '', '')");
    tell(where, "INSERT INTO tallies (iroot, session, seen, first_run) VALUES (1, 1, 1, 1)");
    tell(where, "UPDATE iroots SET seen = 1");
    memo = open_memo(where);
    OK(fw_memo_check(memo, &err));
    OK(fw_memo_count(memo, "prog", counts, &err));
    assert_int_equal(counts[0].witness, 1);
    assert_int_equal(ask(where, "SELECT build FROM predictions"), 0);
    assert_int_equal(ask(where, "SELECT id FROM builds WHERE build = 'b1'"), 1);
    /* Nor is it known who has judged. */
    assert_int_equal(counts[0].state[FW_MEMO_EXPOSED], 1);
    assert_int_equal(ask(where, "SELECT sum(judge) + sum(judged) FROM sessions, tallies"), 0);
    assert_int_equal(ask(where, "SELECT count(*) FROM failures WHERE way = ''"), 1);
    fw_memo_close(memo);
}

/* --- strangers -------------------------------------------------------------------------------- */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* In a child without rights: the database lies where nothing can be written. */
static int read_only(const char *where)
{
    struct fw_memo *memo;
    struct fw_error err = { "" };

    if (geteuid() == 0 && (setgroups(0, NULL) < 0 || setgid(65534) < 0 || setuid(65534) < 0))
        return 2;
    if (fw_memo_open(&memo, where, FW_MEMO_WRITE, 0, &err) == 0 ||
        !strstr(err.message, "it is read-only"))
        return 3;
    if (fw_memo_open(&memo, where, FW_MEMO_READ, 0, &err) < 0 || fw_memo_check(memo, &err) < 0) {
        fprintf(stderr, "%s\n", err.message);
        return 4;
    }
    fw_memo_close(memo);
    return 0;
}

static void files_that_are_none(void)
{
    char path[128], folder[100], inner[128];
    struct fw_memo *memo;
    int status;
    pid_t child;

    snprintf(path, sizeof path, "%s/missing.db", store->folder);
    FAILS(fw_memo_open(&memo, path, FW_MEMO_READ, 0, &err), "there is no memo database '");
    assert_int_equal(access(path, F_OK), -1);
    snprintf(path, sizeof path, "%s/no/such/folder.db", store->folder);
    FAILS(fw_memo_open(&memo, path, FW_MEMO_WRITE, 0, &err), "cannot make folder '");
    FAILS(fw_memo_open(&memo, store->folder, FW_MEMO_WRITE, 0, &err), "is no database");
    FAILS(fw_memo_open(&memo, "postgresql:/me:secret@there/memo", FW_MEMO_WRITE, 0, &err),
          "the URL of a database is postgresql://");
    FAILS(fw_memo_open(&memo, "postgres:", FW_MEMO_READ, 0, &err), "the URL of a database is");
    snprintf(path, sizeof path, "%s/text", store->folder);
    write_file(path, "This is a letter, and a long one, to whom it may concern. It is no database."
                     "And it goes on and on, so that nobody takes it for anything else.");
    FAILS(fw_memo_open(&memo, path, FW_MEMO_WRITE, 0, &err), "' is no database");
    FAILS(fw_memo_open(&memo, path, FW_MEMO_READ, 0, &err), "' is no database");
    snprintf(path, sizeof path, "%s/empty", store->folder);
    write_file(path, "");
    FAILS(fw_memo_open(&memo, path, FW_MEMO_READ, 0, &err), "is an empty database");
    /* The folder is made. */
    snprintf(folder, sizeof folder, "%s/made", store->folder);
    snprintf(inner, sizeof inner, "%s/a%%b?c#.db", folder);
    fw_memo_close(enter_memo(inner, "c1", "small"));
    assert_int_equal(chmod(store->folder, 0755), 0);
    assert_int_equal(chmod(inner, 0444), 0);
    assert_int_equal(chmod(folder, 0555), 0);
    child = fork_child();
    if (child == 0)
        _exit(read_only(inner));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(chmod(folder, 0755), 0);
}

/* Pages in the middle are overwritten. */
static void a_damaged_file(void)
{
    char path[128], bytes[4096];
    struct fw_memo *memo;
    int fd;

    snprintf(path, sizeof path, "%s/damaged.db", store->folder);
    memo = enter_memo(path, "c1", "small");
    expose(memo, 1, 0, 500);
    fw_memo_close(memo);
    memset(bytes, 0xa5, sizeof bytes);
    fd = open(path, O_WRONLY);
    for (off_t at = 4096 * 5; at < lseek(fd, 0, SEEK_END); at += 4096 * 3)
        assert_int_equal(pwrite(fd, bytes, sizeof bytes, at), sizeof bytes);
    close(fd);
    memo = NULL; /* it depends on what lies there when it is noticed */
    FAILS(fw_memo_open(&memo, path, FW_MEMO_READ, 0, &err) < 0 ? -1 : fw_memo_check(memo, &err),
          "is damaged: ");
    fw_memo_close(memo);
}

static void servers_that_are_none(void)
{
    struct fw_memo *memo;
    const char *empty = new_place();

    FAILS(fw_memo_open(&memo, "postgresql:///x?host=/nowhere", FW_MEMO_READ, 0, &err),
          "cannot open database 'postgresql:///x?host=/nowhere': ");
    FAILS(fw_memo_open(&memo, "postgres://me:secret@localhost:1/x", FW_MEMO_READ, 0, &err),
          "cannot open database 'postgresql://localhost:1/x': ");
    FAILS(fw_memo_open(&memo, "postgresql://me:secret@[::1", FW_MEMO_READ, 0, &err),
          "the URL of the database is malformed");
    FAILS(fw_memo_open(&memo, empty, FW_MEMO_READ, 0, &err), "is an empty database");
}

/* All bytes of a file; the caller's. */
static char *slurp(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "r");
    char *text = fw_xcalloc(1, 1 << 20);

    assert_non_null(file);
    *bytes = fread(text, 1, 1 << 20, file);
    fclose(file);
    return text;
}

/* The file of something else stays as it is, byte for byte, whoever asked for it. */
static void a_file_of_others(void)
{
    const char *path = new_place();
    char *before, *after, *log = fw_xasprintf("%s-wal", path);
    size_t bytes, bytes_after;
    struct fw_memo *memo;

    tell(path, "CREATE TABLE theirs (x BIGINT)");
    before = slurp(path, &bytes);
    assert_int_equal(before[18], 1); /* no WAL */
    FAILS(fw_memo_open(&memo, path, FW_MEMO_WRITE, 0, &err), "is the database of something else");
    FAILS(fw_memo_open(&memo, path, FW_MEMO_READ, 0, &err), "is the database of something else");
    after = slurp(path, &bytes_after);
    assert_int_equal(bytes_after, bytes);
    assert_memory_equal(after, before, bytes);
    assert_int_equal(access(log, F_OK), -1);
    fw_memo_close(open_memo(path = new_place())); /* ours becomes one */
    free(after);
    after = slurp(path, &bytes);
    assert_int_equal(after[18], 2);
    free(before);
    free(after);
    free(log);
}

void memo_refuses_strangers(void **state)
{
    const char *where = new_place();
    struct fw_memo *memo;

    (void)state;
    if (store->server) {
        servers_that_are_none();
        tell(where, "CREATE SCHEMA foreweave");
    } else {
        files_that_are_none();
        a_damaged_file();
        a_file_of_others();
    }
    tell(where, "CREATE TABLE runs (x BIGINT)");
    FAILS(fw_memo_open(&memo, where, FW_MEMO_WRITE, 0, &err), "is the database of something else");
    FAILS(fw_memo_open(&memo, where, FW_MEMO_READ, 0, &err), "is the database of something else");
    tell(where, "CREATE TABLE meta (key TEXT, value TEXT)");
    FAILS(fw_memo_open(&memo, where, FW_MEMO_WRITE, 0, &err), "is the database of something else");
}

/* --- locks ------------------------------------------------------------------------------------ */

void memo_waits_for_writers(void **state)
{
    const char *where = new_place();
    const struct fw_sql_way way = { .write = true };
    struct fw_memo *memo = enter_memo(where, "c1", "small"), *hasty;
    struct fw_memo_counts counts[FW_IDIOMS + 1];
    struct fw_iroot one = iroot(1);
    struct fw_memo_run run = { .number = 2, .strategy = "", .outcome = "", .exposed = &one,
                               .exposed_count = 1 };
    struct fw_sql *sql;

    (void)state;
    expose(memo, 1, 0, 10);
    OK(fw_sql_open(&sql, where, &way, &err));
    OK(fw_memo_open(&hasty, where, FW_MEMO_WRITE, 1, &err));
    OK(fw_memo_enter(hasty, &somebody, &err));
    OK(sql->kind->begin(sql, true, &err));
    FAILS(fw_memo_record(hasty, &names, &run, NULL, &err),
          "is locked: another process has been writing for 1 seconds");
    OK(fw_memo_count(hasty, NULL, counts, &err)); /* who reads does not wait */
    assert_int_equal(counts[0].state[FW_MEMO_EXPOSED], 10);
    OK(fw_sql_do(sql, "ROLLBACK", &err));
    OK(fw_memo_record(hasty, &names, &run, NULL, &err));
    fw_sql_close(sql);
    fw_memo_close(hasty);
    OK(fw_memo_check(memo, &err));
    fw_memo_close(memo);
}
