/*
 * test_unhooked.c - accesses without hooks are told from all others; damaged files do no harm.
 *
 * unhooked_sample.c is compiled with clang as the wrapper does, in several ways; the names of its
 * functions say what must be found.
 */
#include "symbol/unhooked.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define HOOKS "-w -fsanitize=thread -fsanitize-coverage=trace-pc-guard,no-prune"

static char directory[64];

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

static void build(const char *options)
{
    assert_int_equal(shell("cd %s && clang " HOOKS " %s -shared -fno-sanitize-link-runtime -fPIC "
                           "%s/tests/unit/unhooked_sample.c -o sample",
                           directory, options, FOREWEAVE_SOURCE_DIR),
                     0);
}

static struct fw_unhooked_texts look(const char *name)
{
    struct fw_unhooked_texts texts = { 0 };
    char path[128];

    snprintf(path, sizeof path, "%s/%s", directory, name);
    fw_unhooked_look(&texts, path, NULL, 0, 100);
    return texts;
}

static void drop(struct fw_unhooked_texts *texts)
{
    for (size_t i = 0; i < texts->len; i++)
        free(texts->at[i]);
    fw_vec_release(texts);
}

static bool names(const struct fw_unhooked_texts *texts, const char *function)
{
    for (size_t i = 0; i < texts->len; i++)
        if (strstr(texts->at[i], function))
            return true;
    return false;
}

static void functions_are_told_apart(void **state)
{
    static const char *const always[] = { "bad_read", "bad_write", "bad_vector", "bad_large" };
    static const char *const optimised[] = { "bad_value", "bad_copy" };
    static const char *const ways[] = { "-g -O2", "-g -O0", "-O2", "-O1 -g -fno-plt" };

    (void)state;
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        struct fw_unhooked_texts texts;

        build(ways[way]);
        texts = look("sample");
        for (size_t i = 0; i < sizeof always / sizeof *always; i++)
            assert_true(names(&texts, always[i]));
        for (size_t i = 0; i < sizeof optimised / sizeof *optimised; i++)
            assert_int_equal(names(&texts, optimised[i]), way != 1);
        assert_false(names(&texts, "good"));
        drop(&texts);
    }
}

/* gcc has hooks for all of them, and code without any is not asked for some. */
static void others_do_not_count(void **state)
{
    struct fw_unhooked_texts texts;

    (void)state;
    assert_int_equal(shell("cd %s && gcc -w -g -O2 -fsanitize=thread -shared -nostdlib -fPIC "
                           "%s/tests/unit/unhooked_sample.c -o sample",
                           directory, FOREWEAVE_SOURCE_DIR),
                     0);
    texts = look("sample");
    assert_int_equal(texts.len, 0);
    assert_int_equal(shell("cd %s && clang -w -g -O2 -shared -fPIC "
                           "%s/tests/unit/unhooked_sample.c -o sample",
                           directory, FOREWEAVE_SOURCE_DIR),
                     0);
    texts = look("sample");
    assert_int_equal(texts.len, 0);
    texts = look("missing");
    assert_int_equal(texts.len, 0);
}

static void fields_are_told_apart(void **state)
{
    struct fw_unhooked_texts texts;

    (void)state;
    assert_int_equal(
        shell("cd %s && printf '%%s\\n' 'struct bad { unsigned a : 12, b : 12; char c; } x;'"
              " 'struct good { unsigned a : 12, b : 12; int c; } y;' >f.c && clang -g " HOOKS
              " -shared -fno-sanitize-link-runtime -fPIC f.c -o sample",
              directory),
        0);
    texts = look("sample");
    assert_int_equal(texts.len, 1);
    assert_true(names(&texts, "bit-fields of struct bad at f.c:1"));
    drop(&texts);
}

/* Bit-fields and code, with bytes changed at random. */
static void damaged_files_do_no_harm(void **state)
{
    static unsigned char bytes[1 << 18];
    char path[128];
    uint64_t random = 20261116;
    size_t size;
    FILE *file;

    (void)state;
    build("-g -O2 -include f.c");
    print_message("seed %llu\n", (unsigned long long)random);
    snprintf(path, sizeof path, "%s/sample", directory);
    file = fopen(path, "r");
    assert_non_null(file);
    size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(size > 1000 && size < sizeof bytes);
    snprintf(path, sizeof path, "%s/damaged", directory);
    for (unsigned round = 0; round < 300; round++) {
        unsigned char kept[32];
        size_t places[32];
        struct fw_unhooked_texts texts;

        for (unsigned i = 0; i < 32; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            places[i] = (size_t)(random >> 20) % size;
            kept[i] = bytes[places[i]];
            bytes[places[i]] = (unsigned char)(random >> 56);
        }
        file = fopen(path, "w");
        assert_non_null(file);
        assert_int_equal(fwrite(bytes, 1, size, file), size);
        fclose(file);
        texts = look("damaged");
        drop(&texts);
        for (unsigned i = 32; i-- > 0;)
            bytes[places[i]] = kept[i];
    }
}

static int set_up(void **state)
{
    (void)state;
    snprintf(directory, sizeof directory, "/tmp/test_unhooked.XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return shell("rm -r %s", directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_told_apart),
        cmocka_unit_test(others_do_not_count),
        cmocka_unit_test(fields_are_told_apart),
        cmocka_unit_test(damaged_files_do_no_harm),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
