/*
 * memo_many.c - tests of the memo: several processes at once lose nothing and repeat nothing; being
 * killed at any moment leaves nothing half-done.
 */
#include "memo/internal.h"
#include "memo_check.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void join_child(pid_t pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

/* --- two campaigns at once -------------------------------------------------------------------- */

#define CANDIDATES 150u
#define WORKERS    2u

/* Tries candidates until none is left; tells each. */
static void work(const char *where, unsigned worker, int told)
{
    const struct fw_memo_wish wish = { .count = 3, .lease = 9999, .most = 1 };
    char campaign[16];
    struct fw_memo *memo;
    uint64_t number = 0;
    size_t got;

    snprintf(campaign, sizeof campaign, "worker %u", worker);
    memo = enter_memo(where, campaign, "small");
    do {
        struct fw_memo_claims claims = claim(memo, &wish);

        got = claims.len;
        for (size_t i = 0; i < claims.len; i++) {
            if (write(told, &claims.at[i].id, sizeof claims.at[i].id) < 0)
                _exit(2);
            finish(memo, ++number, &claims.at[i], claims.at[i].id % 2, false);
        }
        release_claims(&claims);
    } while (got);
    fw_memo_close(memo);
}

void memo_many_claim(void **state)
{
    const char *where = new_place();
    struct fw_memo *memo = enter_memo(where, "profile", "small");
    unsigned tried[4 * CANDIDATES] = { 0 }, all = 0;
    pid_t children[WORKERS];
    int told[2];
    uint64_t id;

    (void)state;
    predict(memo, 0, CANDIDATES, FW_MEMO_PROFILE, FW_MEMO_UNKNOWN);
    assert_int_equal(pipe(told), 0);
    for (unsigned i = 0; i < WORKERS; i++) {
        children[i] = fork_child();
        if (children[i] == 0) {
            work(where, i, told[1]);
            _exit(0);
        }
    }
    close(told[1]);
    while (read(told[0], &id, sizeof id) == sizeof id) {
        assert_true(id < sizeof tried / sizeof tried[0]);
        assert_int_equal(tried[id]++, 0); /* nothing is tried twice */
        all++;
    }
    close(told[0]);
    for (unsigned i = 0; i < WORKERS; i++)
        join_child(children[i]);
    assert_int_equal(all, CANDIDATES);
    assert_int_equal(ask(where, "SELECT count(*) FROM runs"), CANDIDATES);
    assert_int_equal(ask(where, "SELECT count(*) FROM iroots WHERE tried = 1"), CANDIDATES);
    assert_int_equal(ask(where, "SELECT sum(seen) FROM iroots"),
                     ask(where, "SELECT sum(id % 2) FROM iroots"));
    assert_int_equal(ask(where, "SELECT count(*) FROM claims"), 0);
    OK(fw_memo_check(memo, &err));
    fw_memo_close(memo);
}

#define RUNS 25u

/* All open, make and fill the same new database. */
void memo_many_write(void **state)
{
    const char *where = new_place();
    pid_t children[3];
    struct fw_memo *memo;

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        children[i] = fork_child();
        if (children[i] == 0) {
            char campaign[16];

            snprintf(campaign, sizeof campaign, "c%u", i);
            memo = enter_memo(where, campaign, "small");
            for (unsigned run = 1; run <= RUNS; run++)
                expose(memo, run, run * 5, run * 5 + 120 + i);
            fw_memo_close(memo);
            _exit(0);
        }
    }
    for (unsigned i = 0; i < 3; i++)
        join_child(children[i]);
    assert_int_equal(ask(where, "SELECT count(*) FROM programs"), 1);
    assert_int_equal(ask(where, "SELECT count(*) FROM accesses"), 60);
    assert_int_equal(ask(where, "SELECT count(*) FROM iroots"), 24 * 5 + 122);
    assert_int_equal(ask(where, "SELECT sum(seen) FROM iroots"), RUNS * (120 + 121 + 122));
    assert_int_equal(ask(where, "SELECT sum(exposed) FROM runs"), RUNS * (120 + 121 + 122));
    memo = open_memo(where);
    OK(fw_memo_check(memo, &err));
    fw_memo_close(memo);
}

/* --- being killed ----------------------------------------------------------------------------- */

static unsigned exposed_by(uint64_t run)
{
    return 40 + (unsigned)(run * 7 % 50);
}

/* Goes on with the campaign behind the run of this number, and tells each run it has recorded. */
static void go_on(const char *where, uint64_t last, int told)
{
    const struct fw_memo_wish wish = { .count = 1, .lease = 9999 };
    struct fw_memo *memo = enter_memo(where, "c1", "small");

    for (uint64_t run = last + 1;; run++) {
        struct fw_memo_claims claims;

        predict(memo, (unsigned)run % 60, (unsigned)run % 60 + 30, FW_MEMO_PROOF, FW_MEMO_WITNESS);
        claims = claim(memo, &wish);
        expose(memo, run, (unsigned)run % 60, (unsigned)run % 60 + exposed_by(run));
        release_claims(&claims);
        if (write(told, &run, sizeof run) != sizeof run)
            _exit(2);
    }
}

/* Kills it `after` nanoseconds after it has recorded so many runs.  The number of the last one that
 * it has told of. */
static uint64_t kill_one(const char *where, uint64_t last, unsigned runs, long after)
{
    const struct timespec pause = { .tv_nsec = after };
    int told[2], status;
    pid_t child;

    assert_int_equal(pipe(told), 0);
    child = fork_child();
    if (child == 0) {
        go_on(where, last, told[1]);
        _exit(0);
    }
    close(told[1]);
    for (unsigned i = 0; i < runs; i++)
        assert_int_equal(read(told[0], &last, sizeof last), sizeof last);
    nanosleep(&pause, NULL);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status)); /* it was at work */
    while (read(told[0], &last, sizeof last) == sizeof last)
        ;
    close(told[0]);
    return last;
}

void memo_survives_kill(void **state)
{
    const char *where = new_place();
    struct fw_random random;
    struct fw_memo *memo;
    uint64_t last = 0, seen = 0;
    int64_t runs = 0;
    unsigned untold = 0;

    (void)state;
    fw_random_init(&random, 7);
    for (unsigned i = 0; i < 100; i++) {
        last = kill_one(where, last, fw_random_below(&random, 3),
                        (long)fw_random_below(&random, 4000) * 1000);
        memo = open_memo(where);
        OK(fw_memo_check(memo, &err));
        OK(memo->sql->kind->run(memo->sql, "SELECT CASE WHEN count(*) = coalesce(max(number), 0) "
                                           "THEN count(*) ELSE -1 END FROM runs", NULL, 0,
                                fw_sql_take_number, &runs, &err));
        fw_memo_close(memo);
        assert_in_range(runs, last, last + 1); /* all that it has told, and the one at hand */
        untold += (uint64_t)runs != last;
    }
    assert_true(last > 50);
    for (int64_t run = 1; run <= runs; run++)
        seen += exposed_by((uint64_t)run);
    assert_int_equal(ask(where, "SELECT sum(seen) FROM iroots"), seen);
    printf("%d runs recorded, %u times one that was not told\n", (int)runs, untold);
}

/* --- being cut off ---------------------------------------------------------------------------- */

void memo_connects_again(void **state)
{
    const char *where = new_place();
    struct fw_memo *memo;

    (void)state;
    if (!store->server)
        skip(); /* a file has no connection */
    memo = enter_memo(where, "c1", "small");
    expose(memo, 1, 0, 10);
    ask(where, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = "
               "current_database() AND pid <> pg_backend_pid()");
    assert_int_equal(expose(memo, 2, 0, 20), 10);
    assert_int_equal(ask(where, "SELECT count(*) FROM runs"), 2);
    assert_int_equal(ask(where, "SELECT sum(seen) FROM iroots"), 30);
    fw_memo_close(memo);
}

/* A connection that is lost just behind a commit: it is done, and nobody was told. */
static const struct fw_sql_kind *real;
static unsigned to_lose;
static bool lost;

static int losing_run(struct fw_sql *sql, const char *text, const char *const *values,
                      size_t count, fw_sql_take *take, void *context, struct fw_error *err)
{
    int result = real->run(sql, text, values, count, take, context, err);

    if (result < 0 || strcmp(text, "COMMIT") != 0 || !to_lose)
        return result;
    to_lose--;
    lost = true;
    return fw_error_set(err, "the connection was lost");
}

static bool losing_again(struct fw_sql *sql)
{
    bool again = lost;

    (void)sql;
    lost = false;
    return again;
}

void memo_loses_an_answer(void **state)
{
    const char *where = new_place();
    const struct fw_memo_wish wish = { .count = 2, .lease = 9999 };
    struct fw_memo *memo = open_memo(where);
    struct fw_memo_claims claims;
    struct fw_sql_kind losing = *memo->sql->kind;

    (void)state;
    real = memo->sql->kind;
    losing.run = losing_run;
    losing.again = losing_again;
    memo->sql->kind = &losing;
    to_lose = 1;
    OK(fw_memo_enter(memo, &somebody, &err));
    to_lose = 1;
    predict(memo, 0, 10, FW_MEMO_PROFILE, FW_MEMO_UNKNOWN);
    to_lose = 1;
    claims = claim(memo, &wish);
    assert_int_equal(claims.len, 2);
    assert_int_equal(ask(where, "SELECT count(*) FROM claims"), 2);
    to_lose = 1;
    finish(memo, 1, &claims.at[0], true, true);
    to_lose = 1;
    expose(memo, 2, 0, 10);
    assert_int_equal(to_lose, 0);
    release_claims(&claims);
    OK(fw_memo_check(memo, &err));
    assert_int_equal(ask(where, "SELECT count(*) FROM sessions"), 1);
    assert_int_equal(ask(where, "SELECT count(*) FROM runs"), 2);
    assert_int_equal(ask(where, "SELECT sum(seen) FROM iroots"), 11);
    assert_int_equal(ask(where, "SELECT sum(tried) FROM attempts"), 1);
    assert_int_equal(ask(where, "SELECT count(*) FROM failures"), 1);
    /* Lost twice, it is an error. */
    to_lose = 2;
    FAILS(fw_memo_unclaim(memo, NULL, &err), "the connection was lost");
    lost = false;
    memo->sql->kind = real;
    fw_memo_close(memo);
}
