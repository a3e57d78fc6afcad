/* record.c - see memo.h: what runs have exposed, and what predictors say. */
#include "base/bug.h"
#include "memo/internal.h"

#include <inttypes.h>
#include <stdlib.h>

/* The statements of this file are about this many rows of ids at a time. */
#define CHUNKS(ids, i, chunk)                                                                      \
    for (size_t i = 0, chunk; i < (ids).len; i += chunk)                                           \
        if (chunk = (ids).len - i < FW_MEMO_CHUNK ? (ids).len - i : FW_MEMO_CHUNK, true)

static void say_ids(struct fw_query *q, const int64_t *ids, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fw_query_say(q, "%s%" PRId64, i ? ", " : "(", ids[i]);
    fw_query_say(q, ")");
}

static int compare_ids(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

    return left < right ? -1 : left > right;
}

/* Different texts may have become one. */
static void sort_ids(struct fw_memo_ids *ids)
{
    size_t kept = 0;

    if (ids->len)
        qsort(ids->at, ids->len, sizeof *ids->at, compare_ids);
    for (size_t i = 0; i < ids->len; i++)
        if (!i || ids->at[i] != ids->at[i - 1])
            ids->at[kept++] = ids->at[i];
    ids->len = kept;
}

/* At least one for each row of a run. */
static int count_writes(struct fw_memo *memo, size_t count, struct fw_error *err)
{
    fw_query_say(&memo->q, "UPDATE sessions SET writes = writes + %zu WHERE id = %" PRId64, count,
                 memo->session);
    return fw_memo_do(memo, err);
}

/* --- runs ------------------------------------------------------------------------------------- */

struct recording {
    struct fw_memo *memo;
    const struct fw_memo_names *names;
    const struct fw_memo_run *run;
    struct fw_memo_ids ids; /* exposed, each once, in order */
    int64_t row;            /* of the run */
    uint64_t fresh;
};

static int is_recorded(struct recording *r, int64_t *known, struct fw_error *err)
{
    struct fw_query *q = &r->memo->q;

    fw_query_say(q, "SELECT 1 FROM sessions s JOIN runs r ON r.session = s.id WHERE s.program = "
                    "%" PRId64 " AND r.number = %" PRIu64 " AND s.campaign = ",
                 r->memo->program, r->run->number);
    fw_query_text(q, r->memo->campaign);
    return fw_memo_ask(r->memo, known, err);
}

/* So many of its iRoots, and plain runs of its session before it. */
static int insert_run(struct recording *r, size_t exposed, uint64_t plain, struct fw_error *err)
{
    struct fw_query *q = &r->memo->q;
    int64_t began = r->run->began;

    if (!began && fw_sql_now(r->memo->sql, &began, err) < 0)
        return -1;
    fw_query_say(q, "INSERT INTO runs (session, number, input, strategy, outcome, began, took, "
                    "exposed, plain) VALUES (%" PRId64 ", %" PRIu64 ", %" PRId64 ", ",
                 r->memo->session, r->run->number, r->memo->input);
    fw_query_text(q, r->run->strategy);
    fw_query_say(q, ", ");
    fw_query_text(q, r->run->outcome);
    fw_query_say(q, ", %" PRId64 ", %" PRIu64 ", %zu, %" PRIu64 ") RETURNING id", began,
                 r->run->took, exposed, plain);
    return fw_memo_ask(r->memo, &r->row, err);
}

static int count_fresh(struct recording *r, const int64_t *ids, size_t count, struct fw_error *err)
{
    int64_t fresh;

    fw_query_say(&r->memo->q, "SELECT count(*) FROM iroots WHERE seen = 0 AND id IN ");
    say_ids(&r->memo->q, ids, count);
    if (fw_memo_ask(r->memo, &fresh, err) < 0)
        return -1;
    r->fresh += (uint64_t)fresh;
    return 0;
}

static int count_exposed(struct recording *r, const int64_t *ids, size_t count,
                         struct fw_error *err)
{
    struct fw_query *q = &r->memo->q;

    if (count_fresh(r, ids, count, err) < 0)
        return -1;
    fw_query_say(q, "UPDATE iroots SET seen = seen + 1 WHERE id IN ");
    say_ids(q, ids, count);
    if (fw_memo_do(r->memo, err) < 0)
        return -1;
    fw_query_say(q, "INSERT INTO tallies (iroot, session, seen, judged, first_run) VALUES ");
    for (size_t i = 0; i < count; i++)
        fw_query_say(q, "%s(%" PRId64 ", %" PRId64 ", 1, %d, %" PRId64 ")", i ? ", " : "", ids[i],
                     r->memo->session, !r->run->unjudged, r->row);
    fw_query_say(q, " ON CONFLICT (iroot, session) DO UPDATE SET seen = tallies.seen + 1, "
                    "judged = tallies.judged + excluded.judged");
    return fw_memo_do(r->memo, err);
}

/* The attempt counts if the claim is still ours. */
static int finish_claim(struct recording *r, struct fw_error *err)
{
    struct fw_query *q = &r->memo->q;
    int64_t id = (int64_t)r->run->claim->id, ours;
    bool exposed =
        r->run->reached || (r->ids.len && bsearch(&id, r->ids.at, r->ids.len, sizeof id,
                                                  compare_ids));
    int failed = r->run->failure != NULL;

    fw_query_say(q, "DELETE FROM claims WHERE iroot = %" PRId64 " AND session = %" PRId64
                    " AND token = %" PRIu64 " RETURNING iroot",
                 id, r->memo->session, r->run->claim->token);
    if (fw_memo_ask(r->memo, &ours, err) < 0)
        return -1;
    if (!ours)
        return 0;
    fw_query_say(q, "INSERT INTO attempts (iroot, input, session, tried, exposed, failed) VALUES "
                    "(%" PRId64 ", %" PRId64 ", %" PRId64 ", 1, %d, %d) "
                    "ON CONFLICT (iroot, input, session) DO UPDATE SET "
                    "tried = attempts.tried + 1, exposed = attempts.exposed + excluded.exposed, "
                    "failed = attempts.failed + excluded.failed",
                 id, r->memo->input, r->memo->session, exposed, failed);
    if (fw_memo_do(r->memo, err) < 0)
        return -1;
    fw_query_say(q, "UPDATE iroots SET tried = tried + 1 WHERE id = %" PRId64, id);
    return fw_memo_do(r->memo, err);
}

static int insert_failure(struct recording *r, struct fw_error *err)
{
    const struct fw_memo_failure *failure = r->run->failure;
    struct fw_query *q = &r->memo->q;

    fw_query_say(q, "INSERT INTO failures (run, iroot, way, kind, message, schedule) VALUES "
                    "(%" PRId64 ", ", r->row);
    if (r->run->claim)
        fw_query_say(q, "%" PRIu64 ", ", r->run->claim->id);
    else
        fw_query_say(q, "NULL, ");
    fw_query_text(q, failure->way ? failure->way : "");
    fw_query_say(q, ", ");
    fw_query_text(q, failure->kind);
    fw_query_say(q, ", ");
    fw_query_text(q, failure->message ? failure->message : "");
    fw_query_say(q, ", ");
    fw_query_text(q, failure->schedule ? failure->schedule : "");
    fw_query_say(q, ")");
    return fw_memo_do(r->memo, err);
}

static int count_known_plain(struct fw_memo *memo, int64_t *plain, struct fw_error *err)
{
    fw_query_say(&memo->q, "SELECT plain FROM sessions WHERE id = %" PRId64, memo->session);
    return fw_memo_ask(memo, plain, err);
}

static int record(void *context, struct fw_error *err)
{
    struct recording *r = context;
    int64_t known, plain;

    r->fresh = 0;
    if (is_recorded(r, &known, err) < 0)
        return -1;
    if (known)
        return 1;
    if (fw_memo_intern(r->memo, r->memo->program, r->names, r->run->exposed, r->run->exposed_count,
                       &r->ids, err) < 0)
        return -1;
    sort_ids(&r->ids);
    if (count_known_plain(r->memo, &plain, err) < 0 ||
        insert_run(r, r->ids.len, (uint64_t)plain, err) < 0)
        return -1;
    CHUNKS(r->ids, i, count)
        if (count_exposed(r, r->ids.at + i, count, err) < 0)
            return -1;
    if ((r->run->claim && finish_claim(r, err) < 0) ||
        (r->run->failure && insert_failure(r, err) < 0))
        return -1;
    return count_writes(r->memo, 1, err);
}

int fw_memo_record(struct fw_memo *memo, const struct fw_memo_names *names,
                   const struct fw_memo_run *run, uint64_t *fresh, struct fw_error *err)
{
    struct recording r = { .memo = memo, .names = names, .run = run };
    int result;

    FW_ASSERT(memo->session);
    result = fw_memo_write(memo, record, &r, err);
    if (result >= 0 && fresh)
        *fresh = r.fresh;
    fw_vec_release(&r.ids);
    return result;
}

/* --- many runs -------------------------------------------------------------------------------- */

struct tally {
    int64_t iroot;
    uint64_t times;
};

struct counting {
    struct fw_memo *memo;
    const struct fw_memo_names *names;
    const struct fw_memo_batch *batch;
    struct fw_memo_ids ids;
    FW_VEC(struct tally) rows; /* each iRoot once */
};

static int compare_tallies(const void *a, const void *b)
{
    return compare_ids(&((const struct tally *)a)->iroot, &((const struct tally *)b)->iroot);
}

static uint64_t sort_tallies(struct counting *c)
{
    uint64_t all = 0;
    size_t kept = 0;

    fw_vec_clear(&c->rows);
    for (size_t i = 0; i < c->ids.len; i++) {
        struct tally row = { c->ids.at[i], c->batch->times[i] };

        all += row.times;
        if (row.times)
            fw_vec_push(&c->rows, row);
    }
    if (c->rows.len)
        qsort(c->rows.at, c->rows.len, sizeof *c->rows.at, compare_tallies);
    for (size_t i = 0; i < c->rows.len; i++)
        if (kept && c->rows.at[kept - 1].iroot == c->rows.at[i].iroot)
            c->rows.at[kept - 1].times += c->rows.at[i].times;
        else
            c->rows.at[kept++] = c->rows.at[i];
    c->rows.len = kept;
    return all;
}

static int add_seen(struct counting *c, const struct tally *rows, size_t count,
                    struct fw_error *err)
{
    struct fw_query *q = &c->memo->q;

    for (unsigned table = 0; table < 2; table++) {
        fw_query_say(q, "UPDATE %s seen = seen + v.column2 FROM (VALUES ",
                     table ? "tallies SET judged = judged + v.column2," : "iroots SET");
        for (size_t i = 0; i < count; i++)
            fw_query_say(q, "%s(%" PRId64 ", %" PRIu64 ")", i ? ", " : "", rows[i].iroot,
                         rows[i].times);
        fw_query_say(q, ") AS v WHERE %s = v.column1", table ? "iroot" : "id");
        if (table)
            fw_query_say(q, " AND session = %" PRId64, c->memo->session);
        if (fw_memo_do(c->memo, err) < 0)
            return -1;
    }
    return 0;
}

/* The run is the first of its session to expose these; how often all do is counted later. */
static int insert_tallies(struct recording *r, const int64_t *ids, size_t count,
                          struct fw_error *err)
{
    struct fw_query *q = &r->memo->q;

    fw_query_say(q, "INSERT INTO tallies (iroot, session, seen, first_run) VALUES ");
    for (size_t i = 0; i < count; i++)
        fw_query_say(q, "%s(%" PRId64 ", %" PRId64 ", 0, %" PRId64 ")", i ? ", " : "", ids[i],
                     r->memo->session, r->row);
    fw_query_say(q, " ON CONFLICT (iroot, session) DO NOTHING");
    return fw_memo_do(r->memo, err);
}

static int insert_row(struct counting *c, const struct fw_memo_run *run, struct fw_error *err)
{
    struct recording r = { .memo = c->memo, .names = c->names, .run = run };
    int status = -1;

    if (fw_memo_intern(c->memo, c->memo->program, c->names, run->exposed, run->exposed_count,
                       &r.ids, err) < 0)
        goto out;
    sort_ids(&r.ids);
    if (insert_run(&r, run->exposed_all, run->plain_before, err) < 0)
        goto out;
    CHUNKS(r.ids, i, count)
        if (insert_tallies(&r, r.ids.at + i, count, err) < 0)
            goto out;
    if ((!run->claim || finish_claim(&r, err) == 0) &&
        (!run->failure || insert_failure(&r, err) == 0))
        status = 0;
out:
    fw_vec_release(&r.ids);
    return status;
}

/* It was, if the answer to its commit was lost. */
static int is_batch_recorded(const struct counting *c, int64_t *known, struct fw_error *err)
{
    struct recording first = { .memo = c->memo, .run = c->batch->rows };

    if (c->batch->row_count)
        return is_recorded(&first, known, err);
    if (count_known_plain(c->memo, known, err) < 0)
        return -1;
    *known = (uint64_t)*known >= c->batch->plain;
    return 0;
}

static int record_batch(void *context, struct fw_error *err)
{
    struct counting *c = context;
    int64_t known;
    uint64_t plain_exposed;

    if (is_batch_recorded(c, &known, err) < 0)
        return -1;
    if (known)
        return 0;
    for (size_t i = 0; i < c->batch->row_count; i++)
        if (insert_row(c, &c->batch->rows[i], err) < 0)
            return -1;
    if (fw_memo_intern(c->memo, c->memo->program, c->names, c->batch->exposed, c->batch->count,
                       &c->ids, err) < 0)
        return -1;
    plain_exposed = sort_tallies(c);
    for (size_t i = 0; i < c->batch->row_count; i++)
        plain_exposed -= c->batch->rows[i].exposed_all;
    CHUNKS(c->rows, i, count)
        if (add_seen(c, c->rows.at + i, count, err) < 0)
            return -1;
    fw_query_say(&c->memo->q,
                 "UPDATE sessions SET plain = %" PRIu64 ", plain_exposed = plain_exposed + "
                 "%" PRIu64 " WHERE id = %" PRId64, c->batch->plain, plain_exposed,
                 c->memo->session);
    return fw_memo_do(c->memo, err) < 0 ? -1 : count_writes(c->memo, 1 + c->batch->row_count, err);
}

int fw_memo_record_batch(struct fw_memo *memo, const struct fw_memo_names *names,
                         const struct fw_memo_batch *batch, struct fw_error *err)
{
    struct counting c = { .memo = memo, .names = names, .batch = batch };
    int result;

    FW_ASSERT(memo->session);
    result = fw_memo_write(memo, record_batch, &c, err);
    fw_vec_release(&c.ids);
    fw_vec_release(&c.rows);
    return result;
}

/* --- schedules of failures -------------------------------------------------------------------- */

struct keeping {
    struct fw_memo *memo;
    const struct fw_memo_failure *failure;
};

static int keep(void *context, struct fw_error *err)
{
    const struct keeping *k = context;
    struct fw_query *q = &k->memo->q;

    fw_query_say(q, "UPDATE failures SET schedule = ");
    fw_query_text(q, k->failure->schedule);
    fw_query_say(q, " WHERE schedule = '' AND run IN (SELECT id FROM runs WHERE session = %" PRId64
                    ") AND way = ", k->memo->session);
    fw_query_text(q, k->failure->way ? k->failure->way : "");
    if (!k->failure->way) {
        fw_query_say(q, " AND kind = ");
        fw_query_text(q, k->failure->kind);
        fw_query_say(q, " AND message = ");
        fw_query_text(q, k->failure->message ? k->failure->message : "");
    }
    return fw_memo_do(k->memo, err) < 0 ? -1 : count_writes(k->memo, 1, err);
}

int fw_memo_keep(struct fw_memo *memo, const struct fw_memo_failure *failure, struct fw_error *err)
{
    struct keeping k = { memo, failure };

    FW_ASSERT(memo->session);
    return fw_memo_write(memo, keep, &k, err);
}

/* --- predictions ------------------------------------------------------------------------------ */

struct predicted {
    int64_t iroot;
    const struct fw_memo_prediction *said;
};

struct predicting {
    struct fw_memo *memo;
    const struct fw_memo_names *names;
    const struct fw_memo_prediction *said;
    size_t count;
    struct fw_memo_ids ids;
    FW_VEC(struct predicted) rows; /* each once, the greatest verdict */
    uint64_t fresh;
};

static int compare_predicted(const void *a, const void *b)
{
    const struct predicted *left = a, *right = b;

    if (left->iroot != right->iroot)
        return left->iroot < right->iroot ? -1 : 1;
    if (left->said->by != right->said->by)
        return left->said->by < right->said->by ? -1 : 1;
    return (int)right->said->verdict - (int)left->said->verdict;
}

static void sort_rows(struct predicting *p)
{
    size_t kept = 0;

    fw_vec_clear(&p->rows);
    for (size_t i = 0; i < p->count; i++) {
        struct predicted row = { p->ids.at[i], &p->said[i] };

        fw_vec_push(&p->rows, row);
    }
    if (p->count)
        qsort(p->rows.at, p->rows.len, sizeof *p->rows.at, compare_predicted);
    for (size_t i = 0; i < p->rows.len; i++)
        if (!i || p->rows.at[i].iroot != p->rows.at[i - 1].iroot ||
            p->rows.at[i].said->by != p->rows.at[i - 1].said->by)
            p->rows.at[kept++] = p->rows.at[i];
    p->rows.len = kept;
}

/* How many of them nobody has predicted for this input. */
static int count_unpredicted(struct predicting *p, const int64_t *ids, size_t count,
                             struct fw_error *err)
{
    int64_t known;

    fw_query_say(&p->memo->q, "SELECT count(DISTINCT iroot) FROM predictions WHERE input = %" PRId64
                              " AND build = %" PRId64 " AND iroot IN ",
                 p->memo->input, p->memo->build);
    say_ids(&p->memo->q, ids, count);
    if (fw_memo_ask(p->memo, &known, err) < 0)
        return -1;
    p->fresh += count - (uint64_t)known;
    return 0;
}

static int insert_predictions(struct predicting *p, const struct predicted *rows, size_t count,
                              struct fw_error *err)
{
    struct fw_query *q = &p->memo->q;

    fw_query_say(q, "INSERT INTO predictions (iroot, input, build, predictor, verdict, schedule) "
                    "VALUES ");
    for (size_t i = 0; i < count; i++) {
        fw_query_say(q, "%s(%" PRId64 ", %" PRId64 ", %" PRId64 ", %d, %d, ", i ? ", " : "",
                     rows[i].iroot, p->memo->input, p->memo->build, rows[i].said->by,
                     rows[i].said->verdict);
        if (rows[i].said->schedule)
            fw_query_text(q, rows[i].said->schedule);
        else
            fw_query_say(q, "NULL");
        fw_query_say(q, ")");
    }
    fw_query_say(q, FW_MEMO_BETTER);
    return fw_memo_do(p->memo, err);
}

static int predict(void *context, struct fw_error *err)
{
    struct predicting *p = context;
    struct fw_iroot *iroots = fw_xcalloc(p->count ? p->count : 1, sizeof *iroots);
    int result;

    p->fresh = 0;
    for (size_t i = 0; i < p->count; i++)
        iroots[i] = p->said[i].iroot;
    result = fw_memo_intern(p->memo, p->memo->program, p->names, iroots, p->count, &p->ids, err);
    free(iroots);
    if (result < 0)
        return -1;
    sort_rows(p);
    sort_ids(&p->ids);
    CHUNKS(p->ids, i, count)
        if (count_unpredicted(p, p->ids.at + i, count, err) < 0)
            return -1;
    CHUNKS(p->rows, i, count)
        if (insert_predictions(p, p->rows.at + i, count, err) < 0)
            return -1;
    return count_writes(p->memo, 1, err);
}

int fw_memo_predict(struct fw_memo *memo, const struct fw_memo_names *names,
                    const struct fw_memo_prediction *predictions, size_t count, uint64_t *fresh,
                    struct fw_error *err)
{
    struct predicting p = { .memo = memo, .names = names, .said = predictions, .count = count };
    int result;

    FW_ASSERT(memo->session);
    result = fw_memo_write(memo, predict, &p, err);
    if (result >= 0 && fresh)
        *fresh = p.fresh;
    fw_vec_release(&p.ids);
    fw_vec_release(&p.rows);
    return result;
}
