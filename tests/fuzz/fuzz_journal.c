/*
 * fuzz_journal.c - any bytes as the journal of a campaign: read, or refused with a reason.
 *
 * They stand behind a head that is right, unless the size is odd.  What can be read is written
 * and read once more, and must then be written the same.
 */
#include "base/bug.h"
#include "base/output.h"
#include "explore/journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HEAD "foreweave explore 1\nabout fuzz\n"
#define MOST (1u << 20) /* bytes of decisions that are unpacked */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct file {
    int fd;
    char path[32];
};

static struct file make_file(void)
{
    struct file file = { .fd = memfd_create("journal", MFD_CLOEXEC) };

    FW_ASSERT(file.fd >= 0);
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.fd);
    return file;
}

static void check(struct fw_trial *trial)
{
    FW_ASSERT(trial->number && trial->done && trial->result.end <= FW_RUN_DRIVER);
    for (size_t i = 0; i < trial->found.len; i++)
        FW_ASSERT(trial->found.at[i].operation && trial->found.at[i].module);
    if (trial->decision_bytes > MOST)
        trial->packed_bytes = 0; /* which is found out */
    if (fw_journal_unpack(trial)) {
        FW_ASSERT(trial->decisions || !trial->decision_bytes);
        return;
    }
    free(trial->decisions);
    trial->decisions = NULL;
}

/* Writes the trials to a new journal. */
static struct file write_all(const struct fw_trial_vec *trials)
{
    struct file file = make_file();
    struct fw_trial_vec none = { 0 };
    struct fw_error err;
    int fd = fw_journal_open(file.path, "fuzz", &none, &err);

    FW_ASSERT(fd >= 0);
    for (size_t i = 0; i < trials->len; i++)
        FW_ASSERT(fw_journal_append(fd, &trials->at[i], &err) == 0);
    close(fd);
    return file;
}

static void read_all(const struct file *file, struct fw_trial_vec *trials)
{
    struct fw_error err = { { 0 } };
    int fd = fw_journal_open(file->path, "fuzz", trials, &err);

    if (fd < 0) {
        FW_ASSERT(err.message[0]);
        return;
    }
    close(fd);
    for (size_t i = 0; i < trials->len; i++)
        check(&trials->at[i]);
}

static void release(struct fw_trial_vec *trials)
{
    for (size_t i = 0; i < trials->len; i++)
        fw_trial_release(&trials->at[i]);
    fw_vec_release(trials);
}

static void check_same(const struct file *first, const struct file *second)
{
    off_t size = lseek(first->fd, 0, SEEK_END);
    char *a = malloc((size_t)size), *b = malloc((size_t)size);

    FW_ASSERT(a && b && lseek(second->fd, 0, SEEK_END) == size);
    FW_ASSERT(pread(first->fd, a, (size_t)size, 0) == size);
    FW_ASSERT(pread(second->fd, b, (size_t)size, 0) == size);
    FW_ASSERT(memcmp(a, b, (size_t)size) == 0);
    free(a);
    free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct file given = make_file(), first, second;
    struct fw_trial_vec trials = { 0 }, again = { 0 };

    if (size % 2 == 0)
        FW_ASSERT(write(given.fd, HEAD, sizeof HEAD - 1) == sizeof HEAD - 1);
    FW_ASSERT(write(given.fd, data, size) == (ssize_t)size);
    read_all(&given, &trials);
    first = write_all(&trials);
    read_all(&first, &again);
    FW_ASSERT(again.len == trials.len);
    second = write_all(&again);
    check_same(&first, &second);
    release(&trials);
    release(&again);
    close(given.fd);
    close(first.fd);
    close(second.fd);
    return 0;
}
