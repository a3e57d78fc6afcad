/* io.c - threads that wait in the kernel for each other: nobody may hold the others up. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static int ends[2], pair[2], counter, word;
static char folder[64];

/* Answers byte by byte: for each wait of the main thread there is something to wait for. */
static void *answer(void *context)
{
    char byte;
    eventfd_t value;

    while (read(ends[0], &byte, 1) == 1 && byte != 'q') {
        if (byte == 'p')
            send(pair[1], "pong", 4, 0);
        else if (byte == 'e')
            eventfd_write(counter, 5);
        else if (byte == 'l')
            write(pair[1], "a line\nand more", 15);
        else if (byte == 'f') {
            __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
            syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
        }
    }
    eventfd_read(counter, &value);
    printf("value %d\n", (int)value);
    return context;
}

static void ask(char byte)
{
    if (write(ends[1], &byte, 1) != 1)
        puts("short write");
}

static void sockets(void)
{
    struct pollfd one = { .fd = pair[0], .events = POLLIN };
    struct epoll_event event = { .events = EPOLLIN }, got;
    struct timeval second = { 10, 0 };
    char text[16] = "";
    fd_set set;
    int epoll = epoll_create1(0);

    ask('p');
    printf("recv %d ", (int)recv(pair[0], text, 4, 0));
    puts(text);
    ask('p');
    printf("poll %d", poll(&one, 1, 10000));
    printf(" read %d\n", (int)read(pair[0], text, sizeof text));
    FD_ZERO(&set);
    FD_SET(pair[0], &set);
    ask('p');
    printf("select %d", select(pair[0] + 1, &set, NULL, NULL, &second));
    printf(" recvfrom %d\n", (int)recvfrom(pair[0], text, 4, 0, NULL, NULL));
    epoll_ctl(epoll, EPOLL_CTL_ADD, pair[0], &event);
    ask('p');
    printf("epoll %d", epoll_wait(epoll, &got, 1, 10000));
    struct iovec parts[2] = { { text, 2 }, { text + 8, 8 } };
    printf(" readv %d\n", (int)readv(pair[0], parts, 2));
    close(epoll);
    errno = 0;
    fcntl(pair[0], F_SETFL, O_NONBLOCK);
    printf("%d ", (int)read(pair[0], text, 1));
    printf("%d\n", errno == EAGAIN);
    fcntl(pair[0], F_SETFL, 0);
    printf("%d\n", poll(&one, 1, 5));
}

static void streams(void)
{
    FILE *stream = fdopen(dup(pair[0]), "r");
    char line[32], *whole = NULL;
    size_t room = 0;

    ask('l');
    printf("%s", fgets(line, sizeof line, stream));
    printf("%c\n", getc(stream));
    printf("%d\n", (int)fread(line, 1, 6, stream));
    ask('l');
    printf("%d ", (int)getline(&whole, &room, stream));
    printf("%s", whole);
    free(whole);
    fclose(stream);
}

static void files(void)
{
    char path[80], text[32] = "";
    struct stat about;
    FILE *stream;
    int fd;

    snprintf(path, sizeof path, "%s/file", folder);
    fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    printf("%d %d\n", (int)write(fd, "some text\nmore\n", 15), (int)pwrite(fd, "S", 1, 0));
    printf("%d ", (int)pread(fd, text, 10, 0));
    printf("%s%d ", text, fstat(fd, &about));
    printf("%d\n", (int)about.st_size);
    printf("%d\n", fcntl(fd, F_SETLKW, &(struct flock){ .l_type = F_WRLCK }));
    close(fd);
    printf("%d ", close(fd));
    printf("%d\n", errno == EBADF);
    stream = fopen(path, "r+");
    printf("%s", fgets(text, sizeof text, stream));
    fseek(stream, 0, SEEK_END);
    printf("%d %d\n", fputs("last\n", stream), (int)fwrite("abc", 1, 3, stream));
    fclose(stream);
    printf("%d ", stat(path, &about));
    printf("%d\n", (int)about.st_size);
    printf("%d ", open("/nowhere/at/all", O_RDONLY));
    printf("%d\n", errno == ENOENT);
    unlink(path);
}

/* A fifo opens when both sides have come. */
static void *open_writer(void *path)
{
    int fd = open(path, O_WRONLY);

    if (write(fd, "fifo", 4) != 4)
        puts("short");
    close(fd);
    return NULL;
}

static void fifo(void)
{
    char path[80], text[8] = "";
    pthread_t thread;
    int fd;

    snprintf(path, sizeof path, "%s/fifo", folder);
    mkfifo(path, 0600);
    pthread_create(&thread, NULL, open_writer, path);
    fd = open(path, O_RDONLY);
    printf("%d ", (int)read(fd, text, sizeof text));
    pthread_join(thread, NULL);
    puts(text);
    close(fd);
    unlink(path);
}

static void cleaned(void *context)
{
    puts(context);
}

static void *read_for_ever(void *context)
{
    char byte;

    pthread_cleanup_push(cleaned, "cleaned up");
    read(*(int *)context, &byte, 1);
    puts("never here");
    pthread_cleanup_pop(0);
    return NULL;
}

static void cancelling(void)
{
    pthread_t thread;
    void *result;
    int own[2];

    pipe(own);
    pthread_create(&thread, NULL, read_for_ever, &own[0]);
    nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    puts(result == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
    close(own[0]);
    close(own[1]);
}

int main(void)
{
    pthread_t thread;
    eventfd_t value;

    strcpy(folder, "/tmp/foreweave-io-XXXXXX");
    mkdtemp(folder);
    pipe(ends);
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    counter = eventfd(0, 0);
    pthread_create(&thread, NULL, answer, NULL);
    sockets();
    streams();
    ask('e');
    eventfd_read(counter, &value);
    printf("value %d\n", (int)value);
    ask('f');
    while (!__atomic_load_n(&word, __ATOMIC_SEQ_CST))
        syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
    printf("%ld ", syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0));
    printf("%d\n", errno == EAGAIN);
    files();
    fifo();
    cancelling();
    eventfd_write(counter, 1);
    ask('q');
    pthread_join(thread, NULL);
    rmdir(folder);
    return 0;
}
