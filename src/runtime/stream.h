/*
 * stream.h - what stdio's functions have in common besides their arguments.
 *
 * A stream on a channel's descriptor is that channel: an output call comes before, an input call
 * after, whether or not this call is the one that empties or fills the buffer.
 *
 * A stream of the program's own functions (fopencookie) calls them with the stream's lock held, so
 * its lock is taken and told around each call, as flockfile does.
 */
#ifndef FW_RUNTIME_STREAM_H
#define FW_RUNTIME_STREAM_H

#include "runtime/channel.h"
#include "runtime/intercept.h"

#include <stdio.h>

enum {
    FW_STREAM_COOKIE = -2,     /* what libc has as the descriptor of such streams */
    FW_STREAM_UNLOCKED = 0x8000 /* __fsetlocking: the program does it itself */
};

void fw_stream_unlock(void *stream);

/* io_stream.c: an output call begins, is over, an input call is over, a stream is about to be
 * closed. */
void fw_stream_out(FILE *stream, uintptr_t pc);
void fw_stream_gone(FILE *stream, uintptr_t pc);
void fw_stream_in(FILE *stream, uintptr_t pc);
void fw_stream_closing(FILE *stream, uintptr_t pc);

static inline bool fw_stream_locks(const FILE *stream)
{
    return fw_self && stream->_fileno == FW_STREAM_COOKIE &&
           !(stream->_flags & FW_STREAM_UNLOCKED);
}

#define FW_STREAM_CALL(stream, call)                                                               \
    do {                                                                                           \
        if (FW_UNLIKELY(fw_stream_locks(stream))) {                                                \
            flockfile(stream);                                                                     \
            pthread_cleanup_push(fw_stream_unlock, stream);                                        \
            call;                                                                                  \
            pthread_cleanup_pop(1);                                                                \
        } else {                                                                                   \
            call;                                                                                  \
        }                                                                                          \
    } while (0)

#endif
