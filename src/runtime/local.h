/*
 * local.h - copying, filling and system calls without libc, for the runtime itself.
 *
 * Safe anywhere: before relocation, in signal handlers, in a fork child.
 */
#ifndef FW_RUNTIME_LOCAL_H
#define FW_RUNTIME_LOCAL_H

#include <stddef.h>
#include <stdint.h>

#if !defined(__x86_64__)
#error "the runtime is written for x86-64"
#endif

static inline void fw_copy(void *to, const void *from, size_t bytes)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

/* As fw_copy; the two may overlap. */
static inline void fw_move(void *to, const void *from, size_t bytes)
{
    if ((uintptr_t)to - (uintptr_t)from >= bytes) {
        fw_copy(to, from, bytes);
        return;
    }
    to = (char *)to + bytes - 1;
    from = (const char *)from + bytes - 1;
    __asm__ volatile("std\n\trep movsb\n\tcld"
                     : "+D"(to), "+S"(from), "+c"(bytes)
                     :
                     : "memory", "cc");
}

static inline void fw_fill(void *to, int byte, size_t bytes)
{
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(byte) : "memory");
}

static inline size_t fw_length(const char *text)
{
    const volatile char *end = text;

    while (*end)
        end++;
    return (size_t)((const char *)end - text);
}

/* A system call; -errno if it fails.  errno is left alone. */
static inline long fw_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

/* What references to these names within the library are bound to. */
void *__wrap_memcpy(void *to, const void *from, size_t bytes);
void *__wrap_memmove(void *to, const void *from, size_t bytes);
void *__wrap_memset(void *to, int byte, size_t bytes);
int __wrap_memcmp(const void *a, const void *b, size_t bytes);
int __wrap_bcmp(const void *a, const void *b, size_t bytes);
size_t __wrap_strlen(const char *text);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f);

#endif
