/*
 * program.h - the hooks of a program and its libraries, as sites that survive a rebuild.
 *
 * Every access hook whose line is known belongs to a site; inlined copies and instances of a
 * template share theirs.  Sites are numbered as in fw_learn_program_sites.
 *
 * Constraints that were learnt from another build are matched with it: a site is the one with the
 * same text in the same place of its function; where the source cannot be read, the one in the same
 * place; else the nearest one of the function with this text.
 *
 * Not thread-safe.
 */
#ifndef FW_LEARN_PROGRAM_H
#define FW_LEARN_PROGRAM_H

#include "learn/constraints.h"
#include "symbol/hooks.h"

struct fw_learn_program;

struct fw_learn_module {
    char *path;
    const char *name; /* without its folder */
    char *build_id;   /* hexadecimal, or "-" */
    uint64_t device, inode;
    struct fw_hook_calls calls;
    uint32_t *sites; /* by call: FW_LEARNT_NONE: it is no access, or its line is not known */
};

/* The first file is the program.  NULL: one of them cannot be read; a file without hooks is none
 * of the program's.  `err` says so if no file has any. */
struct fw_learn_program *fw_learn_program_open(const char *const *files, size_t count,
                                               struct fw_error *err);
void fw_learn_program_close(struct fw_learn_program *program);

size_t fw_learn_program_module_count(const struct fw_learn_program *program);
const struct fw_learn_module *fw_learn_program_module(const struct fw_learn_program *program,
                                                      size_t i);
/* Access hooks without a line. */
size_t fw_learn_program_nameless(const struct fw_learn_program *program);

/* All sites of this build; there are no pairs in it. */
const struct fw_constraints *fw_learn_program_sites(const struct fw_learn_program *program);

/* For each site of the constraints its number in this build, FW_LEARNT_NONE: it has none.  The
 * caller frees it. */
uint32_t *fw_learn_program_match(const struct fw_learn_program *program,
                                 const struct fw_constraints *constraints);

#endif
