/*
 * test_operand.c - calls whose object cannot depend on data are told from all others.
 *
 * operand_sample.c is compiled with each compiler at hand, as a library and as a program, with and
 * without optimisation; its lines say what must be found.
 */
#include "symbol/elf_file.h"
#include "symbol/operand.h"
#include "symbol/operand_callee.h"

#include <capstone/capstone.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MAX_LINES 512

struct line {
    char mark[16];
    unsigned fixed, others;
};

static struct line lines[MAX_LINES];

static void read_marks(const char *path)
{
    FILE *file = fopen(path, "r");
    char text[256];
    unsigned n = 0;

    assert_non_null(file);
    memset(lines, 0, sizeof lines);
    while (fgets(text, sizeof text, file)) {
        char *mark = strrchr(text, ';');

        assert_true(++n < MAX_LINES);
        if (mark)
            sscanf(mark, "; /* %15[a-z] */", lines[n].mark);
    }
    fclose(file);
}

static unsigned line_of(Dwarf *dwarf, uint64_t address)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;
    Dwarf_Line *line = NULL;
    int number = 0;

    while (!line && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0)
        line = dwarf_getsrc_die(&unit, address);
    if (!line || dwarf_lineno(line, &number) != 0)
        return 0;
    return number > 0 && number < MAX_LINES ? (unsigned)number : 0;
}

/* Calls of what is not known by name are on these lines, too. */
static unsigned count_line(struct fw_operands *operands, const char *path, uint64_t at,
                           Dwarf *dwarf)
{
    const char *callee = fw_operands_callee(operands, path, at);

    if (callee && !fw_callee_arguments(callee) && !strstr(callee, "indirect"))
        return 0;
    return line_of(dwarf, at - 1);
}

static void look_at_calls(const char *path)
{
    struct fw_error err;
    struct fw_elf *file = fw_elf_open(path, &err);
    struct fw_operands *operands = fw_operands_create();
    Dwarf *dwarf;
    csh handle;

    assert_non_null(file);
    dwarf = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
    assert_non_null(dwarf);
    assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &handle), CS_ERR_OK);
    for (size_t i = 0; i < fw_elf_functions(file)->len; i++) {
        const struct fw_elf_symbol *function = &fw_elf_functions(file)->at[i];
        size_t size;
        const unsigned char *code = fw_elf_bytes(file, function->start, &size);
        uint64_t at = function->start;
        cs_insn *insn = cs_malloc(handle);

        while (at < function->end && cs_disasm_iter(handle, &code, &size, &at, insn)) {
            unsigned line = 0;

            if (insn->id == X86_INS_CALL)
                line = count_line(operands, path, at, dwarf);

            if (line && fw_operands_fixed(operands, path, at))
                lines[line].fixed++;
            else if (line)
                lines[line].others++;
        }
        cs_free(insn, 1);
    }
    cs_close(&handle);
    dwarf_end(dwarf);
    fw_operands_destroy(operands);
    fw_elf_close(file);
}

static void check_marks(const char *how)
{
    unsigned wrong = 0, marked = 0;

    for (unsigned i = 1; i < MAX_LINES; i++) {
        const struct line *line = &lines[i];
        bool right = true;

        marked += line->mark[0] != '\0';
        if (strcmp(line->mark, "fixed") == 0)
            right = line->others == 0;
        else if (strcmp(line->mark, "any") == 0)
            right = line->fixed == 0;
        else if (strcmp(line->mark, "mixed") == 0)
            right = line->others > 0;
        if (right)
            continue;
        print_error("%s: operand_sample.c:%u is %s, but %u fixed and %u others\n", how, i,
                    line->mark, line->fixed, line->others);
        wrong++;
    }
    assert_true(marked > 40);
    assert_int_equal(wrong, 0);
}

/*
 * Nobody runs it.  What it lacks comes from a library that is made for it, so that its calls look
 * as they do in real programs.
 */
static const char build[] =
    "#!/bin/sh\n"
    "# build COMPILER OPTIONS SOURCE DIRECTORY LANGUAGE\n"
    "set -e\n"
    "$1 $2 -g -w -fsanitize=thread -c -x $5 $3 -o $4/o.o\n"
    "{ nm -u $4/o.o | awk '$2 != \"foreign\" && $2 !~ /^_GLOBAL/ {\n"
    "    print \".globl \" $2 \"\\n.type \" $2 \",@function\"\n"
    "    print $2 \": ret\\n.size \" $2 \",1\" }'\n"
    "  printf '.data\\n.globl foreign\\n.type foreign,@object\\n.size foreign,4\\n'\n"
    "  printf 'foreign: .long 0\\n'; } >$4/stub.s\n"
    "$1 -shared -nostdlib $4/stub.s -o $4/stub.so\n"
    "$1 $2 -nostdlib -nostartfiles -Wl,-e,0 $4/o.o $4/stub.so -o $4/sample\n";

static void run_build(const char *compiler, const char *options, const char *source,
                      const char *directory, const char *language)
{
    char command[2048];
    FILE *file;

    snprintf(command, sizeof command, "%s/build.sh", directory);
    file = fopen(command, "w");
    assert_non_null(file);
    fputs(build, file);
    fclose(file);
    snprintf(command, sizeof command, "sh %s/build.sh %s '%s' %s %s %s", directory, compiler,
             options, source, directory, language);
    assert_int_equal(system(command), 0);
}

static void check_built(const char *compiler, const char *options, const char *language)
{
    char source[512], directory[] = "/tmp/test_operand.XXXXXX", text[2048];

    assert_non_null(mkdtemp(directory));
    snprintf(source, sizeof source, "%s/tests/unit/operand_sample.c", FOREWEAVE_SOURCE_DIR);
    run_build(compiler, options, source, directory, language);
    read_marks(source);
    snprintf(text, sizeof text, "%s/sample", directory);
    look_at_calls(text);
    snprintf(text, sizeof text, "rm -r %s", directory);
    assert_int_equal(system(text), 0);
    snprintf(text, sizeof text, "%s %s -x %s", compiler, options, language);
    check_marks(text);
}

static void check_compiler(const char *compiler)
{
    static const char *const options[] = {
        "-O0 -fPIC -shared",       "-O2 -fPIC -shared",    "-O0 -fPIE -pie",
        "-O2 -fPIE -pie",          "-O1 -fPIE -pie",       "-O3 -fPIE -pie",
        "-O2 -fPIE -pie -fno-plt", "-O2 -fno-pie -no-pie", "-O0 -fno-pie -no-pie",
    };
    char command[256];

    snprintf(command, sizeof command, "command -v %s >/dev/null", compiler);
    if (system(command) != 0)
        skip();
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        check_built(compiler, options[i], "c");
    check_built(compiler, "-O2 -fPIE -pie", "c++");
}

static void code_of_gcc_is_classified(void **state)
{
    (void)state;
    check_compiler("gcc");
}

static void code_of_clang_is_classified(void **state)
{
    (void)state;
    check_compiler("clang");
}

static void nothing_is_certain_of_other_files(void **state)
{
    struct fw_operands *operands = fw_operands_create();

    (void)state;
    assert_false(fw_operands_fixed(operands, "/dev/null", 16));
    assert_false(fw_operands_fixed(operands, "/nowhere/at/all", 16));
    assert_false(fw_operands_fixed(operands, "/bin/sh", 0));
    assert_false(fw_operands_fixed(operands, "/bin/sh", UINT64_MAX));
    assert_false(fw_operands_direct(operands, "/nowhere/at/all", 16));
    fw_operands_destroy(operands);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_of_gcc_is_classified),
        cmocka_unit_test(code_of_clang_is_classified),
        cmocka_unit_test(nothing_is_certain_of_other_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
