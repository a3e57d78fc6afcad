/*
 * io_move.c - calls that move bytes from one descriptor to another: they read from one channel and
 * write into another.  (copy_file_range is for files alone, which are none.)
 */
#include "runtime/channel.h"
#include "runtime/effect.h"
#include "runtime/intercept.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

struct move {
    unsigned in, out;
};

/*
 * What is there already comes before who gets it from the other side; what comes while the call
 * waits, without the token, goes through both (fw_channel_moves).
 */
static struct move begin(struct fw_thread *t, int in, int out, bool waits, uintptr_t pc)
{
    struct move move = { fw_channel_in(in), fw_channel_out(out, NULL, 0) };

    fw_channel_after(t, move.in, pc);
    fw_channel_reading(t, move.in, waits, pc);
    fw_channel_writing(t, move.out, waits, pc);
    fw_channel_moves(move.in, move.out);
    return move;
}

static ssize_t moved(struct fw_thread *t, struct move move, ssize_t bytes, uintptr_t pc)
{
    if (t)
        fw_channel_moved(move.in, move.out);
    fw_channel_read(t, move.in, bytes, pc);
    fw_channel_wrote(t, move.out, bytes, 0, pc);
    fw_done(t);
    return bytes;
}

#define MOVE(in, out, flags, call)                                                                 \
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);                                            \
    struct move move;                                                                              \
    ssize_t bytes;                                                                                 \
    bool waits;                                                                                    \
                                                                                                   \
    if (!t)                                                                                        \
        return call;                                                                               \
    waits = !((flags) & SPLICE_F_NONBLOCK) &&                                                      \
            (fw_fd_waits(in, POLLIN) || fw_fd_waits_write(out, most));                             \
    move = begin(t, in, out, waits, FW_PC);                                                        \
    FW_PASS(t, waits, bytes = call);                                                               \
    return moved(t, move, bytes, FW_PC)

FW_EXPORT ssize_t splice(int in, off64_t *in_offset, int out, off64_t *out_offset, size_t most,
                         unsigned flags)
{
    MOVE(in, out, flags, REAL(splice)(in, in_offset, out, out_offset, most, flags));
}

FW_EXPORT ssize_t tee(int in, int out, size_t most, unsigned flags)
{
    MOVE(in, out, flags, REAL(tee)(in, out, most, flags));
}

FW_EXPORT ssize_t sendfile(int out, int in, off_t *offset, size_t most)
{
    MOVE(in, out, 0, REAL(sendfile)(out, in, offset, most));
}

FW_EXPORT ssize_t sendfile64(int out, int in, off64_t *offset, size_t most)
{
    MOVE(in, out, 0, REAL(sendfile64)(out, in, offset, most));
}

/* How many of them there are to look at: none if the kernel will say that they are wrong. */
static size_t parts_given(const struct iovec *parts, size_t count)
{
    return count <= IOV_MAX && fw_readable(parts, count * sizeof *parts) ? count : 0;
}

static size_t all_bytes(const struct iovec *parts, size_t count)
{
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes += parts[i].iov_len;
    return bytes;
}

/* Into a pipe, or out of one, by which end of it the descriptor is. */
FW_EXPORT ssize_t vmsplice(int fd, const struct iovec *parts, size_t count, unsigned flags)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FD(fd));
    unsigned channel;
    ssize_t bytes;
    size_t given;
    bool reads;

    if (!t)
        return REAL(vmsplice)(fd, parts, count, flags);
    given = parts_given(parts, count);
    reads = (REAL(fcntl)(fd, F_GETFL) & O_ACCMODE) == O_RDONLY;
    channel = fw_channel_in(fd);
    for (size_t i = 0; i < given && !reads; i++)
        fw_reads_given(t, parts[i].iov_base, parts[i].iov_len, FW_PC);
    if (reads)
        fw_channel_reading(t, channel, true, FW_PC);
    else
        fw_channel_writing(t, channel, false, FW_PC);
    FW_PASS(t, !(flags & SPLICE_F_NONBLOCK) &&
                   (reads ? fw_fd_waits(fd, POLLIN)
                          : fw_fd_waits_write(fd, all_bytes(parts, given))),
            bytes = REAL(vmsplice)(fd, parts, count, flags));
    if (reads)
        fw_channel_read(t, channel, bytes, FW_PC);
    else
        fw_channel_wrote(t, channel, bytes, all_bytes(parts, given), FW_PC);
    for (size_t i = 0, left = reads && bytes > 0 ? (size_t)bytes : 0; i < given && left; i++) {
        size_t here = parts[i].iov_len < left ? parts[i].iov_len : left;

        fw_writes(t, parts[i].iov_base, here, FW_PC);
        left -= here;
    }
    fw_done(t);
    return bytes;
}
