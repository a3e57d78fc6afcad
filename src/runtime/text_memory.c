/*
 * text_memory.c - memcpy and its relatives: what they read and write.
 *
 * Until the real ones are known (constructors of other libraries, resolvers of relocations) our own
 * do the work.  Calls from within the runtime do not come here at all (local.c).
 */
#include "runtime/intercept.h"

#include <string.h>
#include <strings.h>

FW_REAL_OR(memcpy, __wrap_memcpy);
FW_REAL_OR(memmove, __wrap_memmove);
FW_REAL_OR(memset, __wrap_memset);
FW_REAL_OR(memcmp, __wrap_memcmp);

/* Fortified versions take the size of what they write as well; libc checks it and aborts. */
void *__memcpy_chk(void *to, const void *from, size_t bytes, size_t room);
void *__memmove_chk(void *to, const void *from, size_t bytes, size_t room);
void *__mempcpy_chk(void *to, const void *from, size_t bytes, size_t room);
void *__memset_chk(void *to, int byte, size_t bytes, size_t room);
void __explicit_bzero_chk(void *to, size_t bytes, size_t room);
/* What clang calls instead in instrumented code. */
void *__tsan_memcpy(void *to, const void *from, size_t bytes);
void *__tsan_memmove(void *to, const void *from, size_t bytes);
void *__tsan_memset(void *to, int byte, size_t bytes);

/* --- copying -------------------------------------------------------------------------------- */

static inline void tell_copy(const void *to, const void *from, size_t bytes, uintptr_t pc)
{
    struct fw_thread *t = fw_tell_from(pc);

    if (!t) {
        fw_touch(to, from, bytes);
        return;
    }
    fw_reads(t, from, bytes, pc);
    fw_writes(t, to, bytes, pc);
    fw_leave(t);
}

static inline void tell_write(const void *to, size_t bytes, uintptr_t pc)
{
    struct fw_thread *t = fw_tell_from(pc);

    if (!t) {
        fw_touch(to, NULL, bytes);
        return;
    }
    fw_writes(t, to, bytes, pc);
    fw_leave(t);
}

/* It is done. */
static inline void *done(void *result)
{
    fw_touch(NULL, NULL, 0);
    return result;
}

/* The copy itself comes after fw_leave, where a bad pointer is the program's own fault: the token
 * does not change hands in between. */
FW_EXPORT void *memcpy(void *to, const void *from, size_t bytes)
{
    tell_copy(to, from, bytes, FW_PC);
    return done(real_memcpy(to, from, bytes));
}

FW_EXPORT void *memmove(void *to, const void *from, size_t bytes)
{
    tell_copy(to, from, bytes, FW_PC);
    return done(real_memmove(to, from, bytes));
}

FW_EXPORT void *mempcpy(void *to, const void *from, size_t bytes)
{
    tell_copy(to, from, bytes, FW_PC);
    return (char *)done(real_memcpy(to, from, bytes)) + bytes;
}

FW_EXPORT void *memset(void *to, int byte, size_t bytes)
{
    tell_write(to, bytes, FW_PC);
    return done(real_memset(to, byte, bytes));
}

FW_EXPORT void bcopy(const void *from, void *to, size_t bytes)
{
    tell_copy(to, from, bytes, FW_PC);
    done(real_memmove(to, from, bytes));
}

FW_EXPORT void bzero(void *to, size_t bytes)
{
    tell_write(to, bytes, FW_PC);
    done(real_memset(to, 0, bytes));
}

FW_EXPORT void explicit_bzero(void *to, size_t bytes)
{
    tell_write(to, bytes, FW_PC);
    REAL(explicit_bzero)(to, bytes);
    done(to);
}

FW_EXPORT void *memfrob(void *to, size_t bytes)
{
    tell_copy(to, to, bytes, FW_PC);
    return REAL(memfrob)(to, bytes);
}

FW_EXPORT void *__memcpy_chk(void *to, const void *from, size_t bytes, size_t room)
{
    tell_copy(to, from, bytes, FW_PC);
    return done(REAL(__memcpy_chk)(to, from, bytes, room));
}

FW_EXPORT void *__memmove_chk(void *to, const void *from, size_t bytes, size_t room)
{
    tell_copy(to, from, bytes, FW_PC);
    return done(REAL(__memmove_chk)(to, from, bytes, room));
}

FW_EXPORT void *__mempcpy_chk(void *to, const void *from, size_t bytes, size_t room)
{
    tell_copy(to, from, bytes, FW_PC);
    return done(REAL(__mempcpy_chk)(to, from, bytes, room));
}

FW_EXPORT void *__memset_chk(void *to, int byte, size_t bytes, size_t room)
{
    tell_write(to, bytes, FW_PC);
    return done(REAL(__memset_chk)(to, byte, bytes, room));
}

FW_EXPORT void __explicit_bzero_chk(void *to, size_t bytes, size_t room)
{
    tell_write(to, bytes, FW_PC);
    REAL(__explicit_bzero_chk)(to, bytes, room);
    done(to);
}

FW_EXPORT void *__tsan_memcpy(void *to, const void *from, size_t bytes)
{
    tell_copy(to, from, bytes, FW_PC);
    return done(real_memcpy(to, from, bytes));
}

FW_EXPORT void *__tsan_memmove(void *to, const void *from, size_t bytes)
{
    tell_copy(to, from, bytes, FW_PC);
    return done(real_memmove(to, from, bytes));
}

FW_EXPORT void *__tsan_memset(void *to, int byte, size_t bytes)
{
    tell_write(to, bytes, FW_PC);
    return done(real_memset(to, byte, bytes));
}

/* Copies up to and including the byte, if it is among the first ones. */
FW_EXPORT void *memccpy(void *to, const void *from, int byte, size_t bytes)
{
    struct fw_thread *t;
    size_t copied;
    char *end;

    fw_call_begins(FW_PC, "memccpy()");
    t = fw_tell_after();
    end = REAL(memccpy)(to, from, byte, bytes);
    copied = end ? (size_t)(end - (char *)to) : bytes;
    fw_reads(t, from, copied, FW_PC);
    fw_writes(t, to, copied, FW_PC);
    fw_done(t);
    return end;
}

/* --- looking -------------------------------------------------------------------------------- */

static size_t compared(const void *a, const void *b, size_t bytes, int result)
{
    const unsigned char *x = a, *y = b;
    size_t i = 0;

    if (!result)
        return bytes;
    while (i < bytes && x[i] == y[i])
        i++;
    return i + 1;
}

static int compare(const void *a, const void *b, size_t bytes, uintptr_t pc)
{
    struct fw_thread *t;
    int result;

    fw_call_begins(pc, "memcmp()");
    t = fw_tell_after_from(pc);
    if (!t)
        fw_touch(a, b, bytes);
    result = real_memcmp(a, b, bytes);
    if (!t) {
        fw_touch(NULL, NULL, 0);
        return result;
    }
    bytes = compared(a, b, bytes, result);
    fw_reads(t, a, bytes, pc);
    fw_reads(t, b, bytes, pc);
    fw_leave(t);
    return result;
}

FW_EXPORT int memcmp(const void *a, const void *b, size_t bytes)
{
    return compare(a, b, bytes, FW_PC);
}

FW_EXPORT int bcmp(const void *a, const void *b, size_t bytes)
{
    return compare(a, b, bytes, FW_PC);
}

FW_EXPORT void *memchr(const void *where, int byte, size_t bytes)
{
    struct fw_thread *t;
    char *found;

    fw_call_begins(FW_PC, "memchr()");
    t = fw_tell_after();
    found = REAL(memchr)(where, byte, bytes);
    fw_reads(t, where, found ? (size_t)(found - (const char *)where) + 1 : bytes, FW_PC);
    fw_done(t);
    return found;
}

FW_EXPORT void *memrchr(const void *where, int byte, size_t bytes)
{
    struct fw_thread *t;
    size_t skipped;
    char *found;

    fw_call_begins(FW_PC, "memrchr()");
    t = fw_tell_after();
    found = REAL(memrchr)(where, byte, bytes);
    skipped = found ? (size_t)(found - (const char *)where) : 0;
    fw_reads(t, (const char *)where + skipped, bytes - skipped, FW_PC);
    fw_done(t);
    return found;
}

FW_EXPORT void *rawmemchr(const void *where, int byte)
{
    struct fw_thread *t;
    char *found;

    fw_call_begins(FW_PC, "rawmemchr()");
    t = fw_tell_after();
    found = REAL(rawmemchr)(where, byte);
    fw_reads(t, where, (size_t)(found - (const char *)where) + 1, FW_PC);
    fw_done(t);
    return found;
}

FW_EXPORT void *memmem(const void *where, size_t bytes, const void *what, size_t length)
{
    struct fw_thread *t;
    char *found;

    fw_call_begins(FW_PC, "memmem()");
    t = fw_tell_after();
    found = REAL(memmem)(where, bytes, what, length);
    fw_reads(t, where, found ? (size_t)(found - (const char *)where) + length : bytes, FW_PC);
    fw_reads(t, what, length, FW_PC);
    fw_done(t);
    return found;
}
