/*
 * test_guard_tx.c - transactions that run and access a word of which one writes are in each other's
 * way; those that have ended are not.
 */
#include "guard/transactions.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static _Atomic uint64_t cells[64];

static uint32_t access_by(uint32_t thread, unsigned word, bool write)
{
    return fw_tx_access(&cells[word], 0x1000 + word * 4u, fw_tx_of(thread), write);
}

static int begin(void **state)
{
    (void)state;
    memset((void *)cells, 0, sizeof cells);
    for (uint32_t i = 1; i <= FW_TX_THREADS; i++)
        fw_tx_cut(i);
    return 0;
}

static void writes_keep_others_away(void **state)
{
    (void)state;
    assert_int_equal(access_by(1, 0, true), 0);
    assert_int_equal(access_by(1, 0, true), 0);
    assert_int_equal(access_by(1, 0, false), 0);
    assert_int_equal(access_by(2, 0, false), fw_tx_of(1));
    assert_int_equal(access_by(2, 0, true), fw_tx_of(1));
    assert_int_equal(access_by(2, 1, true), 0); /* another word */
    fw_tx_cut(1);
    assert_int_equal(access_by(2, 0, true), 0);
    assert_int_equal(access_by(1, 0, false), fw_tx_of(2));
}

static void reads_keep_writes_away_but_no_reads(void **state)
{
    (void)state;
    for (uint32_t t = 1; t <= 4; t++)
        assert_int_equal(access_by(t, 0, false), 0);
    assert_int_not_equal(access_by(5, 0, true), 0);
    assert_int_not_equal(access_by(1, 0, true), 0);
    for (uint32_t t = 2; t <= 4; t++) {
        assert_int_not_equal(access_by(1, 0, true), 0);
        fw_tx_cut(t);
    }
    assert_int_equal(access_by(1, 0, true), 0); /* its own read is not in the way */
}

static void all_can_begin_anew(void **state)
{
    (void)state;
    assert_int_equal(access_by(1, 0, true), 0);
    assert_int_equal(access_by(3, 1, false), 0);
    fw_tx_give_up();
    assert_int_equal(access_by(2, 0, true), 0);
    assert_int_equal(access_by(2, 1, true), 0);
}

/* Where it gave something back is of that transaction alone; where it is blocked counts first. */
static void where_a_transaction_rests_is_its_own(void **state)
{
    (void)state;
    assert_int_equal(fw_tx_rests(fw_tx_of(1)), 0);
    fw_tx_gives(1, 77);
    assert_int_equal(fw_tx_rests(fw_tx_of(1)), 77);
    assert_int_equal(fw_tx_rests(fw_tx_of(2)), 0);
    fw_tx_gives(1, 78);
    assert_int_equal(fw_tx_rests(fw_tx_of(1)), 78);
    fw_tx_blocks(1, 99); /* that is later */
    assert_int_equal(fw_tx_rests(fw_tx_of(1)), 99);
    fw_tx_blocks(1, 0);
    assert_int_equal(fw_tx_rests(fw_tx_of(1)), 78);
    fw_tx_cut(1);
    assert_int_equal(fw_tx_rests(fw_tx_of(1)), 0);
    fw_tx_gives(1, 79);
    fw_tx_give_up();
    assert_int_equal(fw_tx_rests(fw_tx_of(1)), 0);
}

static void nobody_waits_in_a_circle(void **state)
{
    (void)state;
    assert_true(fw_tx_wait_begin(1, 2));
    assert_true(fw_tx_wait_begin(2, 3));
    assert_false(fw_tx_wait_begin(3, 1));
    assert_true(fw_tx_wait_begin(3, 4));
    fw_tx_wait_end(1);
    fw_tx_wait_end(3);
    assert_true(fw_tx_wait_begin(3, 1));
    fw_tx_wait_end(2);
    fw_tx_wait_end(3);
}

/* Against a list of all accesses, for random accesses of a few threads, as long as no more readers
 * are there than have room. */
enum {
    THREADS = 5,
    WORDS = 6,
    STEPS = 200000
};

struct held {
    bool read, written;
};

static void the_right_one_is_in_the_way(void **state)
{
    static struct held held[THREADS + 1][WORDS];
    uint64_t seed = 88172645463325252u;
    unsigned conflicts = 0;

    (void)state;
    memset(held, 0, sizeof held);
    for (unsigned step = 0; step < STEPS; step++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        uint32_t t = 1 + (uint32_t)(seed >> 20) % THREADS;
        unsigned word = (unsigned)(seed >> 40) % WORDS;
        bool write = seed >> 60 & 1, expected = false;
        uint32_t other;

        if (seed >> 50 & 3) {
            for (uint32_t u = 1; u <= THREADS; u++)
                expected |= u != t && (held[u][word].written || (write && held[u][word].read));
            other = access_by(t, word, write);
            assert_int_equal(other != 0, expected);
            if (other) {
                const struct held *by = &held[fw_tx_thread(other)][word];

                assert_true(by->written || (write && by->read));
                conflicts++;
                continue;
            }
            held[t][word].written |= write;
            held[t][word].read = true;
        } else {
            fw_tx_cut(t);
            memset(held[t], 0, sizeof held[t]);
        }
    }
    assert_true(conflicts > STEPS / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(writes_keep_others_away, begin),
        cmocka_unit_test_setup(reads_keep_writes_away_but_no_reads, begin),
        cmocka_unit_test_setup(all_can_begin_anew, begin),
        cmocka_unit_test_setup(where_a_transaction_rests_is_its_own, begin),
        cmocka_unit_test_setup(nobody_waits_in_a_circle, begin),
        cmocka_unit_test_setup(the_right_one_is_in_the_way, begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
