/* journal.c - see journal.h. */
#include "explore/journal.h"

#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char title[] = "foreweave explore 1\n";

/* --- reading --------------------------------------------------------------------------------- */

struct reader {
    const char *path;
    struct fw_trial_vec *known;
    struct fw_trial next; /* lines before its `run` */
};

/* The rest of the line behind the nth blank; NULL: there is none. */
static const char *behind(const char *line, int blanks)
{
    while (line && blanks--) {
        line = strchr(line, ' ');
        line = line ? line + 1 : NULL;
    }
    return line;
}

static bool read_site(struct reader *reader, const char *line)
{
    const char *operation = behind(line, 3), *module = behind(line, 4);
    struct fw_spot place;

    if (!module || sscanf(line, "site %*u %" SCNx64, &place.offset) != 1)
        return false;
    place.operation = fw_xstrndup(operation, (size_t)(module - operation - 1));
    place.module = fw_xstrdup(module);
    fw_vec_push(&reader->next.found, place);
    return true;
}

static bool read_run(struct reader *reader, const char *line)
{
    struct fw_trial *trial = &reader->next;
    const char *failure = behind(line, 6);
    unsigned end;

    if (sscanf(line, "run %" SCNu64 " %" SCNu64 " %" SCNu32 " %u %d", &trial->number,
               &trial->points, &trial->threads, &end, &trial->result.code) != 5 ||
        end > FW_RUN_TIMEOUT || !trial->number)
        return false;
    trial->result.end = (enum fw_run_end)end;
    trial->result.controlled = true;
    trial->done = true;
    if (failure)
        trial->failure = fw_xstrdup(failure);
    fw_vec_push(reader->known, *trial);
    memset(trial, 0, sizeof *trial);
    return true;
}

static bool read_line(struct reader *reader, const char *line)
{
    uint64_t pair;

    if (strncmp(line, "site ", 5) == 0)
        return read_site(reader, line);
    if (strncmp(line, "message ", 8) == 0 && behind(line, 2)) {
        free(reader->next.message);
        reader->next.message = fw_xstrdup(behind(line, 2));
        return true;
    }
    if (sscanf(line, "pair %*u %" SCNx64, &pair) == 1) {
        fw_vec_push(&reader->next.pairs, pair);
        return true;
    }
    return strncmp(line, "run ", 4) == 0 && read_run(reader, line);
}

/* Lines up to the last whole one; *good is how many bytes tell something. */
static int read_lines(struct reader *reader, char *text, size_t from, size_t *good,
                      struct fw_error *err)
{
    unsigned number = 3;
    char *line = text + from, *end;

    *good = from;
    for (; (end = strchr(line, '\n')); line = end + 1, number++) {
        *end = '\0';
        if (!read_line(reader, line))
            return fw_error_set(err, "'%s', line %u: not a line of a journal", reader->path,
                                number);
        if (strncmp(line, "run ", 4) == 0)
            *good = (size_t)(end + 1 - text);
    }
    return 0;
}

static char *read_all(int fd, size_t *bytes)
{
    struct stat st;
    char *text;
    ssize_t got;

    if (fstat(fd, &st) < 0)
        return NULL;
    text = fw_xmalloc((size_t)st.st_size + 1);
    got = pread(fd, text, (size_t)st.st_size, 0);
    *bytes = got > 0 ? (size_t)got : 0;
    text[*bytes] = '\0';
    return text;
}

static int write_all(int fd, const char *text, size_t bytes)
{
    while (bytes) {
        ssize_t done = write(fd, text, bytes);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return -1;
        text += done;
        bytes -= (size_t)done;
    }
    return 0;
}

static int begin(int fd, const char *path, const char *head, struct fw_error *err)
{
    if (ftruncate(fd, 0) < 0 || write_all(fd, head, strlen(head)) < 0)
        return fw_error_errno(err, "cannot write '%s'", path);
    return 0;
}

static int go_on(int fd, struct reader *reader, const char *head, struct fw_error *err)
{
    size_t bytes = 0, good = 0, length = strlen(head);
    char *text = read_all(fd, &bytes);
    int status;

    if (!text)
        return fw_error_errno(err, "cannot read '%s'", reader->path);
    if (bytes < length && strncmp(text, head, bytes) == 0) {
        status = begin(fd, reader->path, head, err); /* new, or killed when it was begun */
    } else if (strncmp(text, title, sizeof title - 1) != 0) {
        status = fw_error_set(err, "'%s' is no journal of 'foreweave explore'", reader->path);
    } else if (strncmp(text, head, length) != 0) {
        status =
            fw_error_set(err, "'%s' is about another program or other options: %.*s", reader->path,
                         (int)strcspn(text + sizeof title - 1, "\n"), text + sizeof title - 1);
    } else {
        status = read_lines(reader, text, length, &good, err);
        if (status == 0 && ftruncate(fd, (off_t)good) < 0)
            status = fw_error_errno(err, "cannot write '%s'", reader->path);
    }
    free(text);
    fw_trial_release(&reader->next);
    return status;
}

int fw_journal_open(const char *path, const char *about, struct fw_trial_vec *known,
                    struct fw_error *err)
{
    struct reader reader = { .path = path, .known = known };
    int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666), status;
    char *head;

    if (fd < 0)
        return fw_error_errno(err, "cannot open '%s'", path);
    head = fw_xasprintf("%sabout %s\n", title, about);
    status = go_on(fd, &reader, head, err);
    free(head);
    if (status == 0)
        return fd;
    close(fd);
    return -1;
}

/* --- writing --------------------------------------------------------------------------------- */

int fw_journal_append(int fd, const struct fw_trial *trial, struct fw_error *err)
{
    struct fw_output out;
    int status = 0;

    fw_output_open_memory(&out);
    for (size_t i = 0; i < trial->found.len; i++)
        fw_output_printf(&out, "site %" PRIu64 " %" PRIx64 " %s %s\n", trial->number,
                         trial->found.at[i].offset, trial->found.at[i].operation,
                         trial->found.at[i].module);
    for (size_t i = 0; i < trial->pairs.len; i++)
        fw_output_printf(&out, "pair %" PRIu64 " %" PRIx64 "\n", trial->number, trial->pairs.at[i]);
    if (trial->message)
        fw_output_printf(&out, "message %" PRIu64 " %s\n", trial->number, trial->message);
    fw_output_printf(&out, "run %" PRIu64 " %" PRIu64 " %" PRIu32 " %u %d%s%s\n", trial->number,
                     trial->points, trial->threads, trial->result.end, trial->result.code,
                     trial->failure ? " " : "", trial->failure ? trial->failure : "");
    if (write_all(fd, out.buffer, out.used) < 0)
        status = fw_error_errno(err, "cannot write the journal");
    fw_output_abandon(&out);
    return status;
}
