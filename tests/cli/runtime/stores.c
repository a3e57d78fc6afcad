/*
 * stores.c - what calls store for the program, and no byte more.  One thread makes the call that the
 * first argument names; the other reads what lies beside, and with "hit" as the second argument
 * what is stored, so that they race.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static int p[2];
static struct sockaddr_un name;
static struct {
    char before[16], room[16], behind[128];
} all;
static struct {
    struct statvfs64 about;
    char behind[16];
} vfs;
static char link_path[64];
static struct pollfd polled;
static struct msghdr message;
static struct iovec part = { all.room, 16 };
static char *hit = all.room, *beside = all.behind;

ssize_t __readlink_chk(const char *path, char *to, size_t most, size_t room); /* fortified */

static void check(int holds)
{
    if (!holds)
        abort();
}

/* --- what is there ---------------------------------------------------------------------------- */

/* A datagram larger than the room. */
static void datagram(void)
{
    char text[100] = { 0 };

    check(socketpair(AF_UNIX, SOCK_DGRAM, 0, p) == 0);
    check(write(p[1], text, sizeof text) == sizeof text);
}

static void named(void)
{
    name.sun_family = AF_UNIX;
    snprintf(name.sun_path, sizeof name.sun_path, "stores.%d.with-a-long-name", getpid());
    unlink(name.sun_path);
    p[0] = socket(AF_UNIX, SOCK_DGRAM, 0);
    check(bind(p[0], (void *)&name, sizeof name) == 0);
    check(sendto(p[0], "x", 1, 0, (void *)&name, sizeof name) == 1);
    unlink(name.sun_path);
}

static void one_to_poll(void)
{
    check(pipe(p) == 0);
    polled = (struct pollfd){ p[1], POLLOUT, 0 };
    hit = (char *)&polled.revents;
    beside = (char *)&polled.events + 1;
}

static void head(void)
{
    datagram();
    message = (struct msghdr){ .msg_iov = &part, .msg_iovlen = 1 };
    hit = (char *)&message.msg_flags;
    beside = (char *)&message.msg_iovlen + 7;
}

static void pipes(void) { check(pipe(p) == 0 && write(p[1], "x", 1) == 1); }

static void file_system(void)
{
    hit = (char *)&vfs.about.f_bsize;
    beside = vfs.behind;
}

static void link_to_read(void)
{
    snprintf(link_path, sizeof link_path, "stores.%d.link", getpid());
    unlink(link_path);
    check(symlink("x", link_path) == 0);
    beside = all.room + 1;
}

/* --- the calls -------------------------------------------------------------------------------- */

static void call_recv(void) { check(recv(p[0], all.room, 16, MSG_TRUNC) == 100); }
static void call_statvfs(void) { check(statvfs64(".", &vfs.about) == 0); }

static void call_readlink(void)
{
    check(__readlink_chk(link_path, all.room, 16, 16) == 1);
    unlink(link_path);
}

static void call_poll(void) { check(poll(&polled, 1, 0) == 1); }
static void call_recvmsg(void) { check(recvmsg(p[0], &message, 0) == 16); }

static void call_recvfrom(void)
{
    socklen_t length = 16;
    char c;

    check(recvfrom(p[0], &c, 1, 0, (void *)all.room, &length) == 1 && length > 16);
}

static void call_getsockname(void)
{
    socklen_t length = 16;

    check(getsockname(p[0], (void *)all.room, &length) == 0 && length > 16);
}

static void call_vmsplice(void)
{
    check(vmsplice(p[0], &(struct iovec){ all.room, sizeof all.room + 1 }, 1, 0) == 1);
}

/* ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*prepare)(void), (*call)(void);
} calls[] = {
    { "recv", datagram, call_recv },
    { "recvfrom", named, call_recvfrom },
    { "recvmsg", head, call_recvmsg },
    { "getsockname", named, call_getsockname },
    { "poll", one_to_poll, call_poll },
    { "vmsplice", pipes, call_vmsplice },
    { "statvfs", file_system, call_statvfs },
    { "readlink", link_to_read, call_readlink },
};

static void *touch(void *context)
{
    (void)*(volatile char *)context;
    return NULL;
}

int main(int count, char **arguments)
{
    pthread_t thread;
    size_t i = 0;

    while (strcmp(calls[i].name, arguments[1]))
        check(++i < sizeof calls / sizeof *calls);
    calls[i].prepare();
    pthread_create(&thread, NULL, touch, count > 2 ? hit : beside);
    calls[i].call();
    pthread_join(thread, NULL);
    printf("%s\n", calls[i].name);
    return 0;
}
