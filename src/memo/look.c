/* look.c - see memo.h: what the database knows. */
#include "memo/internal.h"

#include <inttypes.h>
#include <string.h>

/*
 * Of each predicted iRoot: who predicts it, the greatest verdict, and whether every input that
 * predicts it has it infeasible.
 */
#define BY_INPUT                                                                                   \
    "WITH by_input AS (SELECT p.iroot, p.input, max(p.verdict) AS verdict, "                       \
    "max(CASE p.predictor WHEN 0 THEN 1 ELSE 0 END) AS profile, "                                  \
    "max(CASE p.predictor WHEN 1 THEN 1 ELSE 0 END) AS proof "                                     \
    "FROM predictions p JOIN inputs n ON n.id = p.input WHERE n.program = %" PRId64
#define STANDING                                                                                   \
    " GROUP BY p.iroot, p.input), "                                                                \
    "standing AS (SELECT iroot, max(verdict) AS verdict, max(profile) AS profile, "                \
    "max(proof) AS proof, min(CASE verdict WHEN 1 THEN 1 ELSE 0 END) AS infeasible "               \
    "FROM by_input GROUP BY iroot), "
#define OF_SESSION " JOIN sessions e ON e.id = t.session WHERE e.program = %" PRId64

/* Tables `standing`, and `views` and `tries`: how often sessions have seen and tried iRoots. */
#define STATE                                                                                      \
    "CASE WHEN k.seen > 0 THEN 0 WHEN s.infeasible = 1 THEN 1 WHEN y.tried > 0 THEN 2 ELSE 3 END"
#define FROM_IROOTS                                                                                \
    " FROM iroots i LEFT JOIN standing s ON s.iroot = i.id LEFT JOIN views k ON k.iroot = i.id "   \
    "LEFT JOIN tries y ON y.iroot = i.id "
/* Of a build that is looked at, what another one has shown or was predicted for is not known. */
#define WHERE_KNOWN " WHERE i.program = %" PRId64 " AND (s.iroot IS NOT NULL OR k.seen > 0)"

_Static_assert(FW_MEMO_PROFILE == 0 && FW_MEMO_PROOF == 1 && FW_MEMO_INFEASIBLE == 1 &&
                   FW_MEMO_WITNESS == 3 && FW_MEMO_EXPOSED == 0 && FW_MEMO_LEFT == 3,
               "the numbers are those that the database has");

struct looking {
    struct fw_memo *memo;
    const char *program;
    void *context; /* of the caller */
    int (*take_program)(void *context, const struct fw_memo_program *program);
    int (*take_iroot)(void *context, const struct fw_memo_row *row);
    int (*take_run)(void *context, const struct fw_memo_past *run);
    int (*take_build)(void *context, const struct fw_memo_build *build);
    int (*take_failure)(void *context, const struct fw_memo_known_failure *failure);
    struct fw_memo_counts *counts;
    struct fw_error *err;
};

static uint64_t number(const struct fw_sql_row *row, unsigned cell)
{
    return (uint64_t)fw_sql_number(row, cell);
}

/* The rows of `table` are of the build that is looked at. */
static void say_scope(struct fw_memo *memo, const char *table)
{
    if (memo->scope != FW_MEMO_ALL_BUILDS)
        fw_query_say(&memo->q, " AND %s.build = %" PRId64, table, memo->scope);
}

static void say_standing(struct fw_memo *memo, int64_t program)
{
    struct fw_query *q = &memo->q;

    fw_query_say(q, BY_INPUT, program);
    say_scope(memo, "p");
    fw_query_say(q, STANDING "views AS (SELECT t.iroot, sum(t.seen) AS seen, "
                    "sum(CASE e.judge WHEN %" PRId64 " THEN t.judged ELSE 0 END) AS judged "
                    "FROM tallies t" OF_SESSION, memo->judge, program);
    say_scope(memo, "e");
    fw_query_say(q, " GROUP BY t.iroot), tries AS (SELECT t.iroot, sum(t.tried) AS tried, "
                    "sum(t.failed) AS failed FROM attempts t" OF_SESSION, program);
    say_scope(memo, "e");
    fw_query_say(q, " GROUP BY t.iroot) ");
}

/* --- builds ----------------------------------------------------------------------------------- */

static int take_build(void *context, const struct fw_sql_row *row)
{
    struct looking *look = context;
    const struct fw_memo_build build = { fw_sql_number(row, 0), fw_sql_text(row, 1),
                                         fw_sql_number(row, 2) };

    return look->take_build(look->context, &build);
}

static int each_build(void *context, struct fw_error *err)
{
    struct looking *look = context;
    int64_t program;

    if (fw_memo_find_program(look->memo, look->program, &program, err) < 0)
        return -1;
    fw_query_say(&look->memo->q,
                 "SELECT e.build, max(b.build), max(e.began) AS last FROM sessions e LEFT JOIN "
                 "builds b ON b.id = e.build WHERE e.program = %" PRId64 " GROUP BY e.build "
                 "ORDER BY last DESC, e.build DESC", program);
    return fw_query_run(&look->memo->q, look->memo->sql, take_build, look, err);
}

int fw_memo_each_build(struct fw_memo *memo, const char *program,
                       int (*take)(void *context, const struct fw_memo_build *build),
                       void *context, struct fw_error *err)
{
    struct looking look = { .memo = memo, .program = program, .context = context,
                            .take_build = take };

    return fw_sql_read(memo->sql, each_build, &look, err);
}

void fw_memo_look_at(struct fw_memo *memo, int64_t build)
{
    memo->scope = build;
}

/* --- counts ----------------------------------------------------------------------------------- */

static void add_counts(struct fw_memo_counts *to, const struct fw_sql_row *row)
{
    to->state[number(row, 1)] += number(row, 2);
    to->predicted += number(row, 3);
    to->by[FW_MEMO_PROFILE] += number(row, 4);
    to->by[FW_MEMO_PROOF] += number(row, 5);
    to->witness += number(row, 6);
    to->claimed += number(row, 7);
}

static int take_counts(void *context, const struct fw_sql_row *row)
{
    struct looking *look = context;

    if (!fw_memo_is_idiom(fw_sql_number(row, 0)))
        return fw_memo_damaged(look->memo, look->err);
    add_counts(&look->counts[0], row);
    add_counts(&look->counts[number(row, 0)], row);
    return 0;
}

static int count(void *context, struct fw_error *err)
{
    struct looking *look = context;
    struct fw_query *q = &look->memo->q;
    int64_t program;

    look->err = err;
    memset(look->counts, 0, (FW_IDIOMS + 1) * sizeof *look->counts);
    if (fw_memo_find_program(look->memo, look->program, &program, err) < 0)
        return -1;
    say_standing(look->memo, program);
    fw_query_say(q, "SELECT i.idiom, " STATE " AS state, count(*), count(s.iroot), "
                    "sum(s.profile), sum(s.proof), sum(CASE s.verdict WHEN 3 THEN 1 ELSE 0 END), "
                    "sum(CASE WHEN EXISTS (SELECT 1 FROM claims c WHERE c.iroot = i.id");
    say_scope(look->memo, "c");
    fw_query_say(q, ") THEN 1 ELSE 0 END)" FROM_IROOTS WHERE_KNOWN " GROUP BY i.idiom, " STATE,
                 program);
    return fw_query_run(q, look->memo->sql, take_counts, look, err);
}

int fw_memo_count(struct fw_memo *memo, const char *program,
                  struct fw_memo_counts counts[FW_IDIOMS + 1], struct fw_error *err)
{
    struct looking look = { .memo = memo, .program = program, .counts = counts };

    return fw_sql_read(memo->sql, count, &look, err);
}

/* --- programs --------------------------------------------------------------------------------- */

static int take_program(void *context, const struct fw_sql_row *row)
{
    struct looking *look = context;
    const struct fw_memo_program program = {
        fw_sql_text(row, 0), number(row, 1), number(row, 2),
        number(row, 3),      number(row, 4), number(row, 5)
    };

    return look->take_program(look->context, &program);
}

#define OF_PROGRAM(from) "(SELECT count(*) FROM " from " WHERE program = p.id)"
#define OF_SESSIONS(from)                                                                          \
    "(SELECT count(*) FROM sessions s JOIN runs r ON r.session = s.id " from                       \
    " WHERE s.program = p.id)"

static int each_program(void *context, struct fw_error *err)
{
    struct looking *look = context;

    fw_query_say(&look->memo->q,
                 "SELECT p.name, " OF_PROGRAM("iroots") ", " OF_SESSIONS("")
                 " + (SELECT coalesce(sum(plain), 0) FROM sessions WHERE program = p.id), "
                 OF_PROGRAM("inputs") ", " OF_PROGRAM("builds") ", "
                 OF_SESSIONS("JOIN failures f ON f.run = r.id")
                 " FROM programs p ORDER BY p.name");
    return fw_query_run(&look->memo->q, look->memo->sql, take_program, look, err);
}

int fw_memo_each_program(struct fw_memo *memo,
                         int (*take)(void *context, const struct fw_memo_program *program),
                         void *context, struct fw_error *err)
{
    struct looking look = { .memo = memo, .context = context, .take_program = take };

    return fw_sql_read(memo->sql, each_program, &look, err);
}

/* --- iRoots ----------------------------------------------------------------------------------- */

/* Idiom and waits stand in the cells from `head` on, texts and places in those from `words` on. */
static int read_iroot(const struct looking *look, const struct fw_sql_row *row, unsigned head,
                      unsigned words, struct fw_memo_iroot *iroot)
{
    if (!fw_memo_is_idiom(fw_sql_number(row, head)))
        return fw_memo_damaged(look->memo, look->err);
    iroot->idiom = (unsigned)number(row, head);
    iroot->waits = number(row, head + 1) != 0;
    iroot->count = fw_idiom_accesses(iroot->idiom);
    for (unsigned i = 0; i < iroot->count; i++) {
        iroot->access[i] = fw_sql_text(row, words + i);
        iroot->place[i] = fw_sql_text(row, words + FW_IROOT_MOST + i);
    }
    return 0;
}

/* Texts and places of i. */
#define WORDS "a.text, b.text, c.text, d.text, a.place, b.place, c.place, d.place"

static int take_iroot(void *context, const struct fw_sql_row *row)
{
    struct looking *look = context;
    struct fw_memo_row iroot = {
        .own = number(row, 2) != 0,
        .state = (enum fw_memo_state)number(row, 3),
        .seen = number(row, 4),
        .by = { number(row, 5) != 0, number(row, 6) != 0 },
        .verdict = (enum fw_memo_verdict)number(row, 7),
        .tried = number(row, 8),
        .failed = number(row, 9),
        .campaign = row->at[10],
        .input = row->at[11],
        .strategy = row->at[12],
        .number = number(row, 13) % FW_MEMO_APART,
        .when = fw_sql_number(row, 14),
        .judged = number(row, 15) != 0,
    };

    if (!fw_memo_is_verdict(fw_sql_number(row, 7)))
        return fw_memo_damaged(look->memo, look->err);
    if (read_iroot(look, row, 0, 16, &iroot.iroot) < 0)
        return -1;
    return look->take_iroot(look->context, &iroot);
}

/* Of each exposed iRoot the first run: by time, and what decides between equal times is the same
 * in all databases. */
#define FIRSTS                                                                                     \
    "firsts AS (SELECT t.iroot, t.first_run AS run, row_number() OVER (PARTITION BY t.iroot "      \
    "ORDER BY r.began, e.name, r.number) AS place FROM tallies t JOIN runs r ON r.id = "           \
    "t.first_run JOIN sessions e ON e.id = t.session WHERE e.program = %" PRId64

static void say_firsts(struct fw_memo *memo, const char *before, int64_t program)
{
    fw_query_say(&memo->q, "%s" FIRSTS, before, program);
    say_scope(memo, "e");
    fw_query_say(&memo->q, ") ");
}

static int each_iroot(void *context, struct fw_error *err)
{
    struct looking *look = context;
    struct fw_query *q = &look->memo->q;
    int64_t program;

    look->err = err;
    if (fw_memo_find_program(look->memo, look->program, &program, err) < 0)
        return -1;
    say_standing(look->memo, program);
    say_firsts(look->memo, ", ", program);
    fw_query_say(q, "SELECT i.idiom, i.waits, i.own, " STATE ", k.seen, s.profile, s.proof, "
                    "s.verdict, y.tried, y.failed, e.campaign, n.name, r.strategy, r.number, "
                    "r.began, k.judged, " WORDS FROM_IROOTS
                    "LEFT JOIN firsts f ON f.iroot = i.id AND f.place = 1 "
                    "LEFT JOIN runs r ON r.id = f.run LEFT JOIN sessions e ON e.id = r.session "
                    "LEFT JOIN inputs n ON n.id = r.input "
                    "JOIN accesses a ON a.id = i.a JOIN accesses b ON b.id = i.b "
                    "LEFT JOIN accesses c ON c.id = i.c LEFT JOIN accesses d ON d.id = i.d "
                    WHERE_KNOWN " ORDER BY i.idiom, a.text, b.text, c.text, d.text, i.waits",
                 program);
    return fw_query_run(q, look->memo->sql, take_iroot, look, err);
}

int fw_memo_each_iroot(struct fw_memo *memo, const char *program,
                       int (*take)(void *context, const struct fw_memo_row *row), void *context,
                       struct fw_error *err)
{
    struct looking look = { .memo = memo, .program = program, .context = context,
                            .take_iroot = take };

    return fw_sql_read(memo->sql, each_iroot, &look, err);
}

/* --- runs ------------------------------------------------------------------------------------- */

/* What a failing run was to expose, if it sought something. */
#define SAY_SOUGHT "i.idiom, i.waits, " WORDS
#define JOIN_SOUGHT(of)                                                                            \
    " LEFT JOIN iroots i ON i.id = " of ".iroot LEFT JOIN accesses a ON a.id = i.a "               \
    "LEFT JOIN accesses b ON b.id = i.b LEFT JOIN accesses c ON c.id = i.c "                       \
    "LEFT JOIN accesses d ON d.id = i.d "

/* Their cells in the rows of runs. */
#define WAY    (12u + FW_IDIOMS + 1)
#define SOUGHT (WAY + 1)

static int take_run(void *context, const struct fw_sql_row *row)
{
    struct looking *look = context;
    struct fw_memo_past run = {
        .campaign = fw_sql_text(row, 0),
        .number = number(row, 1) % FW_MEMO_APART,
        .input = fw_sql_text(row, 2),
        .strategy = fw_sql_text(row, 3),
        .outcome = fw_sql_text(row, 4),
        .began = fw_sql_number(row, 5),
        .took = number(row, 6),
        .exposed = number(row, 7),
        .failure = fw_sql_text(row, 8),
        .message = fw_sql_text(row, 9),
        .schedule = fw_sql_text(row, 10),
        .before = number(row, 11),
        .way = fw_sql_text(row, WAY),
    };

    for (unsigned i = 0; i <= FW_IDIOMS; i++)
        run.fresh[i] = number(row, 12 + i);
    if (row->at[SOUGHT] && read_iroot(look, row, SOUGHT, SOUGHT + 2, &run.sought) < 0)
        return -1;
    return look->take_run(look->context, &run);
}

static int each_run(void *context, struct fw_error *err)
{
    struct looking *look = context;
    struct fw_query *q = &look->memo->q;
    int64_t program;

    look->err = err;
    if (fw_memo_find_program(look->memo, look->program, &program, err) < 0)
        return -1;
    say_firsts(look->memo, "WITH ", program);
    fw_query_say(q, ", fresh AS (SELECT f.run, count(*) AS n0");
    for (unsigned i = 1; i <= FW_IDIOMS; i++)
        fw_query_say(q, ", sum(CASE i.idiom WHEN %u THEN 1 ELSE 0 END) AS n%u", i, i);
    fw_query_say(q, " FROM firsts f JOIN iroots i ON i.id = f.iroot WHERE f.place = 1 "
                    "GROUP BY f.run) SELECT e.campaign, r.number, n.name, r.strategy, r.outcome, "
                    "r.began, r.took, r.exposed, x.kind, x.message, x.schedule, r.plain - "
                    "lag(r.plain, 1, r.plain * 0) OVER (PARTITION BY r.session ORDER BY r.plain, "
                    "r.id)");
    for (unsigned i = 0; i <= FW_IDIOMS; i++)
        fw_query_say(q, ", h.n%u", i);
    fw_query_say(q, ", x.way, " SAY_SOUGHT " FROM runs r JOIN sessions e ON e.id = r.session "
                    "JOIN inputs n ON n.id = r.input LEFT JOIN failures x ON x.run = r.id "
                    JOIN_SOUGHT("x") "LEFT JOIN fresh h ON h.run = r.id WHERE e.program = "
                    "%" PRId64, program);
    say_scope(look->memo, "e");
    fw_query_say(q, " ORDER BY r.began, e.name, r.number");
    return fw_query_run(q, look->memo->sql, take_run, look, err);
}

int fw_memo_each_run(struct fw_memo *memo, const char *program,
                     int (*take)(void *context, const struct fw_memo_past *run), void *context,
                     struct fw_error *err)
{
    struct looking look = { .memo = memo, .program = program, .context = context,
                            .take_run = take };

    return fw_sql_read(memo->sql, each_run, &look, err);
}

struct run_count {
    struct looking look;
    int64_t rows, plain;
};

static int count_runs(void *context, struct fw_error *err)
{
    struct run_count *count = context;
    struct fw_memo *memo = count->look.memo;
    int64_t program;

    if (fw_memo_find_program(memo, count->look.program, &program, err) < 0)
        return -1;
    fw_query_say(&memo->q, "SELECT count(*) FROM runs r JOIN sessions e ON e.id = r.session WHERE "
                           "e.program = %" PRId64, program);
    say_scope(memo, "e");
    if (fw_memo_ask(memo, &count->rows, err) < 0)
        return -1;
    fw_query_say(&memo->q, "SELECT coalesce(sum(e.plain), 0) FROM sessions e WHERE e.program = "
                           "%" PRId64, program);
    say_scope(memo, "e");
    return fw_memo_ask(memo, &count->plain, err);
}

int fw_memo_count_runs(struct fw_memo *memo, const char *program, uint64_t *runs,
                       struct fw_error *err)
{
    struct run_count count = { .look = { .memo = memo, .program = program } };

    if (fw_sql_read(memo->sql, count_runs, &count, err) < 0)
        return -1;
    *runs = (uint64_t)(count.rows + count.plain);
    return 0;
}

/* --- failures --------------------------------------------------------------------------------- */

static int take_failure(void *context, const struct fw_sql_row *row)
{
    struct looking *look = context;
    struct fw_memo_known_failure failure = { .way = fw_sql_text(row, 0),
                                             .kind = fw_sql_text(row, 1),
                                             .message = fw_sql_text(row, 2),
                                             .input = fw_sql_text(row, 3),
                                             .schedule = fw_sql_text(row, 4),
                                             .runs = number(row, 5) };

    if (row->at[6] && read_iroot(look, row, 6, 8, &failure.sought) < 0)
        return -1;
    return look->take_failure(look->context, &failure);
}

/* Where it is known how runs failed, their messages may differ. */
#define ALIKE                                                                                      \
    "PARTITION BY n.name, x.way, CASE x.way WHEN '' THEN x.kind END, "                             \
    "CASE x.way WHEN '' THEN x.message END"

static int each_failure(void *context, struct fw_error *err)
{
    struct looking *look = context;
    struct fw_query *q = &look->memo->q;
    int64_t program;

    look->err = err;
    if (fw_memo_find_program(look->memo, look->program, &program, err) < 0)
        return -1;
    fw_query_say(q, "WITH known AS (SELECT x.way, x.kind, x.message, n.name AS input, r.began, "
                    "first_value(x.schedule) OVER (" ALIKE " ORDER BY CASE x.schedule WHEN '' "
                    "THEN 1 ELSE 0 END, r.began DESC, r.id DESC) AS schedule, "
                    "first_value(x.iroot) OVER (" ALIKE " ORDER BY CASE WHEN x.iroot IS NULL "
                    "THEN 1 ELSE 0 END, r.began, r.id) AS iroot, "
                    "row_number() OVER (" ALIKE " ORDER BY r.began, r.id) AS place, "
                    "count(*) OVER (" ALIKE ") AS times FROM failures x JOIN runs r ON r.id = "
                    "x.run JOIN sessions e ON e.id = r.session JOIN inputs n ON n.id = r.input "
                    "WHERE e.program = %" PRId64, program);
    say_scope(look->memo, "e");
    if (look->memo->judge)
        fw_query_say(q, " AND e.judge = %" PRId64, look->memo->judge);
    fw_query_say(q, ") SELECT k.way, k.kind, k.message, k.input, k.schedule, k.times, " SAY_SOUGHT
                    " FROM known k" JOIN_SOUGHT("k") "WHERE k.place = 1 ORDER BY k.began, "
                    "k.kind, k.message, k.input");
    return fw_query_run(q, look->memo->sql, take_failure, look, err);
}

int fw_memo_each_failure(struct fw_memo *memo, const char *program,
                         int (*take)(void *context, const struct fw_memo_known_failure *failure),
                         void *context, struct fw_error *err)
{
    struct looking look = { .memo = memo, .program = program, .context = context,
                            .take_failure = take };

    return fw_sql_read(memo->sql, each_failure, &look, err);
}
