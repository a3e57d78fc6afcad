/*
 * io_move.c - calls that move bytes from one descriptor to another: they read from one channel and
 * write into another.  (copy_file_range is for files alone, which are none.)
 */
#include "runtime/channel.h"
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

static struct move begin(struct fw_thread *t, int in, int out, uintptr_t pc)
{
    struct move move = { fw_channel_in(in), fw_channel_out(out, NULL, 0) };

    fw_channel_reading(t, move.in, true, pc);
    fw_channel_writing(t, move.out, false, pc);
    return move;
}

/* What was read comes first: who gets it from the other side comes after that as well. */
static ssize_t moved(struct fw_thread *t, struct move move, ssize_t bytes, uintptr_t pc)
{
    fw_channel_read(t, move.in, bytes, pc);
    fw_channel_wrote(t, move.out, bytes, 0, pc);
    fw_done(t);
    return bytes;
}

/*
 * If it may wait, the token is away between its reading and its writing, so that a reader of the
 * other side could be told before the writer of this one: the waiting is done before.
 */
static void await(struct fw_thread *t, int in, int out, unsigned flags)
{
    struct pollfd both[2] = { { .fd = in, .events = POLLIN }, { .fd = out, .events = POLLOUT } };

    if (flags & SPLICE_F_NONBLOCK)
        return;
    for (int i = 0; i < 2; i++)
        if (fw_fd_waits(both[i].fd, both[i].events))
            FW_AWAY(t, REAL(poll)(&both[i], 1, -1));
}

#define MOVE(in, out, flags, call)                                                                 \
    struct fw_thread *t = fw_enter();                                                              \
    struct move move;                                                                              \
    ssize_t bytes;                                                                                 \
                                                                                                   \
    if (!t)                                                                                        \
        return call;                                                                               \
    await(t, in, out, flags);                                                                      \
    fw_channel_after(t, fw_channel_in(in), FW_PC);                                                 \
    move = begin(t, in, out, FW_PC);                                                               \
    FW_PASS(t, fw_fd_waits(in, POLLIN) || fw_fd_waits_write(out, most), bytes = call);             \
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
    struct fw_thread *t = fw_enter();
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
