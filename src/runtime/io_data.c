/*
 * io_data.c - read, write and their relatives on descriptors.
 *
 * The token is kept when the call surely does not wait (files, descriptors that are ready), so that
 * recordings of programs that only read files can be repeated.  Buffers are told when the call is
 * over, as far as they were filled or taken.
 */
#include "runtime/channel.h"
#include "runtime/effect.h"
#include "runtime/intercept.h"

#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

ssize_t __read_chk(int fd, void *buffer, size_t bytes, size_t room);
ssize_t __pread_chk(int fd, void *buffer, size_t bytes, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *buffer, size_t bytes, off64_t offset, size_t room);
ssize_t __recv_chk(int fd, void *buffer, size_t bytes, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *restrict buffer, size_t bytes, size_t room, int flags,
                       struct sockaddr *restrict from, socklen_t *restrict length);

/* --- what was moved ------------------------------------------------------------------------- */

/* With MSG_TRUNC `got` says how much there was, not how much was stored. */
static ssize_t got_bytes(struct fw_thread *t, unsigned channel, const void *buffer, size_t room,
                         ssize_t got, uintptr_t pc)
{
    fw_channel_read(t, channel, got, pc);
    if (got <= 0)
        fw_effect_failed(t);
    if (got > 0)
        fw_writes(t, buffer, (size_t)got < room ? (size_t)got : room, pc);
    fw_done(t);
    return got;
}

/* What fits into the buffer.  TCP drops with MSG_TRUNC what it would have stored. */
static size_t room_for(int fd, size_t bytes, int flags)
{
    socklen_t length = sizeof(int);
    int protocol = 0;

    if (flags & MSG_TRUNC)
        fw_syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_PROTOCOL, (long)&protocol, (long)&length, 0);
    return protocol == IPPROTO_TCP ? 0 : bytes;
}

/* What was stored in the parts of a scattered buffer, as far as `bytes` go. */
static void tell_parts(struct fw_thread *t, const struct iovec *parts, size_t count, ssize_t bytes,
                       uintptr_t pc)
{
    size_t left = bytes > 0 ? (size_t)bytes : 0;

    if (!t || bytes < 0)
        return;
    fw_reads(t, parts, count * sizeof *parts, pc);
    for (size_t i = 0; i < count && left; i++) {
        size_t here = parts[i].iov_len < left ? parts[i].iov_len : left;

        fw_writes(t, parts[i].iov_base, here, pc);
        left -= here;
    }
}

/* How many parts there are to look at: none if the kernel will say that they are wrong. */
static size_t parts_given(const struct iovec *parts, size_t count)
{
    return count <= IOV_MAX && fw_readable(parts, count * sizeof *parts) ? count : 0;
}

static size_t parts_bytes(const struct iovec *parts, size_t count)
{
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes += parts[i].iov_len;
    return bytes;
}

/* What is about to be sent. */
static void tell_given(struct fw_thread *t, const struct iovec *parts, size_t count, uintptr_t pc)
{
    fw_reads(t, parts, count * sizeof *parts, pc);
    for (size_t i = 0; i < count; i++)
        fw_reads_given(t, parts[i].iov_base, parts[i].iov_len, pc);
}

/* Before a call that reads. */
static unsigned begin_read(struct fw_thread *t, int fd, bool waits, uintptr_t pc)
{
    unsigned channel = fw_channel_in(fd);

    fw_channel_reading(t, channel, waits, pc);
    return channel;
}

/* --- in ------------------------------------------------------------------------------------- */

#define RECEIVE(call)                                                                              \
    struct fw_thread *t = fw_enter_effect(FW_ON_FD(fd));                                           \
    unsigned channel;                                                                              \
    ssize_t got;                                                                                   \
    bool waits;                                                                                    \
                                                                                                   \
    if (!t)                                                                                        \
        return call;                                                                               \
    waits = fw_fd_waits(fd, POLLIN);                                                               \
    channel = begin_read(t, fd, waits, FW_PC);                                                     \
    FW_PASS(t, waits, got = call);                                                                 \
    return got_bytes(t, channel, buffer, bytes, got, FW_PC)

FW_EXPORT ssize_t read(int fd, void *buffer, size_t bytes)
{
    RECEIVE(REAL(read)(fd, buffer, bytes));
}

FW_EXPORT ssize_t __read_chk(int fd, void *buffer, size_t bytes, size_t room)
{
    RECEIVE(REAL(__read_chk)(fd, buffer, bytes, room));
}

FW_EXPORT ssize_t pread(int fd, void *buffer, size_t bytes, off_t offset)
{
    RECEIVE(REAL(pread)(fd, buffer, bytes, offset));
}

FW_EXPORT ssize_t pread64(int fd, void *buffer, size_t bytes, off64_t offset)
{
    RECEIVE(REAL(pread64)(fd, buffer, bytes, offset));
}

FW_EXPORT ssize_t __pread_chk(int fd, void *buffer, size_t bytes, off_t offset, size_t room)
{
    RECEIVE(REAL(__pread_chk)(fd, buffer, bytes, offset, room));
}

FW_EXPORT ssize_t __pread64_chk(int fd, void *buffer, size_t bytes, off64_t offset, size_t room)
{
    RECEIVE(REAL(__pread64_chk)(fd, buffer, bytes, offset, room));
}

/* MSG_WAITALL waits for more than "ready" says. */
static bool recv_waits(int fd, int flags)
{
    return !(flags & MSG_DONTWAIT) && (flags & MSG_WAITALL || fw_fd_waits(fd, POLLIN));
}

FW_EXPORT ssize_t recv(int fd, void *buffer, size_t bytes, int flags)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FD(fd));
    unsigned channel;
    ssize_t got;
    bool waits;

    if (!t)
        return REAL(recv)(fd, buffer, bytes, flags);
    waits = recv_waits(fd, flags);
    channel = begin_read(t, fd, waits, FW_PC);
    FW_PASS(t, waits, got = REAL(recv)(fd, buffer, bytes, flags));
    return got_bytes(t, channel, buffer, room_for(fd, bytes, flags), got, FW_PC);
}

FW_EXPORT ssize_t __recv_chk(int fd, void *buffer, size_t bytes, size_t room, int flags)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FD(fd));
    unsigned channel;
    ssize_t got;
    bool waits;

    if (!t)
        return REAL(__recv_chk)(fd, buffer, bytes, room, flags);
    waits = recv_waits(fd, flags);
    channel = begin_read(t, fd, waits, FW_PC);
    FW_PASS(t, waits, got = REAL(__recv_chk)(fd, buffer, bytes, room, flags));
    return got_bytes(t, channel, buffer, room_for(fd, bytes, flags), got, FW_PC);
}

FW_EXPORT ssize_t recvfrom(int fd, void *restrict buffer, size_t bytes, int flags,
                           struct sockaddr *restrict from, socklen_t *restrict length)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FD(fd));
    socklen_t from_room = fw_address_room(from, length);
    unsigned channel;
    ssize_t got;
    bool waits;

    if (!t)
        return REAL(recvfrom)(fd, buffer, bytes, flags, from, length);
    waits = recv_waits(fd, flags);
    channel = begin_read(t, fd, waits, FW_PC);
    FW_PASS(t, waits,
            got = REAL(recvfrom)(fd, buffer, bytes, flags, from, length));
    if (got >= 0)
        fw_address_stored(t, from, length, from_room, FW_PC);
    return got_bytes(t, channel, buffer, room_for(fd, bytes, flags), got, FW_PC);
}

FW_EXPORT ssize_t __recvfrom_chk(int fd, void *restrict buffer, size_t bytes, size_t room,
                                 int flags, struct sockaddr *restrict from,
                                 socklen_t *restrict length)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FD(fd));
    socklen_t from_room = fw_address_room(from, length);
    unsigned channel;
    ssize_t got;
    bool waits;

    if (!t)
        return REAL(__recvfrom_chk)(fd, buffer, bytes, room, flags, from, length);
    waits = recv_waits(fd, flags);
    channel = begin_read(t, fd, waits, FW_PC);
    FW_PASS(t, waits,
            got = REAL(__recvfrom_chk)(fd, buffer, bytes, room, flags, from, length));
    if (got >= 0)
        fw_address_stored(t, from, length, from_room, FW_PC);
    return got_bytes(t, channel, buffer, room_for(fd, bytes, flags), got, FW_PC);
}

static ssize_t got_parts(struct fw_thread *t, unsigned channel, const struct iovec *parts,
                         size_t count, ssize_t got, uintptr_t pc)
{
    fw_channel_read(t, channel, got, pc);
    tell_parts(t, parts, count, got, pc);
    if (got <= 0)
        fw_effect_failed(t);
    fw_done(t);
    return got;
}

/* What the program says, or nothing if it cannot be read. */
static const struct msghdr *given_message(const struct msghdr *message)
{
    static const struct msghdr nothing;

    return fw_self && fw_readable(message, sizeof *message) ? message : &nothing;
}

/* The head of a message that has come. */
static void tell_head(struct fw_thread *t, const struct msghdr *message, uintptr_t pc)
{
    fw_reads(t, message, sizeof *message, pc);
    if (message->msg_name)
        fw_writes(t, &message->msg_namelen, sizeof message->msg_namelen, pc);
    fw_writes(t, &message->msg_controllen, sizeof message->msg_controllen, pc);
    fw_writes(t, &message->msg_flags, sizeof message->msg_flags, pc);
    fw_writes(t, message->msg_control, message->msg_controllen, pc);
}

FW_EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FD(fd));
    socklen_t room = given_message(message)->msg_namelen;
    unsigned channel;
    ssize_t got;
    bool waits;

    if (!t)
        return REAL(recvmsg)(fd, message, flags);
    waits = recv_waits(fd, flags);
    channel = begin_read(t, fd, waits, FW_PC);
    FW_PASS(t, waits, got = REAL(recvmsg)(fd, message, flags));
    if (got < 0)
        return got_parts(t, channel, NULL, 0, got, FW_PC);
    fw_channel_changed(); /* there may be descriptors in it */
    tell_head(t, message, FW_PC);
    if (message->msg_name)
        fw_writes(t, message->msg_name,
                  message->msg_namelen < room ? message->msg_namelen : room, FW_PC);
    return got_parts(t, channel, message->msg_iov, message->msg_iovlen, got, FW_PC);
}

FW_EXPORT int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags,
                       struct timespec *timeout)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FD(fd));
    unsigned channel;
    bool waits = !(flags & MSG_DONTWAIT);
    int got;

    if (!t)
        return REAL(recvmmsg)(fd, messages, count, flags, timeout);
    channel = begin_read(t, fd, waits, FW_PC);
    FW_PASS(t, waits, got = REAL(recvmmsg)(fd, messages, count, flags, timeout));
    fw_channel_changed();
    fw_channel_read(t, channel, got, FW_PC);
    for (int i = 0; i < got; i++) {
        tell_head(t, &messages[i].msg_hdr, FW_PC);
        fw_writes(t, &messages[i].msg_len, sizeof messages[i].msg_len, FW_PC);
        tell_parts(t, messages[i].msg_hdr.msg_iov, messages[i].msg_hdr.msg_iovlen,
                   messages[i].msg_len, FW_PC);
    }
    fw_done(t);
    return got;
}

#define RECEIVE_PARTS(call)                                                                        \
    struct fw_thread *t = fw_enter_effect(FW_ON_FD(fd));                                           \
    unsigned channel;                                                                              \
    ssize_t got;                                                                                   \
    bool waits;                                                                                    \
                                                                                                   \
    if (!t)                                                                                        \
        return call;                                                                               \
    waits = fw_fd_waits(fd, POLLIN);                                                               \
    channel = begin_read(t, fd, waits, FW_PC);                                                     \
    FW_PASS(t, waits, got = call);                                                                 \
    return got_parts(t, channel, parts, (size_t)count, got, FW_PC)

FW_EXPORT ssize_t readv(int fd, const struct iovec *parts, int count)
{
    RECEIVE_PARTS(REAL(readv)(fd, parts, count));
}

FW_EXPORT ssize_t preadv(int fd, const struct iovec *parts, int count, off_t offset)
{
    RECEIVE_PARTS(REAL(preadv)(fd, parts, count, offset));
}

FW_EXPORT ssize_t preadv64(int fd, const struct iovec *parts, int count, off64_t offset)
{
    RECEIVE_PARTS(REAL(preadv64)(fd, parts, count, offset));
}

FW_EXPORT ssize_t preadv2(int fd, const struct iovec *parts, int count, off_t offset, int flags)
{
    RECEIVE_PARTS(REAL(preadv2)(fd, parts, count, offset, flags));
}

FW_EXPORT ssize_t preadv64v2(int fd, const struct iovec *parts, int count, off64_t offset,
                             int flags)
{
    RECEIVE_PARTS(REAL(preadv64v2)(fd, parts, count, offset, flags));
}

/* --- out ------------------------------------------------------------------------------------ */

static ssize_t sent_bytes(struct fw_thread *t, unsigned channel, ssize_t sent, size_t asked,
                          uintptr_t pc)
{
    fw_channel_wrote(t, channel, sent, asked, pc);
    if (sent < 0)
        fw_effect_failed(t);
    fw_done(t);
    return sent;
}

static inline void tell_flags(int flags)
{
    if (flags & MSG_FASTOPEN)
        fw_unmodelled("connections that are made by sending");
}

/* Told before the call: whoever reads the other end comes after it. */
#define SEND(flags, to, length, call)                                                              \
    struct fw_thread *t = fw_enter_effect(FW_ON_FD(fd));                                           \
    unsigned channel;                                                                              \
    ssize_t sent;                                                                                  \
    bool waits;                                                                                    \
                                                                                                   \
    if (!t)                                                                                        \
        return call;                                                                               \
    fw_reads_given(t, buffer, bytes, FW_PC);                                                       \
    tell_flags(flags);                                                                             \
    waits = !((flags) & MSG_DONTWAIT) && fw_fd_waits_write(fd, bytes);                             \
    channel = fw_channel_out(fd, to, length);                                                      \
    fw_channel_writing(t, channel, waits, FW_PC);                                                  \
    FW_PASS(t, waits, sent = call);                                                                \
    return sent_bytes(t, channel, sent, bytes, FW_PC)

FW_EXPORT ssize_t write(int fd, const void *buffer, size_t bytes)
{
    SEND(0, NULL, 0, REAL(write)(fd, buffer, bytes));
}

FW_EXPORT ssize_t pwrite(int fd, const void *buffer, size_t bytes, off_t offset)
{
    SEND(0, NULL, 0, REAL(pwrite)(fd, buffer, bytes, offset));
}

FW_EXPORT ssize_t pwrite64(int fd, const void *buffer, size_t bytes, off64_t offset)
{
    SEND(0, NULL, 0, REAL(pwrite64)(fd, buffer, bytes, offset));
}

FW_EXPORT ssize_t send(int fd, const void *buffer, size_t bytes, int flags)
{
    SEND(flags, NULL, 0, REAL(send)(fd, buffer, bytes, flags));
}

FW_EXPORT ssize_t sendto(int fd, const void *buffer, size_t bytes, int flags,
                         const struct sockaddr *to, socklen_t length)
{
    SEND(flags, to, length, REAL(sendto)(fd, buffer, bytes, flags, to, length));
}

#define SEND_PARTS(flags, message, call)                                                           \
    struct fw_thread *t = fw_enter_effect(FW_ON_FD(fd));                                           \
    unsigned channel;                                                                              \
    ssize_t sent;                                                                                  \
    size_t given, bytes;                                                                           \
    bool waits;                                                                                    \
                                                                                                   \
    if (!t)                                                                                        \
        return call;                                                                               \
    given = parts_given(parts, (size_t)count);                                                     \
    bytes = parts_bytes(parts, given);                                                             \
    tell_given(t, parts, given, FW_PC);                                                            \
    tell_flags(flags);                                                                             \
    waits = !((flags) & MSG_DONTWAIT) && fw_fd_waits_write(fd, bytes);                             \
    channel = begin_message(t, fd, message, FW_PC);                                                \
    fw_channel_writing(t, channel, waits, FW_PC);                                                  \
    FW_PASS(t, waits, sent = call);                                                                \
    return sent_bytes(t, channel, sent, bytes, FW_PC)

static unsigned begin_message(struct fw_thread *t, int fd, const struct msghdr *message,
                              uintptr_t pc)
{
    if (!message)
        return fw_channel_out(fd, NULL, 0);
    fw_channel_passed(t, message, pc);
    return fw_channel_out(fd, message->msg_name, message->msg_namelen);
}

FW_EXPORT ssize_t writev(int fd, const struct iovec *parts, int count)
{
    SEND_PARTS(0, NULL, REAL(writev)(fd, parts, count));
}

FW_EXPORT ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
    SEND_PARTS(0, NULL, REAL(pwritev)(fd, parts, count, offset));
}

FW_EXPORT ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset)
{
    SEND_PARTS(0, NULL, REAL(pwritev64)(fd, parts, count, offset));
}

FW_EXPORT ssize_t pwritev2(int fd, const struct iovec *parts, int count, off_t offset, int flags)
{
    SEND_PARTS(0, NULL, REAL(pwritev2)(fd, parts, count, offset, flags));
}

FW_EXPORT ssize_t pwritev64v2(int fd, const struct iovec *parts, int count, off64_t offset,
                              int flags)
{
    SEND_PARTS(0, NULL, REAL(pwritev64v2)(fd, parts, count, offset, flags));
}

FW_EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    const struct msghdr *seen = given_message(message);
    const struct iovec *parts = seen->msg_iov;
    size_t count = seen->msg_iovlen;

    SEND_PARTS(flags, seen, REAL(sendmsg)(fd, message, flags));
}

FW_EXPORT int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FD(fd));
    int sent;

    if (!t)
        return REAL(sendmmsg)(fd, messages, count, flags);
    for (unsigned i = 0; i < count && i < IOV_MAX; i++) {
        const struct msghdr *seen = given_message(&messages[i].msg_hdr);

        tell_given(t, seen->msg_iov, parts_given(seen->msg_iov, seen->msg_iovlen), FW_PC);
        fw_channel_writing(t, begin_message(t, fd, seen, FW_PC), true, FW_PC);
    }
    FW_PASS(t, !(flags & MSG_DONTWAIT), sent = REAL(sendmmsg)(fd, messages, count, flags));
    for (int i = 0; i < (sent > 0 ? sent : 1) && sent; i++) {
        const struct msghdr *seen = given_message(&messages[i].msg_hdr);

        fw_channel_wrote(t, fw_channel_out(fd, seen->msg_name, seen->msg_namelen), sent,
                         (size_t)sent, FW_PC);
        if (sent > 0)
            fw_writes(t, &messages[i].msg_len, sizeof messages[i].msg_len, FW_PC);
    }
    fw_done(t);
    return sent;
}
