/*
 * test_symbol.c - addresses of programs are found in their source.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* */
#include <cmocka.h>

#include "symbol/operand.h"
#include "symbol/source_text.h"
#include "symbol_build.h"

static const char *const builds[][2] = {
    { "gcc", "-O0 -g" },         { "gcc", "-O2 -g" },           { "clang", "-O0 -g" },
    { "clang", "-O2 -g" },       { "gcc", "-O2 -g -gdwarf-4" }, { "clang", "-O1 -g -gdwarf-4" },
    { "gcc", "-O1 -g -no-pie" }, { "gcc", "-O0 -g -gz" },
};

#define BUILDS (sizeof builds / sizeof *builds)

static bool have(const char *compiler)
{
    return shell("command -v %s >/dev/null", compiler) == 0;
}

struct world {
    struct sample sample;
    struct fw_symbolizer *symbolizer;
    uint32_t module;
};

static bool world_open(struct world *world, size_t build)
{
    if (!have(builds[build][0]))
        return false;
    sample_build(&world->sample, builds[build][0], builds[build][1]);
    world->symbolizer = fw_symbolizer_create();
    world->module =
        fw_symbolizer_module(world->symbolizer, world->sample.path, world->sample.file->build_id,
                             world->sample.file->build_id_size);
    return true;
}

static void world_close(struct world *world)
{
    fw_symbolizer_destroy(world->symbolizer);
    sample_release(&world->sample);
}

static void assert_frame(const struct fw_source_frame *frame, const char *function,
                         const char *line, bool inlined)
{
    assert_string_equal(frame->function, function);
    assert_string_equal(frame->at.file, "symbol_sample.c");
    assert_int_equal(frame->at.line, sample_line(line));
    assert_true(frame->inlined == inlined);
}

static void check_inlined(struct world *world, const char *function, const char *line)
{
    uint64_t at = sample_address(&world->sample, world->symbolizer, world->module, function,
                                 sample_line("line of inner"));
    struct fw_source_frame frames[4];

    assert_int_equal(fw_symbolizer_frames(world->symbolizer, world->module, at, frames, 4), 2);
    assert_frame(&frames[0], "inner", "line of inner", true);
    assert_frame(&frames[1], function, line, false);
    assert_int_equal(fw_symbolizer_frames(world->symbolizer, world->module, at, frames, 1), 1);
}

static void code_is_found_with_what_it_is_inlined_into(void **state)
{
    struct world world;

    (void)state;
    for (size_t i = 0; i < BUILDS; i++) {
        if (!world_open(&world, i))
            continue;
        check_inlined(&world, "one", "line of one");
        check_inlined(&world, "two", "line of two");
        world_close(&world);
    }
}

static void check_variable(struct world *world, uint64_t address, const char *name,
                           const char *object, unsigned size)
{
    struct fw_source_variable variable;

    assert_true(fw_symbolizer_variable(world->symbolizer, world->module, address, &variable));
    assert_string_equal(variable.name, name);
    assert_string_equal(variable.object, object);
    assert_int_equal(variable.size, size);
    assert_non_null(variable.declared.file);
    assert_true(variable.declared.line > 0);
}

static void variables_are_found_with_their_parts(void **state)
{
    struct world world;

    (void)state;
    for (size_t i = 0; i < BUILDS; i++) {
        uint64_t accounts;

        if (!world_open(&world, i))
            continue;
        accounts = sample_object(&world.sample, "accounts");
        check_variable(&world, sample_object(&world.sample, "x"), "x", "x", 4);
        check_variable(&world, accounts, "accounts[0].id", "accounts", 4 * 80);
        check_variable(&world, accounts + 3 * 80 + 8, "accounts[3].balance", "accounts", 4 * 80);
        check_variable(&world, accounts + 80 + 16, "accounts[1].lock", "accounts", 4 * 80);
        check_variable(&world, accounts + 80 + 20, "accounts[1].lock+0x4", "accounts", 4 * 80);
        check_variable(&world, accounts + 80 + 56 + 16, "accounts[1].tags[1][1]", "accounts",
                       4 * 80);
        check_variable(&world, sample_object(&world.sample, "mutex"), "mutex", "mutex", 40);
        check_variable(&world, sample_object(&world.sample, "number"), "number.whole", "number", 4);
        check_variable(&world, sample_object(&world.sample, "_ZN4bank7account5countE"),
                       "bank::account::count", "bank::account::count", 4);
        check_variable(&world, sample_object(&world.sample, "_ZN4bank8accountsE") + 48,
                       "bank::accounts[1].lock", "bank::accounts", 3 * 48);
        check_variable(&world, sample_object(&world.sample, "turns"), "turns", "turns", 4);
        world_close(&world);
    }
}

/* --- the other way round --------------------------------------------------------------------- */

/* `count` variables bear the name; the first one is at the offset from the symbol, of this size. */
static void assert_place(struct world *world, const char *name, size_t count, const char *symbol,
                         uint64_t offset, uint64_t size)
{
    struct fw_symbol_ranges ranges = { 0 };
    struct fw_suggestion near = { .word = name };

    assert_int_equal(
        fw_symbolizer_find_variable(world->symbolizer, world->module, name, &ranges, &near), count);
    assert_int_equal(ranges.len, count);
    if (count && symbol)
        assert_int_equal(ranges.at[0].start, sample_object(&world->sample, symbol) + offset);
    if (count)
        assert_int_equal(ranges.at[0].end - ranges.at[0].start, size);
    fw_vec_release(&ranges);
}

static void check_places(struct world *world)
{
    struct fw_suggestion near = { .word = "acounts" };
    struct fw_symbol_ranges ranges = { 0 };

    assert_place(world, "x", 1, "x", 0, 4);
    assert_place(world, "accounts", 1, "accounts", 0, 4 * 80);
    assert_place(world, "accounts[2]", 1, "accounts", 2 * 80, 80);
    assert_place(world, "accounts[3].balance", 1, "accounts", 3 * 80 + 8, 8);
    assert_place(world, "accounts[1].tags[1]", 1, "accounts", 80 + 56 + 12, 12);
    assert_place(world, "accounts[1].tags[1][2]", 1, "accounts", 80 + 56 + 20, 4);
    assert_place(world, "number.part", 1, "number", 0, 4);
    assert_place(world, "calls", 3, NULL, 0, 4);
    assert_place(world, "bank::accounts", 1, NULL, 0, 3 * 48);
    assert_place(world, "account::count", 1, NULL, 0, 4);
    assert_place(world, "one::calls", 1, NULL, 0, 4);
    for (const char *const *bad = (const char *const[]) { "accounts[4]", "accounts.balance", "x.y",
                                                          "accounts[0].", "accounts[x]", "y",
                                                          "accounts[1].tags[1][3]", NULL };
         *bad; bad++)
        assert_place(world, *bad, 0, NULL, 0, 0);
    fw_symbolizer_find_variable(world->symbolizer, world->module, "acounts", &ranges, &near);
    assert_string_equal(near.best, "accounts");
    fw_vec_release(&ranges);
}

static void check_lines(struct world *world)
{
    struct fw_symbol_ranges ranges = { 0 };
    unsigned line = sample_line("line of inner"), nearest = 0;
    struct fw_source source;

    assert_true(fw_symbolizer_find_line(world->symbolizer, world->module, "symbol_sample.c", line,
                                        &ranges, &nearest) >= 2); /* it is inlined twice */
    assert_int_equal(nearest, line);
    for (size_t i = 0; i < ranges.len; i++) {
        assert_true(fw_symbolizer_line(world->symbolizer, world->module, ranges.at[i].start,
                                       &source));
        assert_int_equal(source.line, line);
    }
    ranges.len = nearest = 0;
    assert_int_equal(fw_symbolizer_find_line(world->symbolizer, world->module, "symbol_sample.c", 1,
                                             &ranges, &nearest),
                     0);
    assert_true(nearest > 1);
    nearest = 0;
    assert_int_equal(fw_symbolizer_find_line(world->symbolizer, world->module, "other_sample.c",
                                             line, &ranges, &nearest),
                     0);
    assert_int_equal(nearest, 0);
    fw_vec_release(&ranges);
}

static void names_and_lines_are_found_in_memory(void **state)
{
    struct world world;

    (void)state;
    for (size_t i = 0; i < BUILDS; i++) {
        if (!world_open(&world, i))
            continue;
        check_places(&world);
        check_lines(&world);
        world_close(&world);
    }
}

static void assert_pieces(struct fw_symbolizer *symbolizer, uint32_t module, const char *name,
                          size_t count, uint64_t bytes)
{
    struct fw_suggestion near = { .word = name };
    struct fw_symbol_ranges ranges = { 0 };
    uint64_t all = 0;

    assert_int_equal(fw_symbolizer_find_variable(symbolizer, module, name, &ranges, &near), count);
    for (size_t i = 0; i < ranges.len; i++)
        all += ranges.at[i].end - ranges.at[i].start;
    assert_int_equal(all, bytes);
    fw_vec_release(&ranges);
}

static void what_the_debug_information_leaves_out_is_found(void **state)
{
    struct fw_symbolizer *symbolizer = fw_symbolizer_create();
    struct fw_symbol_ranges ranges = { 0 };
    char directory[] = "/tmp/test_symbol.XXXXXX", path[64];
    unsigned nearest = 0;
    uint32_t module;
    struct fw_source source;

    (void)state;
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/pieces", directory);
    assert_int_equal(shell("gcc %s/tests/unit/symbol_pieces.s -o %s", FOREWEAVE_SOURCE_DIR, path),
                     0);
    module = fw_symbolizer_module(symbolizer, path, NULL, 0);
    assert_pieces(symbolizer, module, "total", 2, 5);
    assert_pieces(symbolizer, module, "total.b", 1, 1);
    assert_pieces(symbolizer, module, "tot", 0, 0);
    /* Code of no line is of the line before it, also when it is looked up by address. */
    assert_int_equal(fw_symbolizer_find_line(symbolizer, module, "pieces.c", 7, &ranges, &nearest),
                     1);
    assert_int_equal(ranges.at[0].end - ranges.at[0].start, 3);
    assert_true(fw_symbolizer_line(symbolizer, module, ranges.at[0].end - 1, &source));
    assert_int_equal(source.line, 7);
    ranges.len = 0;
    assert_int_equal(fw_symbolizer_find_line(symbolizer, module, "pieces.c", 9, &ranges, &nearest),
                     1);
    assert_int_equal(ranges.at[0].end - ranges.at[0].start, 1);
    fw_vec_release(&ranges);
    fw_symbolizer_destroy(symbolizer);
    assert_int_equal(shell("rm -r %s", directory), 0);
}

static void functions_have_the_names_of_the_source(void **state)
{
    struct world world;

    (void)state;
    for (size_t i = 0; i < BUILDS; i++) {
        const struct fw_elf_symbol *symbol;
        struct fw_source_function function;

        if (!world_open(&world, i))
            continue;
        symbol = sample_function(&world.sample, "_ZN4bank5adderIiE3addEi");
        assert_true(
            fw_symbolizer_function(world.symbolizer, world.module, symbol->end - 1, &function));
        assert_string_equal(function.name, "bank::adder<int>::add");
        assert_true(function.start == symbol->start);
        world_close(&world);
    }
}

static void headers_of_ours_are_nobodys_own_code(void **state)
{
    (void)state;
    assert_true(fw_source_is_foreign("/usr/include/c++/12/bits/char_traits.h"));
    assert_true(fw_source_is_foreign("/opt/fw/include/foreweave/compat/foreweave_calls.h"));
    assert_true(fw_source_is_foreign("/opt/fw/bin/../include/foreweave/compat/bits/x.h"));
    assert_false(fw_source_is_foreign("/home/me/foreweave/compat.c"));
    assert_false(fw_source_is_foreign("compat/main.c"));
}

static void static_variables_carry_their_function(void **state)
{
    struct world world;
    struct fw_source_variable variable;
    unsigned found = 0;

    (void)state;
    if (!world_open(&world, 0))
        skip();
    fw_elf_functions(world.sample.file);
    for (size_t i = 0; i < world.sample.file->objects.len; i++) {
        const struct fw_elf_symbol *symbol = &world.sample.file->objects.at[i];

        if (strncmp(symbol->name, "calls", 5) != 0)
            continue;
        assert_true(
            fw_symbolizer_variable(world.symbolizer, world.module, symbol->start, &variable));
        found |= strcmp(variable.name, "one::calls") == 0 ? 1 : 0;
        found |= strcmp(variable.name, "two::calls") == 0 ? 2 : 0;
    }
    assert_int_equal(found, 3);
    world_close(&world);
}

static void a_separate_debug_file_is_found(void **state)
{
    struct world world;
    struct fw_symbolizer *symbolizer;
    uint64_t at;
    struct fw_source source;

    (void)state;
    if (!world_open(&world, 0))
        skip();
    at = sample_address(&world.sample, world.symbolizer, world.module, "one",
                        sample_line("calls++"));
    assert_int_equal(shell("cd %s && objcopy --only-keep-debug sample sample.debug && "
                           "strip -s sample && objcopy --add-gnu-debuglink=sample.debug sample && "
                           "mkdir .debug && mv sample.debug .debug",
                           world.sample.directory),
                     0);
    symbolizer = fw_symbolizer_create();
    fw_symbolizer_module(symbolizer, world.sample.path, NULL, 0);
    assert_true(fw_symbolizer_line(symbolizer, 0, at, &source));
    assert_int_equal(source.line, sample_line("calls++"));
    fw_symbolizer_destroy(symbolizer);
    world_close(&world);
}

static void without_debug_information_symbols_give_names(void **state)
{
    struct sample sample;
    struct fw_symbolizer *symbolizer = fw_symbolizer_create();
    struct fw_source_variable variable;
    struct fw_source_frame frame;
    struct fw_source source;

    (void)state;
    sample_build(&sample, "gcc", "-O0");
    fw_symbolizer_module(symbolizer, sample.path, NULL, 0);
    assert_true(
        fw_symbolizer_variable(symbolizer, 0, sample_object(&sample, "accounts") + 88, &variable));
    assert_string_equal(variable.name, "accounts+0x58");
    assert_int_equal(
        fw_symbolizer_frames(symbolizer, 0, sample_function(&sample, "one")->start, &frame, 1), 1);
    assert_string_equal(frame.function, "one");
    assert_int_equal(frame.at.line, 0);
    assert_false(
        fw_symbolizer_line(symbolizer, 0, sample_function(&sample, "one")->start, &source));
    assert_false(fw_symbolizer_variable(symbolizer, 0, 1, &variable));
    fw_symbolizer_destroy(symbolizer);
    sample_release(&sample);
}

static void a_file_of_another_build_is_not_used(void **state)
{
    struct sample sample;
    struct fw_symbolizer *symbolizer = fw_symbolizer_create();
    struct fw_source_variable variable;
    unsigned char id[20] = { 1, 2, 3 };
    uint32_t other, missing;

    (void)state;
    sample_build(&sample, "gcc", "-O0 -g -Wl,--build-id");
    other = fw_symbolizer_module(symbolizer, sample.path, id, sizeof id);
    missing = fw_symbolizer_module(symbolizer, "/nowhere/at/all", id, sizeof id);
    assert_null(fw_symbolizer_complaint(symbolizer, other));
    assert_false(fw_symbolizer_variable(symbolizer, other, sample_object(&sample, "x"), &variable));
    assert_non_null(strstr(fw_symbolizer_complaint(symbolizer, other), "build id differs"));
    assert_false(fw_symbolizer_variable(symbolizer, missing, 16, &variable));
    assert_non_null(strstr(fw_symbolizer_complaint(symbolizer, missing), "cannot open"));
    fw_symbolizer_destroy(symbolizer);
    sample_release(&sample);
}

/* --- damage ------------------------------------------------------------------------------ */

static uint64_t state_of_random;

static uint64_t next_random(void)
{
    state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
    return state_of_random >> 24;
}

static void ask_everything(const char *path, const uint64_t *addresses, size_t count)
{
    struct fw_symbolizer *symbolizer = fw_symbolizer_create();
    struct fw_operands *operands = fw_operands_create();
    uint32_t module = fw_symbolizer_module(symbolizer, path, NULL, 0);

    for (size_t i = 0; i < count; i++) {
        struct fw_source_frame frames[8];
        struct fw_source_variable variable;
        struct fw_source_function function;
        struct fw_source source;

        fw_symbolizer_line(symbolizer, module, addresses[i], &source);
        fw_symbolizer_function(symbolizer, module, addresses[i], &function);
        fw_symbolizer_frames(symbolizer, module, addresses[i], frames, 8);
        fw_symbolizer_variable(symbolizer, module, addresses[i], &variable);
    }
    for (size_t i = 0; i < count; i++)
        fw_operands_fixed(operands, path, addresses[i] + 16);
    fw_operands_destroy(operands);
    fw_symbolizer_destroy(symbolizer);
}

static void write_file(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void damaged_files_do_no_harm(void **state)
{
    struct world world;
    unsigned char *bytes, *copy;
    uint64_t addresses[4];
    size_t size;
    char path[128];

    (void)state;
    if (!world_open(&world, 1))
        skip();
    addresses[0] = sample_function(&world.sample, "one")->start + 4;
    addresses[1] = sample_object(&world.sample, "accounts") + 88;
    addresses[2] = sample_function(&world.sample, "main")->start;
    addresses[3] = sample_object(&world.sample, "_ZN4bank7account5countE");
    bytes = (unsigned char *)elf_rawfile(world.sample.file->elf, &size);
    copy = malloc(size);
    snprintf(path, sizeof path, "%s/damaged", world.sample.directory);
    for (unsigned round = 0; round < 300; round++) {
        size_t whole = round % 10 ? size : next_random() % size;

        state_of_random = round;
        memcpy(copy, bytes, size);
        for (unsigned n = 1 + next_random() % 40; n > 0; n--)
            copy[round % 3 ? next_random() % size : next_random() % 1024] =
                (unsigned char)next_random();
        write_file(path, copy, whole);
        ask_everything(path, addresses, 4);
    }
    free(copy);
    world_close(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_is_found_with_what_it_is_inlined_into),
        cmocka_unit_test(variables_are_found_with_their_parts),
        cmocka_unit_test(names_and_lines_are_found_in_memory),
        cmocka_unit_test(what_the_debug_information_leaves_out_is_found),
        cmocka_unit_test(functions_have_the_names_of_the_source),
        cmocka_unit_test(headers_of_ours_are_nobodys_own_code),
        cmocka_unit_test(static_variables_carry_their_function),
        cmocka_unit_test(a_separate_debug_file_is_found),
        cmocka_unit_test(without_debug_information_symbols_give_names),
        cmocka_unit_test(a_file_of_another_build_is_not_used),
        cmocka_unit_test(damaged_files_do_no_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
