/*
 * merge.c - see memo.h: everything that one database knows, into another.
 *
 * Program by program.  Names, accesses and iRoots are found or made; a session is taken as a whole,
 * if it is not here or this one is an earlier state of it; predictions keep the greater verdict.
 * All of that is the same the second time.
 */
#include "base/bug.h"
#include "memo/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A row there and the one here; sorted by `from`. */
struct pair {
    int64_t from, to;
};

FW_VEC_TYPE(pairs, struct pair);

struct access {
    char *text, *place;
    int64_t placed;
};

struct session {
    int64_t id, writes;
    char *name, *campaign, *host;
    int64_t pid, started, began, build, plain, plain_exposed, judge;
};

struct merging {
    struct fw_memo *into, *from;
    struct fw_error *err;
    int64_t there, program, session; /* the program there; program and session here */
    struct pairs inputs, builds, judges, iroots, runs;
    struct pairs numbers; /* accesses there, and their numbers in `texts`, from 1 */
    struct fw_strtab texts;
    FW_VEC(struct access) accesses;
    FW_VEC(bool) own;
    FW_VEC(struct fw_iroot) found;
    FW_VEC(struct session) sessions;
    FW_VEC(struct pair) programs; /* to: number of the name in `names` */
    bool unwritten; /* what was done with an answer of `from` has failed ... */
    bool unread;    /* ... or `from` itself */
    struct fw_strtab names;
};

static int compare_pairs(const void *a, const void *b)
{
    int64_t left = ((const struct pair *)a)->from, right = ((const struct pair *)b)->from;

    return left < right ? -1 : left > right;
}

static int64_t to(const struct pairs *pairs, int64_t from)
{
    struct pair key = { from, 0 }, *found = NULL;

    if (pairs->len)
        found = bsearch(&key, pairs->at, pairs->len, sizeof key, compare_pairs);
    return found ? found->to : 0;
}

static int run_there(struct merging *m, fw_sql_take *take, void *context)
{
    int result = fw_query_run(&m->from->q, m->from->sql, take, context, m->err);

    m->unread |= result < 0 && !m->unwritten;
    return result;
}

static int ask_there(struct merging *m, fw_sql_take *take)
{
    return run_there(m, take, m);
}

/* --- copying rows ----------------------------------------------------------------------------- */

/* What becomes of the cells of a row there; capitals take none. */
enum cell {
    CELL_PROGRAM = 'P',
    CELL_SESSION = 'S',
    CELL_NUMBER = 'n',
    CELL_TEXT = 't',
    CELL_INPUT = 'i',
    CELL_BUILD = 'b', /* 0 stays 0 */
    CELL_IROOT = 'r', /* or null */
    CELL_RUN = 'u',
};

struct copying {
    struct merging *m;
    struct fw_query q;
    const char *head, *cells, *tail;
    unsigned rows;
};

static int flush(struct copying *c)
{
    int result;

    if (!c->rows)
        return 0;
    c->rows = 0;
    fw_query_say(&c->q, "%s", c->tail);
    result = fw_query_run(&c->q, c->m->into->sql, NULL, NULL, c->m->err);
    c->m->unwritten |= result < 0;
    return result;
}

static void say_cell(struct copying *c, char cell, const struct fw_sql_row *row, unsigned *next)
{
    struct merging *m = c->m;
    unsigned at = cell >= 'a' ? (*next)++ : 0;
    int64_t number = cell == CELL_PROGRAM ? m->program
                     : cell == CELL_SESSION ? m->session
                     : cell == CELL_INPUT   ? to(&m->inputs, fw_sql_number(row, at))
                     : cell == CELL_BUILD   ? to(&m->builds, fw_sql_number(row, at))
                     : cell == CELL_IROOT   ? to(&m->iroots, fw_sql_number(row, at))
                     : cell == CELL_RUN     ? to(&m->runs, fw_sql_number(row, at))
                                            : fw_sql_number(row, at);

    if (cell != CELL_TEXT && (cell != CELL_IROOT || number))
        fw_query_say(&c->q, "%" PRId64, number);
    else if (cell == CELL_TEXT && row->at[at])
        fw_query_text(&c->q, row->at[at]);
    else
        fw_query_say(&c->q, "NULL");
}

static int take_row(void *context, const struct fw_sql_row *row)
{
    struct copying *c = context;
    unsigned next = 0;

    fw_query_say(&c->q, "%s (", c->rows ? "," : c->head);
    for (const char *cell = c->cells; *cell; cell++) {
        fw_query_say(&c->q, cell == c->cells ? "" : ", ");
        say_cell(c, *cell, row, &next);
    }
    fw_query_say(&c->q, ")");
    return ++c->rows == FW_MEMO_CHUNK ? flush(c) : 0;
}

/* The rows that the query in from->q asks for. */
static int copy(struct merging *m, const char *head, const char *cells, const char *tail)
{
    struct copying c = { .m = m, .head = head, .cells = cells, .tail = tail };
    int result = run_there(m, take_row, &c);

    if (result == 0)
        result = flush(&c);
    fw_query_release(&c.q);
    return result;
}

/* --- sessions --------------------------------------------------------------------------------- */

static int take_session(void *context, const struct fw_sql_row *row)
{
    struct merging *m = context;
    struct session session = { fw_sql_number(row, 0), fw_sql_number(row, 1),
                               fw_xstrdup(fw_sql_text(row, 2)), fw_xstrdup(fw_sql_text(row, 3)),
                               fw_xstrdup(fw_sql_text(row, 4)), fw_sql_number(row, 5),
                               fw_sql_number(row, 6), fw_sql_number(row, 7),
                               fw_sql_number(row, 8), fw_sql_number(row, 9),
                               fw_sql_number(row, 10), fw_sql_number(row, 11) };

    fw_vec_push(&m->sessions, session);
    return 0;
}

static int take_pair_of_session(void *context, const struct fw_sql_row *row)
{
    struct pair *pair = context;

    *pair = (struct pair) { fw_sql_number(row, 0), fw_sql_number(row, 1) };
    return 0;
}

/* What is here is an earlier state of it. */
static int clear_session(struct merging *m, const struct session *session)
{
    static const char *const rows[] = {
        "DELETE FROM attempts WHERE session = ",
        "DELETE FROM tallies WHERE session = ",
        "DELETE FROM failures WHERE run IN (SELECT id FROM runs WHERE session = ",
        "DELETE FROM runs WHERE session = ",
    };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fw_query_say(&m->into->q, "%s%" PRId64 "%s", rows[i], m->session,
                     strchr(rows[i], '(') ? ")" : "");
        if (fw_memo_do(m->into, m->err) < 0)
            return -1;
    }
    fw_query_say(&m->into->q, "UPDATE sessions SET writes = %" PRId64 ", plain = %" PRId64
                              ", plain_exposed = %" PRId64 " WHERE id = %" PRId64,
                 session->writes, session->plain, session->plain_exposed, m->session);
    return fw_memo_do(m->into, m->err);
}

static int insert_session(struct merging *m, const struct session *session)
{
    struct fw_query *q = &m->into->q;

    fw_query_say(q, "INSERT INTO sessions (program, build, judge, pid, started, began, writes, "
                    "plain, plain_exposed, name, campaign, host) VALUES (%" PRId64 ", %" PRId64
                    ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
                    ", %" PRId64 ", ", m->program, to(&m->builds, session->build),
                 to(&m->judges, session->judge), session->pid, session->started, session->began,
                 session->writes, session->plain, session->plain_exposed);
    fw_query_text(q, session->name);
    fw_query_say(q, ", ");
    fw_query_text(q, session->campaign);
    fw_query_say(q, ", ");
    fw_query_text(q, session->host);
    fw_query_say(q, ") RETURNING id");
    return fw_memo_ask(m->into, &m->session, m->err);
}

static int take_by_number(void *context, const struct fw_sql_row *row)
{
    struct pair pair = { fw_sql_number(row, 0), fw_sql_number(row, 1) };

    fw_vec_push((struct pairs *)context, pair);
    return 0;
}

/* Runs of a session are the same if they have the same number in it. */
static int pair_runs(struct merging *m, int64_t there)
{
    struct pairs here = { 0 };
    int result;

    fw_vec_clear(&m->runs);
    fw_query_say(&m->from->q, "SELECT id, number FROM runs WHERE session = %" PRId64
                              " ORDER BY id", there);
    fw_query_say(&m->into->q, "SELECT number, id FROM runs WHERE session = %" PRId64
                              " ORDER BY number", m->session);
    result = fw_query_run(&m->into->q, m->into->sql, take_by_number, &here, m->err);
    if (result == 0)
        result = run_there(m, take_by_number, &m->runs);
    for (size_t i = 0; i < m->runs.len; i++)
        m->runs.at[i].to = to(&here, m->runs.at[i].to);
    fw_vec_release(&here);
    return result;
}

static int copy_session(struct merging *m, int64_t there)
{
    struct fw_query *q = &m->from->q;

    fw_query_say(q, "SELECT number, input, strategy, outcome, began, took, exposed, plain FROM "
                    "runs WHERE session = %" PRId64, there);
    if (copy(m, "INSERT INTO runs (session, number, input, strategy, outcome, began, took, "
                "exposed, plain) VALUES", "Snittnnnn", "") < 0 || pair_runs(m, there) < 0)
        return -1;
    fw_query_say(q, "SELECT f.run, f.iroot, f.way, f.kind, f.message, f.schedule FROM failures f "
                    "JOIN runs r ON r.id = f.run WHERE r.session = %" PRId64, there);
    if (copy(m, "INSERT INTO failures (run, iroot, way, kind, message, schedule) VALUES", "urtttt",
             "") < 0)
        return -1;
    fw_query_say(q, "SELECT iroot, seen, judged, first_run FROM tallies WHERE session = %" PRId64,
                 there);
    if (copy(m, "INSERT INTO tallies (iroot, session, seen, judged, first_run) VALUES", "rSnnu",
             "") < 0)
        return -1;
    fw_query_say(q, "SELECT iroot, input, tried, exposed, failed FROM attempts WHERE session = "
                    "%" PRId64, there);
    return copy(m, "INSERT INTO attempts (iroot, input, session, tried, exposed, failed) VALUES",
                "riSnnn", "");
}

static int merge_session(struct merging *m, const struct session *session)
{
    struct pair here = { 0 };

    fw_query_say(&m->into->q, "SELECT id, writes FROM sessions WHERE name = ");
    fw_query_text(&m->into->q, session->name);
    if (fw_query_run(&m->into->q, m->into->sql, take_pair_of_session, &here, m->err) < 0)
        return -1;
    if (here.from && here.to >= session->writes)
        return 0;
    m->session = here.from;
    if ((here.from ? clear_session : insert_session)(m, session) < 0)
        return -1;
    return copy_session(m, session->id);
}

/* Those that have entered and written nothing are left out. */
static int merge_sessions(struct merging *m)
{
    fw_query_say(&m->from->q, "SELECT id, writes, name, campaign, host, pid, started, began, "
                              "build, plain, plain_exposed, judge FROM sessions WHERE "
                              "writes > 0 AND program = %" PRId64 " ORDER BY id", m->there);
    if (ask_there(m, take_session) < 0)
        return -1;
    for (size_t i = 0; i < m->sessions.len; i++)
        if (merge_session(m, &m->sessions.at[i]) < 0)
            return -1;
    fw_query_say(&m->into->q,
                 "UPDATE iroots SET seen = (SELECT coalesce(sum(t.seen), 0) FROM tallies t WHERE "
                 "t.iroot = iroots.id), tried = (SELECT coalesce(sum(t.tried), 0) FROM attempts t "
                 "WHERE t.iroot = iroots.id) WHERE program = %" PRId64, m->program);
    return fw_memo_do(m->into, m->err);
}

/* --- accesses and iRoots ---------------------------------------------------------------------- */

static int take_access(void *context, const struct fw_sql_row *row)
{
    struct merging *m = context;
    const char *text = fw_sql_text(row, 1);
    struct access access = { fw_xstrdup(text), fw_xstrdup(fw_sql_text(row, 3)),
                             fw_sql_number(row, 4) };
    struct pair pair = { fw_sql_number(row, 0), (int64_t)m->accesses.len + 1 };

    fw_strtab_append(&m->texts, text, strlen(text));
    fw_vec_push(&m->own, fw_sql_number(row, 2) != 0);
    fw_vec_push(&m->accesses, access);
    fw_vec_push(&m->numbers, pair);
    return 0;
}

static int take_iroot(void *context, const struct fw_sql_row *row)
{
    struct merging *m = context;
    struct pair pair = { fw_sql_number(row, 0), 0 };
    struct fw_iroot iroot = { .idiom = (uint8_t)fw_sql_number(row, 1),
                              .waits = fw_sql_number(row, 2) != 0 };

    for (unsigned i = 0; i < fw_idiom_accesses(iroot.idiom); i++) {
        int64_t access = to(&m->numbers, fw_sql_number(row, 3 + i));

        if (!access)
            return fw_memo_damaged(m->from, m->err);
        iroot.access[i] = (uint32_t)access - 1;
    }
    fw_vec_push(&m->iroots, pair);
    fw_vec_push(&m->found, iroot);
    return 0;
}

static int merge_places(struct merging *m)
{
    for (size_t i = 0; i < m->accesses.len; i++)
        if (*m->accesses.at[i].place &&
            fw_memo_place(m->into, m->accesses.at[i].text, m->accesses.at[i].place,
                          m->accesses.at[i].placed, m->err) < 0)
            return -1;
    fw_memo_forget(m->into);
    return 0;
}

static int merge_iroots(struct merging *m)
{
    struct fw_memo_names names = { .accesses = &m->texts };
    struct fw_memo_ids ids = { 0 };
    int result;

    fw_query_say(&m->from->q, "SELECT id, text, own, place, placed FROM accesses WHERE program = "
                              "%" PRId64 " ORDER BY id", m->there);
    if (ask_there(m, take_access) < 0)
        return -1;
    fw_query_say(&m->from->q, "SELECT id, idiom, waits, a, b, c, d FROM iroots WHERE program = "
                              "%" PRId64 " ORDER BY id", m->there);
    if (ask_there(m, take_iroot) < 0)
        return -1;
    names.own = m->own.at;
    result = fw_memo_intern(m->into, m->program, &names, m->found.at, m->found.len, &ids, m->err);
    for (size_t i = 0; i < ids.len; i++)
        m->iroots.at[i].to = ids.at[i];
    fw_vec_release(&ids);
    return result < 0 ? -1 : merge_places(m);
}

/* --- programs --------------------------------------------------------------------------------- */

static int take_name(void *context, const struct fw_sql_row *row)
{
    struct merging *m = context;
    const char *name = fw_sql_text(row, 1);
    struct pair pair = { fw_sql_number(row, 0), fw_strtab_append(&m->names, name, strlen(name)) };

    fw_vec_push(&m->programs, pair);
    return 0;
}

/* What a row of that table, which has this name, is here. */
static int find_named(struct merging *m, const char *table, const char *name,
                      const struct fw_sql_row *row, struct pairs *pairs)
{
    struct pair pair = { fw_sql_number(row, 0), 0 };

    fw_query_say(&m->into->q, "SELECT id FROM %s WHERE program = %" PRId64 " AND %s = ", table,
                 m->program, name);
    fw_query_text(&m->into->q, fw_sql_text(row, 1));
    if (fw_memo_ask(m->into, &pair.to, m->err) < 0) {
        m->unwritten = true;
        return -1;
    }
    fw_vec_push(pairs, pair);
    return 0;
}

static int find_input(void *context, const struct fw_sql_row *row)
{
    struct merging *m = context;

    return find_named(m, "inputs", "name", row, &m->inputs);
}

static int find_build(void *context, const struct fw_sql_row *row)
{
    struct merging *m = context;

    return find_named(m, "builds", "build", row, &m->builds);
}

static int find_judge(void *context, const struct fw_sql_row *row)
{
    struct merging *m = context;

    return find_named(m, "judges", "judge", row, &m->judges);
}

static int merge_judges(struct merging *m)
{
    fw_query_say(&m->from->q, "SELECT judge FROM judges WHERE program = %" PRId64, m->there);
    if (copy(m, "INSERT INTO judges (program, judge) VALUES", "Pt",
             " ON CONFLICT (program, judge) DO NOTHING") < 0)
        return -1;
    fw_query_say(&m->from->q, "SELECT id, judge FROM judges WHERE program = %" PRId64
                              " ORDER BY id", m->there);
    return ask_there(m, find_judge);
}

static int merge_names(struct merging *m, const char *name)
{
    struct fw_query *q = &m->into->q;

    fw_query_say(q, "INSERT INTO programs (name) VALUES (");
    fw_query_text(q, name);
    fw_query_say(q, ") ON CONFLICT (name) DO NOTHING");
    if (fw_memo_do(m->into, m->err) < 0 ||
        fw_memo_find_program(m->into, name, &m->program, m->err) < 0)
        return -1;
    fw_query_say(&m->from->q, "SELECT build, met FROM builds WHERE program = %" PRId64, m->there);
    if (copy(m, "INSERT INTO builds (program, build, met) VALUES", "Ptn",
             " ON CONFLICT (program, build) DO UPDATE SET met = excluded.met "
             "WHERE excluded.met < builds.met") < 0)
        return -1;
    fw_query_say(&m->from->q, "SELECT id, build FROM builds WHERE program = %" PRId64
                              " ORDER BY id", m->there);
    if (ask_there(m, find_build) < 0)
        return -1;
    fw_query_say(&m->from->q, "SELECT name, command FROM inputs WHERE program = %" PRId64
                              " ORDER BY id", m->there);
    if (copy(m, "INSERT INTO inputs (program, name, command) VALUES", "Ptt",
             " ON CONFLICT (program, name) DO UPDATE SET command = excluded.command "
             "WHERE inputs.command = ''") < 0)
        return -1;
    fw_query_say(&m->from->q, "SELECT id, name FROM inputs WHERE program = %" PRId64
                              " ORDER BY id", m->there);
    return ask_there(m, find_input);
}

static int merge_predictions(struct merging *m)
{
    fw_query_say(&m->from->q, "SELECT p.iroot, p.input, p.build, p.predictor, p.verdict, "
                              "p.schedule FROM predictions p JOIN inputs n ON n.id = p.input WHERE "
                              "n.program = %" PRId64, m->there);
    return copy(m, "INSERT INTO predictions (iroot, input, build, predictor, verdict, schedule) "
                   "VALUES", "ribnnt", FW_MEMO_BETTER);
}

static void clear_program(struct merging *m)
{
    for (size_t i = 0; i < m->accesses.len; i++) {
        free(m->accesses.at[i].text);
        free(m->accesses.at[i].place);
    }
    for (size_t i = 0; i < m->sessions.len; i++) {
        free(m->sessions.at[i].name);
        free(m->sessions.at[i].campaign);
        free(m->sessions.at[i].host);
    }
    fw_vec_release(&m->accesses);
    fw_vec_release(&m->sessions);
    fw_vec_release(&m->own);
    fw_vec_release(&m->found);
    fw_vec_release(&m->inputs);
    fw_vec_release(&m->builds);
    fw_vec_release(&m->judges);
    fw_vec_release(&m->iroots);
    fw_vec_release(&m->runs);
    fw_vec_release(&m->numbers);
    fw_strtab_release(&m->texts);
}

static int merge_program(struct merging *m, const char *name)
{
    int result;

    fw_strtab_init(&m->texts);
    result = merge_names(m, name);
    if (result == 0)
        result = merge_judges(m);
    if (result == 0)
        result = merge_iroots(m);
    if (result == 0)
        result = merge_predictions(m);
    if (result == 0)
        result = merge_sessions(m);
    clear_program(m);
    return result;
}

/* --- databases -------------------------------------------------------------------------------- */

static int merge_all(void *context, struct fw_error *err)
{
    struct merging *m = context;

    (void)err; /* m has it */
    m->unread = fw_memo_check_numbers(m->from, m->err) < 0;
    if (m->unread)
        return -1;
    fw_query_say(&m->from->q, "SELECT id, name FROM programs ORDER BY id");
    if (ask_there(m, take_name) < 0)
        return -1;
    for (size_t i = 0; i < m->programs.len; i++) {
        m->there = m->programs.at[i].from;
        if (merge_program(m, fw_strtab_text(&m->names, (uint32_t)m->programs.at[i].to)) < 0)
            return -1;
    }
    return 0;
}

static int count_rows(struct fw_memo *memo, const char *table, uint64_t *count,
                      struct fw_error *err)
{
    int64_t rows;

    fw_query_say(&memo->q, "SELECT count(*) FROM %s", table);
    if (fw_memo_ask(memo, &rows, err) < 0)
        return -1;
    *count = (uint64_t)rows - *count; /* the second time, what has been added */
    return 0;
}

static int count_all(struct fw_memo *memo, struct fw_memo_merged *merged, struct fw_error *err)
{
    if (count_rows(memo, "iroots", &merged->iroots, err) < 0 ||
        count_rows(memo, "runs", &merged->runs, err) < 0)
        return -1;
    return count_rows(memo, "predictions", &merged->predictions, err);
}

struct both {
    struct merging *m;
    struct fw_memo_merged *merged;
};

static int merge(void *context, struct fw_error *err)
{
    struct both *both = context;
    struct merging *m = both->m;
    int result;

    *both->merged = (struct fw_memo_merged) { 0 };
    fw_strtab_init(&m->names);
    result = count_all(m->into, both->merged, err);
    if (result == 0)
        result = fw_sql_read(m->from->sql, merge_all, m, err);
    if (result == 0)
        result = count_all(m->into, both->merged, err);
    fw_vec_release(&m->programs);
    fw_strtab_release(&m->names);
    return result;
}

int fw_memo_merge(struct fw_memo *into, struct fw_memo *from, struct fw_memo_merged *merged,
                  struct fw_error *err)
{
    struct merging m = { .into = into, .from = from, .err = err };
    struct both both = { &m, merged };
    int result = fw_memo_write(into, merge, &both, err);

    merged->unread = m.unread;
    return result;
}
