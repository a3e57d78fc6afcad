/* input.c - see input.h. */
#include "base/input.h"

#include "base/alloc.h"
#include "base/bug.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int fw_input_open(struct fw_input *in, const char *path, struct fw_error *err)
{
    bool standard = strcmp(path, "-") == 0;
    struct stat st;

    memset(in, 0, sizeof *in);
    in->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (in->fd < 0)
        return fw_error_errno(err, "cannot open trace '%s'", path);
    if (fstat(in->fd, &st) < 0 || S_ISDIR(st.st_mode)) {
        if (!standard)
            close(in->fd);
        return fw_error_set(err, "cannot read trace '%s': is a directory", path);
    }
    in->seekable = S_ISREG(st.st_mode) && !standard;
    in->name = fw_xstrdup(standard ? "standard input" : path);
    return 0;
}

void fw_input_open_memory(struct fw_input *in, const void *data, size_t size, const char *name)
{
    memset(in, 0, sizeof *in);
    in->fd = -1;
    in->memory = data;
    in->memory_size = size;
    in->seekable = true;
    in->name = fw_xstrdup(name);
}

void fw_input_open_fd(struct fw_input *in, int fd, const char *name)
{
    memset(in, 0, sizeof *in);
    in->fd = fd;
    in->seekable = true;
    in->name = fw_xstrdup(name);
}

int fw_input_rewind(struct fw_input *in, struct fw_error *err)
{
    FW_ASSERT(in->seekable);
    if (in->fd >= 0 && lseek(in->fd, 0, SEEK_SET) < 0)
        return fw_error_errno(err, "cannot read '%s' again", in->name);
    in->offset = 0;
    in->ahead_len = 0;
    return 0;
}

void fw_input_close(struct fw_input *in)
{
    if (in->fd > STDIN_FILENO)
        close(in->fd);
    free(in->name);
    memset(in, 0, sizeof *in);
    in->fd = -1;
}

static ssize_t read_memory(struct fw_input *in, void *to, size_t want, uint64_t offset)
{
    size_t left = offset < in->memory_size ? in->memory_size - (size_t)offset : 0;

    if (want > left)
        want = left;
    if (want)
        memcpy(to, in->memory + offset, want);
    return (ssize_t)want;
}

static ssize_t read_fd(struct fw_input *in, void *to, size_t want, struct fw_error *err)
{
    ssize_t got;

    do
        got = read(in->fd, to, want);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        fw_error_errno(err, "cannot read '%s'", in->name);
    return got;
}

ssize_t fw_input_read(struct fw_input *in, void *to, size_t want, struct fw_error *err)
{
    ssize_t got;

    if (in->fd < 0) {
        got = read_memory(in, to, want, in->offset);
    } else if (in->ahead_len) {
        got = (ssize_t)(want < in->ahead_len ? want : in->ahead_len);
        memcpy(to, in->ahead, (size_t)got);
        in->ahead_len -= (size_t)got;
        memmove(in->ahead, in->ahead + got, in->ahead_len);
    } else {
        got = read_fd(in, to, want, err);
    }
    if (got > 0)
        in->offset += (uint64_t)got;
    return got;
}

ssize_t fw_input_read_full(struct fw_input *in, void *to, size_t want, struct fw_error *err)
{
    size_t have = 0;

    while (have < want) {
        ssize_t got = fw_input_read(in, (char *)to + have, want - have, err);

        if (got < 0)
            return -1;
        if (got == 0)
            break;
        have += (size_t)got;
    }
    return (ssize_t)have;
}

ssize_t fw_input_peek(struct fw_input *in, const unsigned char **bytes, size_t want,
                      struct fw_error *err)
{
    FW_ASSERT(want <= FW_INPUT_PEEK);
    *bytes = in->ahead;
    if (in->fd < 0)
        return read_memory(in, in->ahead, want, in->offset);
    while (in->ahead_len < want) {
        size_t room = FW_INPUT_PEEK - in->ahead_len; /* a packet cut short would lose its rest */
        ssize_t got = read_fd(in, in->ahead + in->ahead_len, room, err);

        if (got < 0)
            return -1;
        if (got == 0)
            break;
        in->ahead_len += (size_t)got;
    }
    return (ssize_t)(in->ahead_len < want ? in->ahead_len : want);
}

ssize_t fw_input_scan(struct fw_input *in, void *to, size_t want, uint64_t offset,
                      struct fw_error *err)
{
    ssize_t got;

    FW_ASSERT(in->seekable);
    if (in->fd < 0)
        return read_memory(in, to, want, offset);
    do
        got = pread(in->fd, to, want, (off_t)offset);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        fw_error_errno(err, "cannot read '%s'", in->name);
    return got;
}
