/*
 * text_print.c - the printf family: into buffers, new blocks and streams.
 *
 * Arguments are told before (text_format.c), what was written into a buffer after, or before, if
 * it is asked for (fw_tells_first).  The real function is called as the program's own code: it may
 * allocate, wait, and call the program back.
 */
/* libc's headers would define some of these functions themselves. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif

#include "runtime/stream.h"
#include "runtime/text_format.h"

#include <errno.h>
#include <stdio.h>

/* <printf.h> warns of the first one. */
typedef void function(void);
int register_printf_function(int letter, function *print, function *about);
int register_printf_specifier(int letter, function *print, function *about);
/* Declared by newer standards. */
int strfromd(char *to, size_t most, const char *format, double value);
int strfromf(char *to, size_t most, const char *format, float value);
int strfroml(char *to, size_t most, const char *format, long double value);
int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list rest);
int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...);
int __vsnprintf_chk(char *to, size_t most, int flag, size_t room, const char *format,
                    va_list rest);
int __snprintf_chk(char *to, size_t most, int flag, size_t room, const char *format, ...);
int __vasprintf_chk(char **to, int flag, const char *format, va_list rest);
int __asprintf_chk(char **to, int flag, const char *format, ...);
int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list rest);
int __fprintf_chk(FILE *stream, int flag, const char *format, ...);
int __vprintf_chk(int flag, const char *format, va_list rest);
int __printf_chk(int flag, const char *format, ...);
int __vdprintf_chk(int fd, int flag, const char *format, va_list rest);
int __dprintf_chk(int fd, int flag, const char *format, ...);

static bool extended; /* the program has functions of its own that are called back */

bool fw_prints_memory(void)
{
    return !extended;
}

#define REGISTER(name)                                                                             \
    FW_EXPORT int name(int letter, function *print, function *about)                               \
    {                                                                                              \
        extended = true;                                                                           \
        return REAL(name)(letter, print, about);                                                   \
    }

REGISTER(register_printf_function)
REGISTER(register_printf_specifier)

static bool tell_format(const char *format, va_list rest, uintptr_t pc)
{
    return fw_tell_format(extended ? FW_PRINTS_OUT : FW_PRINTS_MEMORY, format, rest, pc);
}

static struct fw_thread *enter_after(uintptr_t pc)
{
    return extended ? fw_enter_from(pc) : fw_tell_after_from(pc);
}

/* What the real function would return; it has no effect, since the format writes nothing. */
static int measured(const char *format, va_list rest)
{
    int saved = errno, length;
    va_list again;

    va_copy(again, rest);
    length = REAL(vsnprintf)(NULL, 0, format, again);
    va_end(again);
    errno = saved;
    return length;
}

/* So many characters and a zero, within `most`. */
static void tell_text(struct fw_thread *t, const char *to, size_t most, int length, uintptr_t pc)
{
    fw_writes(t, to, (size_t)length < most ? (size_t)length + 1 : most, pc);
    fw_done(t);
}

/* Before the real function: true if what it writes was told. */
static bool print_first(const char *to, size_t most, const char *format, va_list rest,
                        uintptr_t pc)
{
    bool plain = tell_format(format, rest, pc);
    int length;

    if (!fw_tells_first || !most)
        return false;
    length = plain && !extended ? measured(format, rest) : -1;
    if (length < 0) {
        if (most != SIZE_MAX && !extended)
            fw_await_turn(&(struct fw_extent) { to, most }, 1, pc);
        return false;
    }
    tell_text(fw_tell_from(pc), to, most, length, pc);
    return true;
}

static int printed(const char *to, size_t most, int length, bool told, uintptr_t pc)
{
    if (!told && length >= 0 && most)
        tell_text(enter_after(pc), to, most, length, pc);
    return length;
}

static bool make_first(char **to, const char *format, va_list rest, uintptr_t pc)
{
    tell_format(format, rest, pc);
    if (fw_tells_first && !extended)
        fw_await_turn(&(struct fw_extent) { to, sizeof *to }, 1, pc);
    return false;
}

/* The text is a new block, of which malloc has told. */
static int made(char **to, int length, uintptr_t pc)
{
    struct fw_thread *t = length >= 0 ? enter_after(pc) : NULL;

    if (t) {
        fw_writes(t, to, sizeof *to, pc);
        fw_writes(t, *to, (size_t)length + 1, pc);
        fw_leave(t);
    }
    return length;
}

/*
 * The two functions of one kind: with a list of arguments, and with `...`.  `pass` are the
 * parameters before the format; KIND_FIRST is done before, KIND_DONE makes something of the length.
 */
#define LIST(...) __VA_ARGS__
#define PRINT(name, list_name, parameters, pass, KIND)                                             \
    FW_EXPORT int list_name(parameters, const char *format, va_list rest)                          \
    {                                                                                              \
        bool told = fw_self && KIND##_FIRST;                                                       \
                                                                                                   \
        return KIND##_DONE(FW_FIRST(list_name)(pass, format, rest));                               \
    }                                                                                              \
    FW_EXPORT int name(parameters, const char *format, ...)                                        \
    {                                                                                              \
        va_list rest;                                                                              \
        bool told;                                                                                 \
        int length;                                                                                \
                                                                                                   \
        va_start(rest, format);                                                                    \
        told = fw_self && KIND##_FIRST;                                                            \
        fw_call_begins(FW_PC, #name "()");                                                         \
        length = REAL(list_name)(pass, format, rest);                                              \
        va_end(rest);                                                                              \
        return KIND##_DONE(length);                                                                \
    }

#define WITHIN_FIRST        print_first(to, most, format, rest, FW_PC)
#define WITHIN_DONE(length) printed(to, most, length, told, FW_PC)
#define WHOLE_FIRST         print_first(to, SIZE_MAX, format, rest, FW_PC)
#define WHOLE_DONE(length)  printed(to, SIZE_MAX, length, told, FW_PC)
#define MADE_FIRST          make_first(to, format, rest, FW_PC)
#define MADE_DONE(length)   ((void)told, made(to, length, FW_PC))

PRINT(snprintf, vsnprintf, LIST(char *to, size_t most), LIST(to, most), WITHIN)
PRINT(sprintf, vsprintf, LIST(char *to), LIST(to), WHOLE)
PRINT(asprintf, vasprintf, LIST(char **to), LIST(to), MADE)
/* Fortified. */
PRINT(__snprintf_chk, __vsnprintf_chk, LIST(char *to, size_t most, int flag, size_t room),
      LIST(to, most, flag, room), WITHIN)
PRINT(__sprintf_chk, __vsprintf_chk, LIST(char *to, int flag, size_t room), LIST(to, flag, room),
      WHOLE)
PRINT(__asprintf_chk, __vasprintf_chk, LIST(char **to, int flag), LIST(to, flag), MADE)

#define STRFROM(name, type)                                                                        \
    FW_EXPORT int name(char *to, size_t most, const char *format, type value)                      \
    {                                                                                              \
        int length;                                                                                \
                                                                                                   \
        if (FW_UNLIKELY(fw_tells_first))                                                           \
            fw_await_turn(&(struct fw_extent) { to, most }, 1, FW_PC);                             \
        length = FW_FIRST(name)(to, most, format, value);                                          \
        if (length >= 0 && most)                                                                   \
            tell_text(fw_tell_after(), to, most, length, FW_PC);                                   \
        return length;                                                                             \
    }

STRFROM(strfromd, double)
STRFROM(strfromf, float)
STRFROM(strfroml, long double)

/* --- to streams and descriptors ------------------------------------------------------------- */

#define TO_STREAM(stream, call)                                                                    \
    do {                                                                                           \
        if (fw_self)                                                                               \
            fw_tell_format(FW_PRINTS_OUT, format, rest, FW_PC);                                    \
        fw_stream_out(stream, FW_PC);                                                              \
        FW_STREAM_CALL(stream, call);                                                              \
        fw_stream_gone(stream, FW_PC);                                                             \
    } while (0)

static void tell_written(int fd, uintptr_t pc)
{
    struct fw_thread *t = fw_enter_again();

    if (t)
        fw_channel_before(t, fw_channel_out(fd, NULL, 0), pc);
    fw_done(t);
}

#define TO_DESCRIPTOR(fd, call)                                                                    \
    do {                                                                                           \
        if (fw_self) {                                                                             \
            fw_tell_format(FW_PRINTS_OUT, format, rest, FW_PC);                                    \
            tell_written(fd, FW_PC);                                                               \
        }                                                                                          \
        call;                                                                                      \
    } while (0)

#define PRINT_TO(name, list_name, parameters, pass, TO, where)                                     \
    FW_EXPORT int list_name(parameters, va_list rest)                                              \
    {                                                                                              \
        int length;                                                                                \
                                                                                                   \
        TO(where, length = REAL(list_name)(pass, rest));                                           \
        return length;                                                                             \
    }                                                                                              \
    FW_EXPORT int name(parameters, ...)                                                            \
    {                                                                                              \
        va_list rest;                                                                              \
        int length;                                                                                \
                                                                                                   \
        va_start(rest, format);                                                                    \
        TO(where, length = REAL(list_name)(pass, rest));                                           \
        va_end(rest);                                                                              \
        return length;                                                                             \
    }

PRINT_TO(fprintf, vfprintf, LIST(FILE *stream, const char *format), LIST(stream, format), TO_STREAM,
         stream)
PRINT_TO(printf, vprintf, const char *format, format, TO_STREAM, stdout)
PRINT_TO(dprintf, vdprintf, LIST(int fd, const char *format), LIST(fd, format), TO_DESCRIPTOR, fd)
/* Fortified. */
PRINT_TO(__fprintf_chk, __vfprintf_chk, LIST(FILE *stream, int flag, const char *format),
         LIST(stream, flag, format), TO_STREAM, stream)
PRINT_TO(__printf_chk, __vprintf_chk, LIST(int flag, const char *format), LIST(flag, format),
         TO_STREAM, stdout)
PRINT_TO(__dprintf_chk, __vdprintf_chk, LIST(int fd, int flag, const char *format),
         LIST(fd, flag, format), TO_DESCRIPTOR, fd)
