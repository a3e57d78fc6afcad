/*
 * kernel_rare.c - as kernel.c, by means that are used less: two threads that use `data`, one writes
 * it and then gives, the other awaits that and then changes it.  With "late" as the second argument
 * the first gives before it writes, and they race.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static int data, p[2], q[2], e, l;
static char c, bytes[100000], more[100000];
static struct sockaddr_in address;
static sigset_t set;
static pid_t child;

static void check(int holds)
{
    if (!holds)
        abort();
}

/* The other one goes first, most likely; nothing hangs on it. */
static void pause_a_little(void)
{
    nanosleep(&(struct timespec){ 0, 20000000 }, NULL);
}

/* --- descriptors ------------------------------------------------------------------------------ */

static void counter(void) { e = eventfd(0, 0); }

static void high_pipe(void)
{
    struct rlimit limit;

    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    check(pipe(p) == 0 && dup2(p[1], 1500) == 1500 && close(p[1]) == 0);
}

static void server(void)
{
    socklen_t length = sizeof address;

    l = socket(AF_INET, SOCK_DGRAM, 0);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    check(bind(l, (void *)&address, sizeof address) == 0);
    getsockname(l, (void *)&address, &length);
}

static void give_count(void) { eventfd_write(e, 1); }
static void give_range(void) { check(close_range(1500, ~0u, 0) == 0); }

/* A number that was used while it was free. */
static void give_datagram(void)
{
    int free = open("/dev/null", O_RDWR), fd;

    close(free);
    check(write(free, "x", 1) < 0);
    fd = socket(AF_INET, SOCK_DGRAM, 0);
    check(fd == free && sendto(fd, "x", 1, 0, (void *)&address, sizeof address) == 1);
}

static void await_end(void) { check(read(p[0], &c, 1) == 0); }
static void await_datagram(void) { check(recv(l, &c, 1, 0) == 1); }

/* What fails closes nothing. */
static void await_count(void)
{
    eventfd_t value;

    pause_a_little();
    check(dup2(-1, e) < 0 && close_range(e, e, 0x100) < 0);
    check(eventfd_read(e, &value) == 0);
}

/* --- room ------------------------------------------------------------------------------------- */

static void pipes(void) { check(pipe(p) == 0); }

/* A write that was cut short says that nothing fits any more. */
static void cut_short(void)
{
    pipes();
    fcntl(p[1], F_SETFL, O_NONBLOCK);
    check(write(p[1], bytes, sizeof bytes) == 65536);
}

static void full(void)
{
    cut_short();
    check(write(p[1], bytes, 1) < 0);
    fcntl(p[1], F_SETFL, 0);
    signal(SIGPIPE, SIG_IGN);
}

/* A socket that sends to another one, which can take no more. */
static void full_datagrams(void)
{
    struct sockaddr_un name = { .sun_family = AF_UNIX };

    p[0] = socket(AF_UNIX, SOCK_DGRAM, 0);
    p[1] = socket(AF_UNIX, SOCK_DGRAM, 0);
    snprintf(name.sun_path, sizeof name.sun_path, "kernel_rare.%d", getpid());
    unlink(name.sun_path);
    check(bind(p[0], (void *)&name, sizeof name) == 0);
    check(connect(p[1], (void *)&name, sizeof name) == 0);
    unlink(name.sun_path);
    while (send(p[1], "x", 1, MSG_DONTWAIT) > 0)
        ;
}

static void give_read(void) { check(read(p[0], bytes, 65536) > 0); }
static void give_fread(void) { check(fread(bytes, 1, 8192, fdopen(p[0], "r")) == 8192); }
static void give_close(void) { close(p[0]); }

static void await_retried(void)
{
    pause_a_little();
    while (write(p[1], "x", 1) < 0)
        pause_a_little();
}

/* More than fits: the reader, who has waited for it, must have taken something. */
static void await_large(void)
{
    pause_a_little();
    check(write(p[1], more, sizeof more) == sizeof more);
}

static void await_room(void) { check(write(p[1], "x", 1) == 1); }
static void await_poll(void) { check(poll(&(struct pollfd){ p[1], POLLOUT, 0 }, 1, -1) == 1); }

static void await_select(void)
{
    fd_set out;

    FD_ZERO(&out);
    FD_SET(p[1], &out);
    check(select(p[1] + 1, NULL, &out, NULL, NULL) == 1);
}

static void await_stream(void)
{
    FILE *out = fdopen(p[1], "w");

    check(fputc('x', out) == 'x' && fflush(out) == 0);
}

static void await_failing_stream(void)
{
    FILE *out = fdopen(p[1], "w");

    check(fputc('x', out) == 'x' && fflush(out) != 0 && errno == EPIPE);
}

static void await_messages(void)
{
    struct iovec part = { "x", 1 };
    struct mmsghdr one = { .msg_hdr = { .msg_iov = &part, .msg_iovlen = 1 } };

    check(sendmmsg(p[1], &one, 1, 0) == 1);
}

/* --- locks, signals, children, terminals ------------------------------------------------------ */

static void message_queue(void)
{
    struct mq_attr attributes = { .mq_maxmsg = 2, .mq_msgsize = 16 };
    char path[32];

    snprintf(path, sizeof path, "/kernel_rare.%d", getpid());
    l = mq_open(path, O_RDWR | O_CREAT, 0600, &attributes);
    check(l >= 0);
    mq_unlink(path);
}

static void locked_file(void)
{
    char path[] = "kernel_rare.XXXXXX";

    p[0] = mkstemp(path);
    p[1] = open(path, O_RDWR);
    unlink(path);
    check(flock(p[1], LOCK_EX) == 0);
}

static void block(int number)
{
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void blocked_signal(void) { block(SIGUSR1); }

static void signal_of_child(void)
{
    block(SIGCHLD);
    l = signalfd(-1, &set, 0);
}

static void process(void)
{
    check(pipe(p) == 0);
    child = fork();
    if (child == 0) {
        close(p[1]);
        read(p[0], &c, 1);
        _exit(0);
    }
    close(p[0]);
    l = pidfd_open(child, 0);
}

static void child_with_terminal(void)
{
    child = forkpty(&p[0], NULL, NULL, NULL);
    if (child == 0) {
        read(0, &c, 1);
        _exit(0);
    }
    p[1] = p[0];
}

static void give_byte(void) { check(write(p[1], "x\n", 2) == 2); }
static void give_message(void) { check(mq_send(l, "x", 1, 0) == 0); }
static void give_shared(void) { check(flock(p[1], LOCK_SH) == 0); }
static void give_signal(void) { kill(getpid(), SIGUSR1); }

static void give_child(void)
{
    child = fork();
    if (child == 0)
        _exit(0);
}

static void await_byte(void) { check(read(p[0], &c, 1) == 1); }
static void await_readable(void) { check(poll(&(struct pollfd){ l, POLLIN, 0 }, 1, -1) == 1); }
static void await_lock(void) { check(flock(p[0], LOCK_SH) == 0); }
static void await_signal(void) { char info[128]; check(read(l, info, sizeof info) == 128); }

static void await_late_signal(void)
{
    pause_a_little();
    l = signalfd(-1, &set, 0);
    await_signal();
}

static void await_count_of_bytes(void)
{
    int count = 0;

    while (count == 0) {
        pause_a_little();
        check(ioctl(p[0], FIONREAD, &count) == 0);
    }
}

/* --- one through another ---------------------------------------------------------------------- */

static void *move(void *context)
{
    check(splice(p[0], NULL, q[1], NULL, 1, 0) == 1);
    return context;
}

/* A third thread is in the middle of it. */
static void moved_pipes(void)
{
    pthread_t mover;

    check(pipe(p) == 0 && pipe(q) == 0);
    pthread_create(&mover, NULL, move, NULL);
    pthread_detach(mover);
    pause_a_little();
}

static void set_of_pipes(void)
{
    pipes();
    l = epoll_create1(0);
    check(epoll_ctl(l, EPOLL_CTL_ADD, p[0], &(struct epoll_event){ .events = EPOLLIN }) == 0);
}

static void set_of_sets(void)
{
    int inner;

    set_of_pipes();
    inner = l;
    l = epoll_create1(0);
    check(epoll_ctl(l, EPOLL_CTL_ADD, inner, &(struct epoll_event){ .events = EPOLLIN }) == 0);
}

static void give_one(void) { check(write(p[1], "x", 1) == 1); }
static void await_moved(void) { check(read(q[0], &c, 1) == 1); }

static void await_event(void)
{
    struct epoll_event event;

    check(epoll_wait(l, &event, 1, -1) == 1);
}

/* --- streams, fifos, other names -------------------------------------------------------------- */

static void fifo(void)
{
    unlink("kernel_rare.fifo");
    check(mkfifo("kernel_rare.fifo", 0600) == 0);
}

/* Not where the program is. */
static void fifo_elsewhere(void)
{
    mkdir("kernel_rare.folder", 0700);
    l = open("kernel_rare.folder", O_RDONLY | O_DIRECTORY);
    unlinkat(l, "fifo", 0);
    check(mkfifoat(l, "fifo", 0600) == 0);
}

static void buffered_line(void)
{
    pipes();
    fputs("x\n", fdopen(p[1], "w"));
}

static void give_fopen(void) { check(fopen("kernel_rare.fifo", "w") != NULL); }
static void give_openat(void) { check(openat(l, "fifo", O_WRONLY) >= 0); }
static void give_all(void) { check(fflush(NULL) == 0); }
static void give_part(void) { check(pwritev64v2(p[1], &(struct iovec){ "x", 1 }, 1, -1, 0) == 1); }
static void give_wide(void)
{
    FILE *out = fdopen(p[1], "w");

    setvbuf(out, NULL, _IONBF, 0);
    check(fputwc_unlocked(L'x', out) == L'x');
}

/* The function, not the macro. */
static void await_character(void)
{
    int (*volatile get)(FILE *stream) = getc_unlocked;

    check(get(fdopen(p[0], "r")) == 'x');
}

static void await_fopen(void) { check(fopen("kernel_rare.fifo", "r") != NULL); }
static void await_openat(void) { check(openat(l, "fifo", O_RDONLY) >= 0); }
static void await_part(void) { check(preadv64v2(p[0], &(struct iovec){ &c, 1 }, 1, -1, 0) == 1); }

/* ---------------------------------------------------------------------------------------------- */

static const struct means {
    const char *name;
    void (*prepare)(void), (*give)(void), (*await)(void);
} all[] = {
    { "failed-copy", counter, give_count, await_count },
    { "close-range", high_pipe, give_range, await_end },
    { "reused-number", server, give_datagram, await_datagram },
    { "room-cut-short", cut_short, give_read, await_retried },
    { "room-waiting-reader", pipes, give_read, await_large },
    { "room-stream-reader", full, give_fread, await_room },
    { "room-stream", full, give_read, await_stream },
    { "room-closed", full, give_close, await_select },
    { "room-failing-stream", full, give_close, await_failing_stream },
    { "room-datagram-poll", full_datagrams, give_read, await_poll },
    { "room-datagrams", full_datagrams, give_read, await_messages },
    { "mq-poll", message_queue, give_message, await_readable },
    { "flock-shared", locked_file, give_shared, await_lock },
    { "signalfd-later", blocked_signal, give_signal, await_late_signal },
    { "signalfd-child", signal_of_child, give_child, await_signal },
    { "pidfd", process, give_byte, await_readable },
    { "forkpty", child_with_terminal, give_byte, await_byte },
    { "count-of-bytes", pipes, give_byte, await_count_of_bytes },
    { "splice-waiting", moved_pipes, give_one, await_moved },
    { "epoll-poll", set_of_pipes, give_one, await_readable },
    { "epoll-epoll", set_of_sets, give_one, await_event },
    { "fifo-fopen", fifo, give_fopen, await_fopen },
    { "fifo-openat", fifo_elsewhere, give_openat, await_openat },
    { "flush-all", buffered_line, give_all, await_byte },
    { "parts", pipes, give_part, await_part },
    { "unlocked", pipes, give_one, await_character },
    { "unlocked-wide", pipes, give_wide, await_byte },
};
static const struct means *means = all;

static void *worker(void *context)
{
    means->await();
    data++;
    return context;
}

int main(int count, char **arguments)
{
    pthread_t thread;

    while (strcmp(means->name, arguments[1]))
        check(++means < all + sizeof all / sizeof *all);
    means->prepare();
    pthread_create(&thread, NULL, worker, NULL);
    if (count > 2)
        means->give();
    data = 1;
    if (count == 2)
        means->give();
    pthread_join(thread, NULL);
    printf("%d\n", data > 0);
    return 0;
}
