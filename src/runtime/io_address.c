/*
 * io_address.c - sockets of this process that talk to each other, found by their addresses.
 *
 * A connection whose two ends both are in this process is a channel: what connect and accept made
 * have the same two addresses, in the other order.  Whichever comes first makes the channel, since
 * it may be used before the other has returned.  (Clients of Unix sockets have no address: there
 * all connections to one name are one channel.)  A process that does not listen, or to whose
 * address nobody in it connects, has no such connections.
 *
 * Arrivals at a listener, listening itself and datagrams go by the port alone, or by the last part
 * of a Unix socket's name: there are many ways to write the rest.
 */
#include "runtime/channel.h"

#include "runtime/intercept.h"

#include <netinet/in.h>
#include <sys/syscall.h>
#include <sys/un.h>

/* --- addresses -------------------------------------------------------------------------------- */

static uint64_t hash_bytes(const unsigned char *bytes, size_t count)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

/* A path ends at its zero or with the address; a name without one has all bytes. */
static uint64_t hash_name(const unsigned char *name, size_t length)
{
    size_t start = 0, end = length;

    if (length && name[0]) {
        for (end = 0; end < length && name[end]; end++)
            if (name[end] == '/')
                start = end + 1;
    }
    return hash_bytes(name + start, end - start);
}

/* The port, or what stands for the name; 0: no address. */
static uint64_t hash_port(const void *address, socklen_t length)
{
    const struct sockaddr *any = address;

    if (!address || length <= sizeof any->sa_family)
        return 0;
    if (any->sa_family == AF_INET || any->sa_family == AF_INET6)
        return length >= 8 ? 1ull << 32 | ((const struct sockaddr_in *)address)->sin_port : 0;
    if (any->sa_family != AF_UNIX)
        return 0;
    return hash_name((const unsigned char *)address + offsetof(struct sockaddr_un, sun_path),
                     length - offsetof(struct sockaddr_un, sun_path));
}

/* With the host: none at all is this one, and version 4 may be written as version 6. */
static uint64_t hash_address(const void *address, socklen_t length)
{
    const struct sockaddr *any = address;
    uint64_t port = hash_port(address, length);
    struct in6_addr host;
    uint32_t four;

    if (!port || any->sa_family == AF_UNIX)
        return port;
    if (any->sa_family == AF_INET) {
        four = ((const struct sockaddr_in *)address)->sin_addr.s_addr;
    } else {
        if (length < 24)
            return 0;
        fw_copy(&host, (const char *)address + 8, sizeof host);
        fw_copy(&four, host.s6_addr + 12, sizeof four);
        if (!IN6_IS_ADDR_V4MAPPED(&host) && !IN6_IS_ADDR_UNSPECIFIED(&host) &&
            !IN6_IS_ADDR_LOOPBACK(&host))
            return port ^ hash_bytes(host.s6_addr, sizeof host);
        if (IN6_IS_ADDR_LOOPBACK(&host))
            four = 0;
    }
    if (!four)
        four = htonl(INADDR_LOOPBACK);
    return port ^ (uint64_t)four << 16;
}

/* Of an address that the program has given; 0 also if the kernel does not take it. */
static uint64_t hash_given(const void *address, socklen_t length)
{
    if (length > sizeof(struct sockaddr_storage) || !fw_readable(address, length))
        return 0;
    return hash_port(address, length);
}

typedef uint64_t hash_function(const void *address, socklen_t length);

/* Of the socket itself (SYS_getsockname), or of its other end (SYS_getpeername). */
static uint64_t hash_of(long call, int fd, hash_function *hash)
{
    struct sockaddr_storage name = { 0 };
    socklen_t length = sizeof name;

    if (fw_syscall(call, fd, (long)&name, (long)&length, 0, 0, 0) < 0 || length > sizeof name)
        return 0;
    return hash(&name, length);
}

static int option(int fd, int which)
{
    socklen_t length = sizeof(int);
    int value = 0;

    if (fw_syscall(SYS_getsockopt, fd, SOL_SOCKET, which, (long)&value, (long)&length, 0) < 0)
        return -1;
    return value;
}

static bool has_connections(int fd)
{
    int type = option(fd, SO_TYPE);

    return type == SOCK_STREAM || type == SOCK_SEQPACKET;
}

/* --- addresses that are stored ---------------------------------------------------------------- */

socklen_t fw_address_room(const void *address, const socklen_t *length)
{
    return fw_self && address && fw_readable(length, sizeof *length) ? *length : 0;
}

void fw_address_stored(struct fw_thread *t, const void *address, const socklen_t *length,
                       socklen_t room, uintptr_t pc)
{
    if (!t || !address || !length)
        return;
    fw_writes(t, length, sizeof *length, pc);
    fw_writes(t, address, *length < room ? *length : room, pc);
}

/* --- sockets without a partner ---------------------------------------------------------------- */

unsigned fw_channel_socket(int fd, bool *datagrams)
{
    int family = option(fd, SO_DOMAIN);

    *datagrams = false;
    if (family != AF_INET && family != AF_INET6 && family != AF_UNIX)
        return 0;
    if (!has_connections(fd)) {
        *datagrams = true;
        return fw_channel_of(FW_KEY_DATAGRAMS, hash_of(SYS_getsockname, fd, hash_port), 0);
    }
    if (option(fd, SO_ACCEPTCONN) <= 0)
        return 0;
    return fw_channel_of(FW_KEY_ARRIVALS, hash_of(SYS_getsockname, fd, hash_port), 0);
}

unsigned fw_channel_datagrams(int fd, const void *address, socklen_t length)
{
    uint64_t port = hash_given(address, length);

    if (!port)
        port = hash_of(SYS_getpeername, fd, hash_port);
    return fw_channel_of(FW_KEY_DATAGRAMS, port, 0);
}

/* Clients that are in this process are taken to be all that a listener has. */
enum fw_within fw_channel_socket_within(int fd, bool connected)
{
    uint64_t port = hash_of(SYS_getsockname, fd, hash_port);
    struct timeval limits[2] = { { 0 } };
    socklen_t length = sizeof *limits;

    fw_syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, (long)&limits[0], (long)&length, 0);
    fw_syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_SNDTIMEO, (long)&limits[1], (long)&length, 0);
    for (int i = 0; i < 2; i++)
        if (limits[i].tv_sec || limits[i].tv_usec)
            return FW_WITHIN_NOT;
    if (!connected &&
        (option(fd, SO_ACCEPTCONN) <= 0 || !fw_channel_known(FW_KEY_TARGETS, port, 0)))
        return FW_WITHIN_NOT;
    return option(fd, SO_DOMAIN) == AF_UNIX ? FW_WITHIN_AT_ONCE : FW_WITHIN_NET;
}

/* --- connections ------------------------------------------------------------------------------ */

void fw_channel_listens(struct fw_thread *t, int fd, uintptr_t pc)
{
    uint64_t port = hash_of(SYS_getsockname, fd, hash_port);

    fw_channel_changed();
    if (t && port)
        fw_channel_before(t, fw_channel_of(FW_KEY_LISTENERS, port, 0), pc);
}

bool fw_channel_connecting(struct fw_thread *t, const void *address, socklen_t length, uintptr_t pc)
{
    uint64_t port = hash_given(address, length);

    if (!port)
        return false;
    fw_channel_of(FW_KEY_TARGETS, port, 0);
    fw_channel_before(t, fw_channel_of(FW_KEY_ARRIVALS, port, 0), pc);
    return fw_channel_known(FW_KEY_LISTENERS, port, 0);
}

void fw_channel_connected(struct fw_thread *t, int fd, const void *address, socklen_t length,
                          uintptr_t pc)
{
    uint64_t port = hash_given(address, length);

    fw_channel_changed();
    if (!t || !port || !fw_channel_known(FW_KEY_LISTENERS, port, 0) || !has_connections(fd))
        return;
    fw_channel_set_socket(fd, fw_channel_of(FW_KEY_CONNECTION, hash_address(address, length),
                                            hash_of(SYS_getsockname, fd, hash_address)));
    fw_channel_after(t, fw_channel_of(FW_KEY_LISTENERS, port, 0), pc);
}

void fw_channel_accepted(struct fw_thread *t, int fd, uintptr_t pc)
{
    uint64_t port = hash_of(SYS_getsockname, fd, hash_port);

    fw_channel_changed();
    if (!t || !port || !fw_channel_known(FW_KEY_TARGETS, port, 0))
        return;
    fw_channel_set_socket(fd, fw_channel_of(FW_KEY_CONNECTION,
                                            hash_of(SYS_getsockname, fd, hash_address),
                                            hash_of(SYS_getpeername, fd, hash_address)));
    fw_channel_after(t, fw_channel_of(FW_KEY_ARRIVALS, port, 0), pc);
}
