/*
 * test_violations.c - logs of violations, written and read back into constraints.
 */
#include "learn/violations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct fw_learnt_site site_at(const char *function, unsigned line, bool write)
{
    return (struct fw_learnt_site) {
        .does = write ? FW_LEARNT_WRITE : FW_LEARNT_READ,
        .module = (char *)"bank",
        .function = (char *)(uintptr_t)function,
        .at = { .write = write,
                .file = (char *)"bank.c",
                .line = line,
                .ordinal = 2,
                .has_offset = true,
                .offset = 3,
                .text = (char *)"x = \"y\";" },
    };
}

static void put(struct fw_output *out, const struct fw_learnt_site *access,
                const struct fw_learnt_site *after, unsigned also)
{
    struct fw_json json = { .out = out };

    fw_json_object(&json, NULL);
    fw_violation_sites(&json, access, after, also);
    fw_json_end(&json);
}

static void what_is_logged_is_accepted(void **state)
{
    struct fw_learnt_site read = site_at("get", 4, false), write = site_at("put", 9, true);
    struct fw_constraints *constraints = fw_constraints_create();
    struct fw_accepted transactions;
    struct fw_error err;
    struct fw_output out;

    (void)state;
    fw_output_open_memory(&out);
    fw_violations_begin(&out);
    put(&out, &read, &write, 0);
    put(&out, &write, &write, 0);
    put(&out, &read, NULL, FW_AFTER_NOBODY);
    put(&out, &read, NULL, FW_AFTER_READ);
    put(&out, &write, NULL, FW_AFTER_SELF);
    fw_output_bytes(&out, "", 1);
    assert_non_null(strstr(out.buffer, "\"iroot\":\"1 w bank put+3#2 | r bank get+3#2\""));
    assert_int_equal(fw_violations_accept_memory(constraints, out.buffer, out.used - 1, "log",
                                                 &transactions, &err),
                     5);
    assert_int_equal(fw_violations_accept_memory(constraints, out.buffer, out.used - 1, "log",
                                                 &transactions, &err),
                     0);
    assert_int_equal(transactions.lines, 0);
    assert_true(fw_constraints_has_pair(constraints, fw_constraints_find(constraints, &read),
                                        fw_constraints_find(constraints, &write)));
    assert_int_equal(fw_constraints_allowed(constraints, fw_constraints_find(constraints, &read)),
                     FW_AFTER_NOBODY | FW_AFTER_READ);
    fw_output_abandon(&out);
    fw_constraints_destroy(constraints);
}

static void put_transactions(struct fw_output *out, const struct fw_learnt_site *access,
                             const struct fw_learnt_site *after)
{
    struct fw_json json = { .out = out };

    fw_json_object(&json, NULL);
    fw_violation_transactions(&json, access, after);
    fw_json_end(&json);
}

static void transactions_are_no_pairs(void **state)
{
    struct fw_learnt_site read = site_at("get", 4, false), write = site_at("put", 9, true);
    struct fw_constraints *constraints = fw_constraints_create();
    struct fw_accepted transactions;
    struct fw_error err;
    struct fw_output out;

    (void)state;
    fw_output_open_memory(&out);
    fw_violations_begin(&out);
    put_transactions(&out, &read, &write);
    put_transactions(&out, &read, &read);
    put_transactions(&out, &write, NULL);
    put(&out, &read, &write, 0);
    assert_int_equal(
        fw_violations_accept_memory(constraints, out.buffer, out.used, "log", &transactions, &err),
        1);
    assert_int_equal(transactions.lines, 3);
    assert_int_equal(transactions.cuts, 0);
    assert_int_equal(fw_constraints_cut_count(constraints), 0);
    fw_output_abandon(&out);
    fw_constraints_destroy(constraints);
}

/* A wait in vain tells where the other transaction may be split: once, and at no access. */
static void cutpoints_are_accepted(void **state)
{
    struct fw_learnt_site read = site_at("get", 4, false), call = site_at("put", 9, false);
    struct fw_constraints *constraints = fw_constraints_create();
    struct fw_accepted transactions;
    struct fw_json json;
    struct fw_error err;
    struct fw_output out;

    (void)state;
    call.does = FW_LEARNT_PLACE;
    fw_output_open_memory(&out);
    fw_violations_begin(&out);
    for (int i = 0; i < 2; i++) {
        json = (struct fw_json) { .out = &out };
        fw_json_object(&json, NULL);
        fw_violation_transactions(&json, &read, NULL);
        fw_violation_cut(&json, &call);
        fw_json_end(&json);
    }
    assert_int_equal(
        fw_violations_accept_memory(constraints, out.buffer, out.used, "log", &transactions, &err),
        0);
    assert_int_equal(transactions.lines, 2);
    assert_int_equal(transactions.cuts, 1);
    assert_true(fw_constraints_has_cut(constraints, FW_CUT_ACCESS,
                                       fw_constraints_find(constraints, &call)));
    fw_output_abandon(&out);
    fw_constraints_destroy(constraints);
}

static void refused(const char *text, const char *why)
{
    struct fw_constraints *constraints = fw_constraints_create();
    struct fw_error err = { { 0 } };
    struct fw_accepted transactions;

    assert_int_equal(
        fw_violations_accept_memory(constraints, text, strlen(text), "log", &transactions, &err),
        -1);
    if (!strstr(err.message, why))
        fail_msg("'%s' is not in '%s'", why, err.message);
    fw_constraints_destroy(constraints);
}

#define HEAD "{\"foreweave\":\"violations\",\"version\":1}\n"
#define SITE(does)                                                                                 \
    "{\"does\":\"" does "\",\"module\":\"m\",\"function\":\"f\",\"file\":\"a.c\",\"line\":1,"      \
    "\"ordinal\":1}"

static void what_is_wrong_is_named_with_its_line(void **state)
{
    (void)state;
    refused("", "log: not a log of violations: it is empty");
    refused("hello\n", "log:1: not a line of JSON");
    refused("{}\n", "log:1: not a log of violations");
    refused("{\"foreweave\":\"violations\",\"version\":2}\n", "log:1: a log of violations of an");
    refused(HEAD "{\"access\":3,\"after\":4}\n", "log:2: not a violation");
    refused(HEAD "{\"access\":" SITE("r") ",\"after\":" SITE("r") "}\n", "log:2: not a violation");
    refused(HEAD "{\"access\":" SITE("x") ",\"after\":" SITE("w") "}\n", "log:2: not a violation");
    refused(HEAD "{\"access\":" SITE("r") ",\"after\":\"you\"}\n", "log:2: an access comes after");
    refused(HEAD "{\"access\":" SITE("r"), "log:2: not a line of JSON");
    refused(HEAD "{\"kind\":\"lifetx\",\"access\":3}\n", "log:2: not a violation");
    refused(HEAD "{\"kind\":\"lifetx\",\"access\":" SITE("r") ",\"cut\":" SITE("w") "}\n",
            "log:2: not a violation");
    refused(HEAD "{\"kind\":\"lifetx\",\"access\":" SITE("r") ",\"after\":\"none\"}\n",
            "log:2: not a violation");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_logged_is_accepted),
        cmocka_unit_test(transactions_are_no_pairs),
        cmocka_unit_test(cutpoints_are_accepted),
        cmocka_unit_test(cutpoints_are_accepted),
        cmocka_unit_test(what_is_wrong_is_named_with_its_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
