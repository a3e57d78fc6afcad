/*
 * io_channel.c - pipes, socket pairs and event counters as synchronisation.
 *
 * What a thread did before it wrote into a channel comes before what another does after it has read
 * from it: BEFORE and AFTER on an object that stands for the channel.  (Every reader comes after
 * every earlier writer, which is more than the bytes it got would say; a program that relies on the
 * difference is hard to imagine.)  Descriptors above the table have no channel: nothing is told.
 *
 * A connection whose two ends both are in this process is a channel as well: the two addresses of
 * what connect and accept made are the same, in the other order.
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

#define ENDS 256u

/* Ends whose other one has not been met; the oldest are forgotten. */
static struct end {
    uint64_t key; /* 0: none */
    int fd;
} ends[ENDS];
static unsigned ends_met;

static uint64_t hash_name(long call, int fd)
{
    unsigned char name[sizeof(struct sockaddr_storage)];
    socklen_t length = sizeof name;
    uint64_t hash = 0xcbf29ce484222325u;

    if (fw_syscall(call, fd, (long)name, (long)&length, 0, 0, 0) < 0 || length <= 2 ||
        length > sizeof name)
        return 0;
    for (socklen_t i = 0; i < length; i++)
        hash = (hash ^ name[i]) * 0x100000001b3u;
    return hash;
}

void fw_channel_connected(struct fw_thread *t, int fd)
{
    uint64_t own = hash_name(SYS_getsockname, fd), other = hash_name(SYS_getpeername, fd);
    uint64_t key = own + other; /* the same for both */

    if (!t || !own || !other)
        return;
    for (unsigned i = 0; i < ENDS; i++) {
        if (ends[i].key != key || ends[i].fd == fd)
            continue;
        fw_channel_made(t, fd, ends[i].fd);
        ends[i].key = 0;
        return;
    }
    ends[ends_met++ % ENDS] = (struct end){ key, fd };
}

void fw_channel_closed(int fd)
{
    set(fd, 0);
    for (unsigned i = 0; i < ENDS && i < ends_met; i++)
        if (ends[i].fd == fd)
            ends[i].key = 0;
}

/* --- use -------------------------------------------------------------------------------------- */

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
