/*
 * symbol_build.h - compiles symbol_sample.c and .cc, and finds addresses in the result.
 */
#ifndef FW_TESTS_SYMBOL_BUILD_H
#define FW_TESTS_SYMBOL_BUILD_H

#include "symbol/elf_file.h"
#include "symbol/symbolizer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sample {
    char directory[64];
    char path[128]; /* of the program */
    struct fw_elf *file;
};

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

/* As users do: in the folder of the source. */
static void sample_build(struct sample *sample, const char *compiler, const char *options)
{
    struct fw_error err;

    snprintf(sample->directory, sizeof sample->directory, "/tmp/test_symbol.XXXXXX");
    assert_non_null(mkdtemp(sample->directory));
    assert_int_equal(shell("cd %s && cp %s/tests/unit/symbol_sample.c* . && "
                           "%s %s -c symbol_sample.c -o c.o && "
                           "%s %s -c -x c++ symbol_sample.cc -o cc.o && "
                           "g++ %s c.o cc.o -o sample",
                           sample->directory, FOREWEAVE_SOURCE_DIR, compiler, options, compiler,
                           options, options),
                     0);
    snprintf(sample->path, sizeof sample->path, "%s/sample", sample->directory);
    sample->file = fw_elf_open(sample->path, &err);
    assert_non_null(sample->file);
}

static void sample_release(struct sample *sample)
{
    fw_elf_close(sample->file);
    assert_int_equal(shell("rm -r %s", sample->directory), 0);
}

/* Compilers append a dot and what they did to it. */
static const struct fw_elf_symbol *symbol_named(const struct fw_elf_symbols *symbols,
                                                const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < symbols->len; i++)
        if (strncmp(symbols->at[i].name, name, len) == 0 &&
            (!symbols->at[i].name[len] || symbols->at[i].name[len] == '.'))
            return &symbols->at[i];
    return NULL;
}

static inline const struct fw_elf_symbol *sample_function(struct sample *sample, const char *name)
{
    const struct fw_elf_symbol *found = symbol_named(fw_elf_functions(sample->file), name);

    assert_non_null(found);
    return found;
}

static inline uint64_t sample_object(struct sample *sample, const char *name)
{
    const struct fw_elf_symbol *found;

    fw_elf_functions(sample->file);
    found = symbol_named(&sample->file->objects, name);
    assert_non_null(found);
    return found->start;
}

/* The line of the source that has this text. */
static inline unsigned sample_line(const char *text)
{
    char path[512], line[256];
    unsigned n = 0;
    FILE *file;

    snprintf(path, sizeof path, "%s/tests/unit/symbol_sample.c", FOREWEAVE_SOURCE_DIR);
    file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        n++;
        if (strstr(line, text)) {
            fclose(file);
            return n;
        }
    }
    fail_msg("no line has '%s'", text);
    return 0;
}

/* An address in the function whose code is on the line. */
static inline uint64_t sample_address(struct sample *sample, struct fw_symbolizer *symbolizer,
                                      uint32_t module, const char *function, unsigned line)
{
    const struct fw_elf_symbol *symbol = sample_function(sample, function);
    struct fw_source source;

    for (uint64_t at = symbol->start; at < symbol->end; at++)
        if (fw_symbolizer_line(symbolizer, module, at, &source) && source.line == line)
            return at;
    fail_msg("no code of %s is on line %u", function, line);
    return 0;
}

#endif
