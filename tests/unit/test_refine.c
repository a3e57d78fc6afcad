/* test_refine.c - good runs that violate a section take it away, bad ones do not. */
#include "sections/refine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/* a has two ends, b and c one each; c's allows everything. */
static const char text[] = "foreweave sections 1\n"
                           "section a given f\n"
                           "  entry r f.c:1\n"
                           "  end w f.c:2 allow=r\n"
                           "  end r f.c:3 allow=-\n"
                           "section b given f\n"
                           "  entry w f.c:4\n"
                           "  end w f.c:5 allow=w\n"
                           "section c given f\n"
                           "  entry w f.c:6\n"
                           "  end w f.c:7 allow=rw\n";

static struct fw_sections sections;

static struct fw_refinement *begin(void)
{
    struct fw_error err;

    assert_int_equal(fw_sections_read_memory(&sections, text, strlen(text), "text", &err), 0);
    return fw_refinement_create(&sections);
}

static void end(struct fw_refinement *refinement, const char *left)
{
    char names[16] = "";

    fw_refinement_finish(refinement);
    for (size_t i = 0; i < sections.at.len; i++)
        strcat(names, sections.at.at[i].name);
    assert_string_equal(names, left);
    fw_refinement_destroy(refinement);
    fw_sections_release(&sections);
}

static void what_good_runs_violate_goes(void **state)
{
    struct fw_refinement *refinement = begin();
    struct fw_refine_facts facts;

    (void)state;
    fw_refinement_count(refinement, 0, 0, 5, 0);
    fw_refinement_count(refinement, 1, 0, 5, 2);
    assert_true(fw_refinement_run(refinement, true));
    assert_int_equal(fw_refinement_allow(refinement, 1, 0), FW_ALLOW_ALL);
    assert_int_equal(fw_refinement_allow(refinement, 0, 0), FW_ALLOW_READS);
    fw_refinement_count(refinement, 1, 0, 1, 1); /* known */
    assert_false(fw_refinement_run(refinement, true));
    facts = fw_refinement_facts(refinement);
    assert_int_equal(facts.unchanged, 1);
    assert_int_equal(facts.before, 3);
    assert_int_equal(facts.violated, 1);
    assert_int_equal(facts.unseen, 1);
    end(refinement, "a");
}

static void what_bad_runs_violate_stays(void **state)
{
    struct fw_refinement *refinement = begin();

    (void)state;
    fw_refinement_count(refinement, 0, 1, 1, 1);
    fw_refinement_count(refinement, 1, 0, 1, 3);
    assert_false(fw_refinement_run(refinement, false));
    assert_int_equal(fw_refinement_facts(refinement).bad, 1);
    assert_int_equal(fw_refinement_facts(refinement).unchanged, 0);
    assert_int_equal(fw_refinement_bad(refinement, 1), 3);
    assert_false(fw_refinement_goes(refinement, 1));
    assert_false(fw_refinement_run(refinement, true)); /* nothing of it is left for the next run */
    end(refinement, "ab");
}

/* Ends that do not count any more still end the section. */
static void an_end_of_several_stays_and_allows_all(void **state)
{
    struct fw_refinement *refinement = begin();

    (void)state;
    fw_refinement_count(refinement, 0, 0, 1, 0);
    fw_refinement_count(refinement, 0, 1, 1, 1);
    fw_refinement_run(refinement, true);
    assert_false(fw_refinement_goes(refinement, 0));
    fw_refinement_finish(refinement);
    assert_int_equal(sections.at.len, 1);
    assert_int_equal(sections.at.at[0].ends.len, 2);
    assert_int_equal(sections.at.at[0].ends.at[0].allow, FW_ALLOW_READS);
    assert_int_equal(sections.at.at[0].ends.at[1].allow, FW_ALLOW_ALL);
    fw_refinement_destroy(refinement);
    fw_sections_release(&sections);
}

static void what_was_never_reached_goes(void **state)
{
    struct fw_refinement *refinement = begin();

    (void)state;
    fw_refinement_run(refinement, true);
    assert_int_equal(fw_refinement_facts(refinement).unseen, 3);
    end(refinement, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_good_runs_violate_goes),
        cmocka_unit_test(what_bad_runs_violate_stays),
        cmocka_unit_test(an_end_of_several_stays_and_allows_all),
        cmocka_unit_test(what_was_never_reached_goes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
