/*
 * kernel_rare.c - as kernel.c, by means that are used less: two threads that use `data`, one writes
 * it and then gives, the other awaits that and then changes it.  With "late" as the second argument
 * the first gives before it writes, and they race.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static int data, p[2], e, l;
static char c;
static struct sockaddr_in address;

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

/* ---------------------------------------------------------------------------------------------- */

static const struct means {
    const char *name;
    void (*prepare)(void), (*give)(void), (*await)(void);
} all[] = {
    { "failed-copy", counter, give_count, await_count },
    { "close-range", high_pipe, give_range, await_end },
    { "reused-number", server, give_datagram, await_datagram },
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
