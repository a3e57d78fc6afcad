/*
 * test_strategy.c - strategies keep what their papers promise: on models, over many seeds.
 *
 * A model is a few threads with a list of operations each, executed in the order in which the
 * runtime's strategy picks.
 */
#include "runtime/strategy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static struct fw_control_head head;
struct fw_control_head *fw_control = &head;

#define RUNS    20000u
#define THREADS 4u
#define MOST    24u

/* --- models ---------------------------------------------------------------------------------- */

struct op {
    uint64_t object; /* different ones commute */
    bool writes;
};

struct model {
    unsigned threads;
    unsigned lengths[THREADS];
    struct op ops[THREADS][MOST];
    char order[THREADS * MOST + 1]; /* "ABBA": who has executed */
};

/* Makes the thread stand before its next operation. */
static void arrive(const struct fw_strategy *strategy, const struct model *model,
                   struct fw_thread *t, unsigned done)
{
    const struct op *op = &model->ops[t->number][done];

    t->plan.object = op->object;
    t->plan.writes = op->writes;
    t->plan.size = 8;
    head.point_count++;
    if (strategy->at_point)
        strategy->at_point(t);
}

static void run(const struct fw_strategy *strategy, struct model *model, uint64_t seed)
{
    struct fw_thread threads[THREADS] = { 0 };
    unsigned done[THREADS] = { 0 }, all = 0;
    struct fw_thread *current = NULL;
    struct fw_list ready;

    head.point_count = 0;
    fw_strategy_seed(seed);
    if (strategy->start)
        strategy->start();
    fw_list_init(&ready);
    for (unsigned i = 0; i < model->threads; i++) {
        threads[i].number = i;
        threads[i].state = FW_STATE_READY;
        fw_list_append(&ready, &threads[i].link);
        if (strategy->born)
            strategy->born(&threads[i]);
    }
    for (unsigned i = 0; i < model->threads; i++)
        arrive(strategy, model, &threads[i], 0);
    while (current || ready.next != &ready) {
        struct fw_thread *next = strategy->pick(current, &ready);

        if (next != current) {
            fw_list_remove(&next->link);
            if (current)
                fw_list_append(&ready, &current->link);
        }
        current = next;
        model->order[all++] = (char)('A' + current->number);
        if (++done[current->number] < model->lengths[current->number])
            arrive(strategy, model, current, done[current->number]);
        else
            current = NULL;
    }
    model->order[all] = '\0';
}

/* How often the order comes in so many runs. */
static unsigned count(const struct fw_strategy *strategy, struct model *model, const char *order)
{
    unsigned hits = 0;

    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        run(strategy, model, seed);
        hits += strcmp(model->order, order) == 0;
    }
    return hits;
}

/* Within five standard deviations, or three percent of the runs. */
static void assert_about(unsigned hits, double probability)
{
    double wanted = probability * RUNS, slack = 0.03 * wanted + 60;

    assert_true(hits > wanted - slack && hits < wanted + slack);
}

static struct model same_object(unsigned threads, unsigned length)
{
    struct model model = { .threads = threads };

    for (unsigned i = 0; i < threads; i++) {
        model.lengths[i] = length;
        for (unsigned k = 0; k < length; k++)
            model.ops[i][k] = (struct op) { 64, true };
    }
    return model;
}

/* --- random ---------------------------------------------------------------------------------- */

static void test_random_walk_is_uniform_at_every_step(void **unused)
{
    struct model model = same_object(2, 2);

    (void)unused;
    assert_about(count(&fw_strategy_random, &model, "AABB"), 1.0 / 4);
    assert_about(count(&fw_strategy_random, &model, "BBAA"), 1.0 / 4);
    assert_about(count(&fw_strategy_random, &model, "ABAB"), 1.0 / 8);
    assert_about(count(&fw_strategy_random, &model, "BAAB"), 1.0 / 8);
}

static void test_equal_seeds_make_equal_runs(void **unused)
{
    static const struct fw_strategy *const all[] = { &fw_strategy_random, &fw_strategy_pct,
                                                     &fw_strategy_pct_large, &fw_strategy_pos,
                                                     &fw_strategy_delay };
    struct model model = same_object(3, 6), again = model;

    (void)unused;
    head.depth = 3;
    head.length = 18;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (uint64_t seed = 1; seed < 50; seed++) {
            run(all[i], &model, seed);
            run(all[i], &again, seed);
            assert_string_equal(model.order, again.order);
        }
}

/* --- pct ------------------------------------------------------------------------------------- */

/* 1 / (n k^(d-1)), of which the order has all d constraints. */
static void assert_pct_finds(struct model *model, const char *order, unsigned depth)
{
    unsigned length = (unsigned)strlen(order), hits;
    double bound = 1.0 / model->threads;

    for (unsigned i = 1; i < depth; i++)
        bound /= length;
    head.depth = depth;
    head.length = length;
    hits = count(&fw_strategy_pct, model, order);
    assert_true(hits > 0.9 * bound * RUNS);
}

static void test_pct_finds_orders_of_depth_one(void **unused)
{
    struct model model = same_object(2, 2);

    (void)unused;
    assert_pct_finds(&model, "AABB", 1);
    assert_pct_finds(&model, "BBAA", 1);
}

static void test_pct_finds_a_lost_update(void **unused)
{
    struct model model = same_object(2, 2);

    (void)unused;
    assert_pct_finds(&model, "ABBA", 2);
    assert_pct_finds(&model, "BAAB", 2);
}

/* The second thread that is interrupted goes on before the first one does: a later change of
 * priority must not always be the deeper one. */
static void test_pct_finds_nested_interruptions(void **unused)
{
    struct model model = same_object(3, 2);

    (void)unused;
    model.lengths[2] = 1;
    assert_pct_finds(&model, "ABCBA", 4); /* each step before the next one: four orders */
    assert_pct_finds(&model, "ABCAB", 4);
}

/* Nobody of lower priority runs while a higher one can. */
static void test_pct_without_changes_never_interrupts(void **unused)
{
    struct model model = same_object(3, 4);

    (void)unused;
    head.depth = 1;
    head.length = 12;
    for (uint64_t seed = 1; seed < 200; seed++) {
        unsigned switches = 0;

        run(&fw_strategy_pct, &model, seed);
        for (unsigned i = 1; model.order[i]; i++)
            switches += model.order[i] != model.order[i - 1];
        assert_int_equal(switches, 2);
    }
}

/* --- pos ------------------------------------------------------------------------------------- */

/* Yuan, Yang, Gu (CAV 2018), section 2: a pending operation keeps its priority while the others do
 * what does not touch it.  A random walk would do this once in 2^8 runs. */
static void test_pos_delays_an_operation_behind_many_that_commute(void **unused)
{
    struct model model = { .threads = 2, .lengths = { 1, 9 } };

    (void)unused;
    for (unsigned i = 0; i < 8; i++)
        model.ops[1][i] = (struct op) { 1000 + 64 * i, true };
    model.ops[0][0] = model.ops[1][8] = (struct op) { 64, true };
    /* A's priority is the lowest of ten. */
    assert_about(count(&fw_strategy_pos, &model, "BBBBBBBBBA"), 1.0 / 10);
    assert_about(count(&fw_strategy_random, &model, "BBBBBBBBBA"), 1.0 / 512);
}

/* Two writes in a race: each order as often as the other one. */
static void test_pos_is_fair_to_both_orders(void **unused)
{
    struct model model = same_object(2, 1);

    (void)unused;
    assert_about(count(&fw_strategy_pos, &model, "AB"), 1.0 / 2);
    assert_about(count(&fw_strategy_pos, &model, "BA"), 1.0 / 2);
}

/* --- delay ----------------------------------------------------------------------------------- */

/* Threads run at the same speed: without a delay none is ahead by more than one point. */
static void test_delay_runs_threads_side_by_side(void **unused)
{
    struct model model = same_object(2, 8);
    unsigned even = 0;

    (void)unused;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        int ahead = 0, most = 0;

        run(&fw_strategy_delay, &model, seed);
        for (unsigned i = 0; model.order[i]; i++) {
            ahead += model.order[i] == 'A' ? 1 : -1;
            if (ahead > most || -ahead > most)
                most = ahead < 0 ? -ahead : ahead;
        }
        even += most <= 2;
    }
    assert_in_range(even, 300, 700); /* 15/16 to the 16th: 36% have no delay at all */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_walk_is_uniform_at_every_step),
        cmocka_unit_test(test_equal_seeds_make_equal_runs),
        cmocka_unit_test(test_pct_finds_orders_of_depth_one),
        cmocka_unit_test(test_pct_finds_a_lost_update),
        cmocka_unit_test(test_pct_finds_nested_interruptions),
        cmocka_unit_test(test_pct_without_changes_never_interrupts),
        cmocka_unit_test(test_pos_delays_an_operation_behind_many_that_commute),
        cmocka_unit_test(test_pos_is_fair_to_both_orders),
        cmocka_unit_test(test_delay_runs_threads_side_by_side),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
