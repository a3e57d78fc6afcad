/* test_tally.c - many races between few sites: counts, variables and the earliest one are exact. */
#include "analysis/findings.h"
#include "analysis/tally.h"
#include "base/idsort.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SITES     12u /* and site 0, which is none */
#define VARIABLES 5000u

/* What is to be known of a pair of sites. */
struct naive {
    uint64_t count;
    bool variables[VARIABLES];
    uint64_t latest, second; /* of the earliest race */
};

static struct naive *naive_of(struct naive *naive, uint32_t a, uint32_t b)
{
    return &naive[(a < b ? a : b) * SITES + (a < b ? b : a)];
}

static struct fw_symbols *make_symbols(void)
{
    struct fw_symbols *symbols = fw_symbols_create();
    char name[32];

    for (uint32_t i = 1; i < SITES; i++) {
        snprintf(name, sizeof name, "a.c:%u", i);
        fw_strtab_intern(&symbols->table[FW_SPACE_SITE], name, strlen(name));
    }
    for (uint32_t i = 0; i < VARIABLES; i++) {
        snprintf(name, sizeof name, "v%u", i);
        fw_strtab_intern(&symbols->table[FW_SPACE_VARIABLE], name, strlen(name));
    }
    return symbols;
}

static void add_naive(struct naive *naive, const struct fw_mark events[2], uint32_t variable)
{
    struct naive *to = naive_of(naive, events[0].site, events[1].site);
    uint64_t latest = events[1].index, second = events[0].index;

    if (to->count++ == 0 || latest < to->latest || (latest == to->latest && second < to->second)) {
        to->latest = latest;
        to->second = second;
    }
    to->variables[variable] = true;
}

/* Races come in the order of their events, more or less: `late` percent are told late. */
static void add_random_races(struct fw_findings *findings, struct naive *naive, uint64_t seed,
                             uint32_t count, uint32_t late)
{
    struct fw_random random;

    fw_random_init(&random, seed);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t variable = fw_random_below(&random, 1 + fw_random_below(&random, VARIABLES));
        uint64_t end = 1 + i / 3;
        struct fw_mark events[2] = { { .target = variable }, { .target = variable } };

        if (fw_random_percent(&random, late))
            end -= fw_random_below(&random, (uint32_t)end);
        events[1].index = end;
        events[0].index = fw_random_below(&random, (uint32_t)end);
        events[0].site = 1 + fw_random_below(&random, SITES - 1);
        events[1].site = 1 + fw_random_below(&random, SITES - 1);
        fw_findings_add(findings, &(struct fw_occurrence) { .kind = FW_FINDING_RACE,
                                                            .events = events,
                                                            .event_count = 2,
                                                            .variable = variable });
        add_naive(naive, events, variable);
    }
}

static void compare(const struct fw_finding *finding, struct naive *naive)
{
    const struct fw_mark *events = finding->events.at;
    struct naive *wanted = naive_of(naive, events[0].site, events[1].site);
    size_t variables = 0;

    assert_int_equal(finding->count, wanted->count);
    assert_int_equal(events[1].index, wanted->latest);
    assert_int_equal(events[0].index, wanted->second);
    for (uint32_t v = 0; v < VARIABLES; v++) {
        if (!wanted->variables[v])
            continue;
        assert_true(variables < finding->variables.len);
        assert_int_equal(finding->variables.at[variables++], v);
    }
    assert_int_equal(finding->variables.len, variables);
    wanted->count = 0;
}

static void check_races(uint64_t seed, uint32_t count, uint32_t late)
{
    struct fw_symbols *symbols = make_symbols();
    struct fw_findings *findings = fw_findings_create(symbols, false);
    struct naive *naive = calloc((size_t)SITES * SITES, sizeof *naive);

    assert_non_null(naive);
    add_random_races(findings, naive, seed, count, late);
    fw_findings_finish(findings);
    for (uint64_t i = 0; i < fw_findings_count(findings); i++)
        compare(fw_findings_get(findings, i), naive);
    for (uint32_t i = 0; i < SITES * SITES; i++)
        assert_int_equal(naive[i].count, 0);
    free(naive);
    fw_findings_destroy(findings);
    fw_symbols_destroy(symbols);
}

static void races_in_order_are_counted_exactly(void **state)
{
    (void)state;
    check_races(1, 100, 0);
    check_races(2, 200000, 0);
}

static void races_told_late_are_counted_exactly(void **state)
{
    (void)state;
    check_races(3, 1000, 50);
    check_races(4, 200000, 20);
}

static void a_tally_that_was_full_loses_nothing(void **state)
{
    (void)state;
    check_races(5, 1500000, 0);
}

static void unknown_sites_are_refused(void **state)
{
    struct fw_tally *tally = fw_tally_create();

    (void)state;
    assert_false(fw_tally_count(tally, 1, 2, 0));
    fw_tally_learn(tally, 1, 2, 7);
    assert_true(fw_tally_count(tally, 1, 2, 0));
    assert_true(fw_tally_count(tally, 2, 1, 0));
    assert_false(fw_tally_count(tally, 1, 1, 0));
    fw_tally_destroy(tally);
}

static void ids_are_sorted_and_distinct(void **state)
{
    static const size_t sizes[] = { 0, 1, 2, 47, 48, 49, 1000 };
    struct fw_random random;

    (void)state;
    fw_random_init(&random, 1);
    for (size_t round = 0; round < 100; round++) {
        uint32_t ids[1000], limit = round % 2 ? 300 : UINT32_MAX;
        size_t size = sizes[round % (sizeof sizes / sizeof *sizes)], left;

        for (size_t i = 0; i < size; i++)
            ids[i] = fw_random_below(&random, limit);
        left = fw_idsort_unique(ids, size);
        assert_true(left <= size && (left || !size));
        for (size_t i = 1; i < left; i++)
            assert_true(ids[i - 1] < ids[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(races_in_order_are_counted_exactly),
        cmocka_unit_test(races_told_late_are_counted_exactly),
        cmocka_unit_test(a_tally_that_was_full_loses_nothing),
        cmocka_unit_test(unknown_sites_are_refused),
        cmocka_unit_test(ids_are_sorted_and_distinct),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
