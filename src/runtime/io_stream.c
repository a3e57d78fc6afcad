/*
 * io_stream.c - stdio: buffers of the program that it fills or empties, and streams that wait.
 *
 * stdio may allocate, be cancelled, and call the program back (fopencookie), so its functions run
 * as the program's own code.  A reader whose buffer is empty and whose descriptor has nothing yet
 * first fills the buffer without the token (__underflow, as getc would); what waits in the middle
 * of a line is left to the watchdog.  Writers wait only when the other side is slow, which does not
 * depend on our threads.
 */
/* libc's headers would define some of these functions themselves. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif

#include "runtime/intercept.h"
#include "runtime/stuck.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>

/* These may be macros. */
#undef fread_unlocked
#undef fwrite_unlocked
#undef getc
#undef getchar

int __underflow(FILE *stream);
int __uflow(FILE *stream);
size_t __fread_chk(void *restrict buffer, size_t room, size_t size, size_t count,
                   FILE *restrict stream);
char *__fgets_chk(char *restrict line, size_t room, int most, FILE *restrict stream);
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

/* Only explicit locks are told: those of single calls order nothing that the program could mean. */
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

static void unlock(void *stream)
{
    funlockfile(stream);
}

/*
 * Waits outside until the stream has something in its buffer, or has ended or failed.  Another
 * thread that reads the stream holds its lock, and waits outside as well.
 */
static void fill(struct fw_thread *t, FILE *stream)
{
    FW_AWAY(t, {
        flockfile(stream);
        pthread_cleanup_push(unlock, stream);
        if (stream->_IO_read_ptr >= stream->_IO_read_end)
            __underflow(stream);
        pthread_cleanup_pop(0);
        funlockfile(stream);
    });
}

/* Before the real function: the thread becomes the program's, with something to read. */
static struct fw_thread *begin(FILE *stream)
{
    struct fw_thread *t = fw_enter();

    if (!t)
        return NULL;
    if (reader_waits(stream))
        fill(t, stream);
    fw_leave(t);
    return t;
}

void fw_stream_wait(FILE *stream)
{
    begin(stream);
}

/* --- input ---------------------------------------------------------------------------------- */

static void tell_written(const void *buffer, size_t bytes, uintptr_t pc)
{
    struct fw_thread *t = fw_enter();

    fw_writes(t, buffer, bytes, pc);
    fw_done(t);
}

FW_EXPORT size_t fread(void *restrict buffer, size_t size, size_t count, FILE *restrict stream)
{
    size_t got;

    begin(stream);
    got = REAL(fread)(buffer, size, count, stream);
    tell_written(buffer, got * size, FW_PC);
    return got;
}

FW_EXPORT size_t fread_unlocked(void *restrict buffer, size_t size, size_t count,
                                FILE *restrict stream)
{
    size_t got;

    begin(stream);
    got = REAL(fread_unlocked)(buffer, size, count, stream);
    tell_written(buffer, got * size, FW_PC);
    return got;
}

FW_EXPORT size_t __fread_chk(void *restrict buffer, size_t room, size_t size, size_t count,
                             FILE *restrict stream)
{
    size_t got;

    begin(stream);
    got = REAL(__fread_chk)(buffer, room, size, count, stream);
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
    begin(stream);
    return tell_line(REAL(fgets)(line, most, stream), FW_PC);
}

FW_EXPORT char *fgets_unlocked(char *restrict line, int most, FILE *restrict stream)
{
    begin(stream);
    return tell_line(REAL(fgets_unlocked)(line, most, stream), FW_PC);
}

FW_EXPORT char *__fgets_chk(char *restrict line, size_t room, int most, FILE *restrict stream)
{
    begin(stream);
    return tell_line(REAL(__fgets_chk)(line, room, most, stream), FW_PC);
}

static ssize_t tell_getline(char **line, size_t *room, ssize_t length, uintptr_t pc)
{
    struct fw_thread *t = fw_enter();

    fw_writes(t, line, sizeof *line, pc);
    fw_writes(t, room, sizeof *room, pc);
    if (length >= 0)
        fw_writes(t, *line, (size_t)length + 1, pc);
    fw_done(t);
    return length;
}

FW_EXPORT ssize_t getline(char **restrict line, size_t *restrict room, FILE *restrict stream)
{
    begin(stream);
    return tell_getline(line, room, REAL(getline)(line, room, stream), FW_PC);
}

FW_EXPORT ssize_t getdelim(char **restrict line, size_t *restrict room, int end,
                           FILE *restrict stream)
{
    begin(stream);
    return tell_getline(line, room, REAL(getdelim)(line, room, end, stream), FW_PC);
}

FW_EXPORT ssize_t __getdelim(char **restrict line, size_t *restrict room, int end,
                             FILE *restrict stream)
{
    begin(stream);
    return tell_getline(line, room, REAL(__getdelim)(line, room, end, stream), FW_PC);
}

FW_EXPORT int fgetc(FILE *stream)
{
    begin(stream);
    return REAL(fgetc)(stream);
}

FW_EXPORT int getc(FILE *stream)
{
    begin(stream);
    return REAL(getc)(stream);
}

FW_EXPORT int getchar(void)
{
    begin(stdin);
    return REAL(getchar)();
}

/* What getc_unlocked calls when the buffer is empty. */
FW_EXPORT int __uflow(FILE *stream)
{
    begin(stream);
    return REAL(__uflow)(stream);
}

/* --- output --------------------------------------------------------------------------------- */

static void tell_read(const void *buffer, size_t bytes, uintptr_t pc)
{
    struct fw_thread *t = fw_enter();

    fw_reads(t, buffer, bytes, pc);
    fw_done(t);
}

FW_EXPORT size_t fwrite(const void *restrict buffer, size_t size, size_t count,
                        FILE *restrict stream)
{
    tell_read(buffer, size * count, FW_PC);
    return REAL(fwrite)(buffer, size, count, stream);
}

FW_EXPORT size_t fwrite_unlocked(const void *restrict buffer, size_t size, size_t count,
                                 FILE *restrict stream)
{
    tell_read(buffer, size * count, FW_PC);
    return REAL(fwrite_unlocked)(buffer, size, count, stream);
}

FW_EXPORT int fputs(const char *restrict text, FILE *restrict stream)
{
    if (fw_self)
        tell_read(text, fw_text_length(text) + 1, FW_PC);
    return REAL(fputs)(text, stream);
}

FW_EXPORT int fputs_unlocked(const char *restrict text, FILE *restrict stream)
{
    if (fw_self)
        tell_read(text, fw_text_length(text) + 1, FW_PC);
    return REAL(fputs_unlocked)(text, stream);
}

FW_EXPORT int puts(const char *text)
{
    if (fw_self)
        tell_read(text, fw_text_length(text) + 1, FW_PC);
    return REAL(puts)(text);
}

FW_EXPORT void perror(const char *text)
{
    if (fw_self && text)
        tell_read(text, fw_text_length(text) + 1, FW_PC);
    REAL(perror)(text);
}
