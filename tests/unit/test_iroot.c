/* test_iroot.c - static accesses and iRoots as texts and back; sets of them. */
#include "iroot/iroot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* The access as text, which must read back as the same. */
static void check_access(struct fw_access access, const char *text)
{
    struct fw_error err = { { 0 } };
    struct fw_access again;
    struct fw_strtab table;
    uint32_t number;

    fw_strtab_init(&table);
    number = fw_access_intern(&table, &access);
    assert_string_equal(fw_strtab_text(&table, number), text);
    assert_int_equal(fw_access_does(text), access.does);
    assert_int_equal(fw_access_parse(&again, text, &err), 0);
    assert_int_equal(again.does, access.does);
    assert_int_equal(!again.module, !access.module);
    assert_int_equal(!again.function, !access.function);
    assert_int_equal(!again.site, !access.site);
    if (access.module)
        assert_string_equal(again.module, access.module);
    if (access.function)
        assert_string_equal(again.function, access.function);
    if (access.site)
        assert_string_equal(again.site, access.site);
    assert_int_equal(again.line, access.line);
    assert_int_equal(again.ordinal, access.ordinal);
    assert_true(again.offset == access.offset);
    assert_int_equal(fw_access_intern(&table, &again), number);
    fw_access_release(&again);
    fw_strtab_release(&table);
}

static void accesses_have_four_forms(void **state)
{
    (void)state;
    check_access((struct fw_access) { FW_DOES_READ, "bank", "withdraw", 3, 1, .site = NULL },
                 "r bank withdraw+3#1");
    check_access((struct fw_access) { FW_DOES_WRITE, "libstdc++.so.6", "run", 0, 12, .site = NULL },
                 "w libstdc++.so.6 run+0#12");
    check_access((struct fw_access) { FW_DOES_LOCK, "bank", "deposit", .ordinal = 0 },
                 "lock bank deposit");
    check_access((struct fw_access) { FW_DOES_UNLOCK, "bank", .offset = 0xfeedf00ddeadbeef },
                 "unlock bank 0xfeedf00ddeadbeef");
    check_access((struct fw_access) { FW_DOES_READ, "bank", .offset = 0 }, "r bank 0x0");
    check_access((struct fw_access) { FW_DOES_READ, .site = "main.c:12" }, "r main.c:12");
    check_access((struct fw_access) { FW_DOES_READ, .site = "a+1" }, "r a+1");
}

static void odd_words_stand_in_quotes(void **state)
{
    (void)state;
    check_access((struct fw_access) { FW_DOES_READ, "a b", "std::map<int, char>::at(int)", 7, 2,
                                      .site = NULL },
                 "r \"a b\" \"std::map<int, char>::at(int)\"+7#2");
    check_access((struct fw_access) { FW_DOES_READ, "m", "operator|", 1, 1, .site = NULL },
                 "r m \"operator|\"+1#1");
    check_access((struct fw_access) { FW_DOES_READ, "m", "operator+", 1, 1, .site = NULL },
                 "r m \"operator+\"+1#1");
    check_access((struct fw_access) { FW_DOES_READ, "m", "f+1#1", .ordinal = 0 },
                 "r m \"f+1#1\"");
    check_access((struct fw_access) { FW_DOES_READ, "m", "0x10", .ordinal = 0 }, "r m \"0x10\"");
    check_access((struct fw_access) { FW_DOES_READ, "", "", 1, 1, .site = NULL },
                 "r \"\" \"\"+1#1");
    check_access((struct fw_access) { FW_DOES_WRITE, .site = "x#2" }, "w \"x#2\"");
    check_access((struct fw_access) { FW_DOES_WRITE, .site = "a|b" }, "w \"a|b\"");
    check_access((struct fw_access) { FW_DOES_WRITE, .site = "\"\\\t\n\x01\x7f" },
                 "w \"\\\"\\\\\\t\\n\\x01\\x7f\"");
    check_access((struct fw_access) { FW_DOES_WRITE, .site = "h\xc3\xa4" }, "w h\xc3\xa4");
}

static void bad_accesses_are_refused(void **state)
{
    static const char *const bad[] = {
        "", "r", "x a", "\"r\" a", "r a b c", "r a f+1", "r a f+1#", "r a f+1#0", "r a f+#1",
        "r a f+1#1x", "r a f+4294967295#1", "r a +1#1", "r a 12", "r a 0x", "r a 0x1g",
        "r a 0x12345678901234567", "r \"a", "r \"a\\q\"", "r \"\\x00\"", "r \"\\x1\"", "r \"a\"b",
        "r a\"b", "r a\\b", "r a\tb", "r a | w b", "r a \"f\"x", "r a \"f\"+1",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct fw_error err = { { 0 } };
        struct fw_access access;

        if (fw_access_parse(&access, bad[i], &err) == 0)
            fail_msg("'%s' was read", bad[i]);
        assert_true(err.message[0]);
    }
}

/* Reads the first text and writes the second. */
static void check_iroot(const char *text, const char *written)
{
    struct fw_error err = { { 0 } };
    struct fw_iroot iroot, again;
    struct fw_strtab table;
    struct fw_output out;

    fw_strtab_init(&table);
    fw_output_open_memory(&out);
    if (fw_iroot_parse(&iroot, text, &table, &err) < 0)
        fail_msg("%s", err.message);
    fw_iroot_print(&iroot, &table, &out);
    fw_output_bytes(&out, "", 1);
    assert_string_equal(out.buffer, written);
    assert_int_equal(fw_iroot_parse(&again, written, &table, &err), 0);
    assert_int_equal(fw_iroot_compare(&iroot, &again), 0);
    assert_true(fw_iroot_hash(&iroot) == fw_iroot_hash(&again));
    fw_output_abandon(&out);
    fw_strtab_release(&table);
}

static void iroots_are_lines(void **state)
{
    (void)state;
    check_iroot("1 w a f+1#1 | r a g+2#1", "1 w a f+1#1 | r a g+2#1");
    check_iroot(" 1  w  a   f+01#1|r \"a\" \"g\"+2#1 ", "1 w a f+1#1 | r a g+2#1");
    check_iroot("2 r x | w \"|\" | r x", "2 r x | w \"|\" | r x");
    check_iroot("3 unlock a | lock b | unlock c | lock d",
                "3 unlock a | lock b | unlock c | lock d");
    check_iroot("4 unlock a | lock b | w c | r d", "4 unlock a | lock b | w c | r d");
    check_iroot("6 w z | w y | w c | r d", "6 w z | w y | w c | r d");
}

/* From whichever side it is written, and whichever text is met first. */
static void idiom_5_has_two_sides(void **state)
{
    (void)state;
    check_iroot("5 w a | w b | w c | w d", "5 w a | w b | w c | w d");
    check_iroot("5 w c | w d | w a | w b", "5 w a | w b | w c | w d");
    check_iroot("5 w a | w z | w a | w b", "5 w a | w b | w a | w z");
    check_iroot("5w lock c | lock d | lock a | lock b", "5w lock a | lock b | lock c | lock d");
    check_iroot("4 w c | w d | w a | w b", "4 w c | w d | w a | w b");
}

static void bad_iroots_are_refused(void **state)
{
    static const char *const bad[] = {
        "", "1", "0 w a | w b", "7 w a | w b", "1w w a | w b", "11 w a | w b", "1 w a", "1 w a |",
        "1 w a | w b | w c", "2 w a | w b", "1 r a | r b", "1 lock a | unlock b",
        "1 unlock a | w b", "1 w a | lock b", "2 unlock a | lock b | lock c",
        "2 w a | r b | r c", "3 unlock a | lock b | w c | r d", "4 w a | r b | r c | r d",
        "5w lock a | lock b | lock c | unlock d", "5w w a | w b | w c | w d",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct fw_error err = { { 0 } };
        struct fw_strtab table;
        struct fw_iroot iroot;

        fw_strtab_init(&table);
        if (fw_iroot_parse(&iroot, bad[i], &table, &err) == 0)
            fail_msg("'%s' was read", bad[i]);
        assert_true(err.message[0]);
        assert_int_equal(fw_strtab_count(&table), 0);
        fw_strtab_release(&table);
    }
}

/* All iRoots over three accesses, twice. */
static void sets_hold_each_once(void **state)
{
    struct fw_iroot_set *set = fw_iroot_set_create();
    uint32_t count = 0;

    (void)state;
    for (unsigned round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 6 * 81; i++) {
            struct fw_iroot iroot = { .idiom = (uint8_t)(1 + i / 81),
                                      .access = { i % 3, i / 3 % 3, i / 9 % 3, i / 27 % 3 } };
            bool known = fw_iroot_set_has(set, &iroot);

            assert_int_equal(fw_iroot_set_add(set, &iroot), !known);
            assert_true(fw_iroot_set_has(set, &iroot));
            if (!known)
                assert_int_equal(fw_iroot_compare(fw_iroot_set_get(set, count++), &iroot), 0);
            assert_true(!round || known);
        }
    }
    assert_int_equal(fw_iroot_set_count(set), count);
    for (unsigned idiom = 1; idiom <= FW_IDIOMS; idiom++)
        assert_int_equal(fw_iroot_set_of_idiom(set, idiom), idiom == 5 ? (81 + 9) / 2 : 81);
    fw_iroot_set_destroy(set);
}

static void a_deadlock_is_another_iroot(void **state)
{
    struct fw_iroot_set *set = fw_iroot_set_create();
    struct fw_iroot iroot = { .idiom = 5, .access = { 1, 2, 3, 4 } };
    struct fw_iroot other = { .idiom = 5, .waits = true, .access = { 1, 2, 3, 4 } };

    (void)state;
    assert_true(fw_iroot_set_add(set, &iroot));
    assert_false(fw_iroot_set_has(set, &other));
    assert_true(fw_iroot_compare(&iroot, &other) < 0);
    assert_true(fw_iroot_compare(&other, &iroot) > 0);
    assert_true(fw_iroot_set_add(set, &other));
    fw_iroot_set_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_have_four_forms),
        cmocka_unit_test(odd_words_stand_in_quotes),
        cmocka_unit_test(bad_accesses_are_refused),
        cmocka_unit_test(iroots_are_lines),
        cmocka_unit_test(idiom_5_has_two_sides),
        cmocka_unit_test(bad_iroots_are_refused),
        cmocka_unit_test(sets_hold_each_once),
        cmocka_unit_test(a_deadlock_is_another_iroot),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
