/*
 * test_section_file.c - repositories of atomic sections as text: what is read, what is refused and
 * where, names, and that what was written reads the same.
 */
#include "base/output.h"
#include "sections/sections.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char whole[] = "foreweave sections 1\n"
                            "section deposit+2 load-and-store deposit\n"
                            "  of balance\n"
                            "  entry r src/bank.c:14 +2 \"balance = balance + amount;\"\n"
                            "  end w src/bank.c:14#3 allow=r +2 \"balance = balance + amount;\"\n"
                            "  end r src/bank.c:16 allow=- +4\n"
                            "  exit src/bank.c:19 +7 \"catch (\\\"x\\\")\"\n"
                            "  flag circular\n"
                            "section mine given \"std::map<int, int>::operator[]\"\n"
                            "  entry w \"my file.h:7\" -1\n"
                            "  end w \"my file.h:7\" allow=rw\n"
                            "  end r a.c:9 allow=w\n"
                            "  flag recursive\n"
                            "section i invariant f\n"
                            "  entry w a.c:1\n"
                            "  end w a.c:2 allow=w\n"
                            "section t test-and-use f\n"
                            "  entry r a.c:1\n"
                            "  end r a.c:2 allow=r\n"
                            "section b annotation f\n"
                            "  entry r a.c:1\n"
                            "  end r a.c:2 allow=r\n";

static char *print(const struct fw_sections *sections)
{
    struct fw_output out;
    char *text;

    fw_output_open_memory(&out);
    fw_sections_print(sections, &out);
    text = strndup(out.buffer, out.used);
    fw_output_abandon(&out);
    return text;
}

static void read_text(struct fw_sections *sections, const char *text)
{
    struct fw_error err = { "" };

    if (fw_sections_read_memory(sections, text, strlen(text), "t", &err) < 0)
        fail_msg("refused: %s", err.message);
}

static void what_is_written_reads_the_same(void **state)
{
    struct fw_sections sections;
    char *text;

    (void)state;
    read_text(&sections, whole);
    text = print(&sections);
    assert_string_equal(text, whole);
    free(text);
    fw_sections_release(&sections);
}

static void every_field_is_read(void **state)
{
    const struct fw_atomic_section *section;
    struct fw_sections sections;

    (void)state;
    read_text(&sections, whole);
    assert_int_equal(sections.at.len, 5);
    section = &sections.at.at[0];
    assert_int_equal(section->origin, FW_ORIGIN_LOAD_AND_STORE);
    assert_string_equal(section->function, "deposit");
    assert_string_equal(section->variable, "balance");
    assert_int_equal(section->file_line, 2);
    assert_false(section->entry.write);
    assert_string_equal(section->entry.file, "src/bank.c");
    assert_int_equal(section->entry.line, 14);
    assert_int_equal(section->entry.ordinal, 1);
    assert_true(section->entry.has_offset && section->entry.offset == 2);
    assert_int_equal(section->ends.len, 2);
    assert_true(section->ends.at[0].at.write);
    assert_int_equal(section->ends.at[0].at.ordinal, 3);
    assert_int_equal(section->ends.at[0].allow, FW_ALLOW_READS);
    assert_int_equal(section->ends.at[1].allow, 0);
    assert_int_equal(section->exits.len, 1);
    assert_string_equal(section->exits.at[0].text, "catch (\"x\")");
    assert_true(section->circular && !section->recursive);
    section = fw_sections_find(&sections, "mine");
    assert_ptr_equal(section, &sections.at.at[1]);
    assert_string_equal(section->entry.file, "my file.h");
    assert_int_equal(section->entry.offset, -1);
    assert_int_equal(section->ends.at[0].allow, FW_ALLOW_ALL);
    assert_null(section->variable);
    assert_null(section->entry.text);
    assert_null(fw_sections_find(&sections, "yours"));
    fw_sections_release(&sections);
}

static void blanks_and_comments_do_not_matter(void **state)
{
    struct fw_sections sections;

    (void)state;
    read_text(&sections, "# by hand\r\n\n  foreweave sections 1 # one\n\tsection a given f#2\n"
                         "entry  r\ta.c:3#1   # the first\r\nend w a.c:3 allow=r");
    assert_int_equal(sections.at.len, 1);
    assert_string_equal(sections.at.at[0].function, "f#2");
    assert_string_equal(sections.at.at[0].ends.at[0].at.file, "a.c");
    fw_sections_release(&sections);
}

#define HEAD    "foreweave sections 1\n"
#define SECTION HEAD "section a given f\n"
#define ENTRY   SECTION "entry r a.c:1\n"
#define WHOLE   ENTRY "end w a.c:1 allow=r\n"

static void what_is_wrong_is_told_with_its_line(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "", "t: not a file of sections: it is empty" },
        { "foreweave schedule 1\n",
          "t:1: not a file of sections: the first line must be 'foreweave sections 1'" },
        { "foreweave sections 2\n", "t:1: sections of an unknown version: '2'" },
        { HEAD "entry r a.c:1\n", "t:2: no section has begun for this 'entry'" },
        { HEAD "sektion a\n", "t:2: not known in a file of sections: 'sektion'" },
        { HEAD "section\n", "t:2: 'section' needs a name, one word without quotes" },
        { HEAD "section a\n",
          "t:2: where a section comes from may be given, annotation, load-and-store, test-and-use "
          "or invariant, not ''" },
        { HEAD "section a given\n", "t:2: the section's function is missing" },
        { HEAD "section a given f g\n", "t:2: unexpected 'g'" },
        { SECTION, "t:2: section 'a' has no entry" },
        { SECTION "section b given f\n", "t:2: section 'a' has no entry" },
        { ENTRY, "t:2: section 'a' has no end" },
        { SECTION "entry a.c:1\n", "t:3: what the access does is missing: r or w" },
        { SECTION "entry r\n", "t:3: where it is is missing, as bank.c:14" },
        { SECTION "entry r a.c\n", "t:3: not a place as bank.c:14 or bank.c:14#2: 'a.c'" },
        { SECTION "entry r a.c:0\n", "t:3: not a place as bank.c:14 or bank.c:14#2: 'a.c:0'" },
        { SECTION "entry r a.c:1#0\n", "t:3: not a place as bank.c:14 or bank.c:14#2: 'a.c:1#0'" },
        { SECTION "entry r a.c:1 +x\n", "t:3: not a number of lines: '+x'" },
        { SECTION "entry r a.c:1 \"x\n", "t:3: a quoted text without an end" },
        { ENTRY "entry r a.c:2\n", "t:4: a section has one entry: this is the second" },
        { ENTRY "end w a.c:1\n",
          "t:4: what others may do is missing: allow=- r, w or rw, as allow=r" },
        { ENTRY "end w a.c:1 allow=x\n", "t:4: allow= may be -, r, w or rw, not 'x'" },
        { WHOLE "end w a.c:1 allow=rw\n", "t:5: the section has this end already" },
        { WHOLE "exit a.c:1#2\n", "t:5: not a line as bank.c:14: 'a.c:1#2'" },
        { WHOLE "of\n", "t:5: 'of' needs the name of a variable" },
        { WHOLE "flag odd\n", "t:5: a flag may be 'circular' or 'recursive'" },
        { WHOLE "section a given g\n", "t:5: the name 'a' is taken by the section in line 2" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fw_error err = { "" };
        struct fw_sections sections;

        if (fw_sections_read_memory(&sections, cases[i].text, strlen(cases[i].text), "t", &err) >=
            0)
            fail_msg("taken: %s", cases[i].text);
        assert_string_equal(err.message, cases[i].message);
    }
}

static void names_come_from_function_and_line(void **state)
{
    struct fw_spot spot = { .file = "a.c", .line = 14, .ordinal = 1 };
    static const char *const names[] = { "f:14", "f+2", "f+2.2", "vec<int,int>::f+2" };
    struct fw_sections sections;

    (void)state;
    fw_sections_init(&sections);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct fw_atomic_section *section =
            fw_sections_add(&sections, FW_ORIGIN_INVARIANT, i == 3 ? "vec<int, int>::f" : "f");

        spot.has_offset = i > 0;
        spot.offset = 2;
        fw_spot_copy(&section->entry, &spot);
        fw_section_add_end(section, &spot, FW_ALLOW_READS);
        fw_sections_name(&sections, section);
        assert_string_equal(section->name, names[i]);
    }
    fw_sections_release(&sections);
}

static void ends_and_sections_can_be_removed(void **state)
{
    struct fw_sections sections;
    char *text;

    (void)state;
    read_text(&sections, whole);
    fw_section_remove_end(&sections.at.at[0], 0);
    fw_sections_remove(&sections, 1);
    fw_sections_remove(&sections, 1);
    fw_sections_remove(&sections, 1);
    fw_sections_remove(&sections, 1);
    text = print(&sections);
    assert_string_equal(text, "foreweave sections 1\n"
                              "section deposit+2 load-and-store deposit\n"
                              "  of balance\n"
                              "  entry r src/bank.c:14 +2 \"balance = balance + amount;\"\n"
                              "  end r src/bank.c:16 allow=- +4\n"
                              "  exit src/bank.c:19 +7 \"catch (\\\"x\\\")\"\n"
                              "  flag circular\n");
    free(text);
    fw_sections_release(&sections);
}

static void a_file_that_is_not_there_is_told(void **state)
{
    struct fw_error err = { "" };
    struct fw_sections sections;

    (void)state;
    assert_int_equal(fw_sections_read(&sections, "/nowhere/at.all", &err), -1);
    assert_string_equal(err.message, "cannot open file of sections '/nowhere/at.all': no such file "
                                     "or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_reads_the_same),
        cmocka_unit_test(every_field_is_read),
        cmocka_unit_test(blanks_and_comments_do_not_matter),
        cmocka_unit_test(what_is_wrong_is_told_with_its_line),
        cmocka_unit_test(names_come_from_function_and_line),
        cmocka_unit_test(ends_and_sections_can_be_removed),
        cmocka_unit_test(a_file_that_is_not_there_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
