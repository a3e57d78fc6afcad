/*
 * test_locate.c - accesses have the same text in every build: with other optimisation, by another
 * compiler, after lines were added above; and two of one line have different ones.
 *
 * Sources are compiled with the compilers' instrumentation into libraries, which need no runtime as
 * long as nobody loads them.
 */
#include "iroot/locate.h"
#include "symbol/hooks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char source[] = "int take(int *), give(int *);\n"
                             "int l, m, x, y;\n"
                             "void both(void)\n"
                             "{\n"
                             "    take(&l), take(&m);\n"
                             "    x = y;\n"
                             "    give(&m);\n"
                             "    give(&l);\n"
                             "}\n";

static char directory[64], library[128];

static int shell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static int shell(const char *fmt, ...)
{
    char command[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(command, sizeof command, fmt, args);
    va_end(args);
    return system(command);
}

static void build(const char *compiler, const char *options, const char *above)
{
    char path[128];
    FILE *out;

    snprintf(path, sizeof path, "%s/both.c", directory);
    snprintf(library, sizeof library, "%s/both.so", directory);
    out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "%s%s", above, source);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(shell("cd %s && %s -g %s -fsanitize=thread -fPIC -shared -nostdlib "
                           "-Wl,--unresolved-symbols=ignore-all both.c -o both.so",
                           directory, compiler, options),
                     0);
}

static void add(char *all, size_t size, struct fw_locator *locator, uint64_t returns,
                enum fw_iroot_does does)
{
    struct fw_located located = fw_locate(locator, library, returns, does);
    size_t used = strlen(all);
    struct fw_strtab table;

    fw_strtab_init(&table);
    snprintf(all + used, size - used, "%s\n",
             fw_strtab_text(&table, fw_access_intern(&table, &located.access)));
    fw_strtab_release(&table);
}

/* All calls as locks, then all hooks, by address. */
static void check(const char *expected)
{
    struct fw_locator *locator = fw_locator_create();
    struct fw_call_returns calls = { 0 };
    struct fw_hooks hooks = { 0 };
    struct fw_error err = { { 0 } };
    char all[1024] = "";

    assert_int_equal(fw_hooks_other_calls(library, &calls, &err), 0);
    assert_int_equal(fw_hooks_find(library, &hooks, &err), 0);
    for (size_t i = 0; i < calls.len; i++)
        add(all, sizeof all, locator, calls.at[i], FW_DOES_LOCK);
    for (size_t i = 0; i < hooks.len; i++)
        add(all, sizeof all, locator, hooks.at[i].returns,
            hooks.at[i].write ? FW_DOES_WRITE : FW_DOES_READ);
    assert_string_equal(all, expected);
    fw_vec_release(&calls);
    fw_vec_release(&hooks);
    fw_locator_destroy(locator);
}

static const char texts[] = "lock both.so both+2#1\n"
                            "lock both.so both+2#2\n"
                            "lock both.so both+4#1\n"
                            "lock both.so both+5#1\n"
                            "r both.so both+3#1\n"
                            "w both.so both+3#1\n";

static void texts_are_the_same_in_every_build(void **state)
{
    (void)state;
    build("gcc", "-O0", "");
    check(texts);
    build("gcc", "-O1", "");
    check(texts);
    build("gcc", "-O0", "int more;\n\n\n");
    check(texts);
    if (shell("command -v clang >/dev/null") == 0) {
        build("clang", "-O0", "int more;\n");
        check(texts);
    }
}

static void without_debugging_data_there_is_no_line(void **state)
{
    (void)state;
    build("gcc", "-g0 -O0", "");
    check("lock both.so both\n"
          "lock both.so both\n"
          "lock both.so both\n"
          "lock both.so both\n"
          "r both.so both\n"
          "w both.so both\n");
}

static int set_up(void **state)
{
    (void)state;
    snprintf(directory, sizeof directory, "/tmp/test_locate.XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return shell("rm -rf %s", directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_the_same_in_every_build),
        cmocka_unit_test(without_debugging_data_there_is_no_line),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
