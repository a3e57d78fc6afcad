/* standard_input.c - see standard_input.h. */
#include "cmd/standard_input.h"

#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define START_MS 20        /* for a writer that has not begun */
#define END_MS   1000      /* for one that is about to end */
#define MOST     (1 << 20) /* bytes of a pipe */

static short look(short events, int milliseconds)
{
    struct pollfd pipe = { .fd = STDIN_FILENO, .events = events };

    return poll(&pipe, 1, milliseconds) > 0 ? pipe.revents : 0;
}

static bool copy(int from, int to, size_t bytes)
{
    char buffer[4096];

    while (bytes) {
        ssize_t got = read(from, buffer, bytes < sizeof buffer ? bytes : sizeof buffer);

        if (got <= 0 || write(to, buffer, (size_t)got) != got)
            return false;
        bytes -= (size_t)got;
    }
    return true;
}

/* What is in the pipe, and stays there; 0: it could not be had. */
static int copy_pipe(size_t bytes)
{
    int ends[2], file = -1;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return 0;
    fcntl(ends[1], F_SETPIPE_SZ, fcntl(STDIN_FILENO, F_GETPIPE_SZ));
    if (tee(STDIN_FILENO, ends[1], bytes, SPLICE_F_NONBLOCK) == (ssize_t)bytes)
        file = memfd_create("foreweave-input", MFD_CLOEXEC);
    if (file >= 0 && (!copy(ends[0], file, bytes) || lseek(file, 0, SEEK_SET) < 0)) {
        close(file);
        file = -1;
    }
    close(ends[0]);
    close(ends[1]);
    return file > 0 ? file : 0;
}

static void keep_pipe(struct fw_standard_input *input)
{
    int bytes = 0;

    input->came = look(POLLIN, START_MS) & POLLIN;
    input->open = !(look(0, input->came ? END_MS : 0) & POLLHUP);
    if (input->open || !input->came)
        return;
    if (ioctl(STDIN_FILENO, FIONREAD, &bytes) == 0 && bytes > 0 && bytes <= MOST)
        input->fd = copy_pipe((size_t)bytes);
    input->open = !input->fd;
}

struct fw_standard_input fw_standard_input_keep(void)
{
    struct fw_standard_input input = { 0 };
    struct stat st;

    if (fstat(STDIN_FILENO, &st) < 0)
        return input;
    if (S_ISFIFO(st.st_mode))
        keep_pipe(&input);
    if (S_ISREG(st.st_mode)) { /* opened anew: the first run moves on in it */
        input.fd = open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);
        if (input.fd > 0)
            lseek(input.fd, lseek(STDIN_FILENO, 0, SEEK_CUR), SEEK_SET);
        else
            input.fd = 0;
    }
    return input;
}

const char *fw_standard_input_lost(const struct fw_standard_input *input)
{
    if (!input->open || (!input->came && !(look(0, 0) & POLLHUP)))
        return NULL;
    return "it came through a pipe that was still written to; give it as a file ('< FILE')";
}

void fw_standard_input_release(struct fw_standard_input *input)
{
    if (input->fd > 0)
        close(input->fd);
    input->fd = 0;
}
