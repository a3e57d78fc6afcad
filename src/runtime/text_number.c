/*
 * text_number.c - numbers from text, and sorting.
 *
 * qsort calls the program back, so the thread is the program's while it works; the array is told as
 * read and written before, for what the comparisons see, and as written after.
 */
/* libc's headers would define some of these functions themselves. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif

#include "runtime/intercept.h"

#include <inttypes.h>
#include <stdlib.h>

/* --- numbers -------------------------------------------------------------------------------- */

/* Read to the character that ended the number. */
static void tell_number(const char *text, const char *stop, char **end, uintptr_t pc)
{
    struct fw_thread *t = fw_tell_after_from(pc);

    fw_reads(t, text, (size_t)(stop - text) + 1, pc);
    if (end)
        fw_writes(t, end, sizeof *end, pc);
    fw_done(t);
}

#define NUMBER(type, name)                                                                         \
    FW_EXPORT type name(const char *text, char **end)                                              \
    {                                                                                              \
        char *stop;                                                                                \
        type result = FW_FIRST(name)(text, &stop);                                                 \
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
        type result = FW_FIRST(name)(text, &stop, base);                                           \
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
    int result = (int)FW_FIRST(strtol)(text, &stop, 10);

    tell_number(text, stop, NULL, FW_PC);
    return result;
}

FW_EXPORT long atol(const char *text)
{
    char *stop;
    long result = FW_FIRST(strtol)(text, &stop, 10);

    tell_number(text, stop, NULL, FW_PC);
    return result;
}

FW_EXPORT long long atoll(const char *text)
{
    char *stop;
    long long result = FW_FIRST(strtoll)(text, &stop, 10);

    tell_number(text, stop, NULL, FW_PC);
    return result;
}

FW_EXPORT double atof(const char *text)
{
    char *stop;
    double result = FW_FIRST(strtod)(text, &stop);

    tell_number(text, stop, NULL, FW_PC);
    return result;
}

/* --- sorting -------------------------------------------------------------------------------- */

static void tell_array(const void *base, size_t bytes, bool reads, uintptr_t pc)
{
    struct fw_thread *t = fw_enter_from(pc);

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
