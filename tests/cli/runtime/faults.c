/*
 * faults.c - what calls do with arguments that are wrong, with nothing to do, and when a signal
 * comes, is what they do alone: errors stay errors, and nobody waits who would not have.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>
#include <wchar.h>

#define BAD ((void *)8) /* nothing is there */

static int p[2], s[2];

static void show(const char *what, long result)
{
    printf("%s %ld %s\n", what, result, result < 0 ? strerrorname_np(errno) : "");
    fflush(stdout);
    errno = 0;
}

#define SHOW(call) show(#call, (long)(call))

/* --- arguments --------------------------------------------------------------------------------- */

static void parts(void)
{
    struct iovec none = { BAD, 4 }, huge[2] = { { "x", 1 }, { "y", SIZE_MAX / 2 } };

    SHOW(writev(p[1], BAD, 2));
    SHOW(writev(p[1], &none, 1));
    SHOW(writev(p[1], &none, -1));
    SHOW(writev(p[1], &none, 5000));
    SHOW(writev(p[1], huge, 2));
    SHOW(writev(-1, BAD, 1));
    SHOW(readv(s[0], BAD, 2));
    SHOW(readv(s[0], &none, -1));
    SHOW(preadv(p[0], BAD, 1, 0));
    SHOW(vmsplice(p[1], BAD, 1, 0));
    SHOW(write(p[1], BAD, 4));
    SHOW(write(p[1], "x", SIZE_MAX));
    SHOW(read(p[0], NULL, 0));
}

static void messages(void)
{
    char control[64] = { 0 };
    struct msghdr message = { .msg_iov = BAD, .msg_iovlen = 1 }, many = { .msg_iov = BAD };
    struct msghdr odd = { .msg_control = control, .msg_controllen = sizeof control };
    struct cmsghdr *first = (void *)control;

    SHOW(sendmsg(s[0], NULL, 0));
    SHOW(sendmsg(s[0], BAD, 0));
    SHOW(sendmsg(s[0], &message, 0));
    many.msg_iovlen = SIZE_MAX / 64;
    SHOW(sendmsg(s[0], &many, 0));
    *first = (struct cmsghdr){ 3, SOL_SOCKET, SCM_RIGHTS };
    SHOW(sendmsg(s[0], &odd, 0));
    first->cmsg_len = SIZE_MAX;
    SHOW(sendmsg(s[0], &odd, 0));
    odd.msg_control = BAD;
    SHOW(sendmsg(s[0], &odd, 0));
    SHOW(sendmmsg(s[0], BAD, 2, 0));
    SHOW(recvmsg(s[0], NULL, MSG_DONTWAIT));
    SHOW(recvmsg(s[0], BAD, MSG_DONTWAIT));
    SHOW(recvmmsg(s[0], BAD, 2, MSG_DONTWAIT, NULL));
}

static void addresses(void)
{
    struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "nothing" };
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

    SHOW(connect(fd, NULL, 16));
    SHOW(connect(fd, BAD, 16));
    SHOW(connect(fd, (void *)&name, 1 << 20));
    SHOW(connect(fd, (void *)&name, (socklen_t)-1));
    SHOW(sendto(fd, "x", 1, 0, BAD, 16));
    SHOW(sendto(fd, "x", 1, 0, (void *)&name, 1 << 20));
    SHOW(sendto(fd, "x", 1, 0, (void *)&name, sizeof name));
    SHOW(recvfrom(fd, BAD, 4, MSG_DONTWAIT, BAD, BAD));
    SHOW(getsockname(fd, BAD, BAD));
    close(fd);
}

static void sets(void)
{
    struct timeval none = { 0, 0 };
    int epoll = epoll_create1(0);
    char *two = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fd_set *last;

    munmap(two + 4096, 4096);
    last = (fd_set *)(two + 4096 - sizeof *last);
    SHOW(epoll_ctl(epoll, EPOLL_CTL_ADD, p[0], BAD));
    SHOW(epoll_ctl(epoll, EPOLL_CTL_ADD, p[0], NULL));
    SHOW(epoll_wait(epoll, BAD, 0, 0));
    SHOW(select(4, BAD, NULL, NULL, &none));
    SHOW(select(-1, last, NULL, NULL, &none));
    FD_ZERO(last);
    SHOW(select(1 << 20, last, NULL, NULL, &none));
    SHOW(select(1 << 20, NULL, last, NULL, &none));
    SHOW(poll(BAD, 1, 0));
    SHOW(poll(BAD, SIZE_MAX, 0));
    SHOW(fcntl(p[0], F_SETLK, BAD));
    SHOW(semop(1, BAD, 1));
    SHOW(semop(-1, BAD, SIZE_MAX));
    SHOW(open(BAD, O_RDONLY));
    SHOW(openat(AT_FDCWD, BAD, O_RDONLY));
    close(epoll);
}

/* --- streams ---------------------------------------------------------------------------------- */

static void empty(void)
{
    FILE *in = fdopen(p[0], "r");
    char text[8] = "";

    SHOW(fread(text, 1, 0, in));
    SHOW(fread(text, 0, 5, in));
    SHOW(fgets(text, 1, in) == text);
}

static void ring(int number) { }

#define INTERRUPTED(call)                                                                          \
    setitimer(ITIMER_REAL, &soon, NULL);                                                           \
    SHOW(call)

/* One signal for each: who waited again afterwards would wait for ever. */
static void interrupted(void)
{
    FILE *in = fdopen(p[0], "r");
    struct sigaction action = { .sa_handler = ring };
    struct itimerval soon = { .it_value.tv_usec = 30000 };
    char text[8] = "", *line = NULL;
    size_t room = 0;

    sigaction(SIGALRM, &action, NULL);
    INTERRUPTED(fgets(text, sizeof text, in) ? 0 : -1);
    INTERRUPTED(fgetc(in));
    INTERRUPTED(fread(text, 1, 4, in) == 0 ? -1 : 0);
    INTERRUPTED(getline(&line, &room, in));
    INTERRUPTED(fscanf(in, "%s", text));
    INTERRUPTED(splice(p[0], NULL, s[0], NULL, 1, 0));
}

static void *later(void *context)
{
    usleep(30000);
    write(p[1], "wide\n", 5);
    return context;
}

/* Who waits for the first character does not decide what kind of stream it is. */
static void wide(void)
{
    FILE *in = fdopen(p[0], "r");
    wchar_t line[9] = L"";
    pthread_t thread;

    pthread_create(&thread, NULL, later, NULL);
    SHOW(fgetwc(in));
    SHOW(fgetws(line, 9, in) == line);
    SHOW(fwide(in, 0) > 0);
    SHOW(line[3] == L'\n');
    pthread_join(thread, NULL);
}

/* ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*show)(void);
} all[] = {
    { "parts", parts },
    { "messages", messages },
    { "addresses", addresses },
    { "sets", sets },
    { "empty", empty },
    { "interrupted", interrupted },
    { "wide", wide },
};

int main(int count, char **arguments)
{
    if (count < 2 || pipe(p) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, s) != 0)
        return 1;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, arguments[1]) == 0)
            all[i].show();
    return 0;
}
