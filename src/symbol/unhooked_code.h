/*
 * unhooked_code.h - accesses in clang's code that have no hooks.
 *
 * clang puts a hook before every access of 1, 2, 4, 8 or 16 bytes that others can see, and none
 * before any other: long double, vectors that are wider or masked, integers of other sizes (which
 * is what structures of 3, 5, 6 or 7 bytes are when they are passed by value, and what is copied by
 * memcpy of such a size), and larger structures that are copied to where arguments lie.
 *
 * In machine code the first two are seen by themselves.  The others are done piece by piece: two
 * accesses side by side with no call between them, which is what ordinary ones never are, since
 * each has its hook.  Accesses to the function's own stack, to thread-local memory by its segment
 * and to constants have none and need none.  What a register holds is followed from instruction to
 * instruction as they stand, which is how compilers use the few that matter here.
 *
 * Where only a part of a value is used its code may access that part alone, and then looks like any
 * other access.
 *
 * x86-64.  Not thread-safe.
 */
#ifndef FW_SYMBOL_UNHOOKED_CODE_H
#define FW_SYMBOL_UNHOOKED_CODE_H

#include "symbol/operand_code.h"

enum fw_unhooked_kind {
    FW_UNHOOKED_NONE, /* an access with a hook */
    FW_UNHOOKED_LONG_DOUBLE,
    FW_UNHOOKED_VECTOR,
    FW_UNHOOKED_BYTES, /* of some other number */
};

struct fw_unhooked_place {
    enum fw_unhooked_kind kind;
    uint64_t address;
};

FW_VEC_TYPE(fw_unhooked_places, struct fw_unhooked_place);

struct fw_unhooked_code;

/* The file stays open until the end.  NULL: its code cannot be read. */
struct fw_unhooked_code *fw_unhooked_code_create(struct fw_elf *file);
void fw_unhooked_code_destroy(struct fw_unhooked_code *code);

/* Appends such accesses in a function; none in one that calls no hooks at all. */
void fw_unhooked_code_find(struct fw_unhooked_code *code, uint64_t start, uint64_t end,
                           struct fw_unhooked_places *places);

#endif
