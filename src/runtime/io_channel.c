/*
 * io_channel.c - pipes, socket pairs and event counters as synchronisation.
 *
 * What a thread did before it wrote into a channel comes before what another does after it has read
 * from it: BEFORE and AFTER on an object that stands for the channel.  (Every reader comes after
 * every earlier writer, which is more than the bytes it got would say; a program that relies on the
 * difference is hard to imagine.)  Descriptors above the table have no channel: nothing is told.
 *
 * A connection whose two ends both are in this process is a channel as well: what connect and
 * accept made have the same two addresses, in the other order.  Whichever comes first makes the
 * channel, since it may be used before the other has returned.  (Clients of Unix sockets have no
 * address: there all connections to one name are one channel.)  A process that does not listen, or
 * to whose address nobody in it connects, has no such connections.
 *
 * Changed by holders of the token only; a fork child goes on with a copy.
 */
#include "runtime/intercept.h"

#include <sys/socket.h>
#include <sys/syscall.h>

#define DESCRIPTORS 4096
#define CHANNELS    8192

static uint16_t channel_of[DESCRIPTORS]; /* 0: none */
static char objects[CHANNELS];           /* only their addresses matter */
static unsigned made;

static unsigned find(int fd)
{
    return fd >= 0 && fd < DESCRIPTORS ? channel_of[fd] : 0;
}

static void set(int fd, unsigned channel)
{
    if (fd >= 0 && fd < DESCRIPTORS)
        channel_of[fd] = (uint16_t)channel;
}

void fw_channel_made(struct fw_thread *t, int fd, int other)
{
    unsigned channel = 1 + made++ % (CHANNELS - 1);

    if (made >= CHANNELS)
        fw_record(t, FW_WIRE_DESTROY, (uintptr_t)&objects[channel], 0);
    set(fd, channel);
    set(other, channel);
}

void fw_channel_copied(int from, int to)
{
    set(to, find(from));
}

/* --- connections ------------------------------------------------------------------------------ */

#define CONNECTIONS 256u
#define TARGETS     64u

/* The latest connections; older ones are forgotten. */
static struct connection {
    uint64_t key; /* of the two addresses together; 0: none */
    unsigned channel;
} connections[CONNECTIONS];
static unsigned connections_met;
static uint64_t targets[TARGETS]; /* addresses to which somebody here connects */
static unsigned targets_met;
static bool listens;

static uint64_t hash_bytes(uint64_t hash, const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

/* 0: no address. */
static uint64_t hash_address(const void *address, socklen_t length)
{
    const unsigned char *bytes = address;
    uint64_t start = 0xcbf29ce484222325u;
    socklen_t used = length;
    sa_family_t family;

    if (length <= sizeof family)
        return 0;
    fw_copy(&family, address, sizeof family);
    if (family == AF_INET && length >= 8)
        return hash_bytes(start, bytes, 8);
    if (family == AF_INET6 && length >= 24)
        return hash_bytes(hash_bytes(start, bytes, 4), bytes + 8, 16);
    if (family != AF_UNIX)
        return 0;
    /* A path ends at its zero or with the address; a name without one has all bytes. */
    if (bytes[2])
        for (used = 2; used < length && bytes[used]; used++)
            ;
    return hash_bytes(start, bytes, used);
}

static uint64_t hash_of(long call, int fd)
{
    unsigned char name[sizeof(struct sockaddr_storage) + 1] = { 0 };
    socklen_t length = sizeof name - 1;

    if (fw_syscall(call, fd, (long)name, (long)&length, 0, 0, 0) < 0 || length >= sizeof name)
        return 0;
    return hash_address(name, length);
}

static bool is_target(uint64_t hash)
{
    for (unsigned i = 0; i < TARGETS; i++)
        if (targets[i] == hash)
            return true;
    return false;
}

static void join_connection(struct fw_thread *t, int fd, uint64_t key)
{
    struct connection *slot;

    for (unsigned i = 0; i < CONNECTIONS; i++) {
        if (connections[i].key != key)
            continue;
        set(fd, connections[i].channel);
        return;
    }
    fw_channel_made(t, fd, fd);
    slot = &connections[connections_met++ % CONNECTIONS];
    *slot = (struct connection){ key, find(fd) };
}

void fw_channel_listens(void)
{
    listens = true;
}

void fw_channel_connecting(const void *address, socklen_t length)
{
    uint64_t hash = hash_address(address, length);

    if (listens && hash && !is_target(hash))
        targets[targets_met++ % TARGETS] = hash;
}

/* getsockname has nothing for clients of Unix sockets: the key is the server's name alone. */
void fw_channel_connected(struct fw_thread *t, int fd, const void *address, socklen_t length)
{
    uint64_t server = hash_address(address, length);

    if (t && listens && server)
        join_connection(t, fd, server + hash_of(SYS_getsockname, fd));
}

void fw_channel_accepted(struct fw_thread *t, int fd)
{
    uint64_t server = hash_of(SYS_getsockname, fd);

    if (t && server && is_target(server))
        join_connection(t, fd, server + hash_of(SYS_getpeername, fd));
}

/* --- use -------------------------------------------------------------------------------------- */

void fw_channel_closed(int fd)
{
    set(fd, 0);
}

void fw_channel_written(struct fw_thread *t, int fd, uintptr_t pc)
{
    unsigned channel = find(fd);

    if (t && channel)
        fw_sync(t, FW_WIRE_BEFORE, &objects[channel], pc);
}

void fw_channel_read(struct fw_thread *t, int fd, uintptr_t pc)
{
    unsigned channel = find(fd);

    if (t && channel)
        fw_sync(t, FW_WIRE_AFTER, &objects[channel], pc);
}
