/*
 * io_channel.c - which channel a descriptor belongs to, and what its use orders (channel.h).
 *
 * Channels are found by what the kernel says of a descriptor, so it does not matter how the program
 * came by it.  The two ends of a pipe, all who have opened a fifo, and copies of all these have one
 * inode.  Sockets have one each; pairs and connections within the process are noted down
 * (io_address.c).  Nameless files (eventfd, timerfd) all have the same inode: they are known by the
 * descriptor that their maker gave them, and its copies.
 *
 * Standard input and output that were there when the program began lead out of it.
 *
 * Pipes that were there when a child was made may be its business too: what one thread sends to a
 * child comes before what another gets from it.
 *
 * When the tables are full, new channels share the objects of old ones.  A fork child goes on with
 * a copy of everything.
 */
#include "runtime/channel.h"

#include "runtime/counter.h"
#include "runtime/intercept.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#define CHANNELS    16384u
#define KEYS        32768u /* a power of two, more than CHANNELS */
#define DESCRIPTORS 65536
#define CACHED      1024
#define DATAGRAMS   0x80000000u /* with a channel: of a socket that sends to other ones */

/* Its address is the object, the one behind it that of the room in it. */
static struct channel {
    uint32_t reader; /* the last one, and one more; nothing was written since if not `written` */
    bool written;
    bool wanted;   /* somebody has waited for room */
    bool is_set;   /* of descriptors (epoll) */
    bool counts;   /* an eventfd */
    bool streamed; /* by stdio: something may be left in a buffer */
} channels[CHANNELS];

/* Calls that are moving bytes from one to the other, so many of them. */
#define MOVES 16u
static struct {
    unsigned in, out, count;
} moves[MOVES];
static unsigned nested; /* how deep we are in sets of sets, and in moves from move to move */
#define NESTED 5u

static struct key {
    uint64_t hash; /* 0: free */
    uint32_t channel;
} keys[KEYS];

static unsigned made = FW_CHANNEL_FIRST, keys_used;
static unsigned shared; /* channels below were there when the last child was made */
static bool has_children, has_terminals;
bool fw_channel_locks;

static uint16_t nameless[DESCRIPTORS]; /* 0: nothing known */

/* What look said; good until descriptors change. */
static struct {
    uint32_t version;
    uint32_t channel;
} cache[CACHED];
static uint32_t version = 1;

/* --- keys ------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

static uint64_t hash_key(unsigned kind, uint64_t a, uint64_t b)
{
    return mix(mix(a + kind * 0x9e3779b97f4a7c15u) + b) | 1;
}

/* Its place, or the free one where it belongs. */
static struct key *find_key(uint64_t hash)
{
    unsigned at = (unsigned)(hash >> 8) & (KEYS - 1);

    while (keys[at].hash && keys[at].hash != hash)
        at = (at + 1) & (KEYS - 1);
    return &keys[at];
}

static unsigned make_channel(uint64_t hash)
{
    if (made < CHANNELS)
        return made++;
    return FW_CHANNEL_FIRST + (unsigned)(hash >> 20) % (CHANNELS - FW_CHANNEL_FIRST);
}

/* False: there is no room. */
static bool set_key(uint64_t hash, unsigned channel)
{
    struct key *key = find_key(hash);

    if (!key->hash && keys_used >= KEYS / 4 * 3)
        return false;
    keys_used += !key->hash;
    *key = (struct key){ hash, channel };
    return true;
}

/* Not that a key has this channel is lost, which its hash tells, but that it is there. */
static void lost_key(void)
{
    fw_unmodelled("more connections than can be kept in mind");
}

unsigned fw_channel_of(unsigned kind, uint64_t a, uint64_t b)
{
    uint64_t hash = hash_key(kind, a, b);
    const struct key *key = find_key(hash);
    unsigned channel;

    if (key->hash)
        return key->channel;
    channel = keys_used < KEYS / 4 * 3
                  ? make_channel(hash)
                  : FW_CHANNEL_FIRST + (unsigned)(hash >> 20) % (CHANNELS - FW_CHANNEL_FIRST);
    if (!set_key(hash, channel) && (kind >= FW_KEY_LISTENERS && kind <= FW_KEY_QUEUE))
        lost_key();
    return channel;
}

bool fw_channel_known(unsigned kind, uint64_t a, uint64_t b)
{
    return find_key(hash_key(kind, a, b))->hash != 0;
}

/* --- descriptors ------------------------------------------------------------------------------ */

static bool ask(int fd, struct stat *about)
{
    return fw_syscall(SYS_fstat, fd, (long)about, 0, 0, 0, 0) == 0;
}

/* The pipes that were standard input and output at the beginning, by inode. */
static struct {
    dev_t device;
    ino_t number;
} outer[3];

__attribute__((constructor)) static void find_outer(void)
{
    struct stat about[3] = { 0 };

    for (int fd = 0; fd < 3; fd++)
        if (!ask(fd, &about[fd]) || !S_ISFIFO(about[fd].st_mode))
            about[fd].st_ino = 0;
    for (int fd = 1; fd < 3; fd++)
        if (about[0].st_ino && about[fd].st_ino == about[0].st_ino)
            return; /* both ends of one: who knows what for */
    for (int fd = 0; fd < 3; fd++) {
        outer[fd].device = about[fd].st_dev;
        outer[fd].number = about[fd].st_ino;
    }
}

static bool leads_out(const struct stat *about)
{
    for (int i = 0; i < 3; i++)
        if (outer[i].number == about->st_ino && outer[i].device == about->st_dev)
            return true;
    return false;
}

/* Masters, terminals by number, and the one that the program was started from. */
static bool is_terminal(dev_t device)
{
    unsigned kind = major(device), number = minor(device);

    return (kind >= 136 && kind <= 143) || (kind == 5 && (number == 0 || number == 2));
}

static unsigned look_at_socket(int fd)
{
    bool datagrams;
    unsigned channel = fw_channel_socket(fd, &datagrams);

    return datagrams ? channel | DATAGRAMS : channel;
}

static unsigned look(int fd, const struct stat *about)
{
    switch (about->st_mode & S_IFMT) {
    case S_IFIFO:
        return leads_out(about) ? 0 : fw_channel_of(FW_KEY_PIPE, about->st_dev, about->st_ino);
    case S_IFSOCK: {
        const struct key *key = find_key(hash_key(FW_KEY_SOCKET, about->st_ino, 0));

        return key->hash ? key->channel : look_at_socket(fd);
    }
    case S_IFCHR:
        return has_terminals && is_terminal(about->st_rdev) ? FW_CHANNEL_TERMINALS : 0;
    case S_IFREG: /* or a message queue that was used as such */
        return find_key(hash_key(FW_KEY_QUEUE, about->st_dev, about->st_ino))->channel;
    case 0:
        return fd < DESCRIPTORS && nameless[fd] ? nameless[fd] : FW_CHANNEL_OTHERS;
    default:
        return 0;
    }
}

/* A socket for datagrams may get its address later, and a number that is free its file. */
static unsigned find(int fd)
{
    struct stat about;
    unsigned channel;

    if (fd < 0)
        return 0;
    if (fd < CACHED && cache[fd].version == version)
        return cache[fd].channel;
    if (!ask(fd, &about))
        return 0;
    channel = look(fd, &about);
    if (fd < CACHED && !(channel & DATAGRAMS)) {
        cache[fd].version = version;
        cache[fd].channel = channel;
    }
    return channel;
}

unsigned fw_channel_in(int fd)
{
    return find(fd) & ~DATAGRAMS;
}

bool fw_channel_is_none(int fd)
{
    return fd < 0 || (fd < CACHED && cache[fd].version == version && !cache[fd].channel);
}

unsigned fw_channel_out(int fd, const void *address, socklen_t length)
{
    unsigned channel = find(fd);

    return channel & DATAGRAMS ? fw_channel_datagrams(fd, address, length) : channel;
}

void fw_channel_changed(void)
{
    version++;
}

/* What the kernel calls the file: "pipe:[1234]", "anon_inode:[eventfd]", or a path. */
static bool is_called(int fd, const char *name)
{
    char path[32] = "/proc/self/fd/", text[32] = "", digits[12];
    size_t at = sizeof "/proc/self/fd/" - 1, count = 0;

    do
        digits[count++] = (char)('0' + fd % 10);
    while (fd /= 10);
    while (count)
        path[at++] = digits[--count];
    return fw_syscall(SYS_readlink, (long)path, (long)text, sizeof text - 1, 0, 0, 0) > 0 &&
           strncmp(text, name, strlen(name)) == 0;
}

enum fw_within fw_channel_within(int fd)
{
    struct stat about;

    if (has_children || fd < 0 || !ask(fd, &about))
        return FW_WITHIN_NOT;
    if (S_ISSOCK(about.st_mode))
        return fw_channel_socket_within(fd, fw_channel_known(FW_KEY_SOCKET, about.st_ino, 0));
    return (is_called(fd, "pipe:") && !leads_out(&about)) || is_called(fd, "anon_inode:[eventfd]")
               ? FW_WITHIN_AT_ONCE
               : FW_WITHIN_NOT;
}

void fw_channel_set_socket(int fd, unsigned channel)
{
    struct stat about;

    version++;
    if (ask(fd, &about) && !set_key(hash_key(FW_KEY_SOCKET, about.st_ino, 0), channel))
        lost_key();
}

void fw_channel_made(int fd, int other)
{
    unsigned channel = make_channel((uint64_t)(unsigned)fd << 20);

    fw_channel_set_socket(fd, channel);
    fw_channel_set_socket(other, channel);
}

void fw_channel_nameless(int fd, unsigned channel)
{
    version++;
    if (fd >= 0 && fd < DESCRIPTORS)
        nameless[fd] = (uint16_t)(channel ? channel : make_channel((uint64_t)fd << 20));
}

void fw_channel_counter(int fd)
{
    if (fd >= 0 && fd < DESCRIPTORS)
        channels[nameless[fd]].counts = true;
}

/* Sockets and fifos with a name may have somebody else at the other end; a child has all we had. */
bool fw_channel_is_inner(int fd)
{
    struct stat about;

    if (has_children || fd < 0 || !ask(fd, &about))
        return false;
    if (S_ISFIFO(about.st_mode))
        return !leads_out(&about);
    return !(about.st_mode & S_IFMT) && channels[fw_channel_in(fd)].counts;
}

void fw_channel_closing(struct fw_thread *t, int fd, uintptr_t pc)
{
    unsigned channel = fw_channel_in(fd);

    fw_channel_before(t, channel, pc);
    fw_channel_reading(t, channel, false, pc); /* who waits for room is let go */
    if (fw_channel_locks)
        fw_channel_before(t, FW_CHANNEL_LOCKS, pc);
}

void fw_channel_closed(unsigned first, unsigned last)
{
    version++;
    for (unsigned fd = first; fd <= last && fd < DESCRIPTORS; fd++)
        nameless[fd] = 0;
}

/* Whoever gets a nameless file knows it as one of the others; so do all who have it already. */
static void pass(struct fw_thread *t, int fd, uintptr_t pc)
{
    unsigned channel = fd >= 0 && fd < DESCRIPTORS ? nameless[fd] : 0;

    if (channel == FW_CHANNEL_SIGNALS || channels[channel].is_set)
        fw_unmodelled("a descriptor for signals, or others, that is passed on");
    if (channel < FW_CHANNEL_FIRST)
        return;
    fw_channel_after(t, channel, pc);
    fw_channel_before(t, FW_CHANNEL_OTHERS, pc);
    for (int i = 0; i < DESCRIPTORS; i++)
        if (nameless[i] == channel)
            nameless[i] = FW_CHANNEL_OTHERS;
    version++;
}

/* A copy whose number is too high is known as one of the others. */
void fw_channel_copied(struct fw_thread *t, int from, int to, uintptr_t pc)
{
    version++;
    if (to >= DESCRIPTORS)
        pass(t, from, pc);
    else if (to >= 0)
        nameless[to] = from >= 0 && from < DESCRIPTORS ? nameless[from] : 0;
}

void fw_channel_passed(struct fw_thread *t, const struct msghdr *message, uintptr_t pc)
{
    const char *end = (const char *)message->msg_control + message->msg_controllen;

    if (!message->msg_control || message->msg_controllen > 1u << 20 ||
        !fw_readable(message->msg_control, message->msg_controllen))
        return;
    for (struct cmsghdr *at = CMSG_FIRSTHDR(message); at;
         at = CMSG_NXTHDR((struct msghdr *)message, at)) {
        size_t bytes = at->cmsg_len - CMSG_LEN(0);

        if (at->cmsg_len < CMSG_LEN(0) || at->cmsg_len > (size_t)(end - (const char *)at))
            return; /* EINVAL */
        if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t i = 0; i + sizeof(int) <= bytes; i += sizeof(int)) {
            int fd;

            fw_copy(&fd, CMSG_DATA(at) + i, sizeof fd);
            pass(t, fd, pc);
        }
    }
}

void fw_channel_terminals(void)
{
    has_terminals = true;
    version++;
}

void fw_channel_forks(struct fw_thread *t, uintptr_t pc)
{
    has_children = true;
    shared = made;
    fw_channel_before(t, FW_CHANNEL_CHILDREN, pc);
}

bool fw_channel_has_children(void)
{
    return has_children;
}

void fw_channel_signal(struct fw_thread *t, uintptr_t pc)
{
    fw_channel_before(t, FW_CHANNEL_SIGNALS, pc);
}

/* --- use -------------------------------------------------------------------------------------- */

static void *room_of(unsigned channel)
{
    return (char *)&channels[channel] + 1;
}

static void tell_before(struct fw_thread *t, unsigned channel, uintptr_t pc)
{
    if (fw_sync(t, FW_WIRE_BEFORE, &channels[channel], pc))
        channels[channel].written = true;
}

/* Not if it would say the same as the reader's last time, or nobody has written at all. */
static void tell_after(struct fw_thread *t, unsigned channel, uintptr_t pc)
{
    struct channel *c = &channels[channel];
    uint32_t reader = fw_thread_number(t) + 1;

    if (!c->written && (c->reader == reader || !c->reader))
        return;
    if (!fw_sync(t, FW_WIRE_AFTER, c, pc))
        return;
    c->reader = reader;
    c->written = false;
}

/* What goes into a channel whose bytes are being moved may come out of the other one at once. */
static void tell_moves(struct fw_thread *t, unsigned in, uintptr_t pc)
{
    if (nested >= NESTED)
        return;
    nested++;
    for (unsigned i = 0; i < MOVES; i++)
        if (moves[i].count && moves[i].in == in)
            fw_channel_before(t, moves[i].out, pc);
    nested--;
}

void fw_channel_before(struct fw_thread *t, unsigned channel, uintptr_t pc)
{
    if (!t || !channel)
        return;
    tell_before(t, channel, pc);
    if (channel >= FW_CHANNEL_FIRST && channel < shared)
        tell_before(t, FW_CHANNEL_CHILDREN, pc);
    tell_moves(t, channel, pc);
}

void fw_channel_after(struct fw_thread *t, unsigned channel, uintptr_t pc)
{
    if (!t || !channel)
        return;
    tell_after(t, channel, pc);
    if (channel == FW_CHANNEL_SIGNALS || (channel >= FW_CHANNEL_FIRST && channel < shared))
        tell_after(t, FW_CHANNEL_CHILDREN, pc);
    if (channels[channel].is_set && nested < NESTED) {
        nested++;
        fw_epoll_ready(t, channel, pc);
        nested--;
    }
}

void fw_channel_moves(unsigned in, unsigned out)
{
    unsigned at = 0;

    if (!in || !out)
        return;
    while (at < MOVES && moves[at].count && (moves[at].in != in || moves[at].out != out))
        at++;
    if (at == MOVES) {
        fw_unmodelled("many calls at once that move bytes between descriptors");
        return;
    }
    moves[at].in = in;
    moves[at].out = out;
    moves[at].count++;
}

void fw_channel_moved(unsigned in, unsigned out)
{
    for (unsigned i = 0; i < MOVES; i++)
        if (moves[i].count && moves[i].in == in && moves[i].out == out)
            moves[i].count--;
}

void fw_channel_set(int fd)
{
    channels[fw_channel_in(fd)].is_set = true;
}

void fw_channel_streamed(unsigned channel)
{
    channels[channel].streamed = true;
}

void fw_channel_flushing(struct fw_thread *t, uintptr_t pc)
{
    for (unsigned channel = 1; channel < made; channel++)
        if (channels[channel].streamed)
            fw_channel_before(t, channel, pc);
}

/* Has the call found out what others did? */
static bool has_learnt(ssize_t result)
{
    return result >= 0 || (errno != EAGAIN && errno != EINTR);
}

/* While the reader waits somebody may come who wants room. */
void fw_channel_reading(struct fw_thread *t, unsigned channel, bool waits, uintptr_t pc)
{
    if (t && channel && (waits || channels[channel].wanted))
        fw_sync(t, FW_WIRE_BEFORE, room_of(channel), pc);
}

void fw_channel_read(struct fw_thread *t, unsigned channel, ssize_t got, uintptr_t pc)
{
    if (has_learnt(got))
        fw_channel_after(t, channel, pc);
}

void fw_channel_writing(struct fw_thread *t, unsigned channel, bool waits, uintptr_t pc)
{
    fw_channel_before(t, channel, pc);
    if (waits)
        channels[channel].wanted = true;
}

void fw_channel_wrote(struct fw_thread *t, unsigned channel, ssize_t sent, size_t asked,
                      uintptr_t pc)
{
    if (!t || !channel)
        return;
    if (sent < 0 && has_learnt(sent))
        fw_channel_after(t, channel, pc);
    else if (sent >= 0 && channels[channel].wanted)
        fw_sync(t, FW_WIRE_AFTER, room_of(channel), pc);
    if (!has_learnt(sent) || (sent >= 0 && (size_t)sent < asked))
        channels[channel].wanted = true;
}

void fw_channel_wants_room(int fd)
{
    channels[fw_channel_out(fd, NULL, 0)].wanted = true;
}

void fw_channel_has_room(struct fw_thread *t, int fd, uintptr_t pc)
{
    unsigned channel = fw_channel_out(fd, NULL, 0);

    if (t && channel && channels[channel].wanted)
        fw_sync(t, FW_WIRE_AFTER, room_of(channel), pc);
}
