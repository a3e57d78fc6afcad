/*
 * schema.c - see schema.h; and the tables themselves.
 *
 * Times are milliseconds since 1970.  Nothing is ever taken out of these tables, claims excepted,
 * and a session that merging replaces by a later state of itself.  `seen` and `tried` of iroots are
 * sums over sessions, kept for speed; fw_memo_check compares them.
 */
#include "memo/schema.h"

#include <string.h>

static const char *const steps[] = {
    "CREATE TABLE programs (id @ID@, name @TEXT@ NOT NULL UNIQUE);\n"

    "CREATE TABLE builds (program BIGINT NOT NULL REFERENCES programs(id), build @TEXT@ NOT NULL,\n"
    " met BIGINT NOT NULL, PRIMARY KEY (program, build));\n"

    "CREATE TABLE inputs (id @ID@, program BIGINT NOT NULL REFERENCES programs(id),\n"
    " name @TEXT@ NOT NULL, command @TEXT@ NOT NULL, UNIQUE (program, name));\n"

    /* own: in the program's own code; place: FILE:LINE, or empty, as of `placed`.  Texts can be
     * longer than PostgreSQL takes into an index, which their digests are for. */
    "CREATE TABLE accesses (id @ID@, program BIGINT NOT NULL REFERENCES programs(id),\n"
    " digest @TEXT@ NOT NULL, text @TEXT@ NOT NULL, own BIGINT NOT NULL, place @TEXT@ NOT NULL,\n"
    " placed BIGINT NOT NULL, UNIQUE (program, digest));\n"

    /* c and d are 0 where the idiom has none.  Of the two ways to write one of idiom 5, (a, b) then
     * (c, d) or the other way round, the one with the smaller text first is taken. */
    "CREATE TABLE iroots (id @ID@, program BIGINT NOT NULL REFERENCES programs(id),\n"
    " idiom BIGINT NOT NULL, waits BIGINT NOT NULL, a BIGINT NOT NULL REFERENCES accesses(id),\n"
    " b BIGINT NOT NULL REFERENCES accesses(id), c BIGINT NOT NULL, d BIGINT NOT NULL,\n"
    " own BIGINT NOT NULL, seen BIGINT NOT NULL, tried BIGINT NOT NULL,\n"
    " UNIQUE (program, idiom, waits, a, b, c, d));\n"
    /* Candidates in the order in which they are claimed. */
    "CREATE INDEX iroots_unseen ON iroots (program, idiom, own DESC, tried) WHERE seen = 0;\n"

    /* One life of one process on one database; writes: how often it has. */
    "CREATE TABLE sessions (id @ID@, program BIGINT NOT NULL REFERENCES programs(id),\n"
    " name @TEXT@ NOT NULL UNIQUE, campaign @TEXT@ NOT NULL, host @TEXT@ NOT NULL,\n"
    " pid BIGINT NOT NULL, started BIGINT NOT NULL, began BIGINT NOT NULL,\n"
    " writes BIGINT NOT NULL);\n"
    "CREATE INDEX sessions_campaign ON sessions (program, campaign);\n"

    "CREATE TABLE runs (id @ID@, session BIGINT NOT NULL REFERENCES sessions(id),\n"
    " number BIGINT NOT NULL, input BIGINT NOT NULL REFERENCES inputs(id),\n"
    " strategy @TEXT@ NOT NULL, outcome @TEXT@ NOT NULL, began BIGINT NOT NULL,\n"
    " took BIGINT NOT NULL, exposed BIGINT NOT NULL, UNIQUE (session, number));\n"

    "CREATE TABLE failures (run BIGINT PRIMARY KEY REFERENCES runs(id),\n"
    " iroot BIGINT REFERENCES iroots(id), kind @TEXT@ NOT NULL, message @TEXT@ NOT NULL,\n"
    " schedule @TEXT@ NOT NULL);\n"

    /* In how many of its runs a session has exposed it. */
    "CREATE TABLE tallies (iroot BIGINT NOT NULL REFERENCES iroots(id),\n"
    " session BIGINT NOT NULL REFERENCES sessions(id), seen BIGINT NOT NULL,\n"
    " first_run BIGINT NOT NULL REFERENCES runs(id), PRIMARY KEY (iroot, session));\n"
    "CREATE INDEX tallies_session ON tallies (session);\n"

    "CREATE TABLE predictions (iroot BIGINT NOT NULL REFERENCES iroots(id),\n"
    " input BIGINT NOT NULL REFERENCES inputs(id), predictor BIGINT NOT NULL,\n"
    " verdict BIGINT NOT NULL, schedule @TEXT@, PRIMARY KEY (iroot, input, predictor));\n"
    "CREATE INDEX predictions_input ON predictions (input);\n"

    /* exposed, failed: those attempts after which it was, or the program did. */
    "CREATE TABLE attempts (iroot BIGINT NOT NULL REFERENCES iroots(id),\n"
    " input BIGINT NOT NULL REFERENCES inputs(id),\n"
    " session BIGINT NOT NULL REFERENCES sessions(id), tried BIGINT NOT NULL,\n"
    " exposed BIGINT NOT NULL, failed BIGINT NOT NULL, PRIMARY KEY (iroot, input, session));\n"
    "CREATE INDEX attempts_session ON attempts (session);\n"

    "CREATE TABLE claims (iroot BIGINT PRIMARY KEY REFERENCES iroots(id),\n"
    " session BIGINT NOT NULL REFERENCES sessions(id), token BIGINT NOT NULL,\n"
    " expires BIGINT NOT NULL);\n",

    /* What a build has shown says nothing of another one: sessions, predictions and claims are of
     * builds.  0: which one is not known. */
    "ALTER TABLE builds RENAME TO unnumbered;\n"
    "CREATE TABLE builds (id @ID@, program BIGINT NOT NULL REFERENCES programs(id),\n"
    " build @TEXT@ NOT NULL, met BIGINT NOT NULL, UNIQUE (program, build));\n"
    "INSERT INTO builds (program, build, met) SELECT program, build, met FROM unnumbered;\n"
    "DROP TABLE unnumbered;\n"

    "ALTER TABLE sessions ADD COLUMN build BIGINT NOT NULL DEFAULT 0;\n"

    "ALTER TABLE predictions RENAME TO unbuilt;\n"
    "CREATE TABLE predictions (iroot BIGINT NOT NULL REFERENCES iroots(id),\n"
    " input BIGINT NOT NULL REFERENCES inputs(id), build BIGINT NOT NULL,\n"
    " predictor BIGINT NOT NULL, verdict BIGINT NOT NULL, schedule @TEXT@,\n"
    " PRIMARY KEY (iroot, input, build, predictor));\n"
    "INSERT INTO predictions (iroot, input, build, predictor, verdict, schedule)\n"
    " SELECT iroot, input, 0, predictor, verdict, schedule FROM unbuilt;\n"
    "DROP TABLE unbuilt;\n"
    "CREATE INDEX predictions_input ON predictions (input, build);\n"

    "DROP TABLE claims;\n"
    "CREATE TABLE claims (iroot BIGINT NOT NULL REFERENCES iroots(id), build BIGINT NOT NULL,\n"
    " session BIGINT NOT NULL REFERENCES sessions(id), token BIGINT NOT NULL,\n"
    " expires BIGINT NOT NULL, PRIMARY KEY (iroot, build));\n"
    "DROP INDEX iroots_unseen;\n",

    /* Plain runs have passed and shown what runs of their session had shown before.  They are
     * counted, and have no rows: of a session, how many there are and what they have exposed all
     * together; of a run, how many of its session came before it. */
    "ALTER TABLE sessions ADD COLUMN plain BIGINT NOT NULL DEFAULT 0;\n"
    "ALTER TABLE sessions ADD COLUMN plain_exposed BIGINT NOT NULL DEFAULT 0;\n"
    "ALTER TABLE runs ADD COLUMN plain BIGINT NOT NULL DEFAULT 0;\n",

    /* What a run was judged by decides what it says: another judge may find fault with what one
     * has let pass.  So what is left to try is left for a judge.  0: which one is not known.
     * judged: those of `seen` in runs that somebody has judged.  way: how it failed, by which
     * failures are told apart; '' where only kind and message are known. */
    "CREATE TABLE judges (id @ID@, program BIGINT NOT NULL REFERENCES programs(id),\n"
    " judge @TEXT@ NOT NULL, UNIQUE (program, judge));\n"
    "ALTER TABLE sessions ADD COLUMN judge BIGINT NOT NULL DEFAULT 0;\n"
    "ALTER TABLE tallies ADD COLUMN judged BIGINT NOT NULL DEFAULT 0;\n"
    "ALTER TABLE failures ADD COLUMN way @TEXT@ NOT NULL DEFAULT '';\n"
    "DROP TABLE claims;\n"
    "CREATE TABLE claims (iroot BIGINT NOT NULL REFERENCES iroots(id), build BIGINT NOT NULL,\n"
    " judge BIGINT NOT NULL, session BIGINT NOT NULL REFERENCES sessions(id),\n"
    " token BIGINT NOT NULL, expires BIGINT NOT NULL, PRIMARY KEY (iroot, build, judge));\n",
};

const struct fw_schema fw_memo_schema = { steps, sizeof steps / sizeof steps[0] };

/* --- versions -------------------------------------------------------------------------------- */

#define META "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)"
#define MARK "foreweave memo" /* the row that has the version */

struct tables {
    unsigned count;
    bool meta, closed;
};

static int take_table(void *context, const struct fw_sql_row *row)
{
    struct tables *tables = context;

    tables->count++;
    tables->closed |= !row->at[0];
    tables->meta |= row->at[0] && strcmp(row->at[0], "meta") == 0;
    return 0;
}

static int read_version(struct fw_sql *sql, int64_t *version, struct fw_error *err)
{
    struct tables tables = { 0 };

    *version = 0;
    if (sql->kind->run(sql, sql->kind->tables, NULL, 0, take_table, &tables, err) < 0)
        return -1;
    if (!tables.count)
        return 0;
    if (tables.closed)
        return fw_error_set(err, "permission denied: no right to read the tables of '%s'",
                            sql->name);
    if (tables.meta && sql->kind->run(sql, "SELECT value FROM meta WHERE key = '" MARK "'", NULL, 0,
                                      fw_sql_take_number, version, err) < 0)
        return -1;
    if (*version <= 0)
        return fw_error_set(err, "'%s' is the database of something else", sql->name);
    return 0;
}

static int take_step(struct fw_sql *sql, const char *step, struct fw_error *err)
{
    struct fw_query q = { 0 };
    const char *mark;
    int result;

    while ((mark = strchr(step, '@'))) {
        bool id = strncmp(mark, "@ID@", 4) == 0;

        fw_query_say(&q, "%.*s%s", (int)(mark - step), step,
                     id ? sql->kind->identity : sql->kind->text);
        step = mark + (id ? strlen("@ID@") : strlen("@TEXT@"));
    }
    fw_query_say(&q, "%s", step);
    result = fw_query_run(&q, sql, NULL, NULL, err);
    fw_query_release(&q);
    return result;
}

static int write_version(struct fw_sql *sql, unsigned version, struct fw_error *err)
{
    struct fw_query q = { 0 };
    int result;

    fw_query_say(&q, "INSERT INTO meta (key, value) VALUES ('" MARK "', '%u') "
                     "ON CONFLICT (key) DO UPDATE SET value = excluded.value", version);
    result = fw_query_run(&q, sql, NULL, NULL, err);
    fw_query_release(&q);
    return result;
}

struct bringing {
    struct fw_sql *sql;
    const struct fw_schema *schema;
    bool write;
};

static int judge(const struct bringing *b, int64_t version, struct fw_error *err)
{
    unsigned wanted = b->schema->version;

    if (version > wanted)
        return fw_error_set(err, "database '%s' has version %lld, this program knows only up to "
                                 "%u: use a newer one", b->sql->name, (long long)version, wanted);
    if (version == wanted || b->write)
        return 0;
    if (!version)
        return fw_error_set(err, "'%s' is an empty database", b->sql->name);
    return fw_error_set(err, "database '%s' has version %lld, not %u: 'foreweave coverage merge "
                             "--into=%s' brings it up to date",
                        b->sql->name, (long long)version, wanted, b->sql->name);
}

static int look(void *context, struct fw_error *err)
{
    struct bringing *b = context;
    int64_t version;

    if (read_version(b->sql, &version, err) < 0 || judge(b, version, err) < 0)
        return -1;
    return version == b->schema->version;
}

static int climb(void *context, struct fw_error *err)
{
    struct bringing *b = context;
    int64_t version;

    if (read_version(b->sql, &version, err) < 0 || judge(b, version, err) < 0)
        return -1;
    if (!version && b->sql->kind->home && fw_sql_do(b->sql, b->sql->kind->home, err) < 0)
        return -1;
    if (!version && fw_sql_do(b->sql, META, err) < 0)
        return -1;
    for (unsigned v = (unsigned)version; v < b->schema->version; v++)
        if (take_step(b->sql, b->schema->steps[v], err) < 0)
            return fw_error_context(err, "from version %u to %u", v, v + 1);
    return write_version(b->sql, b->schema->version, err);
}

int fw_schema_bring(struct fw_sql *sql, const struct fw_schema *schema, bool write,
                    struct fw_error *err)
{
    struct bringing b = { sql, schema, write };
    int result = fw_sql_read(sql, look, &b, err);

    if (result >= 0 && write && sql->kind->settle && sql->kind->settle(sql, err) < 0)
        return -1;
    if (result != 0)
        return result < 0 ? -1 : 0;
    return fw_sql_write(sql, climb, &b, err);
}
