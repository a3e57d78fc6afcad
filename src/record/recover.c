/* recover.c - see recover.h. */
#include "record/recover.h"

#include "record/final.h"
#include "record/spool.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A file without a name, in TMPDIR or /tmp. */
static int open_temporary(struct fw_error *err)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    int fd;

    folder = folder && *folder ? folder : "/tmp";
    fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    snprintf(path, sizeof path, "%.4000s/foreweave-XXXXXX", folder);
    fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        return fw_error_errno(err, "cannot make a temporary file in '%s'", folder);
    unlink(path);
    return fd;
}

/* What comes through a pipe, in a file, so that it can be read twice. */
static int copy_input(struct fw_input *from, struct fw_input *to, struct fw_error *err)
{
    int fd = open_temporary(err);
    struct fw_output copy;
    char buffer[65536];
    ssize_t got;

    if (fd < 0)
        return -1;
    fw_output_open_fd(&copy, dup(fd), "a temporary file");
    while ((got = fw_input_read(from, buffer, sizeof buffer, err)) > 0)
        fw_output_bytes(&copy, buffer, (size_t)got);
    if (got < 0) {
        fw_output_abandon(&copy);
        close(fd);
        return -1;
    }
    if (fw_output_close(&copy, err) < 0) {
        close(fd);
        return -1;
    }
    fw_input_open_fd(to, fd, from->name);
    return fw_input_rewind(to, err);
}

static int finish_into(struct fw_input *from, struct fw_input *to, struct fw_error *err)
{
    struct fw_output out;
    struct fw_final_setup setup = { .spool = from,
                                    .out = &out,
                                    .limit = fw_survey_default_limit() };
    struct fw_final_result result;
    int fd = open_temporary(err);

    if (fd < 0)
        return -1;
    fw_output_open_fd(&out, dup(fd), "a temporary file");
    if (fw_finalise(&setup, &result, err) < 0) {
        close(fd);
        return fw_error_context(err, "cannot finish the recording '%s'", from->name);
    }
    fw_input_open_fd(to, fd, from->name);
    return fw_input_rewind(to, err);
}

static int recover(struct fw_input *from, struct fw_input *to, struct fw_error *err)
{
    struct fw_input copy;
    int status;

    if (from->seekable)
        return fw_input_rewind(from, err) < 0 ? -1 : finish_into(from, to, err);
    if (copy_input(from, &copy, err) < 0)
        return -1;
    status = finish_into(&copy, to, err);
    fw_input_close(&copy);
    return status;
}

const struct fw_recovery fw_spool_recovery = { .magic = FW_SPOOL_MAGIC, .recover = recover };
