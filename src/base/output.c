/* output.c - see output.h. */
#include "base/output.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES (256u * 1024u)
#define MEMORY_BYTES 1024u /* to start with, in memory */

static void init(struct fw_output *out, int fd, const char *name)
{
    memset(out, 0, sizeof *out);
    out->fd = fd;
    out->name = fw_xstrdup(name);
    out->size = fd < 0 ? MEMORY_BYTES : BUFFER_BYTES;
    out->buffer = fw_xmalloc(out->size);
}

/* The file a name stands for: through a symbolic link, so that the link itself stays. */
static char *real_name(const char *path)
{
    char *real = realpath(path, NULL);

    return real ? real : fw_xstrdup(path);
}

/* Can it only be written directly?  True for pipes and devices. */
static bool is_special(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static int open_part(struct fw_output *out, const char *path, struct fw_error *err)
{
    char *real = real_name(path);
    char *part = fw_xasprintf("%s.part-%ld", real, (long)getpid());
    struct stat st;
    bool known = stat(real, &st) == 0;
    int fd = -1;

    if (known && S_ISDIR(st.st_mode))
        errno = EISDIR;
    else if (!known || access(real, W_OK) == 0)
        fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        fw_error_errno(err, "cannot write '%s'", path);
        free(part);
        free(real);
        return -1;
    }
    if (known && fchmod(fd, st.st_mode & 07777) < 0)
        errno = 0; /* the old file's mode is a courtesy */
    init(out, fd, real);
    out->part = part;
    free(real);
    return 0;
}

int fw_output_open(struct fw_output *out, const char *path, struct fw_error *err)
{
    int fd;

    if (strcmp(path, "-") == 0) {
        init(out, STDOUT_FILENO, "standard output");
        return 0;
    }
    if (!is_special(path))
        return open_part(out, path, err);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return fw_error_errno(err, "cannot write '%s'", path);
    init(out, fd, path);
    return 0;
}

void fw_output_open_fd(struct fw_output *out, int fd, const char *name)
{
    init(out, fd, name);
}

void fw_output_open_memory(struct fw_output *out)
{
    init(out, -1, "memory");
}

void fw_output_flush(struct fw_output *out)
{
    size_t done = 0;

    if (out->fd < 0)
        return;
    while (done < out->used && !out->error) {
        ssize_t n = write(out->fd, out->buffer + done, out->used - done);

        if (n < 0 && errno != EINTR)
            out->error = errno;
        else if (n > 0)
            done += (size_t)n;
    }
    out->used = 0;
}

char *fw_output_reserve(struct fw_output *out, size_t len)
{
    if (out->size - out->used < len)
        fw_output_flush(out);
    if (out->size - out->used < len) {
        while (out->size - out->used < len)
            out->size *= 2;
        out->buffer = fw_xrealloc(out->buffer, out->size, 1);
    }
    return out->buffer + out->used;
}

void fw_output_bytes(struct fw_output *out, const void *bytes, size_t len)
{
    if (len)
        memcpy(fw_output_reserve(out, len), bytes, len);
    fw_output_advance(out, len);
}

void fw_output_text(struct fw_output *out, const char *text)
{
    fw_output_bytes(out, text, strlen(text));
}

void fw_output_word(struct fw_output *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./:@%+=,";

    if (*word && strspn(word, plain) == strlen(word)) {
        fw_output_text(out, word);
        return;
    }
    fw_output_text(out, "'");
    for (; *word; word++) {
        if (*word == '\'')
            fw_output_text(out, "'\\''");
        else
            fw_output_bytes(out, word, 1);
    }
    fw_output_text(out, "'");
}

void fw_output_printf(struct fw_output *out, const char *fmt, ...)
{
    va_list args;
    int len;

    va_start(args, fmt);
    len = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (len < 0)
        return;
    fw_output_reserve(out, (size_t)len + 1);
    va_start(args, fmt);
    vsnprintf(out->buffer + out->used, (size_t)len + 1, fmt, args);
    va_end(args);
    fw_output_advance(out, (size_t)len);
}

static void dispose(struct fw_output *out)
{
    free(out->buffer);
    free(out->name);
    free(out->part);
    memset(out, 0, sizeof *out);
    out->fd = -1;
}

int fw_output_close(struct fw_output *out, struct fw_error *err)
{
    int result = 0;

    fw_output_flush(out);
    if (out->fd > STDERR_FILENO && close(out->fd) < 0 && !out->error)
        out->error = errno;
    if (out->part && !out->error && rename(out->part, out->name) < 0)
        out->error = errno;
    if (out->error) {
        errno = out->error;
        result = fw_error_errno(err, "cannot write '%s'", out->name);
        if (out->part)
            unlink(out->part);
    }
    dispose(out);
    return result;
}

void fw_output_abandon(struct fw_output *out)
{
    if (out->fd > STDERR_FILENO)
        close(out->fd);
    if (out->part)
        unlink(out->part);
    dispose(out);
}

/* --- folders --------------------------------------------------------------------------------- */

static bool is_folder(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

int fw_folder_make(const char *path, struct fw_error *err)
{
    char *above = fw_xstrdup(path);
    int status = 0, why;

    for (char *at = above + 1; path[0] && *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        mkdir(above, 0777); /* the last one tells */
        *at = '/';
    }
    why = mkdir(path, 0777) < 0 ? errno : 0;
    if (why && !is_folder(path))
        status = fw_error_set(err, "cannot make the folder '%s': %s", path, strerror(why));
    free(above);
    return status;
}
