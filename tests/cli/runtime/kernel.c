/*
 * kernel.c - two threads that use `data`, ordered through the kernel by the means that the first
 * argument names: one writes it and then gives, the other awaits that and then changes it.  With
 * "late" as the second argument the first gives before it writes, and they race.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int data, p[2], q[2], e, l;
static char c;
static FILE *f;
static struct sockaddr_in address;
static struct sockaddr_un name;
static atomic_int tid, done;
static pid_t child;
static mqd_t queue;
static sigset_t set;
static timer_t timer;

static void check(int holds)
{
    if (!holds)
        abort();
}

static void pause_a_little(long milliseconds)
{
    nanosleep(&(struct timespec){ 0, milliseconds * 1000000 }, NULL);
}

/* --- what is there before --------------------------------------------------------------------- */

static void pipes(void) { check(pipe(p) == 0); }
static void two_pipes(void) { check(pipe(p) == 0 && pipe(q) == 0); }
static void sockets(void) { check(socketpair(AF_UNIX, SOCK_STREAM, 0, p) == 0); }
static void counter(void) { p[0] = p[1] = e = eventfd(0, 0); }

static void server(int type)
{
    socklen_t length = sizeof address;

    l = p[0] = socket(AF_INET, type, 0);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    check(bind(l, (void *)&address, sizeof address) == 0);
    getsockname(l, (void *)&address, &length);
    if (type == SOCK_STREAM)
        listen(l, 4);
}

static void tcp(void) { server(SOCK_STREAM); }
static void udp(void) { server(SOCK_DGRAM); }

static void unix_socket(int type)
{
    l = p[0] = socket(AF_UNIX, type, 0);
    name.sun_family = AF_UNIX;
    snprintf(name.sun_path, sizeof name.sun_path, "kernel.%d", getpid());
    check(bind(l, (void *)&name, sizeof name) == 0);
    if (type == SOCK_STREAM)
        listen(l, 4);
}

static void unix_datagrams(void) { unix_socket(SOCK_DGRAM); }
static void unix_stream(void) { unix_socket(SOCK_STREAM); }

static void fifo(void)
{
    unlink("kernel.fifo");
    check(mkfifo("kernel.fifo", 0600) == 0);
}

static void terminal(void)
{
    p[1] = posix_openpt(O_RDWR | O_NOCTTY);
    check(p[1] >= 0 && grantpt(p[1]) == 0 && unlockpt(p[1]) == 0);
    p[0] = open(ptsname(p[1]), O_RDWR | O_NOCTTY);
    check(p[0] >= 0);
}

static void message_queue(void)
{
    struct mq_attr attributes = { .mq_maxmsg = 2, .mq_msgsize = 16 };
    char path[32];

    snprintf(path, sizeof path, "/kernel.%d", getpid());
    queue = mq_open(path, O_RDWR | O_CREAT, 0600, &attributes);
    check(queue != (mqd_t)-1);
    mq_unlink(path);
}

static void old_queue(void) { check((l = msgget(IPC_PRIVATE, 0600)) >= 0); }
static void old_semaphore(void) { check((l = semget(IPC_PRIVATE, 1, 0600)) >= 0); }

static void block(int number)
{
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void signals_to_read(void)
{
    block(SIGUSR1);
    p[0] = signalfd(-1, &set, 0);
}

static void time_to_read(void) { p[0] = timerfd_create(CLOCK_MONOTONIC, 0); }

static void handle(int number)
{
    data++;
    done = 1;
}

static void alarms(void) { signal(SIGALRM, handle); }

static void timers(void)
{
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };

    alarms();
    check(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
}

static void usr1(void) { signal(SIGUSR1, handle); }

static void process(void)
{
    pipes();
    child = fork();
    if (child == 0) {
        close(p[1]);
        read(p[0], &c, 1);
        _exit(0);
    }
    close(p[0]);
}

static void relay(void)
{
    two_pipes();
    child = fork();
    if (child == 0) {
        read(p[0], &c, 1);
        write(q[1], &c, 1);
        _exit(0);
    }
}

/* Nothing fits any more. */
static void full(void)
{
    char page[4096] = { 0 };

    pipes();
    fcntl(p[1], F_SETFL, O_NONBLOCK);
    while (write(p[1], page, sizeof page) > 0)
        ;
    fcntl(p[1], F_SETFL, 0);
}

static void locked_file(void)
{
    char path[] = "kernel.XXXXXX";

    p[0] = mkstemp(path);
    p[1] = open(path, O_RDWR);
    unlink(path);
    check(flock(p[1], LOCK_EX) == 0);
}

static ssize_t callback(void *cookie, const char *text, size_t bytes)
{
    data++;
    return (ssize_t)bytes;
}

static void cookie(void)
{
    f = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = callback });
    setvbuf(f, NULL, _IONBF, 0);
}

/* --- giving ----------------------------------------------------------------------------------- */

static void give_byte(void) { check(write(p[1], "x", 1) == 1); }
static void give_end(void) { close(p[1]); }
static void give_shutdown(void) { shutdown(p[1], SHUT_WR); }
static void give_count(void) { eventfd_write(e, 1); }

static void give_line(void)
{
    FILE *out = fdopen(p[1], "w");

    fputs("x\n", out);
    fflush(out);
}

static void give_closed_line(void)
{
    FILE *out = fdopen(p[1], "w");

    fputc('x', out);
    fclose(out);
}

static void give_print(void) { dprintf(p[1], "x\n"); }
static void give_two(void) { check(write(p[1], "x\n", 2) == 2); }
static void give_read(void) { char page[8192]; check(read(p[0], page, sizeof page) > 0); }

static void give_connection(void)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    check(connect(fd, (void *)&address, sizeof address) == 0);
}

static void give_unix_byte(void)
{
    struct sockaddr_un other = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(other.sun_path, sizeof other.sun_path, "./%s", name.sun_path);
    check(connect(fd, (void *)&other, sizeof other) == 0 && write(fd, "x", 1) == 1);
}

static void give_datagram(void)
{
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    check(sendto(fd, "x", 1, 0, (void *)&address, sizeof address) == 1);
}

static void give_connected_datagram(void)
{
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    check(connect(fd, (void *)&address, sizeof address) == 0 && send(fd, "x", 1, 0) == 1);
}

static void give_unix_datagram(void)
{
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

    check(sendto(fd, "x", 1, 0, (void *)&name, sizeof name) == 1);
}

static void give_fifo(void)
{
    int fd = open("kernel.fifo", O_WRONLY);

    check(write(fd, "x", 1) == 1);
}

static void give_message(void) { check(mq_send(queue, "x", 1, 0) == 0); }
static void give_old_message(void) { check(msgsnd(l, &(struct msgbuf){ 1, "x" }, 1, 0) == 0); }
static void give_post(void) { check(semop(l, &(struct sembuf){ 0, 1, 0 }, 1) == 0); }
static void give_signal(void) { kill(getpid(), SIGUSR1); }

static void give_time(void)
{
    timerfd_settime(p[0], 0, &(struct itimerspec){ .it_value.tv_nsec = 1000000 }, NULL);
}

static void give_alarm(void)
{
    block(SIGALRM);
    ualarm(1000, 0);
}

static void give_interval(void)
{
    block(SIGALRM);
    setitimer(ITIMER_REAL, &(struct itimerval){ .it_value.tv_usec = 1000 }, NULL);
}

static void give_timer(void)
{
    block(SIGALRM);
    timer_settime(timer, 0, &(struct itimerspec){ .it_value.tv_nsec = 1000000 }, NULL);
}

static void give_tgkill(void)
{
    while (!tid)
        pause_a_little(1);
    syscall(SYS_tgkill, getpid(), (int)tid, SIGUSR1);
}

static void give_kill(void) { kill(child, SIGKILL); }
static void give_raw(void) { check(syscall(SYS_write, p[1], "x", 1) == 1); }
static void give_raw_end(void) { check(syscall(SYS_close, p[1]) == 0); }
static void give_unlock(void) { flock(p[1], LOCK_UN); }

static void give_spliced(void)
{
    check(write(p[1], "x", 1) == 1 && splice(p[0], NULL, q[1], NULL, 1, 0) == 1);
}

static void give_vmspliced(void)
{
    check(vmsplice(p[1], &(struct iovec){ "x", 1 }, 1, 0) == 1);
}

static void give_descriptor(void)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = { { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
    struct iovec part = { "x", 1 };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                              .msg_controllen = sizeof control };

    eventfd_write(e, 1);
    memcpy(CMSG_DATA(&control.header), &e, sizeof e);
    check(sendmsg(p[1], &message, 0) == 1);
}

static void give_text(void) { fputs("x", f); }
static void give_nothing(void) { }

/* --- awaiting --------------------------------------------------------------------------------- */

static void await_byte(void) { check(read(p[0], &c, 1) == 1); }
static void await_other_byte(void) { check(read(q[0], &c, 1) == 1); }
static void await_end(void) { check(read(p[0], &c, 1) == 0); }
static void await_room(void) { check(write(p[1], "x", 1) == 1); }

static void await_line(void)
{
    char line[9];

    check(fgets(line, sizeof line, fdopen(p[0], "r")) != NULL);
}

static void await_character(void) { check(getc(fdopen(p[0], "r")) == 'x'); }

static void await_poll(void)
{
    struct pollfd one = { p[0], POLLIN, 0 };

    check(poll(&one, 1, -1) == 1);
}

static void await_ppoll(void)
{
    struct pollfd one = { p[0], POLLIN, 0 };

    check(ppoll(&one, 1, NULL, NULL) == 1);
}

static void await_select(void)
{
    fd_set in;

    FD_ZERO(&in);
    FD_SET(p[0], &in);
    check(select(p[0] + 1, &in, NULL, NULL, NULL) == 1);
}

static void await_epoll(void)
{
    struct epoll_event event = { .events = EPOLLIN };
    int epoll = epoll_create1(0);

    epoll_ctl(epoll, EPOLL_CTL_ADD, p[0], &event);
    check(epoll_wait(epoll, &event, 1, -1) == 1);
}

static void await_connection(void) { check(accept(l, NULL, NULL) >= 0); }

static void await_unix_byte(void)
{
    int fd = accept(l, NULL, NULL);

    check(read(fd, &c, 1) == 1);
    unlink(name.sun_path);
}

static void await_datagram(void)
{
    check(recv(l, &c, 1, 0) == 1);
    if (name.sun_path[0])
        unlink(name.sun_path);
}

static void await_fifo(void)
{
    int fd = open("kernel.fifo", O_RDONLY);

    check(read(fd, &c, 1) == 1);
    unlink("kernel.fifo");
}

static void await_reopened(void)
{
    char path[40];
    int fd;

    snprintf(path, sizeof path, "/proc/self/fd/%d", p[0]);
    fd = open(path, O_RDONLY);
    check(read(fd, &c, 1) == 1);
}

static void await_copy(void)
{
    int fd = fcntl(dup(p[0]), F_DUPFD, 50);

    check(read(fd, &c, 1) == 1);
}

static void await_message(void) { char text[16]; check(mq_receive(queue, text, 16, NULL) == 1); }
static void await_old_message(void) { struct msgbuf b; check(msgrcv(l, &b, 1, 0, 0) == 1); }
static void await_post(void) { check(semop(l, &(struct sembuf){ 0, -1, 0 }, 1) == 0); }

static void await_signal(void)
{
    struct signalfd_siginfo info;

    check(read(p[0], &info, sizeof info) == sizeof info);
}

static void await_time(void) { uint64_t times; check(read(p[0], &times, sizeof times) == 8); }

/* The handler does what is to be done. */
static void await_handler(void)
{
    tid = (int)syscall(SYS_gettid);
    while (!done)
        pause_a_little(1);
}

static void await_child(void) { check(waitpid(child, NULL, 0) == child); }
static void await_raw(void) { check(syscall(SYS_read, p[0], &c, 1) == 1); }
static void await_raw_end(void) { check(syscall(SYS_read, p[0], &c, 1) == 0); }
static void await_lock(void) { check(flock(p[0], LOCK_EX) == 0); }

static void await_descriptor(void)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = { &c, 1 };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                              .msg_controllen = sizeof control };
    eventfd_t value;
    int fd;

    check(recvmsg(q[0], &message, 0) == 1);
    memcpy(&fd, CMSG_DATA(&control.header), sizeof fd);
    check(eventfd_read(fd, &value) == 0);
}

static void await_nothing(void) { pause_a_little(20); }

static void with_descriptor(void)
{
    sockets();
    q[0] = p[0];
    e = eventfd(0, 0);
}

/* ---------------------------------------------------------------------------------------------- */

static const struct means {
    const char *name;
    void (*prepare)(void), (*give)(void), (*await)(void);
} all[] = {
    { "pipe", pipes, give_byte, await_byte },
    { "pipe-end", pipes, give_end, await_end },
    { "pipe-stdio", pipes, give_line, await_line },
    { "pipe-fgets", pipes, give_two, await_line },
    { "pipe-fclose", pipes, give_closed_line, await_character },
    { "pipe-dprintf", pipes, give_print, await_byte },
    { "pipe-poll", pipes, give_byte, await_poll },
    { "pipe-poll-end", pipes, give_end, await_poll },
    { "pipe-ppoll", pipes, give_byte, await_ppoll },
    { "pipe-select", pipes, give_byte, await_select },
    { "pipe-epoll", pipes, give_byte, await_epoll },
    { "pipe-room", full, give_read, await_room },
    { "pipe-proc", pipes, give_byte, await_reopened },
    { "pipe-copy", pipes, give_byte, await_copy },
    { "pipe-splice", two_pipes, give_spliced, await_other_byte },
    { "pipe-vmsplice", pipes, give_vmspliced, await_byte },
    { "pipe-raw", pipes, give_raw, await_raw },
    { "pipe-raw-end", pipes, give_raw_end, await_raw_end },
    { "fifo", fifo, give_fifo, await_fifo },
    { "shutdown", sockets, give_shutdown, await_end },
    { "eventfd-poll", counter, give_count, await_poll },
    { "descriptor", with_descriptor, give_descriptor, await_descriptor },
    { "accept", tcp, give_connection, await_connection },
    { "accept-poll", tcp, give_connection, await_poll },
    { "unix", unix_stream, give_unix_byte, await_unix_byte },
    { "udp", udp, give_datagram, await_datagram },
    { "udp-connected", udp, give_connected_datagram, await_poll },
    { "unix-datagram", unix_datagrams, give_unix_datagram, await_datagram },
    { "terminal", terminal, give_two, await_byte },
    { "mq", message_queue, give_message, await_message },
    { "msg", old_queue, give_old_message, await_old_message },
    { "sem", old_semaphore, give_post, await_post },
    { "signalfd", signals_to_read, give_signal, await_signal },
    { "timerfd", time_to_read, give_time, await_time },
    { "alarm", alarms, give_alarm, await_handler },
    { "setitimer", alarms, give_interval, await_handler },
    { "timer", timers, give_timer, await_handler },
    { "tgkill", usr1, give_tgkill, await_handler },
    { "child", process, give_kill, await_child },
    { "child-end", process, give_end, await_child },
    { "child-relay", relay, give_byte, await_other_byte },
    { "flock", locked_file, give_unlock, await_lock },
    { "cookie", cookie, give_text, give_text },
    { "none", pipes, give_nothing, await_nothing },
};
static const struct means *means = all;

static void *worker(void *context)
{
    means->await();
    if (means->await != await_handler && means->await != give_text)
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
    if (means->give != give_text || count > 2)
        data = 1;
    if (count == 2)
        means->give();
    pthread_join(thread, NULL);
    if (means->prepare == old_queue)
        msgctl(l, IPC_RMID, NULL);
    if (means->prepare == old_semaphore)
        semctl(l, 0, IPC_RMID);
    printf("%d\n", data > 0);
    return 0;
}
