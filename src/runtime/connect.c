/*
 * connect.c - how a process gets its ring: one question to the recorder, one answer.
 *
 * Raw system calls throughout: libc's wrappers are intercepted, and errno is the program's.
 */
#include "runtime/futex.h"
#include "runtime/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void *fw_map_memory(size_t bytes)
{
    long memory = fw_syscall(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return memory < 0 && memory > -4096 ? NULL : (void *)memory;
}

static int connect_to(const char *wire)
{
    struct sockaddr_un address;
    size_t length = strlen(wire);
    long fd;

    if (length + 1 > sizeof address.sun_path)
        return -1;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    memcpy(address.sun_path + 1, wire, length);
    fd = fw_call(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, 0);
    if (fd < 0)
        return -1;
    if (fw_call(SYS_connect, fd, &address,
                offsetof(struct sockaddr_un, sun_path) + 1 + length, 0) < 0) {
        fw_call(SYS_close, fd, 0, 0, 0);
        return -1;
    }
    return (int)fd;
}

static bool say_hello(int fd, enum fw_wire_how how)
{
    struct fw_wire_hello hello;

    memset(&hello, 0, sizeof hello);
    hello.magic = FW_WIRE_MAGIC;
    hello.version = FW_WIRE_VERSION;
    hello.pid = (int32_t)fw_call(SYS_getpid, 0, 0, 0, 0);
    hello.parent = (int32_t)fw_call(SYS_getppid, 0, 0, 0, 0);
    hello.how = how;
    fw_call(SYS_readlink, "/proc/self/exe", hello.program, sizeof hello.program - 1, 0);
    return fw_syscall(SYS_sendto, fd, (long)&hello, sizeof hello, MSG_NOSIGNAL, 0, 0) ==
           (long)sizeof hello;
}

/* Returns the descriptor of the shared memory, or -1. */
static int hear_welcome(int fd, struct fw_wire_welcome *welcome)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = { welcome, sizeof *welcome };
    struct msghdr message;
    struct cmsghdr *head;
    int memory = -1;
    long got;

    memset(&message, 0, sizeof message);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    do /* a handler of the program's may come */
        got = fw_call(SYS_recvmsg, fd, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL, 0);
    while (got == -EINTR);
    if (got != (long)sizeof *welcome)
        return -1;
    head = CMSG_FIRSTHDR(&message);
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
        memcpy(&memory, CMSG_DATA(head), sizeof memory);
    if (welcome->magic != FW_WIRE_MAGIC || welcome->version != FW_WIRE_VERSION ||
        !welcome->accepted || welcome->bytes < FW_WIRE_PAGE ||
        (welcome->bytes & (welcome->bytes - 1))) {
        if (memory >= 0)
            fw_call(SYS_close, memory, 0, 0, 0);
        return -1;
    }
    return memory;
}

static bool map_ring(int memory, const struct fw_wire_welcome *welcome)
{
    size_t bytes = FW_WIRE_PAGE + welcome->bytes;
    long base = fw_syscall(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);

    if (base < 0 && base > -4096)
        return false;
    memset(&fw_sink, 0, sizeof fw_sink);
    fw_sink.ring = (struct fw_wire_ring *)base;
    fw_sink.units = (char *)base + FW_WIRE_PAGE;
    fw_sink.mask = welcome->bytes - 1;
    fw_sink.limit = welcome->bytes;
    fw_sink.recorder = welcome->recorder;
    fw_sink.mapped = bytes;
    fw_sink.on = true;
    return true;
}

bool fw_sink_open(const char *wire, enum fw_wire_how how, bool positions)
{
    struct fw_wire_welcome welcome;
    int fd = connect_to(wire), memory = -1;
    bool open;

    if (fd < 0)
        return false;
    if (say_hello(fd, how))
        memory = hear_welcome(fd, &welcome);
    fw_call(SYS_close, fd, 0, 0, 0);
    if (memory < 0)
        return false;
    open = map_ring(memory, &welcome);
    fw_sink.positions = positions;
    fw_sink.quick = open && !positions;
    fw_call(SYS_close, memory, 0, 0, 0);
    return open;
}

void fw_sink_forget(void)
{
    if (fw_sink.ring)
        fw_call(SYS_munmap, fw_sink.ring, fw_sink.mapped, 0, 0);
    memset(&fw_sink, 0, sizeof fw_sink);
}
