/*
 * text_print.c - the printf family: into buffers, new blocks and streams.
 *
 * Arguments are told before (text_format.c), what was written into a buffer after.  The real
 * function is called as the program's own code: it may allocate, wait, and call the program back.
 */
/* libc's headers would define some of these functions themselves. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif

#include "runtime/stream.h"
#include "runtime/text_format.h"

#include <stdio.h>

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

/* `length` is what the real function returned; it has written that and a zero, within `most`. */
static int printed(const char *to, size_t most, int length, uintptr_t pc)
{
    struct fw_thread *t = length >= 0 && most ? fw_enter_from(pc) : NULL;

    fw_writes(t, to, (size_t)length < most ? (size_t)length + 1 : most, pc);
    fw_done(t);
    return length;
}

/* The text is a new block, of which malloc has told. */
static int made(char **to, int length, uintptr_t pc)
{
    struct fw_thread *t = length >= 0 ? fw_enter_from(pc) : NULL;

    if (t) {
        fw_writes(t, to, sizeof *to, pc);
        fw_writes(t, *to, (size_t)length + 1, pc);
        fw_leave(t);
    }
    return length;
}

/*
 * The two functions of one kind: with a list of arguments, and with `...`.  `pass` are the
 * parameters before the format; DONE makes something of the length.
 */
#define LIST(...) __VA_ARGS__
#define PRINT(name, list_name, parameters, pass, DONE)                                             \
    FW_EXPORT int list_name(parameters, const char *format, va_list rest)                          \
    {                                                                                              \
        if (fw_self)                                                                               \
            fw_tell_format(format, rest, FW_PC);                                                   \
        return DONE(FW_FIRST(list_name)(pass, format, rest));                                      \
    }                                                                                              \
    FW_EXPORT int name(parameters, const char *format, ...)                                        \
    {                                                                                              \
        va_list rest;                                                                              \
        int length;                                                                                \
                                                                                                   \
        va_start(rest, format);                                                                    \
        if (fw_self)                                                                               \
            fw_tell_format(format, rest, FW_PC);                                                   \
        fw_call_begins(FW_PC, #name "()");                                                         \
        length = REAL(list_name)(pass, format, rest);                                              \
        va_end(rest);                                                                              \
        return DONE(length);                                                                       \
    }

#define WITHIN(length) printed(to, most, length, FW_PC)
#define WHOLE(length)  printed(to, SIZE_MAX, length, FW_PC)
#define MADE(length)   made(to, length, FW_PC)

PRINT(snprintf, vsnprintf, LIST(char *to, size_t most), LIST(to, most), WITHIN)
PRINT(sprintf, vsprintf, LIST(char *to), LIST(to), WHOLE)
PRINT(asprintf, vasprintf, LIST(char **to), LIST(to), MADE)
/* Fortified. */
PRINT(__snprintf_chk, __vsnprintf_chk, LIST(char *to, size_t most, int flag, size_t room),
      LIST(to, most, flag, room), WITHIN)
PRINT(__sprintf_chk, __vsprintf_chk, LIST(char *to, int flag, size_t room), LIST(to, flag, room),
      WHOLE)
PRINT(__asprintf_chk, __vasprintf_chk, LIST(char **to, int flag), LIST(to, flag), MADE)

/* --- to streams and descriptors ------------------------------------------------------------- */

#define TO_STREAM(stream, call)                                                                    \
    do {                                                                                           \
        if (fw_self)                                                                               \
            fw_tell_format(format, rest, FW_PC);                                                   \
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
            fw_tell_format(format, rest, FW_PC);                                                   \
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
