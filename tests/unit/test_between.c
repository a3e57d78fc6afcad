/* test_between.c - accesses that came between two of another thread's block. */
#include "support/expect.h"
#include "support/property.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* The triples that are reported, as "(1,2,3)", or "none". */
static void assert_triples(const char *text, const char *wanted)
{
    char *found = fw_events_found(&fw_analysis_between, text);

    assert_non_null(found);
    assert_string_equal(found, wanted);
    free(found);
}

/* In a block of T1, after two forks. */
#define IN_BLOCK(events) "T0|fork(T1)\nT0|fork(T2)\nT1|begin(b)\n" events "T1|end(b)\n"

static void what_cannot_be_serialised_is_reported(void **state)
{
    (void)state;
    assert_triples(IN_BLOCK("T1|r(x)\nT2|w(x)\nT1|r(x)\n"), "(3,4,5)");
    assert_triples(IN_BLOCK("T1|w(x)\nT2|w(x)\nT1|r(x)\n"), "(3,4,5)");
    assert_triples(IN_BLOCK("T1|w(x)\nT2|r(x)\nT1|w(x)\n"), "(3,4,5)");
    assert_triples(IN_BLOCK("T1|r(x)\nT2|w(x)\nT1|w(x)\n"), "(3,4,5)");
    assert_triples(IN_BLOCK("T1|w(x)\nT2|armw(x)\nT1|w(x)\n"), "(3,4,5)");
    /* Both are told, each once. */
    assert_triples(IN_BLOCK("T1|armw(x)\nT2|r(x)\nT0|w(x)\nT2|w(x)\nT1|armw(x)\n"),
                   "(3,4,7) (3,5,7)");
}

static void what_can_is_not(void **state)
{
    (void)state;
    assert_triples(IN_BLOCK("T1|r(x)\nT2|r(x)\nT1|r(x)\n"), "none");
    assert_triples(IN_BLOCK("T1|r(x)\nT2|r(x)\nT1|w(x)\n"), "none");
    assert_triples(IN_BLOCK("T1|w(x)\nT2|r(x)\nT1|r(x)\n"), "none");
    assert_triples(IN_BLOCK("T1|w(x)\nT2|w(x)\nT1|w(x)\n"), "none");
    assert_triples(IN_BLOCK("T1|r(x)\nT2|w(y)\nT1|r(x)\n"), "none");
    assert_triples(IN_BLOCK("T2|w(x)\nT1|r(x)\nT1|r(x)\nT2|w(x)\n"), "none");
}

static void one_block_must_hold_both(void **state)
{
    (void)state;
    assert_triples("T0|fork(T1)\nT0|r(x)\nT1|w(x)\nT0|r(x)\n", "none");
    assert_triples("T0|fork(T1)\nT0|begin(a)\nT0|r(x)\nT0|end(a)\nT1|w(x)\nT0|begin(a)\nT0|r(x)\n"
                   "T0|end(a)\n",
                   "none");
    assert_triples("T0|fork(T1)\nT0|begin(a)\nT0|begin(b)\nT0|r(x)\nT0|end(b)\nT1|w(x)\nT0|r(x)\n"
                   "T0|end(a)\n",
                   "(3,5,6)");
}

/* As they are told: what is not allowed, whatever it is. */
static void in_a_section_everything_counts(void **state)
{
    static const char text[] = "T0|fork(T1)\nT0|fork(T2)\nT1|begin(section s+2)\nT1|r(x)\n"
                               "T2|begin\nT2|r(x)\nT2|end\nT1|begin\nT1|r(x)\nT1|end\n"
                               "T1|end(section s+2)\n";
    struct fw_analysis_setup setup = { .pairs_all = true };
    char why[256];
    struct fw_trace *trace = fw_load_text(text, strlen(text), "t.std", false, why, sizeof why);
    struct fw_engine *engine;

    (void)state;
    assert_triples(text, "(3,5,8)");
    engine = fw_run_analysis(trace, &fw_analysis_between, &setup, 0);
    assert_non_null(strstr(fw_findings_get(fw_engine_findings(engine, 0), 0)->detail,
                           "section 's+2' is not atomic"));
    fw_engine_destroy(engine);
    /* ... and nobody was next at the same moment as anybody else. */
    engine = fw_run_analysis(trace, &fw_analysis_overlap, &setup, 0);
    assert_int_equal(fw_findings_count(fw_engine_findings(engine, 0)), 0);
    fw_engine_destroy(engine);
    fw_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_serialised_is_reported),
        cmocka_unit_test(what_can_is_not),
        cmocka_unit_test(one_block_must_hold_both),
        cmocka_unit_test(in_a_section_everything_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
