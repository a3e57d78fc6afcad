/*
 * prop_reader.c - how the bytes arrive does not matter, and missing or wrong
 * bytes never make a different trace.
 *
 * Files of all formats are read through a pipe in pieces of a few bytes.  A
 * .fwt is cut at every offset: it reads as a beginning of the trace, never
 * shorter than with fewer bytes, and says that it is cut.  A .fwt with one
 * wrong byte is refused or reads as a beginning.
 */
#include "support/convert.h"
#include "support/property.h"

#include "base/bug.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CUT_EVERY 20u /* samples; the others go through the pipe only */

static uint64_t cuts, flips, refused;

struct feed {
    int fd;
    const struct fw_file *file;
    struct fw_random random;
};

/* Packets keep their borders in the pipe, so each read gets one piece. */
static void *feed_pieces(void *context)
{
    struct feed *feed = context;
    size_t at = 0;

    while (at < feed->file->size) {
        size_t piece =
            fw_random_between(&feed->random, 1, fw_random_percent(&feed->random, 10) ? 60 : 7);

        if (piece > feed->file->size - at)
            piece = feed->file->size - at;
        if (write(feed->fd, feed->file->data + at, piece) != (ssize_t)piece)
            break;
        at += piece;
    }
    close(feed->fd);
    return NULL;
}

/* Loads the file through a pipe. */
static struct fw_trace *load_pieces(const struct fw_file *file, const char *format,
                                    struct fw_random *random, char *why, size_t why_size)
{
    struct fw_read_options options = { .format = format };
    struct fw_error err = { { 0 } };
    struct feed feed = { .file = file, .random = *random };
    struct fw_trace *trace = NULL;
    pthread_t feeder;
    char path[32];
    int ends[2];

    if (pipe2(ends, O_DIRECT | O_CLOEXEC) < 0)
        FW_BUG("no pipe");
    feed.fd = ends[1];
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    if (pthread_create(&feeder, NULL, feed_pieces, &feed) != 0)
        FW_BUG("no thread");
    if (fw_trace_load(&trace, path, &options, &err) < 0)
        snprintf(why, why_size, "as %s in pieces: %s", format, err.message);
    close(ends[0]);
    pthread_join(feeder, NULL);
    fw_random_next(random);
    return trace;
}

static bool same_event(const struct fw_trace *a, const struct fw_trace *b, uint32_t i)
{
    const struct fw_event *x = &a->events[i], *y = &b->events[i];
    const struct fw_attr *p = &a->attrs[x->attr], *q = &b->attrs[y->attr];

    return x->target == y->target && x->site == y->site && x->thread == y->thread &&
           x->kind == y->kind && x->order == y->order && p->has == q->has && p->rf == q->rf &&
           p->size == q->size && p->value == q->value;
}

/* Are the events of `part` the first ones of `whole`? */
static bool is_beginning(const struct fw_trace *part, const struct fw_trace *whole)
{
    if (part->count > whole->count)
        return false;
    for (uint32_t i = 0; i < part->count; i++)
        if (!same_event(part, whole, i))
            return false;
    return true;
}

static bool pieces_do_not_matter(const struct fw_trace *trace, const char *format,
                                 struct fw_random *random, char *why, size_t why_size)
{
    struct fw_file file;
    struct fw_trace *other;
    bool good;

    if (fw_file_write(&file, trace, format, why, why_size) < 0)
        return false;
    other = load_pieces(&file, format, random, why, why_size);
    good = other && other->count == trace->count && is_beginning(other, trace) &&
           other->has_branches == trace->has_branches && !other->status.cut;
    if (other && !good)
        snprintf(why, why_size, "%s in pieces reads otherwise", format);
    fw_trace_destroy(other);
    fw_file_release(&file);
    return good;
}

/* `least`: so many events a shorter file gave. */
static bool check_cut(const struct fw_trace *trace, const struct fw_file *file, size_t size,
                      uint32_t *least, char *why, size_t why_size)
{
    struct fw_file cut = { file->data, size };
    struct fw_trace *part = fw_file_load(&cut, "fwt", why, why_size);
    char reason[512];
    bool good;

    cuts++;
    if (!part) {
        snprintf(reason, sizeof reason, "%.500s", why);
        snprintf(why, why_size, "cut at %zu of %zu: %s", size, file->size, reason);
        return false;
    }
    good = is_beginning(part, trace) && part->count >= *least &&
           part->status.cut == (size < file->size) &&
           (part->count == 0 || part->has_branches == trace->has_branches) &&
           (size < file->size || part->count == trace->count);
    if (!good)
        snprintf(why, why_size, "cut at %zu of %zu: %u events of %u, cut %d", size, file->size,
                 part->count, trace->count, part->status.cut);
    *least = part->count;
    fw_trace_destroy(part);
    return good;
}

static bool check_flip(const struct fw_trace *trace, const struct fw_file *file, size_t at,
                       unsigned char mask, char *why, size_t why_size)
{
    struct fw_trace *part;
    bool good = true;

    flips++;
    file->data[at] = (char)(file->data[at] ^ mask);
    part = fw_file_load(file, "fwt", why, why_size);
    file->data[at] = (char)(file->data[at] ^ mask);
    refused += !part;
    if (part) {
        good = is_beginning(part, trace);
        if (!good)
            snprintf(why, why_size, "byte %zu of %zu wrong (^ %02x): another trace", at, file->size,
                     mask);
        fw_trace_destroy(part);
    }
    return good;
}

static bool damage_is_seen(const struct fw_trace *trace, struct fw_random *random, char *why,
                           size_t why_size)
{
    struct fw_file file = fw_file_write_blocks(trace, random);
    uint32_t least = 0;
    bool good = true;

    for (size_t size = 0; good && size <= file.size; size++)
        good = check_cut(trace, &file, size, &least, why, why_size);
    for (size_t at = 0; good && at < file.size; at++)
        good = check_flip(trace, &file, at, (unsigned char)(1u << fw_random_below(random, 8)), why,
                          why_size);
    fw_file_release(&file);
    return good;
}

static bool bytes_arrive_somehow(const struct fw_sample *sample, char *why, size_t why_size)
{
    struct fw_trace *trace =
        fw_load_text(sample->text, sample->size, "random.std", false, why, why_size);
    struct fw_random random;
    bool good;

    if (!trace)
        return false;
    fw_random_init(&random, sample->seed ^ UINT64_C(0x726561646572));
    good = pieces_do_not_matter(trace, "std", &random, why, why_size) &&
           pieces_do_not_matter(trace, "tid", &random, why, why_size) &&
           pieces_do_not_matter(trace, "fwt", &random, why, why_size);
    if (good && sample->seed % CUT_EVERY == 0)
        good = damage_is_seen(trace, &random, why, why_size);
    fw_trace_destroy(trace);
    return good;
}

int main(void)
{
    static const char *const profiles[] = { "everything", "two", "heap", NULL };
    int status;

    signal(SIGPIPE, SIG_IGN); /* a reader that gives up is told from its message */
    status = fw_property_run("prop_reader", profiles, 1200, bytes_arrive_somehow);

    printf("%" PRIu64 " cuts; %" PRIu64 " wrong bytes, %" PRIu64 " refused\n", cuts, flips,
           refused);
    return status;
}
