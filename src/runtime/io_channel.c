/*
 * io_channel.c - pipes, socket pairs and event counters as synchronisation.
 *
 * What a thread did before it wrote into a channel comes before what another does after it has read
 * from it: BEFORE and AFTER on an object that stands for the channel.  (Every reader comes after
 * every earlier writer, which is more than the bytes it got would say; a program that relies on the
 * difference is hard to imagine.)  Descriptors above the table have no channel: nothing is told.
 *
 * Changed by holders of the token only; a fork child goes on with a copy.
 */
#include "runtime/intercept.h"

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
