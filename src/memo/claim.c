/*
 * claim.c - see memo.h: who tries what.
 *
 * Since transactions that write come one after another, finding candidates that nobody has claimed
 * and claiming them is one step for everybody else.
 */
#include "base/bug.h"
#include "memo/internal.h"

#include <inttypes.h>
#include <string.h>

struct claiming {
    struct fw_memo *memo;
    const struct fw_memo_wish *wish;
    struct fw_strtab *accesses;
    struct fw_memo_claims *claims;
    size_t before; /* claims that were there */
    int64_t now;
    uint64_t token;
    int64_t busy;
    struct fw_error *err;
};

/* --- claims that have ended ------------------------------------------------------------------- */

static int take_dead(void *context, const struct fw_sql_row *row)
{
    struct fw_memo_ids *dead = context;
    int64_t started = fw_host_started(fw_sql_number(row, 1));

    if (started != fw_sql_number(row, 2)) /* its number may be another one's by now */
        fw_vec_push(dead, fw_sql_number(row, 0));
    return 0;
}

static int drop_dead(struct claiming *c, struct fw_error *err)
{
    struct fw_query *q = &c->memo->q;
    struct fw_memo_ids dead = { 0 };
    char *host = fw_host_name();
    int result;

    fw_query_say(q, "SELECT DISTINCT s.id, s.pid, s.started FROM claims c JOIN sessions s "
                    "ON s.id = c.session WHERE s.host = ");
    fw_query_text(q, host);
    result = fw_query_run(q, c->memo->sql, take_dead, &dead, err);
    for (size_t i = 0; i < dead.len && result == 0; i++) {
        fw_query_say(q, "DELETE FROM claims WHERE session = %" PRId64, dead.at[i]);
        result = fw_memo_do(c->memo, err);
    }
    fw_vec_release(&dead);
    free(host);
    return result;
}

/* Also what this very call has claimed, if the connection was lost behind its commit. */
static int drop_ended(struct claiming *c, struct fw_error *err)
{
    fw_query_say(&c->memo->q, "DELETE FROM claims WHERE expires <= %" PRId64 " OR (session = "
                              "%" PRId64 " AND token = %" PRIu64 ")",
                 c->now, c->memo->session, c->token);
    if (fw_memo_do(c->memo, err) < 0)
        return -1;
    return drop_dead(c, err);
}

/* --- candidates ------------------------------------------------------------------------------- */

/* What the database has said of each iRoot with this input, of this build; refuted: the proof has
 * it infeasible, once it was asked. */
static void say_source(const struct claiming *c)
{
    fw_query_say(&c->memo->q, " FROM (SELECT iroot, max(verdict) AS verdict, "
                              "max(CASE WHEN predictor = %d AND verdict = %d THEN 1 ELSE 0 END) AS "
                              "refuted FROM predictions WHERE "
                              "input = %" PRId64 " AND build = %" PRId64 " GROUP BY iroot) v "
                              "JOIN iroots i ON i.id = v.iroot",
                 FW_MEMO_PROOF, FW_MEMO_INFEASIBLE, c->memo->input, c->memo->build);
}

/* Sessions e of this build and this judge. */
#define ALIKE "e.build = %" PRId64 " AND e.judge = %" PRId64

/* How often they have tried i. */
#define TRIED                                                                                      \
    "(SELECT coalesce(sum(t.tried), 0) FROM attempts t JOIN sessions e ON e.id = t.session "       \
    "WHERE t.iroot = i.id AND " ALIKE

/* The conditions of the wish on the rows i and v, claimed or not. */
static void say_conditions(const struct claiming *c)
{
    const struct fw_memo_wish *wish = c->wish;
    int64_t build = c->memo->build, judge = c->memo->judge;
    struct fw_query *q = &c->memo->q;

    fw_query_say(q, " WHERE (i.seen = 0 OR NOT EXISTS (SELECT 1 FROM tallies t JOIN sessions e ON "
                    "e.id = t.session WHERE t.iroot = i.id AND t.judged > 0 AND " ALIKE "))",
                 build, judge);
    if (wish->proved)
        fw_query_say(q, " AND v.verdict = %d", FW_MEMO_WITNESS);
    else if (!wish->infeasible)
        fw_query_say(q, " AND (v.verdict <> %d OR v.refuted = 0)", FW_MEMO_INFEASIBLE);
    if (wish->own_only)
        fw_query_say(q, " AND i.own = 1");
    if (wish->most)
        fw_query_say(q, " AND " TRIED ") < %" PRIu64, build, judge, wish->most);
    if (wish->most_here)
        fw_query_say(q, " AND " TRIED " AND t.input = %" PRId64 ") < %" PRIu64, build, judge,
                     c->memo->input, wish->most_here);
    for (unsigned idiom = 1; wish->idioms && idiom <= FW_IDIOMS; idiom++)
        if (!(wish->idioms >> idiom & 1))
            fw_query_say(q, " AND i.idiom <> %u", idiom);
}

/* Said of the rows i and, once more, of the rows that were chosen. */
#define ORDER(row, times, verdict)                                                                 \
    " ORDER BY CASE " verdict " WHEN 1 THEN 1 ELSE 0 END, " row ".idiom, " row ".own DESC, "       \
    times ", " verdict " DESC, " row ".id"

static int take_claim(void *context, const struct fw_sql_row *row)
{
    struct claiming *c = context;
    struct fw_memo_claim claim = {
        .id = (uint64_t)fw_sql_number(row, 0),
        .token = c->token,
        .iroot = { .idiom = (uint8_t)fw_sql_number(row, 1), .waits = fw_sql_number(row, 2) != 0 },
        .own = fw_sql_number(row, 3) != 0,
        .tried = (uint64_t)fw_sql_number(row, 4),
        .verdict = (enum fw_memo_verdict)fw_sql_number(row, 5),
    };

    if (!fw_memo_is_idiom(fw_sql_number(row, 1)) || !fw_memo_is_verdict(fw_sql_number(row, 5)))
        return fw_memo_damaged(c->memo, c->err);
    for (unsigned i = 0; i < fw_idiom_accesses(claim.iroot.idiom); i++) {
        const char *text = row->at[7 + i];

        if (!text)
            return fw_memo_damaged(c->memo, c->err);
        claim.iroot.access[i] = fw_strtab_intern(c->accesses, text, strlen(text));
    }
    claim.schedule = row->at[6] ? fw_xstrdup(row->at[6]) : NULL;
    fw_vec_push(c->claims, claim);
    return 0;
}

static int find(struct claiming *c, struct fw_error *err)
{
    struct fw_query *q = &c->memo->q;

    c->err = err;
    fw_query_say(q, "WITH chosen AS (SELECT i.id, i.idiom, i.waits, i.own, " TRIED ") AS times, "
                    "i.a, i.b, i.c, i.d, v.verdict", c->memo->build, c->memo->judge);
    say_source(c);
    say_conditions(c);
    fw_query_say(q, " AND NOT EXISTS (SELECT 1 FROM claims c WHERE c.iroot = i.id AND c.build = "
                    "%" PRId64 " AND c.judge = %" PRId64 ")" ORDER("i", "times", "v.verdict")
                    " LIMIT %zu) ", c->memo->build, c->memo->judge, c->wish->count);
    fw_query_say(q, "SELECT h.id, h.idiom, h.waits, h.own, h.times, h.verdict, "
                    "(SELECT max(p.schedule) FROM predictions p WHERE p.iroot = h.id AND "
                    "p.input = %" PRId64 " AND p.build = %" PRId64 "), a.text, b.text, c.text, "
                    "d.text FROM chosen h "
                    "JOIN accesses a ON a.id = h.a JOIN accesses b ON b.id = h.b "
                    "LEFT JOIN accesses c ON c.id = h.c LEFT JOIN accesses d ON d.id = h.d"
                    ORDER("h", "h.times", "h.verdict"), c->memo->input, c->memo->build);
    return fw_query_run(q, c->memo->sql, take_claim, c, err);
}

static int count_busy(struct claiming *c, struct fw_error *err)
{
    struct fw_query *q = &c->memo->q;

    fw_query_say(q, "SELECT count(*)");
    say_source(c);
    fw_query_say(q, " JOIN claims c ON c.iroot = i.id AND c.build = %" PRId64 " AND c.judge = "
                    "%" PRId64, c->memo->build, c->memo->judge);
    say_conditions(c);
    fw_query_say(q, " AND c.session <> %" PRId64, c->memo->session);
    return fw_memo_ask(c->memo, &c->busy, err);
}

static int write_claims(struct claiming *c, struct fw_error *err)
{
    int64_t expires = c->now + (int64_t)c->wish->lease * 1000;

    for (size_t i = c->before; i < c->claims->len; i++) {
        fw_query_say(&c->memo->q, "INSERT INTO claims (iroot, build, judge, session, token, "
                                  "expires) VALUES (%" PRIu64 ", %" PRId64 ", %" PRId64 ", "
                                  "%" PRId64 ", %" PRIu64 ", %" PRId64 ")",
                     c->claims->at[i].id, c->memo->build, c->memo->judge, c->memo->session,
                     c->token, expires);
        if (fw_memo_do(c->memo, err) < 0)
            return -1;
    }
    return 0;
}

static void take_back(struct claiming *c)
{
    while (c->claims->len > c->before)
        fw_memo_claim_release(&fw_vec_pop(c->claims));
}

static int claim(void *context, struct fw_error *err)
{
    struct claiming *c = context;

    take_back(c);
    if (fw_sql_now(c->memo->sql, &c->now, err) < 0 || drop_ended(c, err) < 0 ||
        count_busy(c, err) < 0 || find(c, err) < 0)
        return -1;
    return write_claims(c, err);
}

int fw_memo_claim(struct fw_memo *memo, const struct fw_memo_wish *wish, struct fw_strtab *accesses,
                  struct fw_memo_claims *claims, uint64_t *busy, struct fw_error *err)
{
    struct claiming c = { .memo = memo, .wish = wish, .accesses = accesses, .claims = claims,
                          .before = claims->len };

    FW_ASSERT(memo->session);
    fw_host_random(&c.token, sizeof c.token);
    c.token >>= 1; /* columns have a sign */
    if (fw_memo_write(memo, claim, &c, err) < 0) {
        take_back(&c);
        return -1;
    }
    if (busy)
        *busy = (uint64_t)c.busy;
    return 0;
}

/* --- keeping and giving back ------------------------------------------------------------------ */

struct change {
    struct fw_memo *memo;
    const struct fw_memo_claim *claim;
};

static int unclaim(void *context, struct fw_error *err)
{
    struct change *change = context;

    fw_query_say(&change->memo->q, "DELETE FROM claims WHERE session = %" PRId64,
                 change->memo->session);
    if (change->claim)
        fw_query_say(&change->memo->q, " AND iroot = %" PRIu64 " AND token = %" PRIu64,
                     change->claim->id, change->claim->token);
    return fw_memo_do(change->memo, err);
}

int fw_memo_unclaim(struct fw_memo *memo, const struct fw_memo_claim *claim, struct fw_error *err)
{
    struct change change = { .memo = memo, .claim = claim };

    FW_ASSERT(memo->session);
    return fw_memo_write(memo, unclaim, &change, err);
}

void fw_memo_claim_release(struct fw_memo_claim *claim)
{
    free(claim->schedule);
    claim->schedule = NULL;
}
