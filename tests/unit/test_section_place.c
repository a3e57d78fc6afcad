/*
 * test_section_place.c - sections are found in the code of any build: with and without
 * optimisation, after lines were added above the function and within it, in inlined copies; and
 * what cannot be found is told.
 *
 * Sources are compiled with gcc's and clang's instrumentation into libraries, which need no
 * runtime as long as nobody loads them.
 */
#include "sections/place.h"
#include "symbol/hooks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Optimisation leaves the second of two accesses out where nothing is between them. */
static const char source[] = "int balance, limit, log_lines;\n"
                             "void audit(void);\n"
                             "static inline void deposit(int amount)\n"
                             "{\n"
                             "    balance = balance + amount;\n"
                             "}\n"
                             "\n"
                             "void twice(int amount)\n"
                             "{\n"
                             "    deposit(amount);\n"
                             "    audit();\n"
                             "    deposit(1);\n"
                             "}\n"
                             "\n"
                             "void check(void)\n"
                             "{\n"
                             "    if (balance > limit) {\n"
                             "        audit();\n"
                             "        log_lines += balance;\n"
                             "    }\n"
                             "}\n";

static const char repository[] = "foreweave sections 1\n"
                                 "section deposit load-and-store deposit\n"
                                 "  entry r src/bank.c:5 +2 \"balance = balance + amount;\"\n"
                                 "  end w src/bank.c:5 allow=r +2 \"balance = balance + amount;\"\n"
                                 "section check test-and-use check\n"
                                 "  entry r src/bank.c:17 +2 \"if (balance > limit) {\"\n"
                                 "  end r src/bank.c:19#2 allow=r +4 \"log_lines += balance;\"\n"
                                 "  exit src/bank.c:19 +4 \"log_lines += balance;\"\n";

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

static void write_source(const char *name, const char *above, const char *text)
{
    char path[256];
    FILE *out;

    snprintf(path, sizeof path, "%s/%s", directory, name);
    out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "%s%s", above, text);
    fclose(out);
}

/* The library of that source. */
static const char *build(const char *compiler, const char *options, const char *name)
{
    static char path[256];

    snprintf(path, sizeof path, "%s/lib.so", directory);
    assert_int_equal(shell("cd %s && %s %s -g -fPIC -fsanitize=thread -c %s -o lib.o && "
                           "%s -shared lib.o -o lib.so",
                           directory, compiler, options, name, compiler),
                     0);
    return path;
}

static void read_repository(struct fw_sections *sections, const char *text)
{
    struct fw_error err = { "" };

    if (fw_sections_read_memory(sections, text, strlen(text), "t", &err) < 0)
        fail_msg("refused: %s", err.message);
}

static void place(const char *text, const char *path, struct fw_placement *placement)
{
    struct fw_error err = { "" };
    struct fw_sections sections;

    read_repository(&sections, text);
    if (fw_sections_place(&sections, path, placement, &err) < 0)
        fail_msg("not placed: %s", err.message);
    fw_sections_release(&sections);
}

static size_t count(const struct fw_placement *placement, uint32_t section, enum fw_place_role role)
{
    size_t found = 0;

    for (size_t i = 0; i < placement->placed.len; i++)
        found += placement->placed.at[i].section == section && placement->placed.at[i].role == role;
    return found;
}

/* Each placed hook, back in the source: line and kind. */
static void check_lines(const struct fw_placement *placement, const char *path, unsigned section,
                        enum fw_place_role role, unsigned line, bool write)
{
    struct fw_error err;
    struct fw_sites *sites = fw_sites_open(path, &err);

    assert_non_null(sites);
    assert_true(count(placement, section, role) > 0);
    for (size_t i = 0; i < placement->placed.len; i++) {
        const struct fw_placed *placed = &placement->placed.at[i];
        const struct fw_site *site = fw_sites_at(sites, placed->returns);

        assert_non_null(site);
        assert_int_equal(site->write, placed->write);
        assert_int_equal(site->copy, placed->copy);
        if (placed->section != section || placed->role != role)
            continue;
        assert_int_equal(site->line, line);
        assert_int_equal(placed->write, write);
    }
    fw_sites_close(sites);
}

static const char *const builds[][2] = { { "gcc", "-O0" },
                                         { "gcc", "-O2" },
                                         { "clang", "-O0 -mllvm "
                                                    "-tsan-instrument-read-before-write" },
                                         { "clang", "-O2 -mllvm "
                                                    "-tsan-instrument-read-before-write" } };

#define EACH_BUILD(i)                                                                              \
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++)                                    \
        if (shell("command -v %s >/dev/null", builds[i][0]) == 0)

static void entries_and_ends_are_found_in_every_build(void **state)
{
    (void)state;
    write_source("bank.c", "", source);
    EACH_BUILD(i)
    {
        const char *path = build(builds[i][0], builds[i][1], "bank.c");
        struct fw_placement placement;
        bool optimised = strstr(builds[i][1], "-O2") != NULL;

        place(repository, path, &placement);
        assert_int_equal(placement.unplaced.len, 0);
        check_lines(&placement, path, 0, FW_PLACE_ENTRY, 5, false);
        check_lines(&placement, path, 0, FW_PLACE_END, 5, true);
        check_lines(&placement, path, 1, FW_PLACE_ENTRY, 17, false);
        check_lines(&placement, path, 1, FW_PLACE_END, 19, false);
        assert_true(count(&placement, 1, FW_PLACE_EXIT) >= 3);
        /* Optimised, deposit is in its callers, twice. */
        assert_int_equal(count(&placement, 0, FW_PLACE_ENTRY), optimised ? 2 : 1);
        assert_int_equal(count(&placement, 0, FW_PLACE_END), optimised ? 2 : 1);
        assert_int_equal(count(&placement, 1, FW_PLACE_ENTRY), 1);
        assert_true(fw_placement_has(&placement, 0) && fw_placement_has(&placement, 1));
        assert_false(fw_placement_has(&placement, 2));
        fw_placement_release(&placement);
    }
}

static void lines_added_above_do_not_matter(void **state)
{
    struct fw_placement placement;
    const char *path;

    (void)state;
    write_source("bank.c", "int other;\nint more;\n\n", source);
    path = build("gcc", "-O2", "bank.c");
    place(repository, path, &placement);
    assert_int_equal(placement.unplaced.len, 0);
    check_lines(&placement, path, 0, FW_PLACE_ENTRY, 8, false);
    check_lines(&placement, path, 1, FW_PLACE_END, 22, false);
    fw_placement_release(&placement);
    /* Neither without the source ... */
    assert_int_equal(shell("rm %s/bank.c", directory), 0);
    place(repository, path, &placement);
    assert_int_equal(placement.unplaced.len, 0);
    check_lines(&placement, path, 0, FW_PLACE_END, 8, true);
    fw_placement_release(&placement);
    /* ... nor if it was edited after the build. */
    write_source("bank.c", "", source);
    assert_int_equal(shell("touch -d tomorrow %s/bank.c", directory), 0);
    place(repository, path, &placement);
    check_lines(&placement, path, 0, FW_PLACE_END, 8, true);
    fw_placement_release(&placement);
}

static void lines_added_within_do_not_matter_where_texts_are_known(void **state)
{
    static const char changed[] = "int balance, limit, log_lines;\n"
                                  "void deposit(int amount)\n"
                                  "{\n"
                                  "    log_lines++;\n"
                                  "    limit = limit + amount;\n"
                                  "    balance   =  balance + amount;\n"
                                  "}\n";
    struct fw_placement placement;
    const char *path;

    (void)state;
    write_source("bank.c", "", changed);
    path = build("gcc", "-O0", "bank.c");
    place(repository, path, &placement);
    check_lines(&placement, path, 0, FW_PLACE_ENTRY, 6, false);
    check_lines(&placement, path, 0, FW_PLACE_END, 6, true);
    assert_int_equal(placement.unplaced.len, 1);
    assert_int_equal(placement.unplaced.at[0].section, 1);
    assert_true(placement.unplaced.at[0].whole && placement.unplaced.at[0].foreign);
    assert_string_equal(placement.unplaced.at[0].reason,
                        "there is no function 'check' with accesses that have hooks");
    fw_placement_release(&placement);
}

static void what_cannot_be_placed_is_told(void **state)
{
    static const struct {
        const char *section, *reason;
    } cases[] = {
        { "section a given check\nentry r bank.c:16\nend r bank.c:19 allow=r\n",
          "entry: no read in line bank.c:16 of 'check'" },
        { "section a given check\nentry w bank.c:17\nend r bank.c:19 allow=r\n",
          "entry: no write in line bank.c:17 of 'check'" },
        { "section a given check\nentry r bank.c:17#9\nend r bank.c:19 allow=r\n",
          "entry: bank.c:17 has 2 reads in 'check', not 9" },
        { "section a given check\nentry r x/bank.c:17 \"if (x)\"\nend r bank.c:19 allow=r\n",
          "entry: no line of 'check' in bank.c with an access reads \"if (x)\"" },
        { "section a given check\nentry r bank.c:17\nend w bank.c:17 allow=r\n",
          "end: no write in line bank.c:17 of 'check'" },
        { "section a given check\nentry r bunk.c:16\nend r bank.c:19 allow=r\n",
          "'check' is there, but not of a file called bunk.c" },
        { "section a given check\nentry r bank.c:17\nend r bank.c:19 allow=r\nexit bank.c:15\n",
          "exit: no access in line bank.c:15 of 'check'" },
    };
    const char *path;

    (void)state;
    write_source("bank.c", "", source);
    path = build("gcc", "-O0", "bank.c");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fw_placement placement;
        char text[512];

        snprintf(text, sizeof text, "foreweave sections 1\n%s", cases[i].section);
        place(text, path, &placement);
        assert_true(placement.unplaced.len > 0);
        assert_string_equal(placement.unplaced.at[0].reason, cases[i].reason);
        assert_int_equal(fw_placement_has(&placement, 0), strncmp(cases[i].reason, "exit", 4) == 0);
        fw_placement_release(&placement);
    }
}

/* The entry's place in the line is not known any more, but its variable is. */
static void the_variable_counts_where_the_order_has_changed(void **state)
{
    static const char text[] = "foreweave sections 1\n"
                               "section a given check\n"
                               "of %s\n"
                               "entry r bank.c:17#%u\n"
                               "end r bank.c:19#%u allow=r\n";
    uint64_t entry = 0, end = 0;
    struct fw_placement placement;
    char wanted[512];
    const char *path;

    (void)state;
    write_source("bank.c", "", source);
    path = build("gcc", "-O0", "bank.c");
    for (unsigned ordinal = 1; ordinal <= 3; ordinal++) { /* whichever it was */
        snprintf(wanted, sizeof wanted, text, "balance", ordinal, ordinal);
        place(wanted, path, &placement);
        assert_int_equal(placement.unplaced.len, 0);
        assert_int_equal(placement.placed.len, 2);
        entry = entry ? entry : placement.placed.at[0].returns;
        end = end ? end : placement.placed.at[1].returns;
        assert_int_equal(placement.placed.at[0].returns, entry);
        assert_int_equal(placement.placed.at[1].returns, end);
        fw_placement_release(&placement);
    }
    snprintf(wanted, sizeof wanted, text, "limit", 1u, 1u);
    place(wanted, path, &placement); /* which is not read in line 19 */
    assert_int_equal(placement.placed.len, 0);
    assert_string_equal(placement.unplaced.at[0].reason,
                        "end: the read in line bank.c:19 of 'check' is not one of 'limit'");
    fw_placement_release(&placement);
}

/* A section may be of a whole struct or array, or of a part; what only begins alike is another. */
static void the_parts_of_a_variable_are_its_own(void **state)
{
    static const char parts[] = "struct { long sum, count; } books[4];\n"
                                "void add(void)\n"
                                "{\n"
                                "    long now = books[1].count;\n"
                                "    books[1].count = now + 1;\n"
                                "}\n";
    static const struct {
        const char *variable;
        size_t placed;
    } rows[] = { { "books", 2 },        { "books[1]", 2 },     { "books[1].count", 2 },
                 { "books[1].sum", 0 }, { "books[1].co", 0 }, { "book", 0 } };
    struct fw_placement placement;
    char wanted[512];

    (void)state;
    write_source("books.c", "", parts);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(wanted, sizeof wanted,
                 "foreweave sections 1\nsection add+1 given add\n  of %s\n  entry r books.c:4\n"
                 "  end w books.c:5 allow=r\n",
                 rows[i].variable);
        place(wanted, build("gcc", "-O0", "books.c"), &placement);
        assert_int_equal(placement.placed.len, rows[i].placed);
        fw_placement_release(&placement);
    }
}

static size_t count_hooks(const char *options)
{
    struct fw_hooks hooks = { 0 };
    struct fw_error err;
    size_t found;

    assert_int_equal(fw_hooks_find(build("gcc", options, "loop.c"), &hooks, &err), 0);
    found = hooks.len;
    fw_vec_release(&hooks);
    return found;
}

/* Without stubs, hooks that are called often are called through registers. */
static void hooks_are_found_however_they_are_called(void **state)
{
    static const char text[] = "int n, m;\n"
                               "void audit(void);\n"
                               "void loop(int *at, int count)\n"
                               "{\n"
                               "    for (int i = 0; i < count; i++) {\n"
                               "        at[i] += n + at[i + 1];\n"
                               "        audit();\n"
                               "        at[i] -= m + at[i + 2];\n"
                               "        if (at[i] > 5)\n"
                               "            __builtin_abort();\n"
                               "    }\n"
                               "}\n";
    size_t found;

    (void)state;
    write_source("loop.c", "", text);
    found = count_hooks("-O2");
    assert_true(found >= 8);
    assert_int_equal(count_hooks("-O2 -fno-plt"), found);
    assert_int_equal(shell("objdump -d %s/lib.so | grep -q 'call  *\\*%%r'", directory), 0);
}

static void functions_of_one_name_are_told_apart(void **state)
{
    static const char overloads[] = "namespace bank {\n"
                                    "int n;\n"
                                    "void f(int)\n"
                                    "{\n"
                                    "    n++;\n"
                                    "}\n"
                                    "void f(long)\n"
                                    "{\n"
                                    "    n++;\n"
                                    "}\n"
                                    "template <class T> void g(T *at)\n"
                                    "{\n"
                                    "    *at += 1;\n"
                                    "}\n"
                                    "template void g(int *);\n"
                                    "template void g(long *);\n"
                                    "}\n";
    static const char wanted[] = "foreweave sections 1\n"
                                 "section a given f\n"
                                 "entry r bank.cc:9 +2 \"n++;\"\n"
                                 "end w bank.cc:9 allow=r +2 \"n++;\"\n"
                                 "section b given g<int>\n"
                                 "entry r bank.cc:13\n"
                                 "end w bank.cc:13 allow=r\n";
    struct fw_placement placement;
    const char *path;

    (void)state;
    write_source("bank.cc", "", overloads);
    path = build("g++", "-O0", "bank.cc");
    place(wanted, path, &placement);
    assert_int_equal(placement.unplaced.len, 0);
    check_lines(&placement, path, 0, FW_PLACE_ENTRY, 9, false);
    assert_int_equal(count(&placement, 0, FW_PLACE_ENTRY), 1);
    check_lines(&placement, path, 1, FW_PLACE_END, 13, true);
    assert_int_equal(count(&placement, 1, FW_PLACE_END), 1);
    fw_placement_release(&placement);
    write_source("bank.cc", "// one more\n", overloads);
    path = build("g++", "-O2", "bank.cc");
    place(wanted, path, &placement);
    check_lines(&placement, path, 0, FW_PLACE_ENTRY, 10, false);
    fw_placement_release(&placement);
}

/* Every site, made a spot and placed again, is where it was. */
static void spots_of_sites_lead_back_to_them(void **state)
{
    struct fw_error err;
    struct fw_sites *sites;

    (void)state;
    write_source("bank.c", "", source);
    sites = fw_sites_open(build("gcc", "-O2", "bank.c"), &err);
    assert_non_null(sites);
    assert_true(fw_sites_count(sites) > 6);
    for (size_t i = 0; i < fw_sites_count(sites); i++) {
        const struct fw_site *site = fw_sites_get(sites, i);
        struct fw_placement placement;
        struct fw_sections sections;
        struct fw_atomic_section *section;
        bool found = false;

        fw_sections_init(&sections);
        section = fw_sections_add(&sections, FW_ORIGIN_GIVEN, site->function);
        assert_true(fw_sites_spot(sites, site, &section->entry));
        assert_non_null(section->entry.text);
        fw_section_add_end(section, &section->entry, 0);
        fw_sections_name(&sections, section);
        fw_sections_place_in(&sections, sites, &placement);
        for (size_t j = 0; j < placement.placed.len; j++)
            found |= placement.placed.at[j].returns == site->returns;
        assert_true(found);
        assert_null(fw_sites_at(sites, site->returns + 1));
        fw_placement_release(&placement);
        fw_sections_release(&sections);
    }
    fw_sites_close(sites);
}

static void modules_without_hooks_or_lines_are_refused(void **state)
{
    struct fw_error err = { "" };
    struct fw_placement placement;
    struct fw_sections sections;
    char expected[512];
    const char *path;

    (void)state;
    read_repository(&sections, repository);
    write_source("bank.c", "", source);
    path = build("gcc", "-g0", "bank.c");
    snprintf(expected, sizeof expected, "'%s' has no access hooks: build it with 'foreweave cc'",
             path);
    assert_int_equal(shell("cd %s && gcc -g -shared -fPIC bank.c -o lib.so", directory), 0);
    assert_int_equal(fw_sections_place(&sections, path, &placement, &err), -1);
    assert_string_equal(err.message, expected);
    assert_int_equal(shell("cd %s && gcc -shared lib.o -o lib.so && strip -g lib.so", directory),
                     0);
    snprintf(expected, sizeof expected,
             "'%s' has no debug information to find lines in: build it with -g", path);
    assert_int_equal(fw_sections_place(&sections, path, &placement, &err), -1);
    assert_string_equal(err.message, expected);
    assert_int_equal(fw_sections_place(&sections, "/nowhere/at.all", &placement, &err), -1);
    assert_string_equal(err.message, "cannot read '/nowhere/at.all': no such file or directory");
    fw_sections_release(&sections);
}

static int make_directory(void **state)
{
    (void)state;
    snprintf(directory, sizeof directory, "/tmp/test_section.XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
    (void)state;
    return shell("rm -r %s", directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_and_ends_are_found_in_every_build),
        cmocka_unit_test(lines_added_above_do_not_matter),
        cmocka_unit_test(lines_added_within_do_not_matter_where_texts_are_known),
        cmocka_unit_test(what_cannot_be_placed_is_told),
        cmocka_unit_test(the_variable_counts_where_the_order_has_changed),
        cmocka_unit_test(the_parts_of_a_variable_are_its_own),
        cmocka_unit_test(hooks_are_found_however_they_are_called),
        cmocka_unit_test(functions_of_one_name_are_told_apart),
        cmocka_unit_test(spots_of_sites_lead_back_to_them),
        cmocka_unit_test(modules_without_hooks_or_lines_are_refused),
    };

    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
