/*
 * order.c - two threads that use `data`, ordered by the means that the argument names; with "none"
 * they only wait for each other, and race.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const char *how;
static int data, ends[2], counter, listener;
static char text[32], *block;
static struct sockaddr_in address;
static struct sockaddr_un name;
static sigset_t set;

static int is(const char *name)
{
    return !strcmp(how, name);
}

static void *writer(void *context)
{
    int fd = socket(is("unix") ? AF_UNIX : AF_INET, SOCK_STREAM, 0);

    if (is("unix"))
        connect(fd, (void *)&name, sizeof name);
    if (is("tcp"))
        connect(fd, (void *)&address, sizeof address);
    if (is("stream"))
        flockfile(stdout);
    data = 42;
    strcpy(text, "written");
    block = malloc(10);
    block[5] = 1;
    if (is("pipe") || is("socketpair"))
        write(ends[1], "x", 1);
    else if (is("eventfd"))
        eventfd_write(counter, 1);
    else if (is("tcp") || is("unix"))
        send(fd, "x", 1, 0);
    else if (is("stream"))
        funlockfile(stdout);
    else if (is("signal"))
        kill(getpid(), SIGUSR1);
    close(fd);
    return context;
}

static void wait_for_writer(void)
{
    eventfd_t value;
    int number, fd;
    char byte;

    if (is("pipe") || is("socketpair"))
        read(ends[0], &byte, 1);
    else if (is("eventfd"))
        eventfd_read(counter, &value);
    else if (is("signal"))
        sigwait(&set, &number);
    else if (is("tcp") || is("unix")) {
        fd = accept(listener, NULL, NULL);
        recv(fd, &byte, 1, 0);
        close(fd);
    } else if (is("stream"))
        flockfile(stdout);
    else
        nanosleep(&(struct timespec){ 0, 20000000 }, NULL);
}

int main(int count, char **arguments)
{
    socklen_t length = sizeof address;
    pthread_t thread;

    how = count > 1 ? arguments[1] : "none";
    if (is("socketpair"))
        socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    else
        pipe(ends);
    counter = eventfd(0, 0);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    name.sun_family = AF_UNIX;
    snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "foreweave-order-%d", getpid());
    listener = socket(is("unix") ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    if (is("unix"))
        bind(listener, (void *)&name, sizeof name);
    else
        bind(listener, (void *)&address, length);
    listen(listener, 1);
    if (is("tcp"))
        getsockname(listener, (void *)&address, &length);
    pthread_create(&thread, NULL, writer, NULL);
    wait_for_writer();
    data++;
    text[0] = 'W';
    if (is("stream"))
        funlockfile(stdout);
    pthread_join(thread, NULL);
    free(block);
    printf("%d %s\n", data > 0, strlen(text) ? "text" : "");
    return 0;
}
