/*
 * region_jump.c - see region_jump.h.
 *
 * What a function may change without giving it back is not looked at: at a call compilers keep
 * nothing in it.  The stack is restored from below, where nothing of it is in use.
 */
#include "guard/region_jump.h"

#if defined(__x86_64__)

_Static_assert(offsetof(struct fw_jump, stack) == 48 && offsetof(struct fw_jump, code) == 56 &&
                   offsetof(struct fw_jump, end) == 64 && offsetof(struct fw_jump, copy) == 72,
               "as in the code below");

int fw_jump_copy(struct fw_jump *jump) __attribute__((used));
_Noreturn void fw_jump_restore(const struct fw_jump *jump, size_t bytes);

/* Called from below, so that the caller's part is as it will be found again. */
int fw_jump_copy(struct fw_jump *jump)
{
    const uint64_t *from = (const uint64_t *)jump->stack;
    uint64_t *to = (uint64_t *)(void *)jump->copy;
    size_t words = (jump->end - jump->stack) / 8;

    if (jump->end < jump->stack || words > FW_JUMP_ROOM / 8)
        return -1;
    for (size_t i = 0; i < words; i++)
        to[i] = from[i];
    return 0;
}

__asm__(".text\n"
        ".globl fw_jump_save\n"
        ".hidden fw_jump_save\n"
        ".type fw_jump_save, @function\n"
        "fw_jump_save:\n"
        "    mov %rbx, 0(%rdi)\n"
        "    mov %rbp, 8(%rdi)\n"
        "    mov %r12, 16(%rdi)\n"
        "    mov %r13, 24(%rdi)\n"
        "    mov %r14, 32(%rdi)\n"
        "    mov %r15, 40(%rdi)\n"
        "    lea 8(%rsp), %rax\n"
        "    mov %rax, 48(%rdi)\n"
        "    mov (%rsp), %rax\n"
        "    mov %rax, 56(%rdi)\n"
        "    mov %rsi, 64(%rdi)\n"
        "    jmp fw_jump_copy\n"
        ".size fw_jump_save, .-fw_jump_save\n"
        ".globl fw_jump_restore\n"
        ".hidden fw_jump_restore\n"
        ".type fw_jump_restore, @function\n"
        "fw_jump_restore:\n"
        "    mov %rdi, %r8\n"
        "    mov %rsi, %rcx\n"
        "    mov 48(%r8), %rdi\n"
        "    lea -256(%rdi), %rax\n"
        "    cmp %rax, %rsp\n"
        "    cmova %rax, %rsp\n"
        "    lea 72(%r8), %rsi\n"
        "    cld\n"
        "    rep movsb\n"
        "    mov 0(%r8), %rbx\n"
        "    mov 8(%r8), %rbp\n"
        "    mov 16(%r8), %r12\n"
        "    mov 24(%r8), %r13\n"
        "    mov 32(%r8), %r14\n"
        "    mov 40(%r8), %r15\n"
        "    mov 48(%r8), %rsp\n"
        "    mov $1, %eax\n"
        "    jmp *56(%r8)\n"
        ".size fw_jump_restore, .-fw_jump_restore\n");

void fw_jump_back(const struct fw_jump *jump)
{
    fw_jump_restore(jump, (jump->end - jump->stack) & ~(size_t)7);
}

/* A shadow stack would not follow.  The instruction does nothing where there is none. */
bool fw_jump_works(void)
{
    uint64_t shadow = 0;

    __asm__ volatile(".byte 0xf3, 0x48, 0x0f, 0x1e, 0xc8" : "+a"(shadow)); /* rdsspq %rax */
    return shadow == 0;
}

#else

int fw_jump_save(struct fw_jump *jump, uintptr_t end)
{
    (void)jump;
    (void)end;
    return -1;
}

void fw_jump_back(const struct fw_jump *jump)
{
    (void)jump;
    __builtin_trap(); /* nothing was ever noted */
}

bool fw_jump_works(void)
{
    return false;
}

#endif
