/* test_beginnings.c - which earlier run another one begins with. */
#include "base/alloc.h"
#include "explore/corpus.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#define DRAWS 4096u

static void add(struct fw_corpus *corpus, size_t exposed)
{
    fw_corpus_add(corpus, fw_xcalloc(1, sizeof(struct fw_capture)), exposed);
}

/* How often each place is chosen. */
static void choose(const struct fw_corpus *corpus, unsigned chosen[FW_CORPUS_ROOM])
{
    memset(chosen, 0, FW_CORPUS_ROOM * sizeof *chosen);
    for (uint64_t seed = 1; seed <= DRAWS; seed++)
        chosen[fw_corpus_choose(corpus, seed)]++;
}

static void test_without_runs_there_is_none(void **state)
{
    struct fw_corpus corpus = { 0 };

    (void)state;
    assert_int_equal(fw_corpus_choose(&corpus, 1), FW_CORPUS_ROOM);
}

static void test_later_ones_are_chosen_more(void **state)
{
    struct fw_corpus corpus = { 0 };
    unsigned chosen[FW_CORPUS_ROOM], first = 0, last = 0;

    (void)state;
    for (unsigned i = 0; i < 20; i++)
        add(&corpus, 10);
    choose(&corpus, chosen);
    for (unsigned i = 0; i < 5; i++) {
        first += chosen[i];
        last += chosen[15 + i];
        assert_true(chosen[i] > 0);
    }
    assert_true(last > 5 * first);
    fw_corpus_release(&corpus);
}

static void test_those_that_exposed_more_are_chosen_more(void **state)
{
    struct fw_corpus corpus = { 0 };
    unsigned chosen[FW_CORPUS_ROOM];

    (void)state;
    for (unsigned i = 0; i < 20; i++)
        add(&corpus, i == 10 ? 11 : 10);
    choose(&corpus, chosen);
    assert_true(chosen[10] > 4 * chosen[9]);
    assert_true(chosen[9] > 0);
    fw_corpus_release(&corpus);
}

/* The places of the oldest are taken by others. */
static void test_only_what_is_kept_is_chosen(void **state)
{
    struct fw_corpus corpus = { 0 };
    unsigned chosen[FW_CORPUS_ROOM];

    (void)state;
    add(&corpus, 1000);
    choose(&corpus, chosen);
    assert_int_equal(chosen[0], DRAWS);
    for (unsigned i = 0; i < FW_CORPUS_ROOM; i++)
        add(&corpus, i ? 1 : 2);
    choose(&corpus, chosen);
    assert_int_equal(corpus.exposed[0], 1); /* the latest one */
    assert_true(chosen[0] > chosen[128]);
    fw_corpus_release(&corpus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_runs_there_is_none),
        cmocka_unit_test(test_later_ones_are_chosen_more),
        cmocka_unit_test(test_those_that_exposed_more_are_chosen_more),
        cmocka_unit_test(test_only_what_is_kept_is_chosen),
    };

    return cmocka_run_group_tests_name("beginnings", tests, NULL, NULL);
}
