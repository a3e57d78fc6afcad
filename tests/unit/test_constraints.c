/*
 * test_constraints.c - learnt constraints: the file, what is refused and where, sites that outlive
 * a build, merging.
 */
#include "base/output.h"
#include "learn/constraints.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char whole[] = "foreweave constraints 2\n"
                            "program bank 8a5c01f2\n"
                            "program libx.so -\n"
                            "runs 12 3\n"
                            "site 1 r bank deposit src/bank.c:14 +2 \"balance += amount;\"\n"
                            "site 2 w bank deposit src/bank.c:14 +2 \"balance += amount;\"\n"
                            "site 3 w bank deposit src/bank.c:14#2 +2 \"balance += amount;\"\n"
                            "site 4 - bank report src/bank.c:31 +4\n"
                            "site 5 r libx.so \"std::map<int, int>::at\" \"my file.h:7\" -1\n"
                            "site 6 w libx.so init \"my file.h:9\" +1\n"
                            "pset 1 read 2 3\n"
                            "pset 2 none self\n"
                            "pset 3 self 1 2 3 5\n"
                            "pset 5\n"
                            "own 6 none self\n"
                            "cut access 2\n"
                            "cut entry 4\n"
                            "cut call 4\n"
                            "cut loop 4\n"
                            "cut iteration 4\n"
                            "end\n";

static char *print(const struct fw_constraints *constraints)
{
    struct fw_output out;
    char *text;

    fw_output_open_memory(&out);
    fw_constraints_print(constraints, &out);
    text = strndup(out.buffer, out.used);
    fw_output_abandon(&out);
    return text;
}

static struct fw_constraints *read_text(const char *text)
{
    struct fw_error err = { { 0 } };
    struct fw_constraints *constraints =
        fw_constraints_read_memory(text, strlen(text), "c", &err);

    if (!constraints)
        fail_msg("%s", err.message);
    return constraints;
}

static void what_is_read_is_written_the_same(void **state)
{
    struct fw_constraints *constraints = read_text(whole);
    char *text = print(constraints);

    (void)state;
    assert_string_equal(text, whole);
    assert_int_equal(fw_constraints_site_count(constraints), 6);
    assert_int_equal(fw_constraints_pair_count(constraints), 6);
    assert_int_equal(fw_constraints_cut_count(constraints), 5);
    assert_int_equal(fw_constraints_passed(constraints), 12);
    assert_int_equal(fw_constraints_failed(constraints), 3);
    assert_int_equal(fw_constraints_module_count(constraints), 2);
    assert_true(fw_constraints_has_pair(constraints, 0, 1));
    assert_false(fw_constraints_has_pair(constraints, 1, 0));
    assert_true(fw_constraints_is_shared(constraints, 1));
    assert_int_equal(fw_constraints_allowed(constraints, 0), FW_AFTER_READ);
    assert_int_equal(fw_constraints_allowed(constraints, 1), FW_AFTER_NOBODY | FW_AFTER_SELF);
    assert_int_equal(fw_constraints_allowed(constraints, 2), FW_AFTER_SELF);
    assert_false(fw_constraints_is_shared(constraints, 3));
    assert_false(fw_constraints_is_shared(constraints, 5));
    assert_int_equal(fw_constraints_allowed(constraints, 5), FW_AFTER_NOBODY | FW_AFTER_SELF);
    assert_true(fw_constraints_has_cut(constraints, FW_CUT_LOOP, 3));
    assert_false(fw_constraints_has_cut(constraints, FW_CUT_LOOP, 1));
    free(text);
    fw_constraints_destroy(constraints);
}

static void refused(const char *text, const char *why)
{
    struct fw_error err = { { 0 } };
    struct fw_constraints *constraints =
        fw_constraints_read_memory(text, strlen(text), "c", &err);

    assert_null(constraints);
    if (!strstr(err.message, why))
        fail_msg("'%s' is not in '%s'", why, err.message);
}

#define HEAD "foreweave constraints 2\n"

static void what_is_wrong_is_named_with_its_line(void **state)
{
    (void)state;
    refused("", "c: not a file of constraints: it is empty");
    refused("foreweave sections 1\n", "c:1: not a file of constraints");
    refused("foreweave constraints 3\n", "c:1: constraints of an unknown version: '3'");
    refused("foreweave constraints 0\n", "c:1: constraints of an unknown version: '0'");
    refused("foreweave constraints 11\n", "c:1: constraints of an unknown version: '11'");
    refused(HEAD "hello\n", "c:2: not known in a file of constraints: 'hello'");
    refused(HEAD "site 2 r m f a.c:1\n", "c:2: sites are numbered from 1 on");
    refused(HEAD "site 1 x m f a.c:1\n", "c:2: what the site does is missing");
    refused(HEAD "site 1 r m f a.c\n", "c:2: not a place as bank.c:14 or bank.c:14#2: 'a.c'");
    refused(HEAD "site 1 r m f a.c:1\nsite 2 r m f b/a.c:1\n",
            "c:3: this site has a number already");
    refused(HEAD "site 1 r m f a.c:1\npset 2\n", "c:3: no site has this number: '2'");
    refused(HEAD "site 1 r m f a.c:1\npset 1 1\n", "c:3: an access depends on a write");
    refused(HEAD "site 1 - m f a.c:1\npset 1\n", "c:3: a pset is of an access");
    refused(HEAD "site 1 - m f a.c:1\nown 1 self\n", "c:3: 'own' is of an access");
    refused(HEAD "site 1 w m f a.c:1\nown 1 1\n", "c:3: unexpected '1'");
    refused(HEAD "site 1 - m f a.c:1\ncut edge 1\n", "c:3: a cut is at an entry, call, loop");
    refused(HEAD "site 1 - m f a.c:1\ncut call 1 1\n", "c:3: unexpected '1'");
    refused(HEAD "runs many 1\n", "c:2: a number is expected, not 'many'");
    refused(HEAD "program bank\n", "c:2: the build id is missing");
    refused(HEAD "end here\n", "c:2: unexpected 'here'");
    refused(HEAD "end\nruns 1 1\n", "c:3: behind the end: 'runs'");
}

/* Wherever: what is left is refused, until nothing but the last line's end is missing. */
/* A log that is accepted may bring names of any length. */
static void lines_may_be_long(void **state)
{
    static char text[300001];
    struct fw_constraints *constraints = fw_constraints_create(), *again;
    struct fw_learnt_site site = { .does = FW_LEARNT_READ,
                                   .module = (char *)"bank",
                                   .function = text,
                                   .at = { .file = (char *)"bank.c", .line = 1, .ordinal = 1 } };
    char *written;

    (void)state;
    memset(text, '"', sizeof text - 1);
    fw_constraints_site(constraints, &site);
    written = print(constraints);
    again = read_text(written);
    assert_int_equal(fw_constraints_find(again, &site), 0);
    fw_constraints_destroy(constraints);
    fw_constraints_destroy(again);
    free(written);
}

static void a_file_that_was_cut_is_refused(void **state)
{
    size_t all = strlen(whole);

    (void)state;
    for (size_t bytes = 0; bytes < all; bytes++) {
        struct fw_error err = { { 0 } };
        struct fw_constraints *constraints = fw_constraints_read_memory(whole, bytes, "c", &err);

        if (!constraints != (bytes < all - 1))
            fail_msg("the first %zu bytes of %zu: '%s'", bytes, all, err.message);
        fw_constraints_destroy(constraints);
    }
    refused(HEAD "runs 1 0\n", "c: the file was cut: its last line must be 'end'");
}

/* Files of version 1 have no last line of their own; what is written has. */
static void older_files_are_read(void **state)
{
    char *old = strdup(whole), *text;
    struct fw_constraints *constraints;

    (void)state;
    old[strlen("foreweave constraints ")] = '1';
    old[strlen(old) - strlen("end\n")] = '\0';
    constraints = read_text(old);
    text = print(constraints);
    assert_string_equal(text, whole);
    free(text);
    free(old);
    fw_constraints_destroy(constraints);
}

static struct fw_learnt_site write_at(unsigned line, int offset, const char *text)
{
    return (struct fw_learnt_site) {
        .does = FW_LEARNT_WRITE,
        .module = (char *)"bank",
        .function = (char *)"deposit",
        .at = { .write = true,
                .file = (char *)"src/bank.c",
                .line = line,
                .ordinal = 1,
                .has_offset = true,
                .offset = offset,
                .text = (char *)text },
    };
}

/* Lines above the function were added: it is the same site.  Another text is another one. */
static void sites_outlive_edits_elsewhere(void **state)
{
    struct fw_constraints *constraints = fw_constraints_create();
    struct fw_learnt_site was = write_at(14, 2, "x++;"), moved = write_at(20, 2, "x++;");
    struct fw_learnt_site edited = write_at(14, 2, "x--;");
    uint32_t site = fw_constraints_site(constraints, &was);

    (void)state;
    assert_int_equal(fw_constraints_find(constraints, &edited), FW_LEARNT_NONE);
    assert_int_equal(fw_constraints_site(constraints, &moved), site);
    assert_int_equal(fw_constraints_get(constraints, site)->at.line, 20);
    assert_int_not_equal(fw_constraints_site(constraints, &edited), site);
    fw_constraints_destroy(constraints);
}

static void merging_counts_what_is_new(void **state)
{
    struct fw_constraints *a = read_text(whole);
    struct fw_constraints *b = read_text(HEAD "program bank ffff\n"
                                              "runs 1 1\n"
                                              "site 1 w bank deposit bank.c:14 +2 "
                                              "\"balance += amount;\"\n"
                                              "site 2 r bank total bank.c:40 +1\n"
                                              "pset 1 none 2\n"
                                              "pset 2 self 1\n"
                                              "cut access 1\n"
                                              "cut access 2\n"
                                              "end\n");
    struct fw_learnt_news news = fw_constraints_merge(a, b);
    struct fw_learnt_news again = fw_constraints_merge(a, b);

    (void)state;
    assert_int_equal(news.sites, 1);
    assert_int_equal(news.shared, 1);
    assert_int_equal(news.pairs, 2);
    assert_int_equal(news.also, 1);
    assert_int_equal(news.cuts, 1);
    assert_int_equal(again.sites + again.shared + again.pairs + again.also + again.cuts, 0);
    assert_int_equal(fw_constraints_passed(a), 14);
    assert_string_equal(fw_constraints_module(a, 0)->build_id, "ffff");
    fw_constraints_destroy(a);
    fw_constraints_destroy(b);
}

/* Whatever the order in which things were learnt. */
static void equal_constraints_are_equal_files(void **state)
{
    struct fw_constraints *forward = fw_constraints_create(), *back = fw_constraints_create();
    enum { MANY = 200 };
    uint32_t there[MANY], again[MANY];
    char *x, *y;

    (void)state;
    for (int i = 0; i < MANY; i++) {
        struct fw_learnt_site one = write_at(100 + (unsigned)i, i, NULL);
        struct fw_learnt_site other = write_at(100 + (unsigned)(MANY - 1 - i), MANY - 1 - i, NULL);

        there[i] = fw_constraints_site(forward, &one);
        again[MANY - 1 - i] = fw_constraints_site(back, &other);
    }
    for (int i = 0; i < MANY; i++) {
        fw_constraints_add_pair(forward, there[0], there[i]);
        fw_constraints_add_pair(back, again[0], again[MANY - 1 - i]);
    }
    x = print(forward);
    y = print(back);
    assert_string_equal(x, y);
    fw_constraints_destroy(back);
    back = read_text(x); /* a long pset takes several lines */
    assert_int_equal(fw_constraints_pair_count(back), MANY);
    free(x);
    free(y);
    fw_constraints_destroy(forward);
    fw_constraints_destroy(back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_is_written_the_same),
        cmocka_unit_test(what_is_wrong_is_named_with_its_line),
        cmocka_unit_test(lines_may_be_long),
        cmocka_unit_test(a_file_that_was_cut_is_refused),
        cmocka_unit_test(older_files_are_read),
        cmocka_unit_test(sites_outlive_edits_elsewhere),
        cmocka_unit_test(merging_counts_what_is_new),
        cmocka_unit_test(equal_constraints_are_equal_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
