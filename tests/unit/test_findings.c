/* test_findings.c - occurrences are merged, sorted and named the same way every time. */
#include "analysis/findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

static struct fw_symbols *symbols;

static int setup(void **state)
{
    (void)state;
    symbols = fw_symbols_create();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    fw_symbols_destroy(symbols);
    return 0;
}

static uint32_t intern(enum fw_space space, const char *name)
{
    return fw_strtab_intern(&symbols->table[space], name, strlen(name));
}

static struct fw_mark write_at(uint64_t index, const char *site, const char *variable)
{
    return (struct fw_mark) { .index = index,
                              .kind = FW_WRITE,
                              .target = intern(FW_SPACE_VARIABLE, variable),
                              .site = intern(FW_SPACE_SITE, site) };
}

static void add(struct fw_findings *findings, enum fw_finding_kind kind, struct fw_mark a,
                struct fw_mark b)
{
    const struct fw_mark events[] = { a, b };

    fw_findings_add(findings,
                    &(struct fw_occurrence) {
                        .kind = kind, .events = events, .event_count = 2, .variable = a.target });
}

static void races_merge_by_the_pair_of_sites_in_either_order(void **state)
{
    struct fw_findings *findings = fw_findings_create(symbols, false);
    const struct fw_finding *finding;

    (void)state;
    add(findings, FW_FINDING_RACE, write_at(3, "a.c:1", "x"), write_at(7, "b.c:2", "x"));
    add(findings, FW_FINDING_RACE, write_at(4, "b.c:2", "y"), write_at(8, "a.c:1", "y"));
    add(findings, FW_FINDING_RACE, write_at(5, "a.c:1", "x"), write_at(9, "b.c:2", "x"));
    add(findings, FW_FINDING_RACE, write_at(5, "a.c:1", "x"), write_at(6, "a.c:1", "x"));
    fw_findings_finish(findings);
    assert_int_equal(fw_findings_count(findings), 2);
    finding = fw_findings_get(findings, 1);
    assert_int_equal(finding->count, 3);
    assert_int_equal(finding->events.at[0].index, 3);
    assert_int_equal(finding->events.at[1].index, 7);
    assert_int_equal(finding->variables.len, 2);
    assert_false(finding->first);
    assert_int_equal(fw_findings_get(findings, 0)->events.at[1].index, 6);
    assert_true(fw_findings_get(findings, 0)->first);
    fw_findings_destroy(findings);
}

static bool count(struct fw_findings *findings, const char *a, const char *b, uint64_t index,
                  const char *variable)
{
    const uint32_t sites[2] = { intern(FW_SPACE_SITE, a), intern(FW_SPACE_SITE, b) };

    return fw_findings_count_race(findings, sites, index, intern(FW_SPACE_VARIABLE, variable));
}

static void later_races_of_known_sites_are_counted_without_their_events(void **state)
{
    struct fw_findings *findings = fw_findings_create(symbols, false);

    (void)state;
    assert_false(count(findings, "a.c:1", "b.c:2", 7, "x"));
    add(findings, FW_FINDING_RACE, write_at(3, "a.c:1", "x"), write_at(7, "b.c:2", "x"));
    assert_false(count(findings, "a.c:1", "b.c:2", 7, "x"));
    assert_false(count(findings, "a.c:1", "a.c:1", 8, "x"));
    assert_false(count(findings, "", "", 8, "x"));
    assert_true(count(findings, "b.c:2", "a.c:1", 8, "y"));
    assert_true(count(findings, "a.c:1", "b.c:2", 9, "x"));
    fw_findings_finish(findings);
    assert_int_equal(fw_findings_count(findings), 1);
    assert_int_equal(fw_findings_get(findings, 0)->count, 3);
    assert_int_equal(fw_findings_get(findings, 0)->variables.len, 2);
    assert_int_equal(fw_findings_get(findings, 0)->events.at[1].index, 7);
    fw_findings_destroy(findings);
}

static void with_all_pairs_no_race_is_only_counted(void **state)
{
    struct fw_findings *findings = fw_findings_create(symbols, true);

    (void)state;
    add(findings, FW_FINDING_RACE, write_at(3, "a.c:1", "x"), write_at(7, "b.c:2", "x"));
    assert_false(count(findings, "a.c:1", "b.c:2", 8, "x"));
    fw_findings_destroy(findings);
}

static void other_kinds_merge_by_the_list_of_sites(void **state)
{
    struct fw_findings *findings = fw_findings_create(symbols, false);

    (void)state;
    add(findings, FW_FINDING_DEADLOCK, write_at(3, "a.c:1", "x"), write_at(7, "b.c:2", "x"));
    add(findings, FW_FINDING_DEADLOCK, write_at(4, "a.c:1", "y"), write_at(8, "b.c:2", "y"));
    add(findings, FW_FINDING_DEADLOCK, write_at(5, "b.c:2", "y"), write_at(9, "a.c:1", "y"));
    add(findings, FW_FINDING_RACE, write_at(5, "b.c:2", "y"), write_at(9, "a.c:1", "y"));
    fw_findings_finish(findings);
    assert_int_equal(fw_findings_count(findings), 3);
    fw_findings_destroy(findings);
}

static void a_label_tells_findings_apart(void **state)
{
    struct fw_findings *findings = fw_findings_create(symbols, false);
    struct fw_mark mark = write_at(1, "a.c:1", "x");
    struct fw_occurrence one = { .kind = FW_FINDING_ATOMICITY,
                                 .events = &mark,
                                 .event_count = 1,
                                 .variable = FW_NO_VARIABLE,
                                 .label = "before-error",
                                 .detail = "because" };
    struct fw_occurrence two = one;

    (void)state;
    two.label = "after-error";
    assert_false(fw_findings_known(findings, &one));
    fw_findings_add(findings, &one);
    assert_true(fw_findings_known(findings, &one));
    assert_false(fw_findings_known(findings, &two));
    fw_findings_add(findings, &two);
    fw_findings_finish(findings);
    assert_int_equal(fw_findings_count(findings), 2);
    assert_string_equal(fw_findings_get(findings, 0)->label, "after-error");
    assert_string_equal(fw_findings_get(findings, 1)->detail, "because");
    assert_string_not_equal(fw_findings_get(findings, 0)->id, fw_findings_get(findings, 1)->id);
    assert_int_equal(fw_findings_get(findings, 0)->variables.len, 0);
    fw_findings_destroy(findings);
}

static void without_sites_the_variable_is_the_key(void **state)
{
    struct fw_findings *findings = fw_findings_create(symbols, false);
    struct fw_mark x = write_at(1, "", "x"), later = write_at(5, "", "x");

    (void)state;
    x.site = later.site = 0;
    add(findings, FW_FINDING_RACE, x, later);
    add(findings, FW_FINDING_RACE, write_at(2, "", "y"), write_at(6, "", "y"));
    /* The name after a new allocation: another variable, but no other bug. */
    x.target = later.target = fw_strtab_renew(&symbols->table[FW_SPACE_VARIABLE], x.target);
    later.index = 9;
    add(findings, FW_FINDING_RACE, x, later);
    fw_findings_finish(findings);
    assert_int_equal(fw_findings_count(findings), 2);
    assert_int_equal(fw_findings_get(findings, 0)->count, 2);
    assert_int_equal(fw_findings_get(findings, 0)->variables.len, 2);
    assert_int_equal(fw_findings_get(findings, 1)->count, 1);
    fw_findings_destroy(findings);
}

static void without_sites_and_variable_the_targets_are_the_key(void **state)
{
    struct fw_findings *findings = fw_findings_create(symbols, false);

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        char name[] = { (char)('l' + i % 2), '\0' };
        struct fw_mark mark = { .index = i,
                                .kind = FW_ACQUIRE,
                                .target = intern(FW_SPACE_LOCK, name) };

        fw_findings_add(findings, &(struct fw_occurrence) { .kind = FW_FINDING_ATOMICITY,
                                                            .events = &mark,
                                                            .event_count = 1,
                                                            .variable = FW_NO_VARIABLE });
    }
    fw_findings_finish(findings);
    assert_int_equal(fw_findings_count(findings), 2);
    assert_int_equal(fw_findings_get(findings, 0)->count, 2);
    fw_findings_destroy(findings);
}

static void the_earliest_occurrence_is_shown_whatever_the_order(void **state)
{
    struct fw_findings *findings = fw_findings_create(symbols, false);

    (void)state;
    add(findings, FW_FINDING_RACE, write_at(5, "a", "x"), write_at(9, "b", "x"));
    add(findings, FW_FINDING_RACE, write_at(4, "a", "x"), write_at(9, "b", "x"));
    add(findings, FW_FINDING_RACE, write_at(6, "b", "x"), write_at(8, "a", "x"));
    add(findings, FW_FINDING_RACE, write_at(1, "a", "x"), write_at(9, "b", "x"));
    fw_findings_finish(findings);
    assert_int_equal(fw_findings_get(findings, 0)->count, 4);
    assert_int_equal(fw_findings_get(findings, 0)->events.at[0].index, 6);
    fw_findings_destroy(findings);
}

static void pairs_all_keeps_every_pair_under_its_own_id(void **state)
{
    struct fw_findings *findings = fw_findings_create(symbols, true);
    struct fw_mark a = write_at(3, "a.c:1", "x"), b = write_at(7, "b.c:2", "x");
    struct fw_mark c = write_at(8, "b.c:2", "x");

    (void)state;
    add(findings, FW_FINDING_RACE, a, c);
    add(findings, FW_FINDING_RACE, a, b);
    add(findings, FW_FINDING_RACE, a, b); /* no analysis should; ids differ even so */
    fw_findings_finish(findings);
    assert_int_equal(fw_findings_count(findings), 3);
    assert_int_equal(strlen(fw_findings_get(findings, 0)->id), 6 + 4);
    assert_string_equal(fw_findings_get(findings, 0)->id + 6, "-3-7");
    assert_string_equal(fw_findings_get(findings, 1)->id + 6, "-3-7.2");
    assert_string_equal(fw_findings_get(findings, 2)->id + 6, "-3-8");
    fw_findings_destroy(findings);
}

static void every_variable_contributes_once(void **state)
{
    struct fw_findings *findings = fw_findings_create(symbols, false);
    const struct fw_finding *finding;

    (void)state;
    for (uint32_t i = 0; i < 100000; i++) {
        char name[16];

        snprintf(name, sizeof name, "x%u", (i * 7919) % 1000);
        add(findings, FW_FINDING_RACE, write_at(i, "a", name), write_at(i + 1, "b", name));
    }
    fw_findings_finish(findings);
    finding = fw_findings_get(findings, 0);
    assert_int_equal(finding->count, 100000);
    assert_int_equal(finding->variables.len, 1000);
    for (size_t i = 1; i < finding->variables.len; i++)
        assert_true(finding->variables.at[i - 1] < finding->variables.at[i]);
    fw_findings_destroy(findings);
}

/* Six digits collide among so many; the ids must not. */
static void ids_are_unique_and_do_not_depend_on_the_analysis(void **state)
{
    struct fw_findings *sinks[2] = { fw_findings_create(symbols, false),
                                     fw_findings_create(symbols, false) };
    struct fw_strtab seen;
    uint32_t longer = 0;

    (void)state;
    for (uint32_t i = 0; i < 20000; i++) {
        char site[16];

        snprintf(site, sizeof site, "f.c:%u", i);
        add(sinks[0], FW_FINDING_RACE, write_at(i, site, "x"), write_at(i + 1, "b", "x"));
        add(sinks[1], FW_FINDING_RACE, write_at(i, "b", "x"), write_at(i + 1, site, "x"));
    }
    fw_strtab_init(&seen);
    fw_findings_finish(sinks[0]);
    fw_findings_finish(sinks[1]);
    fw_findings_finish_ids(sinks, 2);
    for (uint32_t i = 0; i < 20000; i++) {
        const char *id = fw_findings_get(sinks[0], i)->id;

        assert_string_equal(id, fw_findings_get(sinks[1], i)->id);
        assert_int_equal(fw_strtab_intern(&seen, id, strlen(id)), i);
        longer += strlen(id) > 6;
    }
    assert_true(longer > 0 && longer < 2000);
    fw_strtab_release(&seen);
    fw_findings_destroy(sinks[0]);
    fw_findings_destroy(sinks[1]);
}

/* Ids are in people's baselines: a change of the fingerprint must be on purpose. */
static void an_id_is_the_same_in_every_version(void **state)
{
    struct fw_findings *findings = fw_findings_create(symbols, false);

    (void)state;
    add(findings, FW_FINDING_RACE, write_at(3, "a.c:1", "x"), write_at(7, "b.c:2", "x"));
    fw_findings_finish(findings);
    assert_string_equal(fw_findings_get(findings, 0)->id, "e4b739");
    fw_findings_destroy(findings);
}

static void findings_on_expected_variables_alone_are_left_out(void **state)
{
    struct fw_findings *findings = fw_findings_create(symbols, false);
    struct fw_id_range range;
    struct fw_id_ranges expected = { &range, 1, 1 };

    (void)state;
    fw_findings_expect(findings, &expected);
    add(findings, FW_FINDING_RACE, write_at(1, "a.c:1", "benign"), write_at(2, "a.c:2", "benign"));
    add(findings, FW_FINDING_RACE, write_at(3, "a.c:3", "benign"), write_at(4, "a.c:4", "benign"));
    add(findings, FW_FINDING_RACE, write_at(5, "a.c:3", "other"), write_at(6, "a.c:4", "other"));
    range.first = range.last = intern(FW_SPACE_VARIABLE, "benign"); /* known only now */
    fw_findings_finish(findings);
    assert_int_equal(fw_findings_count(findings), 1);
    assert_int_equal(fw_findings_expected(findings), 1);
    assert_int_equal(fw_findings_get(findings, 0)->variables.len, 1);
    assert_int_equal(fw_findings_get(findings, 0)->variables.at[0],
                     intern(FW_SPACE_VARIABLE, "other"));
    fw_findings_destroy(findings);
}

static void nothing_found_is_fine(void **state)
{
    struct fw_findings *findings = fw_findings_create(symbols, false);

    (void)state;
    fw_findings_finish(findings);
    assert_int_equal(fw_findings_count(findings), 0);
    fw_findings_destroy(findings);
    fw_findings_destroy(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(races_merge_by_the_pair_of_sites_in_either_order),
        TEST(later_races_of_known_sites_are_counted_without_their_events),
        TEST(with_all_pairs_no_race_is_only_counted),
        TEST(other_kinds_merge_by_the_list_of_sites),
        TEST(a_label_tells_findings_apart),
        TEST(without_sites_the_variable_is_the_key),
        TEST(without_sites_and_variable_the_targets_are_the_key),
        TEST(the_earliest_occurrence_is_shown_whatever_the_order),
        TEST(pairs_all_keeps_every_pair_under_its_own_id),
        TEST(every_variable_contributes_once),
        TEST(ids_are_unique_and_do_not_depend_on_the_analysis),
        TEST(an_id_is_the_same_in_every_version),
        TEST(findings_on_expected_variables_alone_are_left_out),
        TEST(nothing_found_is_fine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
