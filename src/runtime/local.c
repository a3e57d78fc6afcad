/*
 * local.c - the runtime's own memcpy and relatives.
 *
 * We export memcpy, memset, … as interceptors, and compilers call these by name for copies of
 * structs, also inside the runtime.  Such calls must not come back to us as the program's: the
 * linker (--wrap, cmake/runtime.cmake) sends every reference from within the library here.  The
 * string instructions need no relocation, so this works before anything is set up.  syscall is here
 * for the same reason: the scheduler waits with it.
 */
#include "runtime/local.h"

#include <errno.h>

void *__wrap_memcpy(void *to, const void *from, size_t bytes)
{
    fw_copy(to, from, bytes);
    return to;
}

void *__wrap_memmove(void *to, const void *from, size_t bytes)
{
    fw_move(to, from, bytes);
    return to;
}

void *__wrap_memset(void *to, int byte, size_t bytes)
{
    fw_fill(to, byte, bytes);
    return to;
}

int __wrap_memcmp(const void *a, const void *b, size_t bytes)
{
    const unsigned char *x = a, *y = b;

    for (; bytes; bytes--, x++, y++)
        if (*x != *y)
            return *x < *y ? -1 : 1;
    return 0;
}

int __wrap_bcmp(const void *a, const void *b, size_t bytes)
{
    return __wrap_memcmp(a, b, bytes);
}

size_t __wrap_strlen(const char *text)
{
    return fw_length(text);
}

long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    long result = fw_syscall(number, a, b, c, d, e, f);

    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}
