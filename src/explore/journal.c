/* journal.c - see journal.h. */
#include "explore/journal.h"

#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define MOST_DECISIONS (64u << 20) /* bytes */

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

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_decisions(struct reader *reader, const char *line)
{
    struct fw_trial *trial = &reader->next;
    const char *text = behind(line, 3);
    size_t bytes = 0, packed;

    if (!text || sscanf(line, "decisions %*u %zu", &bytes) != 1 || bytes > MOST_DECISIONS)
        return false;
    packed = strlen(text) / 2;
    free(trial->packed);
    trial->packed = fw_xmalloc(packed + 1);
    for (size_t i = 0; i < packed; i++) {
        int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        trial->packed[i] = (unsigned char)(high << 4 | low);
    }
    trial->packed_bytes = packed;
    trial->decision_bytes = bytes;
    return ZSTD_getFrameContentSize(trial->packed, packed) == bytes;
}

bool fw_journal_unpack(struct fw_trial *trial)
{
    size_t bytes = trial->decision_bytes;

    if (!trial->packed)
        return true;
    trial->decisions = fw_xmalloc(bytes + 1);
    trial->decision_bytes =
        ZSTD_decompress(trial->decisions, bytes, trial->packed, trial->packed_bytes);
    free(trial->packed);
    trial->packed = NULL;
    return trial->decision_bytes == bytes;
}

enum { REDUNDANT = 1, DIVERGED = 2, BLIND = 4, PARTLY = 8, RETURNED = 16,
       LONGER = 32, LIMITS = 64, FAIR = 128, CLOCK = 256, RANDOM = 512,
       BEYOND = 1024, SEVERAL = 2048, AT_ONCE = 4096 }; /* marks */
#define CHANCES 13u /* the bits of other chances come behind them */

static bool read_run(struct reader *reader, const char *line)
{
    struct fw_trial *trial = &reader->next;
    const char *failure = behind(line, 7);
    unsigned end, marks;

    if (sscanf(line, "run %" SCNu64 " %" SCNu64 " %" SCNu32 " %u %d %u", &trial->number,
               &trial->points, &trial->threads, &end, &trial->result.code, &marks) != 6 ||
        end > FW_RUN_DRIVER || !trial->number)
        return false;
    trial->redundant = marks & REDUNDANT;
    trial->diverged = marks & DIVERGED;
    trial->blind = marks & BLIND;
    trial->partly = marks & PARTLY;
    trial->returned = marks & RETURNED;
    trial->longer = marks & LONGER;
    trial->limits = marks & LIMITS;
    trial->fair = marks & FAIR;
    trial->clock = marks & CLOCK;
    trial->random = marks & RANDOM;
    trial->beyond = marks & BEYOND;
    trial->several = marks & SEVERAL;
    trial->at_once = marks & AT_ONCE;
    trial->chances = marks >> CHANCES;
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
    if (strncmp(line, "decisions ", 10) == 0)
        return read_decisions(reader, line);
    if (sscanf(line, "cut %*u %lf", &reader->next.cut) == 1)
        return true;
    if (sscanf(line, "away %*u %lf", &reader->next.away) == 1)
        return true;
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
    ssize_t got = 1;

    if (fstat(fd, &st) < 0)
        return NULL;
    text = fw_xmalloc((size_t)st.st_size + 1);
    for (*bytes = 0; got > 0 && *bytes < (size_t)st.st_size;) { /* one call reads 2 GB at most */
        got = pread(fd, text + *bytes, (size_t)st.st_size - *bytes, (off_t)*bytes);
        *bytes += got > 0 ? (size_t)got : 0;
    }
    if (got < 0) { /* what is taken for the end is cut off */
        free(text);
        return NULL;
    }
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

static int compare_trials(const void *a, const void *b)
{
    const struct fw_trial *x = a, *y = b;

    return x->number < y->number ? -1 : x->number > y->number;
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
    if (known->len)
        qsort(known->at, known->len, sizeof *known->at, compare_trials);
    if (status == 0)
        return fd;
    close(fd);
    return -1;
}

/* --- writing --------------------------------------------------------------------------------- */

static void write_decisions(struct fw_output *out, const struct fw_trial *trial)
{
    size_t room = ZSTD_compressBound(trial->decision_bytes), packed;
    unsigned char *to = fw_xmalloc(room);

    packed = ZSTD_compress(to, room, trial->decisions, trial->decision_bytes, 1);
    fw_output_printf(out, "decisions %" PRIu64 " %zu ", trial->number, trial->decision_bytes);
    for (size_t i = 0; i < packed && !ZSTD_isError(packed); i++)
        fw_output_printf(out, "%02x", to[i]);
    fw_output_text(out, "\n");
    free(to);
}

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
    if (trial->decisions)
        write_decisions(&out, trial);
    if (trial->cut > 0)
        fw_output_printf(&out, "cut %" PRIu64 " %.17g\n", trial->number, trial->cut);
    if (trial->away > 0)
        fw_output_printf(&out, "away %" PRIu64 " %.17g\n", trial->number, trial->away);
    fw_output_printf(&out, "run %" PRIu64 " %" PRIu64 " %" PRIu32 " %u %d %d%s%s\n", trial->number,
                     trial->points, trial->threads, trial->result.end, trial->result.code,
                     (trial->redundant ? REDUNDANT : 0) | (trial->diverged ? DIVERGED : 0) |
                         (trial->blind ? BLIND : 0) | (trial->partly ? PARTLY : 0) |
                         (trial->returned ? RETURNED : 0) | (trial->longer ? LONGER : 0) |
                         (trial->limits ? LIMITS : 0) | (trial->fair ? FAIR : 0) |
                         (trial->clock ? CLOCK : 0) | (trial->random ? RANDOM : 0) |
                         (trial->beyond ? BEYOND : 0) | (trial->several ? SEVERAL : 0) |
                         (trial->at_once ? AT_ONCE : 0) | (int)(trial->chances << CHANCES),
                     trial->failure ? " " : "", trial->failure ? trial->failure : "");
    if (write_all(fd, out.buffer, out.used) < 0)
        status = fw_error_errno(err, "cannot write the journal");
    fw_output_abandon(&out);
    return status;
}
