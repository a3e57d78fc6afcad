/*
 * operand_callee.c - see operand_callee.h.
 *
 * Only functions that the runtime takes for itself are listed: a call to anything else may end
 * in one of them by a jump, and then what the call was given says nothing about its object.
 */
#include "symbol/operand_callee.h"

#include <stddef.h>
#include <string.h>

enum {
    FIRST = 1,
    SECOND = 2,
    THIRD = 4,
    FOURTH = 8,
};

struct callee {
    const char *name; /* a * at the end: whatever begins so */
    uint8_t arguments;
};

/* The first that fits counts. */
static const struct callee callees[] = {
    { "__tsan_read_range", FIRST | SECOND },
    { "__tsan_write_range", FIRST | SECOND },
    { "__tsan_read*", FIRST },
    { "__tsan_write*", FIRST },
    { "__tsan_unaligned_*", FIRST },
    { "__tsan_volatile_*", FIRST },
    { "__tsan_atomic*", FIRST },
    { "__tsan_vptr_update", FIRST },
    { "__tsan_vptr_read", FIRST },
    { "pthread_cond_wait", FIRST | SECOND },
    { "pthread_cond_timedwait", FIRST | SECOND },
    { "pthread_cond_clockwait", FIRST | SECOND },
    { "pthread_cond_*", FIRST },
    { "pthread_mutex_*", FIRST },
    { "pthread_rwlock_*", FIRST },
    { "pthread_spin_*", FIRST },
    { "pthread_barrier_*", FIRST },
    { "pthread_once", FIRST | SECOND },
    { "pthread_create", SECOND | THIRD | FOURTH },
    { "sem_post", FIRST },
    { "sem_wait", FIRST },
    { "sem_trywait", FIRST },
    { "sem_timedwait", FIRST },
    { "sem_clockwait", FIRST },
    { "sem_init", FIRST },
    { "sem_destroy", FIRST },
    { "mtx_*", FIRST },
    { "cnd_wait", FIRST | SECOND },
    { "cnd_timedwait", FIRST | SECOND },
    { "cnd_*", FIRST },
    { "call_once", FIRST | SECOND },
    { "thrd_create", SECOND | THIRD },
    { "__cxa_guard_*", FIRST },
    { "memcpy", FIRST | SECOND | THIRD },
    { "memmove", FIRST | SECOND | THIRD },
    { "memset", FIRST | THIRD },
    { "__tsan_memcpy", FIRST | SECOND | THIRD },
    { "__tsan_memmove", FIRST | SECOND | THIRD },
    { "__tsan_memset", FIRST | THIRD },
    { "malloc", FIRST },
    { "calloc", FIRST | SECOND },
    { "free", FIRST },
};

uint8_t fw_callee_arguments(const char *name)
{
    for (size_t i = 0; i < sizeof callees / sizeof *callees; i++) {
        size_t len = strlen(callees[i].name);
        const char *pattern = callees[i].name;

        if (pattern[len - 1] == '*' ? strncmp(pattern, name, len - 1) == 0
                                    : strcmp(pattern, name) == 0)
            return callees[i].arguments;
    }
    return 0;
}

/* The slot that a stub of the procedure linkage table jumps through, or 0. */
static uint64_t slot_of_stub(csh handle, const struct fw_elf *file, uint64_t at)
{
    const struct fw_elf_section *section = fw_elf_section_at(file, at);
    struct fw_steps steps = { 0 };
    uint64_t slot = 0, size;

    if (!section || strncmp(section->name, ".plt", 4) != 0)
        return 0;
    /* Perhaps a mark for indirect jumps, then the jump: at most 11 bytes of the stub's 8 or 16. */
    size = section->size - (at - section->address);
    fw_code_decode(handle, file, at, at + (size < 16 ? size : 16), &steps);
    for (size_t i = 0; i < steps.len && i < 2 && !slot; i++)
        if (steps.at[i].goes == FW_GOES_ANYWHERE)
            slot = steps.at[i].slot;
    fw_vec_release(&steps);
    return slot;
}

const char *fw_callee_name(csh handle, struct fw_elf *file, const struct fw_step *call)
{
    uint64_t slot = call->slot;

    if (call->direct) {
        const struct fw_elf_symbol *symbol = fw_elf_function_at(file, call->target);

        if (symbol)
            return symbol->start == call->target ? symbol->name : NULL;
        slot = slot_of_stub(handle, file, call->target);
    }
    return slot ? fw_elf_slot_name(file, slot) : NULL;
}
