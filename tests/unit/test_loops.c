/*
 * test_loops.c - which loops a call is in, and which successive calls are of two iterations.
 *
 * loops_sample.c is compiled with each compiler at hand, with and without optimisation.  Where that
 * makes several calls of one, the statements are about all of them.  With -O2 compilers turn loops
 * and make two of one; then less can be said.
 */
#include "symbol/hooks.h"
#include "symbol/loops.h"
#include "symbol/operand.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct place {
    const char *name;
    struct fw_loop_place at;
};

static struct {
    char path[128];
    const char *how;
    struct fw_loops *loops;
    struct fw_operands *operands;
    struct place places[256];
    size_t count;
    unsigned wrong;
} sample;

static void complain(const char *what, const char *a, const char *b)
{
    print_error("%s: %s %s: %s\n", sample.how, a, b, what);
    sample.wrong++;
}

static void find_places(void)
{
    struct fw_call_returns calls = { 0 };
    struct fw_error err;

    sample.count = 0;
    assert_int_equal(fw_hooks_other_calls(sample.path, &calls, &err), 0);
    for (size_t i = 0; i < calls.len; i++) {
        struct place *place = &sample.places[sample.count];

        place->name = fw_operands_callee(sample.operands, sample.path, calls.at[i]);
        if (!place->name || strlen(place->name) != 2)
            continue;
        assert_true(sample.count + 1 < sizeof sample.places / sizeof *sample.places);
        if (fw_loops_at(sample.loops, sample.path, calls.at[i], &place->at))
            sample.count++;
        else
            complain("not known", place->name, "");
    }
    fw_vec_release(&calls);
}

/* All calls of the function are in so many loops. */
static void check_depth(const char *name, uint32_t depth)
{
    unsigned found = 0;

    for (size_t i = 0; i < sample.count; i++) {
        if (strcmp(sample.places[i].name, name) != 0)
            continue;
        found++;
        if (sample.places[i].at.depth != depth)
            complain("wrong depth", name, "");
    }
    if (!found)
        complain("no such call", name, "");
}

/* The loop that is `level` from the outermost one, from 0. */
static uint32_t loop_at(const struct fw_loop_place *at, uint32_t level)
{
    uint32_t loop = at->innermost;

    while (loop != FW_NO_LOOP && fw_loops_depth(sample.loops, loop) > level)
        loop = fw_loops_parent(sample.loops, loop);
    return loop;
}

static bool is_again(const struct place *from, const struct place *to)
{
    bool again = false;

    for (uint32_t level = 0; level < from->at.depth; level++)
        if (loop_at(&from->at, level) == loop_at(&to->at, level))
            again |= fw_loops_again(sample.loops, loop_at(&from->at, level), from->at.returns,
                                    to->at.returns);
    return again;
}

/* From any call of a to any call of b that has this loop in common with it. */
static void check_again(const char *a, const char *b, uint32_t level, bool again)
{
    unsigned found = 0;

    for (size_t i = 0; i < sample.count; i++)
        for (size_t j = 0; j < sample.count; j++) {
            const struct place *from = &sample.places[i], *to = &sample.places[j];
            uint32_t loop = loop_at(&from->at, level);

            if (strcmp(from->name, a) != 0 || strcmp(to->name, b) != 0 || loop == FW_NO_LOOP ||
                loop != loop_at(&to->at, level))
                continue;
            found++;
            if (fw_loops_again(sample.loops, loop, from->at.returns, to->at.returns) != again)
                complain(again ? "not in two iterations" : "in two iterations", a, b);
        }
    if (!found)
        complain("no loop in common", a, b);
}

/* The same of any loop. */
static void check_some(const char *a, const char *b, bool again)
{
    for (size_t i = 0; i < sample.count; i++)
        for (size_t j = 0; j < sample.count; j++) {
            const struct place *from = &sample.places[i], *to = &sample.places[j];

            if (strcmp(from->name, a) == 0 && strcmp(to->name, b) == 0 && from->at.depth &&
                to->at.depth && is_again(from, to) != again)
                complain(again ? "not in two iterations" : "in two iterations", a, b);
        }
}

static void check_simple(void)
{
    check_depth("p1", 0);
    check_depth("s0", 0);
    check_depth("s1", 1);
    check_depth("s2", 1);
    check_depth("s3", 0);
    check_again("s1", "s2", 0, false);
    check_again("s2", "s1", 0, true);
    check_again("s1", "s1", 0, true);
    check_again("s2", "s2", 0, true);
}

static void check_nested(void)
{
    check_depth("n0", 0);
    check_depth("n1", 1);
    check_depth("n2", 2);
    check_depth("n3", 2);
    check_depth("n4", 1);
    check_again("n2", "n3", 1, false);
    check_again("n3", "n2", 1, true);
    check_again("n3", "n2", 0, false);
    check_again("n2", "n2", 0, false);
    check_again("n1", "n2", 0, false);
    check_again("n3", "n4", 0, false);
    check_again("n4", "n1", 0, true);
    check_again("n4", "n2", 0, true);
    check_again("n2", "n1", 0, true);
    check_again("n1", "n1", 0, true);
}

/* A switch may be a jump through a table. */
static void check_branches(void)
{
    static const char *const cases[] = { "w1", "w2", "w3", "w6", "w7" };

    check_some("k1", "k2", true);
    check_some("k2", "k1", true);
    check_some("k1", "k3", false);
    check_some("k3", "k1", true);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t j = 0; j < sizeof cases / sizeof *cases; j++)
            check_some(cases[i], cases[j], true);
    check_some("w4", "w5", false);
    check_depth("a2", 1);
    check_again("a1", "a2", 0, false);
    check_again("a2", "a1", 0, true);
}

static void check_two(void)
{
    check_depth("d1", 1);
    check_depth("d2", 0);
    check_depth("d3", 1);
    for (size_t i = 0; i < sample.count; i++)
        for (size_t j = 0; j < sample.count; j++)
            if (strcmp(sample.places[i].name, "d1") == 0 &&
                strcmp(sample.places[j].name, "d3") == 0 &&
                sample.places[i].at.innermost == sample.places[j].at.innermost)
                complain("in one loop", "d1", "d3");
    check_depth("f2", 2);
    check_depth("f3", 0);
    check_again("f2", "f2", 1, true);
    check_again("f2", "f1", 0, true);
}

static void check_exceptions(void)
{
    /* Whatever is called a loop here, a catch is never of another iteration. */
    for (size_t i = 0; i < sample.count; i++)
        for (size_t j = 0; j < sample.count; j++) {
            const struct place *from = &sample.places[i], *to = &sample.places[j];
            bool lands = (strcmp(from->name, "t1") == 0 && to->name[0] == 't' &&
                          to->name[1] != '1') ||
                         (strcmp(from->name, "t2") == 0 && strcmp(to->name, "t3") == 0);

            if (lands && from->at.innermost != FW_NO_LOOP &&
                from->at.innermost == to->at.innermost &&
                fw_loops_again(sample.loops, from->at.innermost, from->at.returns, to->at.returns))
                complain("in two iterations", from->name, to->name);
        }
}

static void check_built(const char *compiler, const char *options, const char *language)
{
    char directory[] = "/tmp/test_loops.XXXXXX", command[1024];

    assert_non_null(mkdtemp(directory));
    snprintf(sample.path, sizeof sample.path, "%s/sample.so", directory);
    snprintf(command, sizeof command,
             "%s %s -w -fPIC -shared -fsanitize=thread -x %s %s/tests/unit/loops_sample.c -o %s "
             "-nostdlib -Wl,-z,lazy",
             compiler, options, language, FOREWEAVE_SOURCE_DIR, sample.path);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "%s %s -x %s", compiler, options, language);
    sample.how = command;
    sample.loops = fw_loops_create();
    sample.operands = fw_operands_create();
    find_places();
    check_simple();
    if (!strstr(options, "-O2")) {
        check_nested();
        check_two();
    }
    check_branches();
    check_exceptions();
    if (strcmp(options, "-O0") == 0)
        check_depth("g2", 0);
    fw_loops_destroy(sample.loops);
    fw_operands_destroy(sample.operands);
    snprintf(command, sizeof command, "rm -r %s", directory);
    assert_int_equal(system(command), 0);
}

static void check_compiler(const char *compiler)
{
    static const char *const options[] = { "-O0", "-O1", "-O2", "-O2 -fno-plt" };
    char command[256];

    snprintf(command, sizeof command, "command -v %s >/dev/null", compiler);
    if (system(command) != 0)
        skip();
    sample.wrong = 0;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        check_built(compiler, options[i], "c");
        check_built(compiler, options[i], "c++");
    }
    assert_int_equal(sample.wrong, 0);
}

static void loops_of_gcc(void **state)
{
    (void)state;
    check_compiler("gcc");
}

static void loops_of_clang(void **state)
{
    (void)state;
    check_compiler("clang");
}

static void what_is_no_code_has_no_loops(void **state)
{
    struct fw_loops *loops = fw_loops_create();
    struct fw_loop_place place;

    (void)state;
    assert_false(fw_loops_at(loops, "/dev/null", 16, &place));
    assert_false(fw_loops_at(loops, "/nonexistent", 16, &place));
    assert_false(fw_loops_at(loops, "/proc/self/exe", 0, &place));
    assert_false(fw_loops_at(loops, "/proc/self/exe", UINT64_MAX, &place));
    fw_loops_destroy(loops);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_of_gcc),
        cmocka_unit_test(loops_of_clang),
        cmocka_unit_test(what_is_no_code_has_no_loops),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
