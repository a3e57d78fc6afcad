/*
 * test_lifetx_places.c - cutpoints of a build become constraints and come back, in another build
 * of changed source too.
 */
#include "lifetx/places.h"
#include "symbol/hooks.h"
#include "symbol/operand.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char directory[] = "/tmp/test_lifetx_places.XXXXXX";

static int shell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static int shell(const char *fmt, ...)
{
    char command[2048];
    va_list args;

    va_start(args, fmt);
    vsnprintf(command, sizeof command, fmt, args);
    va_end(args);
    return system(command);
}

/* NAME/sample.so from the sample's text changed by sed. */
static char *build(const char *name, const char *change)
{
    char *path = fw_xasprintf("%s/%s/sample.so", directory, name);

    assert_int_equal(shell("mkdir %s/%s && cd %s/%s && "
                           "sed '%s' %s/tests/unit/loops_sample.c >loops_sample.c && "
                           "gcc -g -O1 -w -fPIC -shared -nostdlib -fsanitize=thread "
                           "loops_sample.c -o sample.so",
                           directory, name, directory, name, change, FOREWEAVE_SOURCE_DIR),
                     0);
    return path;
}

/* At every entry, where traces have it. */
static size_t cut_entries(const char *path, struct fw_cuts *cuts)
{
    struct fw_operands *operands = fw_operands_create();
    struct fw_hook_calls calls = { 0 };
    struct fw_error err;
    size_t found = 0;

    assert_int_equal(fw_hooks_calls(path, &calls, &err), 0);
    for (size_t i = 0; i < calls.len; i++) {
        const char *callee = fw_operands_callee(operands, path, calls.at[i].returns);
        char *name = fw_xasprintf("%s+0x%" PRIx64, path, calls.at[i].returns);

        if (callee && strcmp(callee, "__tsan_func_entry") == 0)
            found += fw_cuts_add(cuts, FW_CUT_ENTRY, name);
        free(name);
    }
    fw_vec_release(&calls);
    fw_operands_destroy(operands);
    return found;
}

/* A cutpoint at every entry, every call, and every loop around one. */
static void cut_everywhere(const char *path, const struct fw_lifetx_code *code,
                           struct fw_cuts *cuts)
{
    struct fw_call_returns calls = { 0 };
    struct fw_error err;

    assert_true(cut_entries(path, cuts) > 3);
    assert_int_equal(fw_hooks_other_calls(path, &calls, &err), 0);
    assert_true(calls.len > 30);
    for (size_t i = 0; i < calls.len; i++) {
        char *name = fw_xasprintf("%s+0x%" PRIx64, path, calls.at[i] - 1);
        struct fw_loop_place place;

        fw_cuts_add(cuts, i % 2 ? FW_CUT_CALL : FW_CUT_ACCESS, name);
        if (code->at(code->me, name, &place) && place.innermost != FW_NO_LOOP) {
            free(name);
            name = code->name(code->me, place.innermost);
            fw_cuts_add(cuts, i % 3 ? FW_CUT_LOOP : FW_CUT_ITERATION, name);
        }
        free(name);
    }
    fw_vec_release(&calls);
}

static size_t store_all(struct fw_cut_places *places, const struct fw_cuts *cuts,
                        struct fw_constraints *constraints)
{
    size_t stored = 0;

    for (uint32_t i = 0; i < fw_cuts_count(cuts); i++) {
        struct fw_cut cut = fw_cuts_get(cuts, i);
        bool is_new;

        stored += fw_cut_places_store(places, &cut, constraints, &is_new);
    }
    return stored;
}

static void cutpoints_come_back(void **state)
{
    char *path = build("same", "");
    struct fw_cut_places *places = fw_cut_places_create();
    struct fw_lifetx_code code = fw_cut_places_code(places);
    struct fw_cuts *cuts = fw_cuts_create(), *back = fw_cuts_create();
    struct fw_constraints *constraints = fw_constraints_create();

    (void)state;
    cut_everywhere(path, &code, cuts);
    assert_int_equal(store_all(places, cuts, constraints), fw_cuts_count(cuts));
    assert_int_equal(fw_constraints_cut_count(constraints), fw_cuts_count(cuts));
    assert_int_equal(fw_cut_places_load(places, constraints, path, back), 0);
    assert_int_equal(fw_cuts_count(back), fw_cuts_count(cuts));
    for (uint32_t i = 0; i < fw_cuts_count(cuts); i++)
        assert_true(fw_cuts_has(back, fw_cuts_get(cuts, i).kind, fw_cuts_get(cuts, i).place));
    fw_cuts_destroy(cuts);
    fw_cuts_destroy(back);
    fw_constraints_destroy(constraints);
    fw_cut_places_destroy(places);
    free(path);
}

/* What stands in the first build is found in the second, as many as `missing` tells aside. */
static void move(const char *name, const char *change, size_t missing)
{
    char *first = build(name, ""), *second;
    struct fw_cut_places *places = fw_cut_places_create();
    struct fw_lifetx_code code = fw_cut_places_code(places);
    struct fw_cuts *cuts = fw_cuts_create(), *moved = fw_cuts_create();
    struct fw_constraints *constraints = fw_constraints_create();
    char other[32];

    snprintf(other, sizeof other, "%s-changed", name);
    second = build(other, change);
    cut_everywhere(first, &code, cuts);
    store_all(places, cuts, constraints);
    assert_int_equal(fw_cut_places_load(places, constraints, second, moved), missing);
    assert_int_equal(fw_cuts_count(moved), fw_cuts_count(cuts) - missing);
    fw_cuts_destroy(cuts);
    fw_cuts_destroy(moved);
    fw_constraints_destroy(constraints);
    fw_cut_places_destroy(places);
    free(first);
    free(second);
}

static void cutpoints_survive_a_rebuild(void **state)
{
    (void)state;
    move("lines", "s/^void plain/int added(int x)\\n{\\n    return x + more();\\n}\\n&/", 0);
}

/* A line that is no more the same is not taken for it. */
static void a_changed_line_loses_its_cutpoint(void **state)
{
    (void)state;
    move("text", "s/^    s0();/    s0(); (void)n;/", 1);
}

static void what_is_no_place_is_refused(void **state)
{
    struct fw_cut_places *places = fw_cut_places_create();
    struct fw_constraints *constraints = fw_constraints_create();
    static const char *const names[] = { "",
                                         "x",
                                         "+0x1",
                                         "a+0x",
                                         "a+0xg",
                                         "a+1",
                                         "/dev/null+0x10",
                                         "/nonexistent+0x10",
                                         "/proc/self/exe+0x1" };
    bool is_new;

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int kind = 0; kind < FW_CUT_KINDS; kind++)
            assert_false(fw_cut_places_store(places,
                                             &(struct fw_cut) { (enum fw_cut_kind)kind, names[i] },
                                             constraints, &is_new));
    assert_int_equal(fw_constraints_cut_count(constraints), 0);
    fw_constraints_destroy(constraints);
    fw_cut_places_destroy(places);
}

static int make_directory(void **state)
{
    (void)state;
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
    (void)state;
    return shell("rm -r %s", directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cutpoints_come_back),
        cmocka_unit_test(cutpoints_survive_a_rebuild),
        cmocka_unit_test(a_changed_line_loses_its_cutpoint),
        cmocka_unit_test(what_is_no_place_is_refused),
    };

    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
