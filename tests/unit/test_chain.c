/* test_chain.c - the dynamic order over chains, and its sets of edges, case by case. */
#include "order/chain.h"
#include "order/edges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define NONE FW_CHAIN_NONE

static struct fw_node at(uint32_t chain, uint32_t place)
{
    return (struct fw_node) { chain, place };
}

static int setup(void **state)
{
    *state = fw_chain_create();
    return 0;
}

static int teardown(void **state)
{
    fw_chain_check(*state);
    fw_chain_destroy(*state);
    return 0;
}

/* --- the order ---------------------------------------------------------------------------- */

static void without_edges_only_the_own_chain_is_reached(void **state)
{
    struct fw_chain *order = *state;
    uint32_t places[3];

    assert_true(fw_chain_reach(order, at(1, 4), at(1, 4)));
    assert_true(fw_chain_reach(order, at(1, 4), at(1, 5)));
    assert_false(fw_chain_reach(order, at(1, 5), at(1, 4)));
    assert_false(fw_chain_reach(order, at(1, 4), at(2, 9)));
    assert_int_equal(fw_chain_succ(order, at(1, 4), 1), 4);
    assert_int_equal(fw_chain_succ(order, at(1, 4), 0), NONE);
    assert_int_equal(fw_chain_pred(order, at(1, 4), 1), 4);
    assert_int_equal(fw_chain_pred(order, at(1, 4), 7), NONE);
    fw_chain_succ_all(order, at(1, 4), places, 3);
    assert_int_equal(places[0], NONE);
    assert_int_equal(places[1], 4);
    assert_int_equal(places[2], NONE);
    assert_false(fw_chain_delete(order, at(0, 1), at(1, 1)));
}

static void an_edge_orders_all_before_it_with_all_behind_it(void **state)
{
    struct fw_chain *order = *state;

    fw_chain_insert(order, at(0, 5), at(1, 7));
    assert_true(fw_chain_reach(order, at(0, 5), at(1, 7)));
    assert_true(fw_chain_reach(order, at(0, 0), at(1, 100)));
    assert_false(fw_chain_reach(order, at(0, 6), at(1, 100)));
    assert_false(fw_chain_reach(order, at(0, 5), at(1, 6)));
    assert_false(fw_chain_reach(order, at(1, 7), at(0, 5)));
    assert_int_equal(fw_chain_succ(order, at(0, 3), 1), 7);
    assert_int_equal(fw_chain_succ(order, at(0, 6), 1), NONE);
    assert_int_equal(fw_chain_pred(order, at(1, 9), 0), 5);
    assert_int_equal(fw_chain_pred(order, at(1, 6), 0), NONE);
}

static void order_goes_over_other_chains(void **state)
{
    struct fw_chain *order = *state;
    uint32_t places[4];

    fw_chain_insert(order, at(0, 5), at(1, 7));
    fw_chain_insert(order, at(1, 8), at(2, 3));
    fw_chain_insert(order, at(2, 4), at(3, 1));
    fw_chain_insert(order, at(1, 6), at(3, 0)); /* before the first edge arrives */
    fw_chain_succ_all(order, at(0, 2), places, 4);
    assert_int_equal(places[0], 2);
    assert_int_equal(places[1], 7);
    assert_int_equal(places[2], 3);
    assert_int_equal(places[3], 1);
    fw_chain_pred_all(order, at(3, 0), places, 4);
    assert_int_equal(places[0], NONE);
    assert_int_equal(places[1], 6);
    assert_int_equal(places[2], NONE);
    assert_int_equal(places[3], 0);
    assert_true(fw_chain_reach(order, at(0, 5), at(3, 1)));
    assert_false(fw_chain_reach(order, at(0, 5), at(3, 0)));
}

/* Bulk answers may be asked for fewer chains than there are, and for more. */
static void any_number_of_chains_may_be_asked_for(void **state)
{
    struct fw_chain *order = *state;
    uint32_t places[6] = { 0 };

    fw_chain_insert(order, at(0, 5), at(3, 7));
    fw_chain_succ_all(order, at(0, 5), places, 2);
    assert_int_equal(places[0], 5);
    assert_int_equal(places[1], NONE);
    assert_int_equal(places[2], 0);
    fw_chain_succ_all(order, at(0, 5), places, 6);
    assert_int_equal(places[3], 7);
    assert_int_equal(places[5], NONE);
    fw_chain_pred_all(order, at(5, 2), places, 6);
    assert_int_equal(places[5], 2);
    assert_int_equal(places[3], NONE);
}

static void what_is_deleted_orders_nothing(void **state)
{
    struct fw_chain *order = *state;

    fw_chain_insert(order, at(0, 5), at(1, 7));
    fw_chain_insert(order, at(0, 3), at(1, 4));
    assert_int_equal(fw_chain_succ(order, at(0, 1), 1), 4);
    assert_true(fw_chain_delete(order, at(0, 3), at(1, 4)));
    assert_int_equal(fw_chain_succ(order, at(0, 1), 1), 7);
    assert_true(fw_chain_delete(order, at(0, 5), at(1, 7)));
    assert_int_equal(fw_chain_succ(order, at(0, 1), 1), NONE);
    assert_false(fw_chain_delete(order, at(0, 5), at(1, 7)));
    assert_int_equal(fw_chain_inserted(order), 0);
}

static void an_edge_is_there_as_often_as_it_was_inserted(void **state)
{
    struct fw_chain *order = *state;

    for (int i = 0; i < 100; i++)
        fw_chain_insert(order, at(0, 5), at(1, 7));
    fw_chain_insert(order, at(0, 5), at(1, 9));
    for (int i = 0; i < 100; i++) {
        assert_int_equal(fw_chain_succ(order, at(0, 5), 1), 7);
        assert_true(fw_chain_delete(order, at(0, 5), at(1, 7)));
        fw_chain_check(order);
    }
    assert_false(fw_chain_delete(order, at(0, 5), at(1, 7)));
    assert_int_equal(fw_chain_succ(order, at(0, 5), 1), 9);
}

static void queries_end_on_cycles(void **state)
{
    struct fw_chain *order = *state;

    fw_chain_insert(order, at(0, 5), at(1, 5));
    fw_chain_insert(order, at(1, 6), at(2, 6));
    fw_chain_insert(order, at(2, 7), at(0, 1));
    assert_true(fw_chain_reach(order, at(0, 5), at(0, 2)));
    assert_false(fw_chain_reach(order, at(0, 5), at(0, 0)));
    assert_int_equal(fw_chain_succ(order, at(0, 5), 0), 1);
    assert_int_equal(fw_chain_pred(order, at(0, 1), 0), 5);
    assert_int_equal(fw_chain_succ(order, at(0, 6), 1), NONE);
}

static void an_edge_within_a_chain_adds_nothing_forward(void **state)
{
    struct fw_chain *order = *state;

    fw_chain_insert(order, at(0, 2), at(0, 8));
    assert_int_equal(fw_chain_succ(order, at(0, 1), 0), 1);
    assert_false(fw_chain_reach(order, at(0, 3), at(0, 2)));
    fw_chain_insert(order, at(0, 8), at(0, 2));
    assert_true(fw_chain_reach(order, at(0, 3), at(0, 2)));
    assert_true(fw_chain_delete(order, at(0, 8), at(0, 2)));
    assert_false(fw_chain_reach(order, at(0, 3), at(0, 2)));
}

static void settled_edges_order_as_inserted_ones_do(void **state)
{
    struct fw_chain *order = *state;
    uint32_t places[4];

    fw_chain_settle(order, at(2, 4), at(3, 1));
    fw_chain_settle(order, at(0, 5), at(1, 7));
    fw_chain_settle(order, at(1, 8), at(2, 3));
    fw_chain_succ_all(order, at(0, 2), places, 4);
    assert_int_equal(places[0], 2);
    assert_int_equal(places[1], 7);
    assert_int_equal(places[2], 3);
    assert_int_equal(places[3], 1);
    assert_int_equal(fw_chain_pred(order, at(3, 1), 0), 5);
    assert_int_equal(fw_chain_pred(order, at(3, 0), 0), NONE);
    assert_int_equal(fw_chain_succ(order, at(0, 6), 3), NONE);
    assert_int_equal(fw_chain_succ(order, at(0, 5), 0), 5);
    assert_true(fw_chain_reach(order, at(0, 5), at(3, 1)));
    assert_false(fw_chain_reach(order, at(3, 1), at(0, 5)));
    assert_false(fw_chain_delete(order, at(0, 5), at(1, 7)));
}

static void settled_and_inserted_edges_make_one_path(void **state)
{
    struct fw_chain *order = *state;

    fw_chain_settle(order, at(0, 1), at(1, 1));
    fw_chain_settle(order, at(2, 3), at(3, 1));
    assert_false(fw_chain_reach(order, at(0, 1), at(3, 1)));
    fw_chain_insert(order, at(1, 2), at(2, 2));
    assert_true(fw_chain_reach(order, at(0, 1), at(3, 1)));
    assert_int_equal(fw_chain_succ(order, at(0, 0), 3), 1);
    assert_int_equal(fw_chain_pred(order, at(3, 1), 0), 1);
    assert_true(fw_chain_delete(order, at(1, 2), at(2, 2)));
    assert_false(fw_chain_reach(order, at(0, 1), at(3, 1)));
    assert_int_equal(fw_chain_succ(order, at(0, 0), 3), NONE);
}

static void of_settled_edges_only_the_useful_are_kept(void **state)
{
    struct fw_chain *order = *state;
    size_t bytes;

    fw_chain_settle(order, at(0, 0), at(1, 100000));
    bytes = fw_chain_bytes(order);
    for (uint32_t i = 1; i <= 100000; i++)
        fw_chain_settle(order, at(0, i), at(1, 100000 - i));
    assert_int_equal(fw_chain_succ(order, at(0, 0), 1), 0);
    assert_int_equal(fw_chain_pred(order, at(1, 0), 0), 100000);
    assert_int_equal(fw_chain_bytes(order), bytes);
}

static void a_cleared_order_is_like_a_new_one(void **state)
{
    struct fw_chain *order = *state;

    for (uint32_t i = 0; i < 500; i++)
        (i % 2 ? fw_chain_settle : fw_chain_insert)(order, at(i % 3, i), at(3, i));
    fw_chain_clear(order);
    assert_int_equal(fw_chain_inserted(order), 0);
    assert_false(fw_chain_reach(order, at(0, 0), at(3, 499)));
    fw_chain_insert(order, at(2, 0), at(0, 0));
    assert_true(fw_chain_reach(order, at(2, 0), at(0, 0)));
    assert_false(fw_chain_reach(order, at(1, 0), at(3, 499)));
}

/* Memory follows the edges: not the length of chains, not the square of their number. */
static void memory_follows_the_edges(void **state)
{
    struct fw_chain *order = *state;
    uint32_t chains = 5000;

    for (uint32_t c = 0; c + 1 < chains; c++)
        fw_chain_insert(order, at(c, NONE - 2 - c), at(c + 1, NONE - 1 - c));
    assert_true(fw_chain_bytes(order) < 1000 * chains);
    assert_true(fw_chain_reach(order, at(0, 0), at(1, NONE - 1)));
    assert_false(fw_chain_reach(order, at(1, 0), at(0, NONE - 1)));
    for (uint32_t i = 0; i < 100000; i++)
        fw_chain_insert(order, at(0, i), at(1, i));
    assert_true(fw_chain_bytes(order) < 1000 * chains + 16 * 100000);
}

static void a_path_may_be_as_long_as_there_are_chains(void **state)
{
    struct fw_chain *order = *state;
    uint32_t chains = 3000;

    for (uint32_t c = 0; c + 1 < chains; c++)
        fw_chain_insert(order, at(c, c), at(c + 1, c + 1));
    assert_true(fw_chain_reach(order, at(0, 0), at(chains - 1, chains - 1)));
    assert_false(fw_chain_reach(order, at(0, 0), at(chains - 1, chains - 2)));
    assert_int_equal(fw_chain_pred(order, at(chains - 1, chains), 0), 0);
}

/* --- sets of edges ------------------------------------------------------------------------ */

#define MANY 20000u

static struct fw_edges filled(struct fw_edge_pool *pool, uint32_t step)
{
    struct fw_edges edges = { 0 };

    fw_edge_pool_init(pool);
    for (uint32_t i = 0, source = 0; i < MANY; i++, source = (source + step) % MANY)
        fw_edges_insert(pool, &edges, source, 2 * source + 1);
    fw_edges_check(pool, &edges);
    return edges;
}

static void check_questions(const struct fw_edge_pool *pool, const struct fw_edges *edges)
{
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(fw_edges_target(pool, edges, i, NONE), 2 * i + 1);
        assert_int_equal(fw_edges_target(pool, edges, i, 2 * i), 2 * i);
        assert_int_equal(fw_edges_source(pool, edges, 2 * i + 1), i + 1);
        assert_int_equal(fw_edges_source(pool, edges, 2 * i), i);
    }
    assert_int_equal(fw_edges_target(pool, edges, MANY, NONE), NONE);
}

static void edges_may_come_in_any_order(void **state)
{
    static const uint32_t steps[] = { 1, MANY - 1, 7919 };

    (void)state;
    for (unsigned s = 0; s < 3; s++) {
        struct fw_edge_pool pool;
        struct fw_edges edges = filled(&pool, steps[s]);

        check_questions(&pool, &edges);
        fw_edge_pool_release(&pool);
    }
}

static void edges_in_order_fill_their_nodes(void **state)
{
    struct fw_edge_pool pool;
    struct fw_edges edges = filled(&pool, 1);

    (void)state;
    (void)edges;
    assert_true(pool.used * sizeof *pool.words < 14 * MANY);
    fw_edge_pool_release(&pool);
}

/* Nodes that lost most of their edges are put together again. */
static void deleted_edges_give_their_memory_back(void **state)
{
    struct fw_edge_pool pool;
    struct fw_edges edges = filled(&pool, 7919);
    size_t used = pool.used;

    (void)state;
    for (uint32_t i = 0; i < MANY; i++)
        if (i % 16)
            assert_true(fw_edges_delete(&pool, &edges, i, 2 * i + 1));
    fw_edges_check(&pool, &edges);
    for (uint32_t i = 0; i < MANY * 3 / 4; i++)
        fw_edges_insert(&pool, &edges, MANY + i, 1);
    assert_int_equal(pool.used, used);
    assert_int_equal(fw_edges_target(&pool, &edges, 0, NONE), 1);
    fw_edge_pool_release(&pool);
}

static void an_emptied_set_can_be_filled_again(void **state)
{
    struct fw_edge_pool pool;
    struct fw_edges edges = filled(&pool, 7919);
    size_t used = pool.used;

    (void)state;
    for (uint32_t i = 0; i < MANY; i++)
        assert_true(fw_edges_delete(&pool, &edges, i, 2 * i + 1));
    assert_int_equal(edges.count, 0);
    assert_int_equal(fw_edges_target(&pool, &edges, 0, NONE), NONE);
    assert_int_equal(fw_edges_source(&pool, &edges, NONE - 1), 0);
    for (uint32_t i = 0; i < MANY; i++)
        fw_edges_insert(&pool, &edges, i, 2 * i + 1);
    check_questions(&pool, &edges);
    assert_int_equal(pool.used, used);
    fw_edge_pool_release(&pool);
}

int main(void)
{
#define ORDER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        ORDER(without_edges_only_the_own_chain_is_reached),
        ORDER(an_edge_orders_all_before_it_with_all_behind_it),
        ORDER(order_goes_over_other_chains),
        ORDER(any_number_of_chains_may_be_asked_for),
        ORDER(what_is_deleted_orders_nothing),
        ORDER(an_edge_is_there_as_often_as_it_was_inserted),
        ORDER(queries_end_on_cycles),
        ORDER(an_edge_within_a_chain_adds_nothing_forward),
        ORDER(settled_edges_order_as_inserted_ones_do),
        ORDER(settled_and_inserted_edges_make_one_path),
        ORDER(of_settled_edges_only_the_useful_are_kept),
        ORDER(a_cleared_order_is_like_a_new_one),
        ORDER(memory_follows_the_edges),
        ORDER(a_path_may_be_as_long_as_there_are_chains),
        cmocka_unit_test(edges_may_come_in_any_order),
        cmocka_unit_test(edges_in_order_fill_their_nodes),
        cmocka_unit_test(deleted_edges_give_their_memory_back),
        cmocka_unit_test(an_emptied_set_can_be_filled_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
