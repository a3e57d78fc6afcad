/* memo_claims.c - tests of the memo: who may try what, in which order, and for how long. */
#include "memo_check.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct fw_memo_wish any = { .count = 64, .lease = 9999 };

void memo_claims_in_order(void **state)
{
    struct fw_memo *memo = enter_memo(new_place(), "c1", "small");
    struct fw_memo_wish wish = { .count = 1, .lease = 9999 };
    struct fw_memo_claims claims;

    (void)state;
    /* 0 and 6 are the program's own, 240 is a library's, 1 is of idiom 2. */
    predict(memo, 240, 241, FW_MEMO_PROFILE, FW_MEMO_UNKNOWN);
    predict(memo, 0, 2, FW_MEMO_PROFILE, FW_MEMO_UNKNOWN);
    predict(memo, 6, 7, FW_MEMO_PROOF, FW_MEMO_WITNESS);
    claims = claim(memo, &any);
    assert_int_equal(claims.len, 4);
    assert_int_equal(claims.at[0].iroot.access[0], iroot(6).access[0]); /* the better verdict */
    assert_int_equal(claims.at[0].verdict, FW_MEMO_WITNESS);
    assert_string_equal(claims.at[0].schedule, "foreweave schedule 1\n");
    assert_int_equal(claims.at[1].iroot.access[0], iroot(0).access[0]);
    assert_null(claims.at[1].schedule);
    assert_int_equal(claims.at[2].iroot.access[0], iroot(240).access[0]);
    assert_false(claims.at[2].own);
    assert_int_equal(claims.at[3].iroot.idiom, 2);
    finish(memo, 1, &claims.at[0], false, false);
    OK(fw_memo_unclaim(memo, NULL, &err));
    release_claims(&claims);
    /* Fewer attempts come first, whatever the verdict. */
    claims = claim(memo, &wish);
    assert_int_equal(claims.len, 1);
    assert_int_equal(claims.at[0].iroot.access[0], iroot(0).access[0]);
    finish(memo, 2, &claims.at[0], true, false);
    release_claims(&claims);
    wish = (struct fw_memo_wish) { .count = 5, .lease = 9999, .own_only = true, .idioms = 1u << 1 };
    claims = claim(memo, &wish);
    assert_int_equal(claims.len, 1); /* exposed, a library's, another idiom: none of them */
    assert_int_equal(claims.at[0].tried, 1);
    OK(fw_memo_unclaim(memo, NULL, &err));
    release_claims(&claims);
    wish = (struct fw_memo_wish) { .count = 5, .lease = 9999, .proved = true };
    claims = claim(memo, &wish);
    assert_int_equal(claims.len, 1); /* all others are guessed */
    assert_int_equal(claims.at[0].verdict, FW_MEMO_WITNESS);
    release_claims(&claims);
    fw_memo_close(memo);
}

/* A guess that no question was asked about is tried, behind what may happen. */
void memo_claims_ruled_out_last(void **state)
{
    struct fw_memo *memo = enter_memo(new_place(), "c1", "small");
    struct fw_memo_claims claims;

    (void)state;
    predict(memo, 0, 2, FW_MEMO_PROFILE, FW_MEMO_INFEASIBLE);
    predict(memo, 3, 4, FW_MEMO_PROFILE, FW_MEMO_UNDECIDED);
    claims = claim(memo, &any);
    assert_int_equal(claims.len, 3);
    assert_int_equal(claims.at[0].verdict, FW_MEMO_UNDECIDED);
    assert_int_equal(claims.at[0].iroot.idiom, 4);
    assert_int_equal(claims.at[1].verdict, FW_MEMO_INFEASIBLE);
    assert_int_equal(claims.at[1].iroot.idiom, 1);
    OK(fw_memo_unclaim(memo, NULL, &err));
    release_claims(&claims);
    /* Once the proof was asked, and says the same, it is not. */
    predict(memo, 0, 1, FW_MEMO_PROOF, FW_MEMO_INFEASIBLE);
    claims = claim(memo, &any);
    assert_int_equal(claims.len, 2);
    assert_int_equal(claims.at[1].iroot.idiom, 2);
    release_claims(&claims);
    fw_memo_close(memo);
}

void memo_claims_within_limits(void **state)
{
    const char *where = new_place();
    struct fw_memo *memo = enter_memo(where, "c1", "small"), *large;
    struct fw_memo_wish wish = { .count = 64, .lease = 9999, .most = 2 };
    struct fw_memo_claims claims;

    (void)state;
    predict(memo, 0, 1, FW_MEMO_PROFILE, FW_MEMO_UNKNOWN);
    predict(memo, 0, 2, FW_MEMO_PROOF, FW_MEMO_INFEASIBLE);
    claims = claim(memo, &wish);
    assert_int_equal(claims.len, 0);
    wish.infeasible = true;
    claims = claim(memo, &wish);
    assert_int_equal(claims.len, 2);
    finish(memo, 1, &claims.at[0], false, true);
    finish(memo, 2, &claims.at[1], false, false);
    release_claims(&claims);
    /* It is not predicted for the other input, until it is. */
    large = enter_memo(where, "c1", "large");
    claims = claim(large, &wish);
    assert_int_equal(claims.len, 0);
    predict(large, 0, 1, FW_MEMO_PROOF, FW_MEMO_UNDECIDED);
    wish.infeasible = false;
    claims = claim(large, &wish);
    assert_int_equal(claims.len, 1);
    finish(large, 3, &claims.at[0], false, false);
    release_claims(&claims);
    claims = claim(large, &wish); /* two attempts, with all inputs */
    assert_int_equal(claims.len, 0);
    wish.most = 0;
    wish.most_here = 1;
    claims = claim(large, &wish);
    assert_int_equal(claims.len, 0);
    wish.most_here = 2;
    claims = claim(large, &wish);
    assert_int_equal(claims.len, 1);
    release_claims(&claims);
    assert_int_equal(ask(where, "SELECT sum(failed) FROM attempts"), 1);
    OK(fw_memo_check(memo, &err));
    fw_memo_close(large);
    fw_memo_close(memo);
}

static uint64_t busy_for(struct fw_memo *memo)
{
    const struct fw_memo_wish wish = { .count = 0, .lease = 1 };
    struct fw_memo_claims claims = { 0 };
    struct fw_strtab texts;
    uint64_t busy;

    fw_strtab_init(&texts);
    OK(fw_memo_claim(memo, &wish, &texts, &claims, &busy, &err));
    assert_int_equal(claims.len, 0);
    fw_strtab_release(&texts);
    return busy;
}

void memo_claims_one_at_a_time(void **state)
{
    const char *where = new_place();
    struct fw_memo *one = enter_memo(where, "c1", "small"), *two = enter_memo(where, "c2", "small");
    struct fw_memo_wish wish = { .count = 2, .lease = 9999 };
    struct fw_memo_claims first, second;

    (void)state;
    predict(one, 0, 5, FW_MEMO_PROFILE, FW_MEMO_UNKNOWN);
    first = claim(one, &wish);
    assert_int_equal(first.len, 2);
    assert_int_equal(busy_for(two), 2);
    assert_int_equal(busy_for(one), 0);
    second = claim(two, &any);
    assert_int_equal(second.len, 3);
    for (unsigned i = 0; i < 3; i++)
        assert_true(second.at[i].id != first.at[0].id && second.at[i].id != first.at[1].id);
    OK(fw_memo_unclaim(one, &first.at[0], &err));
    /* Giving back another one's does nothing. */
    OK(fw_memo_unclaim(one, &second.at[0], &err));
    release_claims(&second);
    second = claim(two, &any);
    assert_int_equal(second.len, 1);
    assert_int_equal(second.at[0].id, first.at[0].id);
    /* An attempt is not counted by who does not hold it any more. */
    finish(one, 1, &first.at[0], false, false);
    assert_int_equal(ask(where, "SELECT count(*) FROM attempts"), 0);
    finish(one, 2, &first.at[1], true, false);
    assert_int_equal(ask(where, "SELECT count(*) FROM attempts"), 1);
    release_claims(&first);
    release_claims(&second);
    fw_memo_close(two); /* gives back all of its own */
    first = claim(one, &any);
    assert_int_equal(first.len, 4);
    release_claims(&first);
    OK(fw_memo_check(one, &err));
    fw_memo_close(one);
}

void memo_leases_end(void **state)
{
    const char *where = new_place();
    struct fw_memo *one = enter_memo(where, "c1", "small"), *two = enter_memo(where, "c2", "small");
    struct fw_memo_wish gone = { .count = 1, .lease = 0 }, held = { .count = 1, .lease = 9999 };
    struct fw_memo_claims first, second;

    (void)state;
    predict(one, 0, 1, FW_MEMO_PROFILE, FW_MEMO_UNKNOWN);
    first = claim(one, &held);
    assert_int_equal(first.len, 1);
    second = claim(two, &any);
    assert_int_equal(second.len, 0);
    OK(fw_memo_unclaim(one, NULL, &err));
    release_claims(&first);
    first = claim(one, &gone);
    assert_int_equal(first.len, 1);
    second = claim(two, &any); /* its time is over */
    assert_int_equal(second.len, 1);
    /* Who had it before claims it again: that is another claim. */
    finish(one, 1, &first.at[0], false, false);
    assert_int_equal(ask(where, "SELECT count(*) FROM claims"), 1);
    finish(two, 1, &second.at[0], false, false);
    assert_int_equal(ask(where, "SELECT tried FROM iroots"), 1);
    release_claims(&first);
    release_claims(&second);
    fw_memo_close(one);
    fw_memo_close(two);
}

/* A child that claims all and does not give them back: 'k' killed, 'l' still alive. */
static pid_t claimer(const char *where, int answer)
{
    pid_t pid = fork_child();

    if (pid == 0) {
        struct fw_memo *memo = enter_memo(where, "c2", "small");
        struct fw_memo_claims claims = claim(memo, &any);
        char count = (char)claims.len;

        if (write(answer, &count, 1) == 1)
            pause();
        _exit(1);
    }
    return pid;
}

void memo_of_the_dead(void **state)
{
    const char *where = new_place();
    struct fw_memo *memo = enter_memo(where, "c1", "small");
    struct fw_memo_claims claims;
    int answer[2];
    char count = 0;
    pid_t child;

    (void)state;
    predict(memo, 0, 4, FW_MEMO_PROFILE, FW_MEMO_UNKNOWN);
    assert_int_equal(pipe(answer), 0);
    child = claimer(where, answer[1]);
    assert_int_equal(read(answer[0], &count, 1), 1);
    assert_int_equal(count, 4);
    claims = claim(memo, &any);
    assert_int_equal(claims.len, 0);
    kill(child, SIGKILL);
    assert_int_equal(waitid(P_PID, (id_t)child, &(siginfo_t) { 0 }, WEXITED | WNOWAIT), 0);
    claims = claim(memo, &any); /* dead, though nobody has buried it */
    assert_int_equal(claims.len, 4);
    waitpid(child, NULL, 0);
    OK(fw_memo_unclaim(memo, NULL, &err));
    release_claims(&claims);
    /* Of another machine nobody can tell. */
    child = claimer(where, answer[1]);
    assert_int_equal(read(answer[0], &count, 1), 1);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    tell(where, "UPDATE sessions SET host = 'elsewhere' WHERE campaign = 'c2'");
    claims = claim(memo, &any);
    assert_int_equal(claims.len, 0);
    close(answer[0]);
    close(answer[1]);
    fw_memo_close(memo);
}

/* --- what failing runs sought ----------------------------------------------------------------- */

static int take_sought(void *context, const struct fw_memo_known_failure *failure)
{
    *(unsigned *)context = failure->sought.idiom;
    if (failure->sought.idiom) {
        assert_int_equal(failure->sought.count, fw_idiom_accesses(failure->sought.idiom));
        assert_true(*failure->sought.access[0] && *failure->sought.access[1]);
    }
    return 0;
}

static int take_sought_by(void *context, const struct fw_memo_past *run)
{
    ((unsigned *)context)[run->number] = run->sought.idiom;
    return 0;
}

/* Of a way to fail, what the first run sought that sought anything. */
void memo_knows_what_failures_sought(void **state)
{
    const struct fw_memo_wish wish = { .count = 2, .lease = 9999, .most = 1 };
    const struct fw_memo_failure failure = { "signal 11", "crash", "x.sched", NULL };
    struct fw_memo_run drawn = { .number = 1, .strategy = "pos", .outcome = "signal 11",
                                 .began = 500, .failure = &failure };
    struct fw_memo *memo = enter_memo(new_place(), "c1", "small");
    unsigned known = 9, by[4] = { 9, 9, 9, 9 };
    struct fw_memo_claims claims;

    (void)state;
    OK(fw_memo_record(memo, &names, &drawn, NULL, &err));
    OK(fw_memo_each_failure(memo, NULL, take_sought, &known, &err));
    assert_int_equal(known, 0);
    predict(memo, 3, 5, FW_MEMO_PROOF, FW_MEMO_WITNESS); /* of idioms 4 and 5 */
    claims = claim(memo, &wish);
    assert_int_equal(claims.len, 2);
    finish(memo, 2, &claims.at[0], true, true);
    finish(memo, 3, &claims.at[1], false, true);
    OK(fw_memo_each_failure(memo, NULL, take_sought, &known, &err));
    assert_int_equal(known, 4);
    OK(fw_memo_each_run(memo, NULL, take_sought_by, by, &err));
    assert_int_equal(by[1], 0);
    assert_int_equal(by[2], 4);
    assert_int_equal(by[3], 5);
    release_claims(&claims);
    fw_memo_close(memo);
}
