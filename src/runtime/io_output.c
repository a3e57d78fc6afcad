/*
 * io_output.c - stdio's output: buffers of the program that it takes, and what it does to channels
 * and streams of the program's own functions (stream.h); closing streams.
 *
 * Writers wait only when the other side is slow, which the watchdog finds out.  What is left in
 * buffers when the program ends was told when it was put there.
 */
/* libc's headers would define some of these functions themselves. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif

#include "runtime/stream.h"

#include <stdarg.h>
#include <wchar.h>

/* These may be macros. */
#undef fwrite_unlocked
#undef putc
#undef putc_unlocked
#undef putchar
#undef putchar_unlocked
#undef putwc
#undef putwchar
#undef fputc_unlocked

int __overflow(FILE *stream, int c);
int __vfwprintf_chk(FILE *restrict stream, int flag, const wchar_t *restrict format, va_list rest);
int __vwprintf_chk(int flag, const wchar_t *restrict format, va_list rest);
int __fwprintf_chk(FILE *restrict stream, int flag, const wchar_t *restrict format, ...);
int __wprintf_chk(int flag, const wchar_t *restrict format, ...);

#define OUT(stream, call)                                                                          \
    do {                                                                                           \
        fw_stream_out(stream, FW_PC);                                                              \
        FW_STREAM_CALL(stream, call);                                                              \
        fw_stream_gone(stream, FW_PC);                                                             \
    } while (0)

/* Without its lock. */
#define OUT_UNLOCKED(stream, call)                                                                 \
    do {                                                                                           \
        fw_stream_out(stream, FW_PC);                                                              \
        call;                                                                                      \
        fw_stream_gone(stream, FW_PC);                                                             \
    } while (0)

/* --- buffers and text ------------------------------------------------------------------------- */

static void tell_read(const void *buffer, size_t bytes, uintptr_t pc)
{
    struct fw_thread *t = fw_enter_from(pc);

    fw_reads(t, buffer, bytes, pc);
    fw_done(t);
}

FW_EXPORT size_t fwrite(const void *restrict buffer, size_t size, size_t count,
                        FILE *restrict stream)
{
    size_t result;

    tell_read(buffer, size * count, FW_PC);
    OUT(stream, result = REAL(fwrite)(buffer, size, count, stream));
    return result;
}

FW_EXPORT size_t fwrite_unlocked(const void *restrict buffer, size_t size, size_t count,
                                 FILE *restrict stream)
{
    size_t result;

    tell_read(buffer, size * count, FW_PC);
    OUT_UNLOCKED(stream, result = REAL(fwrite_unlocked)(buffer, size, count, stream));
    return result;
}

FW_EXPORT int fputs(const char *restrict text, FILE *restrict stream)
{
    int result;

    if (fw_self)
        tell_read(text, fw_text_length(text) + 1, FW_PC);
    OUT(stream, result = REAL(fputs)(text, stream));
    return result;
}

FW_EXPORT int fputs_unlocked(const char *restrict text, FILE *restrict stream)
{
    int result;

    if (fw_self)
        tell_read(text, fw_text_length(text) + 1, FW_PC);
    OUT_UNLOCKED(stream, result = REAL(fputs_unlocked)(text, stream));
    return result;
}

FW_EXPORT int puts(const char *text)
{
    int result;

    if (fw_self)
        tell_read(text, fw_text_length(text) + 1, FW_PC);
    OUT(stdout, result = REAL(puts)(text));
    return result;
}

FW_EXPORT void perror(const char *text)
{
    if (fw_self && text)
        tell_read(text, fw_text_length(text) + 1, FW_PC);
    fw_stream_out(stderr, FW_PC);
    REAL(perror)(text);
}

FW_EXPORT int fputws(const wchar_t *restrict text, FILE *restrict stream)
{
    int result;

    if (fw_self)
        tell_read(text, (REAL(wcslen)(text) + 1) * sizeof *text, FW_PC);
    OUT(stream, result = REAL(fputws)(text, stream));
    return result;
}

FW_EXPORT int fputws_unlocked(const wchar_t *restrict text, FILE *restrict stream)
{
    int result;

    if (fw_self)
        tell_read(text, (REAL(wcslen)(text) + 1) * sizeof *text, FW_PC);
    OUT_UNLOCKED(stream, result = REAL(fputws_unlocked)(text, stream));
    return result;
}

/* --- characters ------------------------------------------------------------------------------- */

#define PUT(type, name, value)                                                                     \
    FW_EXPORT type name(value c, FILE *stream)                                                     \
    {                                                                                              \
        type result;                                                                               \
                                                                                                   \
        OUT(stream, result = REAL(name)(c, stream));                                               \
        return result;                                                                             \
    }
#define PUT_OUT(type, name, value)                                                                 \
    FW_EXPORT type name(value c)                                                                   \
    {                                                                                              \
        type result;                                                                               \
                                                                                                   \
        OUT(stdout, result = REAL(name)(c));                                                       \
        return result;                                                                             \
    }

PUT(int, fputc, int)
PUT(int, putc, int)
PUT(int, putw, int)
PUT(wint_t, fputwc, wchar_t)
PUT(wint_t, putwc, wchar_t)
PUT_OUT(int, putchar, int)
PUT_OUT(wint_t, putwchar, wchar_t)

#define PUT_UNLOCKED(type, name, value)                                                            \
    FW_EXPORT type name(value c, FILE *stream)                                                     \
    {                                                                                              \
        type result;                                                                               \
                                                                                                   \
        OUT_UNLOCKED(stream, result = REAL(name)(c, stream));                                      \
        return result;                                                                             \
    }

PUT_UNLOCKED(int, fputc_unlocked, int)
PUT_UNLOCKED(int, putc_unlocked, int)
PUT_UNLOCKED(wint_t, fputwc_unlocked, wchar_t)
PUT_UNLOCKED(wint_t, putwc_unlocked, wchar_t)

FW_EXPORT wint_t putwchar_unlocked(wchar_t c)
{
    wint_t result;

    OUT_UNLOCKED(stdout, result = REAL(putwchar_unlocked)(c));
    return result;
}

FW_EXPORT int putchar_unlocked(int c)
{
    int result;

    OUT_UNLOCKED(stdout, result = REAL(putchar_unlocked)(c));
    return result;
}

/* What putc_unlocked, where it is a macro, calls when the buffer is full. */
FW_EXPORT int __overflow(FILE *stream, int c)
{
    int result;

    OUT_UNLOCKED(stream, result = REAL(__overflow)(stream, c));
    return result;
}

/* --- formatted, wide -------------------------------------------------------------------------- */

FW_EXPORT int vfwprintf(FILE *restrict stream, const wchar_t *restrict format, va_list rest)
{
    int result;

    OUT(stream, result = REAL(vfwprintf)(stream, format, rest));
    return result;
}

FW_EXPORT int fwprintf(FILE *restrict stream, const wchar_t *restrict format, ...)
{
    va_list rest;
    int result;

    va_start(rest, format);
    OUT(stream, result = REAL(vfwprintf)(stream, format, rest));
    va_end(rest);
    return result;
}

FW_EXPORT int vwprintf(const wchar_t *restrict format, va_list rest)
{
    int result;

    OUT(stdout, result = REAL(vfwprintf)(stdout, format, rest));
    return result;
}

FW_EXPORT int wprintf(const wchar_t *restrict format, ...)
{
    va_list rest;
    int result;

    va_start(rest, format);
    OUT(stdout, result = REAL(vfwprintf)(stdout, format, rest));
    va_end(rest);
    return result;
}

FW_EXPORT int __vfwprintf_chk(FILE *restrict stream, int flag, const wchar_t *restrict format,
                              va_list rest)
{
    int result;

    OUT(stream, result = REAL(__vfwprintf_chk)(stream, flag, format, rest));
    return result;
}

FW_EXPORT int __vwprintf_chk(int flag, const wchar_t *restrict format, va_list rest)
{
    int result;

    OUT(stdout, result = REAL(__vfwprintf_chk)(stdout, flag, format, rest));
    return result;
}

FW_EXPORT int __fwprintf_chk(FILE *restrict stream, int flag, const wchar_t *restrict format, ...)
{
    va_list rest;
    int result;

    va_start(rest, format);
    OUT(stream, result = REAL(__vfwprintf_chk)(stream, flag, format, rest));
    va_end(rest);
    return result;
}

FW_EXPORT int __wprintf_chk(int flag, const wchar_t *restrict format, ...)
{
    va_list rest;
    int result;

    va_start(rest, format);
    OUT(stdout, result = REAL(__vfwprintf_chk)(stdout, flag, format, rest));
    va_end(rest);
    return result;
}

/* --- emptying and closing --------------------------------------------------------------------- */

/* All streams, if there is none given. */
static void tell_flush(uintptr_t pc)
{
    struct fw_thread *t = fw_enter_again();

    fw_channel_flushing(t, pc);
    fw_done(t);
}

FW_EXPORT int fflush(FILE *stream)
{
    int result;

    if (!stream) {
        tell_flush(FW_PC);
        return REAL(fflush)(NULL);
    }
    OUT(stream, result = REAL(fflush)(stream));
    return result;
}

FW_EXPORT int fflush_unlocked(FILE *stream)
{
    int result;

    if (!stream) {
        tell_flush(FW_PC);
        return REAL(fflush_unlocked)(NULL);
    }
    OUT_UNLOCKED(stream, result = REAL(fflush_unlocked)(stream));
    return result;
}

/* Going elsewhere empties the buffer. */
#define SEEK(name, offset)                                                                         \
    FW_EXPORT int name(FILE *stream, offset where, int from)                                       \
    {                                                                                              \
        int result;                                                                                \
                                                                                                   \
        OUT(stream, result = REAL(name)(stream, where, from));                                     \
        return result;                                                                             \
    }
#define TELL(name, offset)                                                                         \
    FW_EXPORT offset name(FILE *stream)                                                            \
    {                                                                                              \
        offset result;                                                                             \
                                                                                                   \
        OUT(stream, result = REAL(name)(stream));                                                  \
        return result;                                                                             \
    }

SEEK(fseek, long)
SEEK(fseeko, off_t)
SEEK(fseeko64, off64_t)
TELL(ftell, long)
TELL(ftello, off_t)
TELL(ftello64, off64_t)

FW_EXPORT void rewind(FILE *stream)
{
    OUT(stream, REAL(rewind)(stream));
}

FW_EXPORT int fclose(FILE *stream)
{
    fw_stream_closing(stream, FW_PC);
    return REAL(fclose)(stream);
}
