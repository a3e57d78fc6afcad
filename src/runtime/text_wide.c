/*
 * text_wide.c - wide characters: what their functions read and write.
 */
#include "runtime/intercept.h"
#include "runtime/text_format.h"

#include <stdarg.h>
#include <wchar.h>

int __vswprintf_chk(wchar_t *to, size_t most, int flag, size_t room, const wchar_t *format,
                    va_list rest);
int __swprintf_chk(wchar_t *to, size_t most, int flag, size_t room, const wchar_t *format, ...);

#define WIDE(count) ((count) * sizeof(wchar_t))

/* Units that a function reads which stops at the end or after `most`. */
static size_t touched(const wchar_t *text, size_t most)
{
    size_t length = REAL(wcsnlen)(text, most);

    return length < most ? length + 1 : most;
}

/* Before it is done. */
static void tell(const void *to, size_t written, const void *from, size_t read, uintptr_t pc)
{
    struct fw_thread *t = fw_tell_from(pc);

    fw_reads(t, from, WIDE(read), pc);
    fw_writes(t, to, WIDE(written), pc);
    fw_done(t);
}

static void tell_looked(const void *text, size_t read, uintptr_t pc)
{
    struct fw_thread *t = fw_tell_after_from(pc);

    fw_reads(t, text, WIDE(read), pc);
    fw_done(t);
}

FW_EXPORT wchar_t *wmemcpy(wchar_t *to, const wchar_t *from, size_t count)
{
    tell(to, count, from, count, FW_PC);
    return REAL(wmemcpy)(to, from, count);
}

FW_EXPORT wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t count)
{
    tell(to, count, from, count, FW_PC);
    return REAL(wmemmove)(to, from, count);
}

FW_EXPORT wchar_t *wmemset(wchar_t *to, wchar_t c, size_t count)
{
    tell(to, count, NULL, 0, FW_PC);
    return REAL(wmemset)(to, c, count);
}

FW_EXPORT size_t wcslen(const wchar_t *text)
{
    size_t length = FW_FIRST(wcslen)(text);

    tell_looked(text, length + 1, FW_PC);
    return length;
}

FW_EXPORT size_t wcsnlen(const wchar_t *text, size_t most)
{
    size_t length = FW_FIRST(wcsnlen)(text, most);

    tell_looked(text, length < most ? length + 1 : most, FW_PC);
    return length;
}

FW_EXPORT wchar_t *wcscpy(wchar_t *to, const wchar_t *from)
{
    if (fw_self) {
        size_t count = touched(from, SIZE_MAX / sizeof *from);

        tell(to, count, from, count, FW_PC);
    }
    return REAL(wcscpy)(to, from);
}

FW_EXPORT wchar_t *wcsncpy(wchar_t *to, const wchar_t *from, size_t most)
{
    if (fw_self)
        tell(to, most, from, touched(from, most), FW_PC);
    return REAL(wcsncpy)(to, from, most);
}

FW_EXPORT wchar_t *wcscat(wchar_t *to, const wchar_t *from)
{
    if (fw_self) {
        size_t count = touched(from, SIZE_MAX / sizeof *from), had = REAL(wcslen)(to);

        tell(NULL, 0, to, had + 1, FW_PC);
        tell(to + had, count, from, count, FW_PC);
    }
    return REAL(wcscat)(to, from);
}

static int compared(int result, const wchar_t *a, const wchar_t *b, size_t most, bool to_end,
                    uintptr_t pc)
{
    size_t count;

    if (!fw_self)
        return result;
    for (count = 0; count < most && a[count] == b[count] && (!to_end || a[count]); count++)
        ;
    if (count < most)
        count++;
    tell_looked(a, count, pc);
    tell_looked(b, count, pc);
    return result;
}

FW_EXPORT int wmemcmp(const wchar_t *a, const wchar_t *b, size_t count)
{
    return compared(FW_FIRST(wmemcmp)(a, b, count), a, b, count, false, FW_PC);
}

FW_EXPORT int wcscmp(const wchar_t *a, const wchar_t *b)
{
    return compared(FW_FIRST(wcscmp)(a, b), a, b, SIZE_MAX, true, FW_PC);
}

FW_EXPORT int wcsncmp(const wchar_t *a, const wchar_t *b, size_t most)
{
    return compared(FW_FIRST(wcsncmp)(a, b, most), a, b, most, true, FW_PC);
}

FW_EXPORT wchar_t *wcschr(const wchar_t *text, wchar_t c)
{
    wchar_t *found = FW_FIRST(wcschr)(text, c);

    if (fw_self)
        tell_looked(text, found ? (size_t)(found - text) + 1 : REAL(wcslen)(text) + 1, FW_PC);
    return found;
}

/* --- printing -------------------------------------------------------------------------------- */

/* What is written is told; the format, and what it names, are not. */
static void print_first(const wchar_t *to, size_t most, uintptr_t pc)
{
    if (FW_UNLIKELY(fw_tells_first) && fw_prints_memory())
        fw_await_turn(&(struct fw_extent) { to, WIDE(most) }, 1, pc);
}

static int printed(const wchar_t *to, int length, uintptr_t pc)
{
    struct fw_thread *t =
        length < 0 ? NULL : fw_prints_memory() ? fw_tell_after_from(pc) : fw_enter_from(pc);

    fw_writes(t, to, WIDE((size_t)length + 1), pc);
    fw_done(t);
    return length;
}

#define LIST(...) __VA_ARGS__
#define PRINT(name, list_name, parameters, pass)                                                   \
    FW_EXPORT int list_name(parameters, const wchar_t *format, va_list rest)                       \
    {                                                                                              \
        print_first(to, most, FW_PC);                                                              \
        return printed(to, FW_FIRST(list_name)(pass, format, rest), FW_PC);                        \
    }                                                                                              \
    FW_EXPORT int name(parameters, const wchar_t *format, ...)                                     \
    {                                                                                              \
        va_list rest;                                                                              \
        int length;                                                                                \
                                                                                                   \
        print_first(to, most, FW_PC);                                                              \
        fw_call_begins(FW_PC, #name "()");                                                         \
        va_start(rest, format);                                                                    \
        length = REAL(list_name)(pass, format, rest);                                              \
        va_end(rest);                                                                              \
        return printed(to, length, FW_PC);                                                         \
    }

PRINT(swprintf, vswprintf, LIST(wchar_t *to, size_t most), LIST(to, most))
/* Fortified. */
PRINT(__swprintf_chk, __vswprintf_chk, LIST(wchar_t *to, size_t most, int flag, size_t room),
      LIST(to, most, flag, room))
