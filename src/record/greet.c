/* greet.c - see greet.h. */
#include "record/greet.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Seconds for a connected process to say who it is.  It does so at once, but may have to wait for
 * a processor of a busy machine; and nobody else knows the name of the door. */
#define PATIENCE 10

int fw_door_open(struct fw_door *door, struct fw_error *err)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    uint64_t secret = 0;
    size_t len;

    if (getrandom(&secret, sizeof secret, 0) < 0)
        errno = 0; /* the process id makes it unique; the rest makes it hard to guess */
    snprintf(door->name, sizeof door->name, "foreweave-%ld-%016llx", (long)getpid(),
             (unsigned long long)secret);
    len = strlen(door->name);
    memcpy(address.sun_path + 1, door->name, len);
    door->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (door->fd < 0)
        return fw_error_errno(err, "cannot make a socket");
    if (bind(door->fd, (struct sockaddr *)&address,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len)) < 0 ||
        listen(door->fd, 128) < 0) {
        fw_error_errno(err, "cannot listen on a socket");
        close(door->fd);
        return -1;
    }
    return 0;
}

void fw_door_close(struct fw_door *door)
{
    close(door->fd);
    door->fd = -1;
}

/* All of it, whatever signals come; false: it has gone, or is not heard of in time. */
static bool hear(int fd, void *to, size_t bytes)
{
    struct timeval patience = { .tv_sec = PATIENCE };
    size_t got = 0;

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    while (got < bytes) {
        ssize_t more = recv(fd, (char *)to + got, bytes - got, 0);

        if (more == 0 || (more < 0 && errno != EINTR))
            return false;
        got += more > 0 ? (size_t)more : 0;
    }
    return true;
}

static bool hear_hello(struct fw_guest *guest)
{
    struct ucred who;
    socklen_t len = sizeof who;

    if (!hear(guest->fd, &guest->hello, sizeof guest->hello))
        return false;
    guest->hello.program[sizeof guest->hello.program - 1] = '\0';
    guest->pid = guest->hello.pid;
    if (getsockopt(guest->fd, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0 && who.pid > 0)
        guest->pid = who.pid;
    return guest->hello.magic == FW_WIRE_MAGIC && guest->hello.version == FW_WIRE_VERSION &&
           guest->pid > 0;
}

bool fw_door_guest(struct fw_door *door, struct fw_guest *guest)
{
    for (;;) {
        guest->fd = accept4(door->fd, NULL, NULL, SOCK_CLOEXEC);
        if (guest->fd < 0)
            return false;
        if (hear_hello(guest))
            return true;
        close(guest->fd); /* somebody else, or of another version */
    }
}

void fw_guest_welcome(struct fw_guest *guest, int memory, uint64_t bytes)
{
    struct fw_wire_welcome welcome = { .magic = FW_WIRE_MAGIC,
                                       .version = FW_WIRE_VERSION,
                                       .recorder = (int32_t)getpid(),
                                       .accepted = memory >= 0,
                                       .bytes = bytes };
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = { 0 };
    struct iovec part = { &welcome, sizeof welcome };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

    if (memory >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        control.head.cmsg_level = SOL_SOCKET;
        control.head.cmsg_type = SCM_RIGHTS;
        control.head.cmsg_len = CMSG_LEN(sizeof memory);
        memcpy(CMSG_DATA(&control.head), &memory, sizeof memory);
    }
    /* If it has gone meanwhile there is nobody to tell. */
    while (sendmsg(guest->fd, &message, MSG_NOSIGNAL) < 0 && errno == EINTR)
        ;
    close(guest->fd);
}
