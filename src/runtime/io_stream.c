/*
 * io_stream.c - stdio's input: buffers of the program that it fills, and streams that wait; locks
 * of streams.
 *
 * stdio may allocate, be cancelled, and call the program back (fopencookie), so its functions run
 * as the program's own code.  A reader whose buffer is empty and whose descriptor has nothing yet
 * runs without the token (no descriptor, no callback); what waits in the middle of a line is left
 * to the watchdog.
 */
/* libc's headers would define some of these functions themselves. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif

#include "runtime/effect.h"
#include "runtime/stream.h"
#include "runtime/stuck.h"

#include <poll.h>
#include <stdio.h>
#include <wchar.h>

/* These may be macros. */
#undef fgetc_unlocked
#undef fread_unlocked
#undef getc
#undef getc_unlocked
#undef getchar
#undef getchar_unlocked
#undef getwc
#undef getwchar

int __uflow(FILE *stream);
size_t __fread_chk(void *restrict buffer, size_t room, size_t size, size_t count,
                   FILE *restrict stream);
size_t __fread_unlocked_chk(void *restrict buffer, size_t room, size_t size, size_t count,
                            FILE *restrict stream);
char *__fgets_chk(char *restrict line, size_t room, int most, FILE *restrict stream);
char *__fgets_unlocked_chk(char *restrict line, size_t room, int most, FILE *restrict stream);
wchar_t *__fgetws_chk(wchar_t *restrict line, size_t room, int most, FILE *restrict stream);
ssize_t __getdelim(char **restrict line, size_t *restrict room, int end, FILE *restrict stream);

/* --- locks of streams ------------------------------------------------------------------------- */

/* How often the caller has locked a stream that it has locked; what libc keeps in FILE. */
static int lock_depth(const FILE *stream)
{
    const struct {
        int lock, depth;
        void *owner;
    } *lock = (const void *)stream->_lock;

    return lock ? lock->depth : 0;
}

/* Only explicit locks are told, and those around the program's own functions (stream.h): others
 * order nothing that the program could mean. */
FW_EXPORT void flockfile(FILE *stream)
{
    struct fw_thread *t = fw_enter();

    if (!t) {
        REAL(flockfile)(stream);
        return;
    }
    if (REAL(ftrylockfile)(stream) != 0) {
        fw_wait_begin(t, FW_WIRE_WAIT_LOCK, stream, FW_PC);
        do
            fw_block(t, stream, FW_NO_DEADLINE, 0);
        while (REAL(ftrylockfile)(stream) != 0);
        fw_wait_end(t);
    }
    if (lock_depth(stream) == 1)
        fw_sync(t, FW_WIRE_ACQUIRE, stream, FW_PC);
    fw_leave(t);
}

FW_EXPORT int ftrylockfile(FILE *stream)
{
    struct fw_thread *t = fw_enter();
    int result = REAL(ftrylockfile)(stream);

    if (t && (result != 0 || lock_depth(stream) == 1))
        fw_sync(t, result ? FW_WIRE_TRY_FAIL : FW_WIRE_TRY_ACQUIRE, stream, FW_PC);
    fw_done(t);
    return result;
}

FW_EXPORT void funlockfile(FILE *stream)
{
    struct fw_thread *t = fw_enter();
    bool last = t && lock_depth(stream) == 1;

    if (last)
        fw_sync(t, FW_WIRE_RELEASE, stream, FW_PC);
    REAL(funlockfile)(stream);
    if (last)
        fw_wake(stream, 1, 0);
    fw_done(t);
}

/* --- waiting for input ---------------------------------------------------------------------- */

static bool reader_waits(FILE *stream)
{
    if (stream->_IO_read_ptr < stream->_IO_read_end || feof_unlocked(stream) ||
        stream->_fileno < 0)
        return false;
    return fw_fd_waits(stream->_fileno, POLLIN);
}

void fw_stream_unlock(void *stream)
{
    funlockfile(stream);
}

/*
 * Before the real function: if it would wait, the thread, which is inside, for FW_AWAY.  Another
 * thread that reads the stream holds its lock, and waits outside as well.
 */
static struct fw_thread *begin(FILE *stream, uintptr_t pc)
{
    struct fw_thread *t = fw_enter_effect_at(pc, "input", FW_ON_FD(stream->_fileno));
    bool waits = t && reader_waits(stream);

    if (t)
        fw_channel_reading(t, fw_channel_in(stream->_fileno), waits, pc);
    if (waits)
        return t;
    fw_done(t);
    return NULL;
}

/* The real function is over, and the stream's lock free. */
void fw_stream_waited(struct fw_thread *t, FILE *stream)
{
    fw_wake(stream, 1, 0);
    fw_leave(t);
}

/* --- channels ------------------------------------------------------------------------------- */

void fw_stream_in(FILE *stream, uintptr_t pc)
{
    int fd = stream->_fileno;
    struct fw_thread *t = fw_self && !fw_channel_is_none(fd) ? fw_enter_again() : NULL;

    if (t) {
        fw_channel_after(t, fw_channel_in(fd), pc);
        fw_leave(t);
    }
}

void fw_stream_out(FILE *stream, uintptr_t pc)
{
    int fd = stream->_fileno;
    struct fw_thread *t;

    fw_effect_at(pc, "output", FW_ON_FD(fd));
    t = fw_self && !fw_channel_is_none(fd) ? fw_enter_again() : NULL;
    if (t) {
        unsigned channel = fw_channel_out(fd, NULL, 0);

        fw_channel_before(t, channel, pc);
        fw_channel_streamed(channel);
        if (fw_fd_waits(fd, POLLOUT))
            fw_channel_wants_room(fd);
        fw_leave(t);
    }
}

/* It may have waited for room, or heard that nobody is there. */
void fw_stream_gone(FILE *stream, uintptr_t pc)
{
    int fd = stream->_fileno;
    struct fw_thread *t = fw_self && !fw_channel_is_none(fd) ? fw_enter_again() : NULL;

    if (t) {
        fw_channel_has_room(t, fd, pc);
        if (ferror_unlocked(stream))
            fw_channel_after(t, fw_channel_out(fd, NULL, 0), pc);
        fw_leave(t);
    }
}

void fw_stream_closing(FILE *stream, uintptr_t pc)
{
    struct fw_thread *t = stream->_fileno >= 0 ? fw_enter_again() : NULL;

    if (t) {
        fw_channel_closing(t, stream->_fileno, pc);
        fw_channel_closed((unsigned)stream->_fileno, (unsigned)stream->_fileno);
        fw_leave(t);
    }
}

struct fw_thread *fw_stream_begin(FILE *stream, uintptr_t pc)
{
    struct fw_thread *t = begin(stream, pc);

    if (!t && fw_stream_locks(stream))
        flockfile(stream);
    return t;
}

void fw_stream_end(FILE *stream, uintptr_t pc)
{
    if (fw_stream_locks(stream))
        funlockfile(stream);
    fw_stream_in(stream, pc);
}

/* The real call, with all that goes around it. */
#define IN(stream, call)                                                                           \
    do {                                                                                           \
        struct fw_thread *waiting = begin(stream, FW_PC);                                          \
                                                                                                   \
        if (waiting) {                                                                             \
            FW_AWAY(waiting, call);                                                                \
            fw_stream_waited(waiting, stream);                                                     \
        } else {                                                                                   \
            FW_STREAM_CALL(stream, call);                                                          \
        }                                                                                          \
        fw_stream_in(stream, FW_PC);                                                               \
    } while (0)

/* --- input ---------------------------------------------------------------------------------- */

static void tell_written(const void *buffer, size_t bytes, uintptr_t pc)
{
    struct fw_thread *t = fw_enter_from(pc);

    fw_writes(t, buffer, bytes, pc);
    fw_done(t);
}

FW_EXPORT size_t fread(void *restrict buffer, size_t size, size_t count, FILE *restrict stream)
{
    size_t got;

    IN(stream, got = REAL(fread)(buffer, size, count, stream));
    tell_written(buffer, got * size, FW_PC);
    return got;
}

FW_EXPORT size_t fread_unlocked(void *restrict buffer, size_t size, size_t count,
                                FILE *restrict stream)
{
    size_t got;

    IN(stream, got = REAL(fread_unlocked)(buffer, size, count, stream));
    tell_written(buffer, got * size, FW_PC);
    return got;
}

FW_EXPORT size_t __fread_chk(void *restrict buffer, size_t room, size_t size, size_t count,
                             FILE *restrict stream)
{
    size_t got;

    IN(stream, got = REAL(__fread_chk)(buffer, room, size, count, stream));
    tell_written(buffer, got * size, FW_PC);
    return got;
}

FW_EXPORT size_t __fread_unlocked_chk(void *restrict buffer, size_t room, size_t size,
                                      size_t count, FILE *restrict stream)
{
    size_t got;

    IN(stream, got = REAL(__fread_unlocked_chk)(buffer, room, size, count, stream));
    tell_written(buffer, got * size, FW_PC);
    return got;
}

static char *tell_line(char *line, uintptr_t pc)
{
    if (line && fw_self)
        tell_written(line, fw_text_length(line) + 1, pc);
    return line;
}

FW_EXPORT char *fgets(char *restrict line, int most, FILE *restrict stream)
{
    char *result;

    IN(stream, result = REAL(fgets)(line, most, stream));
    return tell_line(result, FW_PC);
}

FW_EXPORT char *fgets_unlocked(char *restrict line, int most, FILE *restrict stream)
{
    char *result;

    IN(stream, result = REAL(fgets_unlocked)(line, most, stream));
    return tell_line(result, FW_PC);
}

FW_EXPORT char *__fgets_chk(char *restrict line, size_t room, int most, FILE *restrict stream)
{
    char *result;

    IN(stream, result = REAL(__fgets_chk)(line, room, most, stream));
    return tell_line(result, FW_PC);
}

FW_EXPORT char *__fgets_unlocked_chk(char *restrict line, size_t room, int most,
                                     FILE *restrict stream)
{
    char *result;

    IN(stream, result = REAL(__fgets_unlocked_chk)(line, room, most, stream));
    return tell_line(result, FW_PC);
}

static ssize_t tell_getline(char **line, size_t *room, ssize_t length, uintptr_t pc)
{
    struct fw_thread *t = fw_enter_from(pc);

    fw_writes(t, line, sizeof *line, pc);
    fw_writes(t, room, sizeof *room, pc);
    if (length >= 0)
        fw_writes(t, *line, (size_t)length + 1, pc);
    fw_done(t);
    return length;
}

FW_EXPORT ssize_t getline(char **restrict line, size_t *restrict room, FILE *restrict stream)
{
    ssize_t length;

    IN(stream, length = REAL(getline)(line, room, stream));
    return tell_getline(line, room, length, FW_PC);
}

FW_EXPORT ssize_t getdelim(char **restrict line, size_t *restrict room, int end,
                           FILE *restrict stream)
{
    ssize_t length;

    IN(stream, length = REAL(getdelim)(line, room, end, stream));
    return tell_getline(line, room, length, FW_PC);
}

FW_EXPORT ssize_t __getdelim(char **restrict line, size_t *restrict room, int end,
                             FILE *restrict stream)
{
    ssize_t length;

    IN(stream, length = REAL(__getdelim)(line, room, end, stream));
    return tell_getline(line, room, length, FW_PC);
}

/* Those that give one character; __uflow is what getc_unlocked calls when the buffer is empty. */
#define GET(type, name)                                                                            \
    FW_EXPORT type name(FILE *stream)                                                              \
    {                                                                                              \
        type result;                                                                               \
                                                                                                   \
        IN(stream, result = REAL(name)(stream));                                                   \
        return result;                                                                             \
    }

#define GET_IN(type, name)                                                                         \
    FW_EXPORT type name(void)                                                                      \
    {                                                                                              \
        type result;                                                                               \
                                                                                                   \
        IN(stdin, result = REAL(name)());                                                          \
        return result;                                                                             \
    }

GET(int, fgetc)
GET(int, fgetc_unlocked)
GET(int, getc)
GET(int, getc_unlocked)
GET(int, getw)
GET(int, __uflow)
GET(wint_t, fgetwc)
GET(wint_t, fgetwc_unlocked)
GET(wint_t, getwc)
GET(wint_t, getwc_unlocked)
GET_IN(int, getchar)
GET_IN(int, getchar_unlocked)
GET_IN(wint_t, getwchar)
GET_IN(wint_t, getwchar_unlocked)

static wchar_t *tell_wide_line(wchar_t *line, uintptr_t pc)
{
    if (line && fw_self)
        tell_written(line, (REAL(wcslen)(line) + 1) * sizeof *line, pc);
    return line;
}

FW_EXPORT wchar_t *fgetws(wchar_t *restrict line, int most, FILE *restrict stream)
{
    wchar_t *result;

    IN(stream, result = REAL(fgetws)(line, most, stream));
    return tell_wide_line(result, FW_PC);
}

FW_EXPORT wchar_t *fgetws_unlocked(wchar_t *restrict line, int most, FILE *restrict stream)
{
    wchar_t *result;

    IN(stream, result = REAL(fgetws_unlocked)(line, most, stream));
    return tell_wide_line(result, FW_PC);
}

FW_EXPORT wchar_t *__fgetws_chk(wchar_t *restrict line, size_t room, int most,
                                FILE *restrict stream)
{
    wchar_t *result;

    IN(stream, result = REAL(__fgetws_chk)(line, room, most, stream));
    return tell_wide_line(result, FW_PC);
}
