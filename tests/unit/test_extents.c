/* test_extents.c - bytes become objects, against a list of bytes. */
#include "explore/extents.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BASE  (0x5200u - BYTES / 2) /* some words of a page and some of the next one */
#define BYTES 64u

static uint64_t one(struct fw_extents *objects, uint64_t address, uint64_t bytes)
{
    uint64_t numbers[FW_EXTENTS_WORDS];

    assert_int_equal(fw_extents_of(objects, address, bytes, numbers), 1);
    return numbers[0];
}

static void test_neighbours_are_different(void **unused)
{
    struct fw_extents objects;

    (void)unused;
    fw_extents_init(&objects);
    assert_int_equal(one(&objects, BASE, 4), BASE);
    assert_int_equal(one(&objects, BASE + 4, 4), BASE + 4);
    assert_int_equal(one(&objects, BASE + 5, 1), BASE + 4);
    assert_int_equal(one(&objects, BASE, 8), BASE); /* from here on they are one */
    assert_int_equal(one(&objects, BASE + 4, 4), BASE);
    fw_extents_release(&objects);
}

static void test_long_accesses_are_of_many(void **unused)
{
    uint64_t numbers[FW_EXTENTS_WORDS];
    struct fw_extents objects;

    (void)unused;
    fw_extents_init(&objects);
    assert_int_equal(fw_extents_of(&objects, BASE + 6, 12, numbers), 3);
    assert_int_equal(numbers[0], BASE + 6);
    assert_int_equal(numbers[1], BASE + 8);
    assert_int_equal(numbers[2], BASE + 16);
    assert_int_equal(fw_extents_of(&objects, BASE, UINT32_MAX, numbers), FW_EXTENTS_WORDS);
    fw_extents_release(&objects);
}

/* --- against a list ------------------------------------------------------------------------- */

struct model {
    uint8_t part[BYTES]; /* by byte: lowest byte of its object + 1; 0: none */
};

static void model_join(struct model *model, unsigned word, unsigned from, unsigned to)
{
    bool in[BYTES] = { false };
    unsigned lowest = BYTES;

    for (unsigned i = from; i < to; i++)
        for (unsigned k = word; k < word + 8; k++)
            in[k] |= k == i || (model->part[i] && model->part[k] == model->part[i]);
    for (unsigned k = word; k < word + 8; k++)
        if (in[k] && lowest == BYTES)
            lowest = k;
    for (unsigned k = word; k < word + 8; k++)
        if (in[k])
            model->part[k] = (uint8_t)(lowest + 1);
}

static void model_forget(struct model *model, unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++) {
        uint8_t part = model->part[i];

        for (unsigned k = 0; part && k < BYTES; k++)
            if (model->part[k] == part)
                model->part[k] = 0;
    }
}

static void count_one(void *context, uint64_t number)
{
    struct model *model = context;
    bool was = false;

    for (unsigned k = 0; k < BYTES; k++)
        was |= model->part[k] && number == BASE + model->part[k] - 1u;
    assert_true(was);
}

static void test_random_accesses_are_as_in_a_list(void **unused)
{
    uint64_t numbers[FW_EXTENTS_WORDS];
    struct fw_extents objects;

    (void)unused;
    srand(1);
    fw_extents_init(&objects);
    for (unsigned round = 0; round < 2000; round++) {
        struct model model = { { 0 } };

        fw_extents_clear(&objects);
        for (unsigned step = 0; step < 20; step++) {
            unsigned from = (unsigned)rand() % BYTES;
            unsigned to = from + 1 + (unsigned)rand() % 12, got, want = 0;

            to = to < BYTES ? to : BYTES;
            if (rand() % 8 == 0) {
                fw_extents_forget(&objects, BASE + from, to - from, count_one, &model);
                model_forget(&model, from, to);
                continue;
            }
            got = fw_extents_of(&objects, BASE + from, to - from, numbers);
            for (unsigned word = from / 8 * 8; word < to; word += 8) {
                unsigned first = from > word ? from : word;

                model_join(&model, word, first, to < word + 8 ? to : word + 8);
                assert_int_equal(numbers[want++], BASE + model.part[first] - 1u);
            }
            assert_int_equal(got, want);
        }
    }
    fw_extents_release(&objects);
}

struct visited {
    unsigned count;
    uint64_t latest;
};

static void count_all(void *context, uint64_t number)
{
    struct visited *visited = context;

    assert_true(!visited->count || number > visited->latest);
    visited->latest = number;
    visited->count++;
}

/* Where they are looked up, and where all that is there is looked through. */
static void test_large_ranges_are_forgotten_in_order(void **unused)
{
    static const uint64_t ends[] = { BASE + 5000 * 24, UINT64_C(1) << 40, UINT64_MAX };
    uint64_t numbers[FW_EXTENTS_WORDS];

    (void)unused;
    for (unsigned round = 0; round < sizeof ends / sizeof *ends; round++) {
        struct visited visited = { 0 };
        struct fw_extents objects;

        fw_extents_init(&objects);
        for (unsigned i = 0; i < 5000; i++)
            fw_extents_of(&objects, BASE + (i * 1237ull % 5000) * 24, 8, numbers);
        one(&objects, BASE - 1, 1);
        fw_extents_forget(&objects, BASE, ends[round] - BASE, count_all, &visited);
        assert_int_equal(visited.count, 5000);
        fw_extents_forget(&objects, BASE - 8, ends[round] - BASE + 8, count_all,
                          &(struct visited){ 0 });
        fw_extents_forget(&objects, 0, ends[round], count_all, &visited);
        assert_int_equal(visited.count, 5000);
        fw_extents_release(&objects);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neighbours_are_different),
        cmocka_unit_test(test_long_accesses_are_of_many),
        cmocka_unit_test(test_random_accesses_are_as_in_a_list),
        cmocka_unit_test(test_large_ranges_are_forgotten_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
