/* memo_record.c - tests of the memo: runs and predictions are there once, whole, and add up. */
#include "memo_check.h"

static void counts_are(struct fw_memo *memo, unsigned idiom, unsigned exposed, unsigned infeasible,
                       unsigned failed, unsigned left)
{
    struct fw_memo_counts counts[FW_IDIOMS + 1];

    OK(fw_memo_count(memo, NULL, counts, &err));
    assert_int_equal(counts[idiom].state[FW_MEMO_EXPOSED], exposed);
    assert_int_equal(counts[idiom].state[FW_MEMO_IMPOSSIBLE], infeasible);
    assert_int_equal(counts[idiom].state[FW_MEMO_FAILED], failed);
    assert_int_equal(counts[idiom].state[FW_MEMO_LEFT], left);
}

void memo_records(void **state)
{
    const char *where = new_place();
    struct fw_memo *memo = enter_memo(where, "c1", "small");
    const struct fw_memo_failure failure = { "deadlock", "T1 and T2", "d.sched", NULL };
    struct fw_iroot one = iroot(4), turned = one;
    struct fw_memo_run run = { .number = 9, .strategy = "pos", .outcome = "killed", .began = 9000,
                               .took = 7, .exposed = &turned, .exposed_count = 1,
                               .failure = &failure };
    uint64_t fresh;
    char *text;

    (void)state;
    assert_int_equal(expose(memo, 1, 0, 12), 12);
    assert_int_equal(expose(memo, 2, 6, 18), 6);
    counts_are(memo, 0, 18, 0, 0, 0);
    counts_are(memo, 1, 3, 0, 0, 0);
    /* Idiom 5 can be written in two ways; both are the same iRoot. */
    for (unsigned i = 0; i < FW_IROOT_MOST; i++)
        turned.access[i] = one.access[i ^ 2];
    OK(fw_memo_record(memo, &names, &run, &fresh, &err));
    assert_int_equal(fresh, 0);
    OK(fw_memo_check(memo, &err));
    fw_memo_close(memo);
    text = dump(where);
    assert_non_null(strstr(text, "prog: iroots=18 runs=3 inputs=1 builds=1 failures=1\n"));
    assert_non_null(strstr(text, "1 | w prog f0+0#1 @ f.c:10 | r prog f1+1#1 @ f.c:11: exposed "
                                 "own=1 seen=1 by=00 verdict=unknown tried=0 failed=0 "
                                 "first=c1,small,pct,1\n"));
    assert_non_null(strstr(text, "c1 1 small pct exit 0 began=1000 took=5 exposed=12    "
                                 "12 2 2 2 2 2 2\n"));
    assert_non_null(strstr(text, "c1 2 small pct exit 0 began=2000 took=5 exposed=12    "
                                 "6 1 1 1 1 1 1\n"));
    assert_non_null(strstr(text, "c1 9 small pos killed began=9000 took=7 exposed=1 "
                                 "deadlock T1 and T2 d.sched 0 0"));
    free(text);
    assert_int_equal(ask(where, "SELECT seen FROM iroots WHERE idiom = 5 ORDER BY id LIMIT 1"), 2);
}

void memo_counts_a_run_once(void **state)
{
    const char *where = new_place();
    struct fw_memo *memo = enter_memo(where, "c1", "small"), *later, *other;
    char *before, *after;

    (void)state;
    expose(memo, 1, 0, 20);
    before = dump(where);
    assert_int_equal(expose(memo, 1, 0, 30), 0);
    fw_memo_close(memo);
    /* It was killed, and goes on: the same campaign, another session. */
    later = enter_memo(where, "c1", "small");
    assert_int_equal(expose(later, 1, 5, 40), 0);
    after = dump(where);
    assert_string_equal(before, after);
    assert_int_equal(expose(later, 2, 0, 20), 0);
    /* Run 1 of another campaign is another run. */
    other = enter_memo(where, "c2", "small");
    assert_int_equal(expose(other, 1, 0, 21), 1);
    fw_memo_close(later);
    fw_memo_close(other);
    assert_int_equal(ask(where, "SELECT count(*) FROM runs"), 3);
    assert_int_equal(ask(where, "SELECT max(seen) FROM iroots"), 3);
    assert_int_equal(ask(where, "SELECT count(*) FROM sessions"), 3);
    free(before);
    free(after);
}

void memo_predicts(void **state)
{
    const char *where = new_place();
    struct fw_memo *memo = enter_memo(where, "c1", "small"), *large;
    struct fw_memo_counts counts[FW_IDIOMS + 1];

    (void)state;
    assert_int_equal(predict(memo, 0, 12, FW_MEMO_PROFILE, FW_MEMO_UNKNOWN), 12);
    counts_are(memo, 0, 0, 0, 0, 12);
    assert_int_equal(predict(memo, 6, 14, FW_MEMO_PROOF, FW_MEMO_INFEASIBLE), 2);
    counts_are(memo, 0, 0, 8, 0, 6);
    /* What one trace cannot do another one can; and what is proved stays proved. */
    assert_int_equal(predict(memo, 6, 8, FW_MEMO_PROOF, FW_MEMO_UNDECIDED), 0);
    predict(memo, 7, 8, FW_MEMO_PROOF, FW_MEMO_WITNESS);
    predict(memo, 7, 8, FW_MEMO_PROOF, FW_MEMO_INFEASIBLE);
    counts_are(memo, 0, 0, 6, 0, 8);
    expose(memo, 1, 0, 1);
    expose(memo, 2, 13, 14); /* said to be infeasible */
    counts_are(memo, 0, 2, 5, 0, 7);
    OK(fw_memo_count(memo, "prog", counts, &err));
    assert_int_equal(counts[0].predicted, 14);
    assert_int_equal(counts[0].by[FW_MEMO_PROFILE], 12);
    assert_int_equal(counts[0].by[FW_MEMO_PROOF], 8);
    assert_int_equal(counts[0].witness, 1);
    /* With another input that predicts it, it is not infeasible any more. */
    large = enter_memo(where, "c1", "large");
    assert_int_equal(predict(large, 8, 9, FW_MEMO_PROFILE, FW_MEMO_UNKNOWN), 1);
    counts_are(memo, 0, 2, 4, 0, 8);
    predict(large, 8, 9, FW_MEMO_PROOF, FW_MEMO_INFEASIBLE);
    counts_are(memo, 0, 2, 5, 0, 7);
    assert_int_equal(ask(where, "SELECT count(*) FROM predictions WHERE schedule LIKE "
                                "'foreweave schedule%'"), 1);
    OK(fw_memo_check(memo, &err));
    FAILS(fw_memo_count(memo, "gorp", counts, &err), "knows no program 'gorp'");
    fw_memo_close(large);
    fw_memo_close(memo);
}

static struct fw_memo *enter_build(const char *where, const char *campaign, const char *build)
{
    struct fw_memo_who who = somebody;
    struct fw_memo *memo = open_memo(where);

    who.campaign = campaign;
    who.build = build;
    OK(fw_memo_enter(memo, &who, &err));
    return memo;
}

static int take_build(void *context, const struct fw_memo_build *build)
{
    char *text = context;

    strcat(text, *build->name ? build->name : "?");
    strcat(text, " ");
    return 0;
}

/* What one build has exposed, or was tried with, is a candidate of another; with the same build,
 * and another input, it is none. */
void memo_tells_builds_apart(void **state)
{
    const struct fw_memo_wish wish = { .count = 64, .most = 1, .most_here = 1, .lease = 9999 };
    const char *where = new_place(), *copy = new_place();
    struct fw_memo *old = enter_build(where, "c1", "b1"), *new, *same, *into;
    struct fw_memo_claims claims;
    struct fw_memo_merged merged;
    char builds[64] = "";

    (void)state;
    predict(old, 0, 10, FW_MEMO_PROOF, FW_MEMO_INFEASIBLE);
    predict(old, 0, 6, FW_MEMO_PROOF, FW_MEMO_WITNESS);
    expose(old, 1, 0, 5);
    claims = claim(old, &wish);
    assert_int_equal(claims.len, 1);
    /* Claims, too, are of a build. */
    new = enter_build(where, "c2", "b2");
    counts_are(new, 0, 0, 0, 0, 0);
    predict(new, 0, 8, FW_MEMO_PROOF, FW_MEMO_WITNESS);
    counts_are(new, 0, 0, 0, 0, 8);
    finish(old, 2, &claims.at[0], false, false);
    release_claims(&claims);
    counts_are(old, 0, 5, 4, 1, 0);
    claims = claim(old, &wish);
    assert_int_equal(claims.len, 0);
    claims = claim(new, &wish);
    assert_int_equal(claims.len, 8);
    finish(new, 1, &claims.at[0], true, false);
    release_claims(&claims);
    counts_are(new, 0, 1, 0, 0, 7);
    /* The first build again, with another input. */
    same = enter_memo(where, "c3", "large");
    predict(same, 0, 5, FW_MEMO_PROOF, FW_MEMO_WITNESS);
    claims = claim(same, &wish);
    assert_int_equal(claims.len, 0);
    fw_memo_look_at(same, FW_MEMO_ALL_BUILDS);
    counts_are(same, 0, 5, 2, 1, 2);
    OK(fw_memo_each_build(same, NULL, take_build, builds, &err));
    assert_int_equal(strlen(builds), strlen("b1 b2 "));
    OK(fw_memo_check(same, &err));
    /* All of that is merged. */
    into = open_memo(copy);
    OK(fw_memo_merge(into, same, &merged, &err));
    fw_memo_close(into);
    into = enter_build(copy, "c4", "b2");
    counts_are(into, 0, 1, 0, 0, 7);
    fw_memo_close(into);
    fw_memo_close(same);
    fw_memo_close(new);
    fw_memo_close(old);
}

static struct fw_memo *enter_judge(const char *where, const char *campaign, const char *judge)
{
    struct fw_memo_who who = somebody;
    struct fw_memo *memo = open_memo(where);

    who.campaign = campaign;
    who.judge = judge;
    OK(fw_memo_enter(memo, &who, &err));
    return memo;
}

static size_t count_claims(struct fw_memo *memo)
{
    const struct fw_memo_wish wish = { .count = 64, .most = 1, .most_here = 1, .lease = 9999 };
    struct fw_memo_claims claims = claim(memo, &wish);
    size_t count = claims.len;

    release_claims(&claims);
    OK(fw_memo_unclaim(memo, NULL, &err));
    return count;
}

/* What one judge has let pass is a candidate for another one, and so is what nobody has judged; but
 * it is exposed for all. */
void memo_tells_judges_apart(void **state)
{
    const struct fw_memo_wish wish = { .count = 64, .most = 1, .most_here = 1, .lease = 9999 };
    const struct fw_iroot seen = iroot(6);
    struct fw_memo_run recorded = { .number = 9, .strategy = "record", .outcome = "exit 3",
                                    .exposed = &seen, .exposed_count = 1, .unjudged = true };
    const char *where = new_place(), *copy = new_place();
    struct fw_memo *plain = enter_judge(where, "c1", NULL), *ok, *same, *into;
    struct fw_memo_claims claims;
    struct fw_memo_merged merged;

    (void)state;
    predict(plain, 0, 8, FW_MEMO_PROOF, FW_MEMO_WITNESS);
    expose(plain, 1, 0, 5);
    OK(fw_memo_record(plain, &names, &recorded, NULL, &err));
    assert_int_equal(count_claims(plain), 3);
    counts_are(plain, 0, 6, 0, 0, 2);
    claims = claim(plain, &wish);
    /* Claims, too, are of a judge. */
    ok = enter_judge(where, "c2", "ok true");
    assert_int_equal(count_claims(ok), 8);
    for (size_t i = 0; i < claims.len; i++)
        finish(plain, 2 + i, &claims.at[i], true, true);
    release_claims(&claims);
    same = enter_judge(where, "c3", "");
    assert_int_equal(count_claims(same), 0);
    assert_int_equal(count_claims(ok), 8);
    counts_are(ok, 0, 8, 0, 0, 0);
    /* All of that is merged. */
    into = open_memo(copy);
    OK(fw_memo_merge(into, same, &merged, &err));
    fw_memo_close(into);
    into = enter_judge(copy, "c4", "ok true");
    assert_int_equal(count_claims(into), 8);
    fw_memo_close(into);
    into = enter_judge(copy, "c5", NULL);
    assert_int_equal(count_claims(into), 0);
    OK(fw_memo_check(into, &err));
    fw_memo_close(into);
    fw_memo_close(same);
    fw_memo_close(ok);
    fw_memo_close(plain);
}

static int take_before(void *context, const struct fw_memo_past *run)
{
    uint64_t *before = context;

    before[run->number] = run->before;
    return 0;
}

void memo_counts_plain_runs(void **state)
{
    const struct fw_iroot seen[] = { iroot(1), iroot(3), iroot(4) };
    const uint64_t times[] = { 7, 2, 5 };
    struct fw_memo_batch plain = { .plain = 9, .exposed = seen, .times = times, .count = 3 };
    const char *where = new_place(), *copy = new_place();
    struct fw_memo *memo = enter_memo(where, "c1", "small"), *into;
    struct fw_memo_merged merged;
    uint64_t runs, before[4] = { 0 };

    (void)state;
    expose(memo, 1, 0, 5);
    OK(fw_memo_record_batch(memo, &names, &plain, &err));
    OK(fw_memo_record_batch(memo, &names, &plain, &err)); /* nothing is new */
    expose(memo, 2, 5, 6);
    plain.plain = 30;
    OK(fw_memo_record_batch(memo, &names, &plain, &err));
    OK(fw_memo_count_runs(memo, NULL, &runs, &err));
    assert_int_equal(runs, 32);
    OK(fw_memo_each_run(memo, NULL, take_before, before, &err));
    assert_int_equal(before[1], 0);
    assert_int_equal(before[2], 9);
    assert_int_equal(ask(where, "SELECT max(seen) FROM iroots"), 15);
    assert_int_equal(ask(where, "SELECT sum(seen) FROM tallies"), 6 + 28);
    OK(fw_memo_check(memo, &err));
    tell(where, "UPDATE sessions SET plain = 1");
    FAILS(fw_memo_check(memo, &err), "more plain ones than its session has");
    tell(where, "UPDATE sessions SET plain = 30");
    into = open_memo(copy);
    OK(fw_memo_merge(into, memo, &merged, &err));
    OK(fw_memo_check(into, &err));
    OK(fw_memo_count_runs(into, "prog", &runs, &err));
    assert_int_equal(runs, 32);
    /* The same session, later. */
    plain.plain = 31;
    plain.count = 1;
    OK(fw_memo_record_batch(memo, &names, &plain, &err));
    OK(fw_memo_merge(into, memo, &merged, &err));
    OK(fw_memo_check(into, &err));
    OK(fw_memo_count_runs(into, "prog", &runs, &err));
    assert_int_equal(runs, 33);
    fw_memo_close(into);
    fw_memo_close(memo);
}

static int take_failure(void *context, const struct fw_memo_known_failure *failure)
{
    char *text = context;

    sprintf(text + strlen(text), "%s/%s/%s/%s/%u;", failure->kind, failure->message,
            failure->input, failure->schedule, (unsigned)failure->runs);
    return 0;
}

void memo_records_many_runs_at_once(void **state)
{
    const struct fw_iroot seen[] = { iroot(1), iroot(3), iroot(4) };
    const uint64_t times[] = { 7, 2, 5 };
    struct fw_memo_failure failure = { .kind = "exit 1", .message = "oh" };
    struct fw_memo_run rows[] = {
        { .number = 3, .strategy = "pos", .outcome = "exit 0", .exposed = seen,
          .exposed_count = 1, .exposed_all = 1, .plain_before = 2 },
        { .number = 7, .strategy = "pos", .outcome = "exit 1", .exposed = seen + 1,
          .exposed_count = 2, .exposed_all = 3, .plain_before = 5, .failure = &failure },
    };
    struct fw_memo_batch batch = { .rows = rows, .row_count = 2, .plain = 6, .exposed = seen,
                                   .times = times, .count = 3 };
    const char *where = new_place();
    struct fw_memo *memo = enter_memo(where, "c1", "small");
    uint64_t runs, before[8] = { 0 };
    char text[200] = "";

    (void)state;
    OK(fw_memo_record_batch(memo, &names, &batch, &err));
    OK(fw_memo_record_batch(memo, &names, &batch, &err)); /* nothing is new */
    OK(fw_memo_count_runs(memo, NULL, &runs, &err));
    assert_int_equal(runs, 8);
    OK(fw_memo_each_run(memo, NULL, take_before, before, &err));
    assert_int_equal(before[3], 2);
    assert_int_equal(before[7], 3);
    assert_int_equal(ask(where, "SELECT sum(seen) FROM tallies"), 14);
    assert_int_equal(ask(where, "SELECT sum(exposed) FROM runs"), 4);
    assert_int_equal(ask(where, "SELECT plain_exposed FROM sessions"), 10);
    assert_int_equal(ask(where, "SELECT count(*) FROM tallies t JOIN runs r ON r.id = t.first_run "
                                "WHERE r.number = 7"),
                     2);
    OK(fw_memo_each_failure(memo, NULL, take_failure, text, &err));
    assert_string_equal(text, "exit 1/oh/small//1;");
    OK(fw_memo_check(memo, &err));
    fw_memo_close(memo);
}

void memo_knows_failures(void **state)
{
    struct fw_memo_failure failure = { .kind = "exit 1", .message = "oh" }, kept = failure;
    struct fw_memo_run run = { .strategy = "pct", .outcome = "exit 1", .failure = &failure };
    const char *where = new_place();
    struct fw_memo *old = enter_build(where, "c1", "b1"), *new = enter_build(where, "c2", "b2");
    struct fw_memo *other;
    char text[200] = "";

    (void)state;
    for (run.number = 1; run.number <= 3; run.number++) {
        run.began = 1000; /* then they are sorted by their texts */
        OK(fw_memo_record(old, &names, &run, NULL, &err));
        failure.message = run.number == 2 ? "no" : "oh";
    }
    kept.schedule = "a.sched";
    OK(fw_memo_keep(old, &kept, &err));
    OK(fw_memo_each_failure(old, NULL, take_failure, text, &err));
    assert_string_equal(text, "exit 1/no/small//1;exit 1/oh/small/a.sched/2;");
    /* Where it is known how they failed, messages do not tell them apart; nor does the schedule
     * belong to one of them. */
    failure.way = "exit 1: # lost";
    for (; run.number <= 6; run.number++) {
        failure.message = run.number == 5 ? "2 lost" : "1 lost";
        run.began = (int64_t)(1000 + run.number);
        OK(fw_memo_record(old, &names, &run, NULL, &err));
    }
    kept = (struct fw_memo_failure) { .way = failure.way, .schedule = "b.sched" };
    OK(fw_memo_keep(old, &kept, &err));
    *text = '\0';
    OK(fw_memo_each_failure(old, NULL, take_failure, text, &err));
    assert_string_equal(text, "exit 1/no/small//1;exit 1/oh/small/a.sched/2;"
                              "exit 1/1 lost/small/b.sched/3;");
    assert_int_equal(ask(where, "SELECT count(*) FROM failures WHERE schedule = 'b.sched'"), 3);
    *text = '\0';
    OK(fw_memo_each_failure(new, NULL, take_failure, text, &err));
    assert_string_equal(text, "");
    other = enter_judge(where, "c3", "ok true");
    OK(fw_memo_each_failure(other, NULL, take_failure, text, &err));
    assert_string_equal(text, "");
    fw_memo_close(other);
    OK(fw_memo_check(new, &err));
    fw_memo_close(new);
    fw_memo_close(old);
}

/* Names are data: quotes, bytes that are no text, and more of them than fit into an index. */
void memo_takes_any_text(void **state)
{
    const char *where = new_place();
    struct fw_memo_who who = { "it's; DROP TABLE runs; -- \xff\xfe", NULL, "in'put\"\\", NULL,
                               "$1 ? %s \xc3\xa9", "ok '; \xff" };
    struct fw_memo *memo = open_memo(where);
    struct fw_iroot long_one = { .idiom = 1, .access = { 0, 1 } };
    struct fw_memo_run run = { .number = 1, .strategy = "'", .outcome = "\x80\n",
                               .exposed = &long_one, .exposed_count = 1 };
    struct fw_strtab strange;
    struct fw_memo_names own = { .accesses = &strange };
    char *name = fw_xmalloc(20001), *text;

    (void)state;
    for (unsigned i = 0; i < 20000; i++) /* what cannot be compressed */
        name[i] = (char)('!' + (i * i * 31 + i / 7 * 13) % 90);
    name[20000] = '\0';
    fw_strtab_init(&strange);
    fw_strtab_intern(&strange, name, 20000);
    fw_strtab_intern(&strange, "w \xed\xa0\x80'", 6);
    OK(fw_memo_enter(memo, &who, &err));
    OK(fw_memo_record(memo, &own, &run, NULL, &err));
    run.number = 2;
    OK(fw_memo_record(memo, &own, &run, NULL, &err));
    fw_memo_close(memo);
    text = dump(where);
    assert_non_null(strstr(text, "it's; DROP TABLE runs; -- \xef\xbf\xbd\xef\xbf\xbd: iroots=1 "
                                 "runs=2"));
    assert_non_null(strstr(text, name));
    assert_non_null(strstr(text, " | w \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd' @ : exposed own=1 "
                                 "seen=2"));
    assert_non_null(strstr(text, "$1 ? %s \xc3\xa9 1 in'put\"\\ ' \xef\xbf\xbd\n began="));
    free(text);
    memo = open_memo(where);
    who.input = name;
    FAILS(fw_memo_enter(memo, &who, &err), "a name has more than 1000 bytes");
    who.input = "";
    who.judge = name; /* may be as long as it likes */
    OK(fw_memo_enter(memo, &who, &err));
    fw_memo_close(memo);
    free(name);
    fw_strtab_release(&strange);
}

/* --- against a model -------------------------------------------------------------------------- */

#define KNOWN 48u

struct model {
    unsigned seen[KNOWN], tried[KNOWN];
    int verdict[KNOWN][2]; /* by input; -1: not predicted */
};

static enum fw_memo_state model_state(const struct model *model, unsigned i)
{
    bool predicted = model->verdict[i][0] >= 0 || model->verdict[i][1] >= 0, infeasible = predicted;

    for (unsigned k = 0; k < 2; k++)
        if (model->verdict[i][k] >= 0 && model->verdict[i][k] != FW_MEMO_INFEASIBLE)
            infeasible = false;
    return model->seen[i] ? FW_MEMO_EXPOSED
           : infeasible   ? FW_MEMO_IMPOSSIBLE
           : model->tried[i] ? FW_MEMO_FAILED
                             : FW_MEMO_LEFT;
}

static void compare(struct fw_memo *memo, const struct model *model)
{
    struct fw_memo_counts counts[FW_IDIOMS + 1];
    unsigned wanted[FW_IDIOMS + 1][FW_MEMO_STATES] = { 0 };

    for (unsigned i = 0; i < KNOWN; i++) {
        if (!model->seen[i] && model->verdict[i][0] < 0 && model->verdict[i][1] < 0)
            continue;
        wanted[0][model_state(model, i)]++;
        wanted[i % FW_IDIOMS + 1][model_state(model, i)]++;
    }
    OK(fw_memo_count(memo, NULL, counts, &err));
    for (unsigned i = 0; i <= FW_IDIOMS; i++)
        for (unsigned k = 0; k < FW_MEMO_STATES; k++)
            assert_int_equal(counts[i].state[k], wanted[i][k]);
}

static unsigned number_of(const struct fw_memo_claim *claimed)
{
    for (unsigned i = 0; i < KNOWN; i++) {
        struct fw_iroot one = iroot(i);

        if (fw_iroot_compare(&one, &claimed->iroot) == 0)
            return i;
    }
    fail_msg("a claim of what is not known");
    return 0;
}

/* What it claims first is what the model would. */
static void try_one(struct fw_memo *memo, struct model *model, unsigned input, uint64_t run,
                    struct fw_random *random)
{
    const struct fw_memo_wish wish = { .count = 1, .most = 3, .lease = 9999 };
    struct fw_memo_claims claims = claim(memo, &wish);
    unsigned best = KNOWN;
    bool exposed = fw_random_below(random, 4) == 0;

    for (unsigned i = 0; i < KNOWN; i++)
        if (!model->seen[i] && model->verdict[i][input] >= 0 &&
            model->verdict[i][input] != FW_MEMO_INFEASIBLE && model->tried[i] < 3 &&
            (best == KNOWN || i % FW_IDIOMS < best % FW_IDIOMS ||
             (i % FW_IDIOMS == best % FW_IDIOMS && model->tried[i] < model->tried[best])))
            best = i;
    assert_int_equal(claims.len, best != KNOWN);
    if (claims.len) {
        unsigned i = number_of(&claims.at[0]);

        assert_int_equal(i % FW_IDIOMS, best % FW_IDIOMS);
        assert_int_equal(model->tried[i], model->tried[best]);
        assert_int_equal(claims.at[0].tried, model->tried[i]);
        finish(memo, run, &claims.at[0], exposed, false);
        model->tried[i]++;
        model->seen[i] += exposed;
    }
    release_claims(&claims);
}

static void step(struct fw_memo *memo[2], struct model *model, uint64_t run,
                 struct fw_random *random)
{
    unsigned input = (unsigned)fw_random_below(random, 2);
    unsigned from = (unsigned)fw_random_below(random, KNOWN);
    unsigned to = from + 1 + (unsigned)fw_random_below(random, 4);
    int verdict = (int)fw_random_below(random, FW_MEMO_VERDICTS);

    if (to > KNOWN)
        to = KNOWN;
    switch (fw_random_below(random, 4)) {
    case 0:
        expose(memo[input], run, from, to);
        for (unsigned i = from; i < to; i++)
            model->seen[i]++;
        break;
    case 1:
        predict(memo[input], from, to, verdict ? FW_MEMO_PROOF : FW_MEMO_PROFILE,
                (enum fw_memo_verdict)verdict);
        for (unsigned i = from; i < to; i++)
            if (model->verdict[i][input] < verdict)
                model->verdict[i][input] = verdict;
        break;
    default:
        try_one(memo[input], model, input, run, random);
    }
}

void memo_follows_a_model(void **state)
{
    const char *where = new_place(), *given = getenv("FOREWEAVE_SEED");
    struct fw_memo *memo[] = { enter_memo(where, "c1", "small"),
                               enter_memo(where, "c1", "large") };
    struct model model = { 0 };
    struct fw_random random;
    uint64_t seed = given ? strtoull(given, NULL, 0) : 20;

    (void)state;
    printf("FOREWEAVE_SEED=%llu\n", (unsigned long long)seed);
    fw_random_init(&random, seed);
    memset(model.verdict, -1, sizeof model.verdict);
    for (uint64_t run = 1; run <= 300; run++) {
        step(memo, &model, run, &random);
        if (run % 10 == 0)
            compare(memo[run % 2], &model);
    }
    OK(fw_memo_check(memo[0], &err));
    fw_memo_close(memo[0]);
    fw_memo_close(memo[1]);
}
