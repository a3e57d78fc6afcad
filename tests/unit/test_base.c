/* test_base.c - the base library: string tables, vectors, input, output, errors. */
#include "base/error.h"
#include "base/input.h"
#include "base/output.h"
#include "base/strtab.h"
#include "base/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include <errno.h>

static void equal_strings_share_one_dense_id(void **state)
{
    struct fw_strtab tab;

    (void)state;
    fw_strtab_init(&tab);
    assert_int_equal(fw_strtab_intern(&tab, "x", 1), 0);
    assert_int_equal(fw_strtab_intern(&tab, "y", 1), 1);
    assert_int_equal(fw_strtab_intern(&tab, "x", 1), 0);
    assert_int_equal(fw_strtab_intern(&tab, "", 0), 2);
    assert_int_equal(fw_strtab_find(&tab, "y", 1), 1);
    assert_int_equal(fw_strtab_find(&tab, "z", 1), FW_STRTAB_NONE);
    assert_int_equal(fw_strtab_intern(&tab, "a\0b", 3), 3);
    assert_int_equal(fw_strtab_find(&tab, "a", 1), FW_STRTAB_NONE);
    fw_strtab_release(&tab);
}

static void a_large_table_finds_everything_again(void **state)
{
    enum { N = 100000 };
    struct fw_strtab tab;
    char name[32];

    (void)state;
    fw_strtab_init(&tab);
    for (int i = 0; i < N; i++) {
        int len = snprintf(name, sizeof name, "variable-%d", i);

        assert_int_equal(fw_strtab_intern(&tab, name, (size_t)len), i);
    }
    for (int i = 0; i < N; i++) {
        int len = snprintf(name, sizeof name, "variable-%d", i);

        assert_int_equal(fw_strtab_find(&tab, name, (size_t)len), i);
        assert_string_equal(fw_strtab_text(&tab, (uint32_t)i), name);
    }
    fw_strtab_release(&tab);
}

static void a_renewed_name_means_the_newest_id(void **state)
{
    struct fw_strtab tab;
    uint32_t old, fresh;

    (void)state;
    fw_strtab_init(&tab);
    old = fw_strtab_intern(&tab, "p", 1);
    fresh = fw_strtab_renew(&tab, old);
    assert_int_not_equal(old, fresh);
    assert_int_equal(fw_strtab_intern(&tab, "p", 1), fresh);
    assert_string_equal(fw_strtab_text(&tab, old), "p");
    assert_string_equal(fw_strtab_text(&tab, fresh), "p");
    for (int i = 0; i < 1000; i++) { /* growing the table keeps the newest */
        char name[16];

        fw_strtab_intern(&tab, name, (size_t)snprintf(name, sizeof name, "%d", i));
    }
    assert_int_equal(fw_strtab_find(&tab, "p", 1), fresh);
    fw_strtab_release(&tab);
}

static void appended_names_get_fresh_ids(void **state)
{
    struct fw_strtab tab;

    (void)state;
    fw_strtab_init(&tab);
    assert_int_equal(fw_strtab_append(&tab, "v", 1), 0);
    assert_int_equal(fw_strtab_append(&tab, "v", 1), 1);
    assert_int_equal(fw_strtab_append(&tab, "w", 1), 2);
    assert_int_equal(fw_strtab_find(&tab, "v", 1), 1);
    fw_strtab_release(&tab);
}

static void vectors_grow_and_extend_with_zeros(void **state)
{
    FW_VEC(int) v = { 0 };

    (void)state;
    for (int i = 0; i < 1000; i++)
        fw_vec_push(&v, i);
    assert_int_equal(v.len, 1000);
    assert_int_equal(v.at[999], 999);
    assert_int_equal(fw_vec_pop(&v), 999);
    fw_vec_extend(&v, 5000);
    assert_int_equal(v.len, 5000);
    assert_int_equal(v.at[998], 998);
    assert_int_equal(v.at[4999], 0);
    fw_vec_release(&v);
    assert_null(v.at);
}

static void peeked_bytes_are_read_again(void **state)
{
    struct fw_error err;
    struct fw_input in;
    const unsigned char *bytes;
    char text[16];
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "abcdef", 6), 6);
    close(ends[1]);
    snprintf(text, sizeof text, "/dev/fd/%d", ends[0]);
    assert_int_equal(fw_input_open(&in, text, &err), 0);
    assert_false(in.seekable);
    assert_int_equal(fw_input_peek(&in, &bytes, 4, &err), 4);
    assert_memory_equal(bytes, "abcd", 4);
    assert_int_equal(fw_input_read(&in, text, 2, &err), 2);
    assert_int_equal(fw_input_read_full(&in, text + 2, 8, &err), 4);
    assert_memory_equal(text, "abcdef", 6);
    assert_int_equal(in.offset, 6);
    fw_input_close(&in);
    close(ends[0]);
}

static void a_look_ahead_loses_nothing_of_a_packet(void **state)
{
    struct fw_error err;
    struct fw_input in;
    const unsigned char *bytes;
    char text[16];
    int ends[2];

    (void)state;
    assert_int_equal(pipe2(ends, O_DIRECT), 0);
    assert_int_equal(write(ends[1], "abcdef", 6), 6);
    close(ends[1]);
    snprintf(text, sizeof text, "/dev/fd/%d", ends[0]);
    assert_int_equal(fw_input_open(&in, text, &err), 0);
    assert_int_equal(fw_input_peek(&in, &bytes, 2, &err), 2);
    assert_int_equal(fw_input_read_full(&in, text, sizeof text, &err), 6);
    assert_memory_equal(text, "abcdef", 6);
    fw_input_close(&in);
    close(ends[0]);
}

static void a_missing_file_and_a_directory_are_refused(void **state)
{
    struct fw_error err;
    struct fw_input in;

    (void)state;
    assert_int_equal(fw_input_open(&in, "/no/such/file", &err), -1);
    assert_string_equal(err.message,
                        "cannot open trace '/no/such/file': no such file or directory");
    assert_int_equal(fw_input_open(&in, "/", &err), -1);
    assert_string_equal(err.message, "cannot read trace '/': is a directory");
}

static void a_full_disk_is_told_at_closing(void **state)
{
    struct fw_error err;
    struct fw_output out;

    (void)state;
    assert_int_equal(fw_output_open(&out, "/dev/full", &err), 0);
    fw_output_text(&out, "lost");
    assert_int_equal(fw_output_close(&out, &err), -1);
    assert_string_equal(err.message, "cannot write '/dev/full': no space left on device");
}

static void a_file_gets_its_name_when_it_is_complete(void **state)
{
    char folder[] = "/tmp/foreweave-test-XXXXXX";
    struct fw_error err;
    struct fw_output out;
    char path[64], text[8] = "";
    FILE *file;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out", folder);
    assert_int_equal(fw_output_open(&out, path, &err), 0);
    fw_output_text(&out, "old");
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(fw_output_close(&out, &err), 0);
    assert_int_equal(fw_output_open(&out, path, &err), 0);
    fw_output_text(&out, "new");
    fw_output_abandon(&out); /* the older file stays */
    file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, sizeof text - 1, file), 3);
    assert_string_equal(text, "old");
    fclose(file);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* nothing else is left */
}

static void output_in_memory_keeps_everything(void **state)
{
    struct fw_output out;

    (void)state;
    fw_output_open_memory(&out);
    for (int i = 0; i < 100000; i++)
        fw_output_printf(&out, "%d\n", i % 10);
    assert_int_equal(out.used, 200000);
    assert_int_equal(out.written, 200000);
    assert_memory_equal(out.buffer + 199996, "8\n9\n", 4);
    fw_output_abandon(&out);
}

static void context_stands_before_the_cause(void **state)
{
    struct fw_error err;

    (void)state;
    assert_int_equal(fw_error_set(&err, "cause"), -1);
    assert_int_equal(fw_error_context(&err, "a.std:%d", 3), -1);
    assert_string_equal(err.message, "a.std:3: cause");
    errno = ENOENT;
    fw_error_errno(&err, "cannot open '%s'", "f");
    assert_string_equal(err.message, "cannot open 'f': no such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_strings_share_one_dense_id),
        cmocka_unit_test(a_large_table_finds_everything_again),
        cmocka_unit_test(a_renewed_name_means_the_newest_id),
        cmocka_unit_test(appended_names_get_fresh_ids),
        cmocka_unit_test(vectors_grow_and_extend_with_zeros),
        cmocka_unit_test(peeked_bytes_are_read_again),
        cmocka_unit_test(a_look_ahead_loses_nothing_of_a_packet),
        cmocka_unit_test(a_missing_file_and_a_directory_are_refused),
        cmocka_unit_test(a_full_disk_is_told_at_closing),
        cmocka_unit_test(a_file_gets_its_name_when_it_is_complete),
        cmocka_unit_test(output_in_memory_keeps_everything),
        cmocka_unit_test(context_stands_before_the_cause),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
