/*
 * text_number.c - numbers from text, text from numbers, sorting and searching.
 *
 * The printf family writes its buffer; what %s reads is told as well (tell_format).  qsort and
 * bsearch call the program back, so the thread is the program's while they work; the array is told
 * as read and written before, for what the comparisons see, and as written after.
 */
/* libc's headers would define some of these functions themselves. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif

#include "runtime/intercept.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...);
int __snprintf_chk(char *to, size_t most, int flag, size_t room, const char *format, ...);
int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list rest);
int __vsnprintf_chk(char *to, size_t most, int flag, size_t room, const char *format, va_list rest);
int __asprintf_chk(char **to, int flag, const char *format, ...);
int __vasprintf_chk(char **to, int flag, const char *format, va_list rest);

/* --- numbers -------------------------------------------------------------------------------- */

/* Read to the character that ended the number. */
static void tell_number(const char *text, const char *stop, char **end, uintptr_t pc)
{
    struct fw_thread *t = fw_enter();

    fw_reads(t, text, (size_t)(stop - text) + 1, pc);
    if (end)
        fw_writes(t, end, sizeof *end, pc);
    fw_done(t);
}

#define NUMBER(type, name)                                                                         \
    FW_EXPORT type name(const char *text, char **end)                                              \
    {                                                                                              \
        char *stop;                                                                                \
        type result = REAL(name)(text, &stop);                                                     \
                                                                                                   \
        if (end)                                                                                   \
            *end = stop;                                                                           \
        tell_number(text, stop, end, FW_PC);                                                       \
        return result;                                                                             \
    }

#define NUMBER_BASE(type, name)                                                                    \
    FW_EXPORT type name(const char *text, char **end, int base)                                    \
    {                                                                                              \
        char *stop = (char *)text;                                                                 \
        type result = REAL(name)(text, &stop, base);                                               \
                                                                                                   \
        if (end)                                                                                   \
            *end = stop;                                                                           \
        tell_number(text, stop, end, FW_PC);                                                       \
        return result;                                                                             \
    }

NUMBER(double, strtod)
NUMBER(float, strtof)
NUMBER(long double, strtold)
NUMBER_BASE(long, strtol)
NUMBER_BASE(unsigned long, strtoul)
NUMBER_BASE(long long, strtoll)
NUMBER_BASE(unsigned long long, strtoull)
NUMBER_BASE(intmax_t, strtoimax)
NUMBER_BASE(uintmax_t, strtoumax)

FW_EXPORT int atoi(const char *text)
{
    char *stop;
    int result = (int)REAL(strtol)(text, &stop, 10);

    tell_number(text, stop, NULL, FW_PC);
    return result;
}

FW_EXPORT long atol(const char *text)
{
    char *stop;
    long result = REAL(strtol)(text, &stop, 10);

    tell_number(text, stop, NULL, FW_PC);
    return result;
}

FW_EXPORT long long atoll(const char *text)
{
    char *stop;
    long long result = REAL(strtoll)(text, &stop, 10);

    tell_number(text, stop, NULL, FW_PC);
    return result;
}

FW_EXPORT double atof(const char *text)
{
    char *stop;
    double result = REAL(strtod)(text, &stop);

    tell_number(text, stop, NULL, FW_PC);
    return result;
}

/* --- the printf family ---------------------------------------------------------------------- */

/* `length` is what the real function returned; it has written that and a zero, within `most`. */
static void tell_printed(const char *to, size_t most, int length, const char *format, uintptr_t pc)
{
    struct fw_thread *t = fw_enter();

    fw_reads_text(t, format, pc);
    if (length >= 0 && most)
        fw_writes(t, to, (size_t)length < most ? (size_t)length + 1 : most, pc);
    fw_done(t);
}

FW_EXPORT int vsnprintf(char *to, size_t most, const char *format, va_list rest)
{
    int length = REAL(vsnprintf)(to, most, format, rest);

    tell_printed(to, most, length, format, FW_PC);
    return length;
}

FW_EXPORT int snprintf(char *to, size_t most, const char *format, ...)
{
    va_list rest;
    int length;

    va_start(rest, format);
    length = REAL(vsnprintf)(to, most, format, rest);
    va_end(rest);
    tell_printed(to, most, length, format, FW_PC);
    return length;
}

FW_EXPORT int vsprintf(char *to, const char *format, va_list rest)
{
    int length = REAL(vsprintf)(to, format, rest);

    tell_printed(to, SIZE_MAX, length, format, FW_PC);
    return length;
}

FW_EXPORT int sprintf(char *to, const char *format, ...)
{
    va_list rest;
    int length;

    va_start(rest, format);
    length = REAL(vsprintf)(to, format, rest);
    va_end(rest);
    tell_printed(to, SIZE_MAX, length, format, FW_PC);
    return length;
}

FW_EXPORT int __vsnprintf_chk(char *to, size_t most, int flag, size_t room, const char *format,
                              va_list rest)
{
    int length = REAL(__vsnprintf_chk)(to, most, flag, room, format, rest);

    tell_printed(to, most, length, format, FW_PC);
    return length;
}

FW_EXPORT int __snprintf_chk(char *to, size_t most, int flag, size_t room, const char *format, ...)
{
    va_list rest;
    int length;

    va_start(rest, format);
    length = REAL(__vsnprintf_chk)(to, most, flag, room, format, rest);
    va_end(rest);
    tell_printed(to, most, length, format, FW_PC);
    return length;
}

FW_EXPORT int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list rest)
{
    int length = REAL(__vsprintf_chk)(to, flag, room, format, rest);

    tell_printed(to, SIZE_MAX, length, format, FW_PC);
    return length;
}

FW_EXPORT int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...)
{
    va_list rest;
    int length;

    va_start(rest, format);
    length = REAL(__vsprintf_chk)(to, flag, room, format, rest);
    va_end(rest);
    tell_printed(to, SIZE_MAX, length, format, FW_PC);
    return length;
}

/* The text is a new block, of which malloc has told. */
static int tell_new_text(char **to, int length, const char *format, uintptr_t pc)
{
    struct fw_thread *t = fw_enter();

    fw_reads_text(t, format, pc);
    if (length >= 0) {
        fw_writes(t, to, sizeof *to, pc);
        fw_writes(t, *to, (size_t)length + 1, pc);
    }
    fw_done(t);
    return length;
}

FW_EXPORT int vasprintf(char **to, const char *format, va_list rest)
{
    return tell_new_text(to, REAL(vasprintf)(to, format, rest), format, FW_PC);
}

FW_EXPORT int asprintf(char **to, const char *format, ...)
{
    va_list rest;
    int length;

    va_start(rest, format);
    length = REAL(vasprintf)(to, format, rest);
    va_end(rest);
    return tell_new_text(to, length, format, FW_PC);
}

FW_EXPORT int __vasprintf_chk(char **to, int flag, const char *format, va_list rest)
{
    return tell_new_text(to, REAL(__vasprintf_chk)(to, flag, format, rest), format, FW_PC);
}

FW_EXPORT int __asprintf_chk(char **to, int flag, const char *format, ...)
{
    va_list rest;
    int length;

    va_start(rest, format);
    length = REAL(__vasprintf_chk)(to, flag, format, rest);
    va_end(rest);
    return tell_new_text(to, length, format, FW_PC);
}

/* --- sorting -------------------------------------------------------------------------------- */

static void tell_array(const void *base, size_t bytes, bool reads, uintptr_t pc)
{
    struct fw_thread *t = fw_enter();

    if (reads)
        fw_reads(t, base, bytes, pc);
    fw_writes(t, base, bytes, pc);
    fw_done(t);
}

FW_EXPORT void qsort(void *base, size_t count, size_t size,
                     int (*compare)(const void *, const void *))
{
    tell_array(base, count * size, true, FW_PC);
    REAL(qsort)(base, count, size, compare);
    tell_array(base, count * size, false, FW_PC);
}

FW_EXPORT void qsort_r(void *base, size_t count, size_t size,
                       int (*compare)(const void *, const void *, void *), void *context)
{
    tell_array(base, count * size, true, FW_PC);
    REAL(qsort_r)(base, count, size, compare, context);
    tell_array(base, count * size, false, FW_PC);
}
