/* memo.c - see memo.h: opening, closing, and who is at work. */
#include "memo/memo.h"

#include "memo/internal.h"
#include "memo/schema.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *const fw_memo_predictors[FW_MEMO_PREDICTORS] = { "profile", "proof" };
const char *const fw_memo_verdicts[FW_MEMO_VERDICTS] = { "unknown", "infeasible", "undecided",
                                                         "witness" };
const char *const fw_memo_states[FW_MEMO_STATES] = { "exposed", "infeasible", "failed", "left" };

int fw_memo_open(struct fw_memo **memo, const char *where, enum fw_memo_mode mode,
                 unsigned patience, struct fw_error *err)
{
    const struct fw_sql_way way = { mode == FW_MEMO_WRITE, patience };
    struct fw_memo *m;
    struct fw_sql *sql;

    if (fw_sql_open(&sql, where, &way, err) < 0)
        return -1;
    if (fw_schema_bring(sql, &fw_memo_schema, way.write, err) < 0) {
        fw_sql_close(sql);
        return -1;
    }
    m = fw_xcalloc(1, sizeof *m);
    m->sql = sql;
    m->mode = mode;
    m->scope = FW_MEMO_ALL_BUILDS;
    fw_known_init(&m->known);
    *memo = m;
    return 0;
}

void fw_memo_close(struct fw_memo *memo)
{
    struct fw_error ignored; /* then they are free when their time is over */

    if (!memo)
        return;
    if (memo->session)
        fw_memo_unclaim(memo, NULL, &ignored);
    fw_known_release(&memo->known);
    fw_query_release(&memo->q);
    fw_sql_close(memo->sql);
    free(memo->campaign);
    free(memo);
}

const char *fw_memo_name(const struct fw_memo *memo)
{
    return memo->sql->name;
}

bool fw_memo_is_url(const char *where)
{
    return fw_sql_is_url(where);
}

/* --- for the other files ---------------------------------------------------------------------- */

int fw_memo_do(struct fw_memo *memo, struct fw_error *err)
{
    return fw_query_run(&memo->q, memo->sql, NULL, NULL, err);
}

int fw_memo_ask(struct fw_memo *memo, int64_t *number, struct fw_error *err)
{
    *number = 0;
    return fw_query_run(&memo->q, memo->sql, fw_sql_take_number, number, err);
}

int fw_memo_damaged(const struct fw_memo *memo, struct fw_error *err)
{
    return fw_error_set(err, "database '%s' is damaged: an iRoot has no known idiom or verdict, or "
                             "an access that is not there", fw_memo_name(memo));
}

struct writing {
    struct fw_memo *memo;
    fw_sql_body *body;
    void *context;
    bool undone; /* it was begun before */
};

void fw_memo_forget(struct fw_memo *memo)
{
    fw_known_release(&memo->known);
    fw_known_init(&memo->known);
}

static int write_body(void *context, struct fw_error *err)
{
    struct writing *w = context;

    if (w->undone)
        fw_memo_forget(w->memo);
    w->undone = true;
    return w->body(w->context, err);
}

int fw_memo_write(struct fw_memo *memo, fw_sql_body *body, void *context, struct fw_error *err)
{
    struct writing writing = { memo, body, context, false };
    int result = fw_sql_write(memo->sql, write_body, &writing, err);

    if (result < 0)
        fw_memo_forget(memo);
    return result;
}

int fw_memo_find_program(struct fw_memo *memo, const char *name, int64_t *id, struct fw_error *err)
{
    if (!name) {
        *id = memo->program;
        return 0;
    }
    fw_query_say(&memo->q, "SELECT id FROM programs WHERE name = ");
    fw_query_text(&memo->q, name);
    if (fw_memo_ask(memo, id, err) < 0)
        return -1;
    if (!*id)
        return fw_error_set(err, "'%s' knows no program '%s'", fw_memo_name(memo), name);
    return 0;
}

/* --- entering --------------------------------------------------------------------------------- */

struct entering {
    struct fw_memo *memo;
    const struct fw_memo_who *who;
    int64_t program, build, judge, input, session;
    char session_name[40];
};

static int enter_program(struct entering *e, int64_t now, struct fw_error *err)
{
    struct fw_query *q = &e->memo->q;

    fw_query_say(q, "INSERT INTO programs (name) VALUES (");
    fw_query_text(q, e->who->program);
    fw_query_say(q, ") ON CONFLICT (name) DO NOTHING");
    if (fw_memo_do(e->memo, err) < 0 ||
        fw_memo_find_program(e->memo, e->who->program, &e->program, err) < 0)
        return -1;
    e->build = 0;
    if (!e->who->build)
        return 0;
    fw_query_say(q, "INSERT INTO builds (program, build, met) VALUES (%" PRId64 ", ", e->program);
    fw_query_text(q, e->who->build);
    fw_query_say(q, ", %" PRId64 ") ON CONFLICT (program, build) DO NOTHING", now);
    if (fw_memo_do(e->memo, err) < 0)
        return -1;
    fw_query_say(q, "SELECT id FROM builds WHERE program = %" PRId64 " AND build = ", e->program);
    fw_query_text(q, e->who->build);
    return fw_memo_ask(e->memo, &e->build, err);
}

/* By its text, or, of a long one, by the digest. */
static int enter_judge(struct entering *e, struct fw_error *err)
{
    struct fw_query *q = &e->memo->q;
    const char *judge = e->who->judge ? e->who->judge : "";
    char digest[FW_MEMO_DIGEST];

    if (strlen(judge) > FW_MEMO_NAME) {
        fw_memo_digest(judge, digest);
        judge = digest;
    }
    fw_query_say(q, "INSERT INTO judges (program, judge) VALUES (%" PRId64 ", ", e->program);
    fw_query_text(q, judge);
    fw_query_say(q, ") ON CONFLICT (program, judge) DO NOTHING");
    if (fw_memo_do(e->memo, err) < 0)
        return -1;
    fw_query_say(q, "SELECT id FROM judges WHERE program = %" PRId64 " AND judge = ", e->program);
    fw_query_text(q, judge);
    return fw_memo_ask(e->memo, &e->judge, err);
}

static int enter_input(struct entering *e, struct fw_error *err)
{
    struct fw_query *q = &e->memo->q;

    fw_query_say(q, "INSERT INTO inputs (program, name, command) VALUES (%" PRId64 ", ",
                 e->program);
    fw_query_text(q, e->who->input);
    fw_query_say(q, ", ");
    fw_query_text(q, e->who->command ? e->who->command : "");
    fw_query_say(q, ") ON CONFLICT (program, name) DO NOTHING");
    if (fw_memo_do(e->memo, err) < 0)
        return -1;
    fw_query_say(q, "SELECT id FROM inputs WHERE program = %" PRId64 " AND name = ", e->program);
    fw_query_text(q, e->who->input);
    return fw_memo_ask(e->memo, &e->input, err);
}

/* Nobody will come back to what an earlier session of ours has claimed. */
static int enter_session(struct entering *e, int64_t now, struct fw_error *err)
{
    struct fw_query *q = &e->memo->q;
    char *host;

    fw_query_say(q, "DELETE FROM claims WHERE session = %" PRId64, e->memo->session);
    if (fw_memo_do(e->memo, err) < 0)
        return -1;
    host = fw_host_name();
    fw_query_say(q, "INSERT INTO sessions (program, build, judge, name, campaign, host, pid, "
                    "started, began, writes) VALUES (%" PRId64 ", %" PRId64 ", %" PRId64 ", ",
                 e->program, e->build, e->judge);
    fw_query_text(q, e->session_name);
    fw_query_say(q, ", ");
    fw_query_text(q, e->who->campaign);
    fw_query_say(q, ", ");
    fw_query_text(q, host);
    /* It is there already if the connection was lost behind the commit, and all is done again. */
    fw_query_say(q, ", %lld, %" PRId64 ", %" PRId64 ", 0) ON CONFLICT (name) DO UPDATE SET "
                    "writes = sessions.writes RETURNING id",
                 (long long)getpid(), fw_host_started(getpid()), now);
    free(host);
    return fw_memo_ask(e->memo, &e->session, err);
}

static int enter(void *context, struct fw_error *err)
{
    struct entering *e = context;
    int64_t now;

    if (fw_sql_now(e->memo->sql, &now, err) < 0 || enter_program(e, now, err) < 0 ||
        enter_judge(e, err) < 0 || enter_input(e, err) < 0)
        return -1;
    e->session = e->memo->session;
    if (e->session && e->program == e->memo->program && e->build == e->memo->build &&
        e->judge == e->memo->judge && strcmp(e->memo->campaign, e->who->campaign) == 0)
        return 0;
    return enter_session(e, now, err);
}

static int check_names(const struct fw_memo_who *who, struct fw_error *err)
{
    const char *const names[] = { who->program, who->input, who->campaign, who->build };

    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i] && strlen(names[i]) > FW_MEMO_NAME)
            return fw_error_set(err, "a name has more than %u bytes: '%.40s...'", FW_MEMO_NAME,
                                names[i]);
    return 0;
}

int fw_memo_enter(struct fw_memo *memo, const struct fw_memo_who *who, struct fw_error *err)
{
    struct entering e = { .memo = memo, .who = who };
    uint64_t random[2];

    fw_host_random(random, sizeof random);
    snprintf(e.session_name, sizeof e.session_name, "%016" PRIx64 "%016" PRIx64, random[0],
             random[1]);
    if (check_names(who, err) < 0 || fw_memo_write(memo, enter, &e, err) < 0)
        return -1;
    free(memo->campaign);
    memo->campaign = fw_xstrdup(who->campaign);
    memo->program = e.program;
    memo->build = memo->scope = e.build;
    memo->judge = e.judge;
    memo->input = e.input;
    memo->session = e.session;
    return 0;
}
