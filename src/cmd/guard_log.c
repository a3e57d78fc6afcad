/* guard_log.c - violations, one line of JSON each (learn/violations.h); see guard.h. */
#include "cmd/guard.h"

#include "base/alloc.h"
#include "learn/violations.h"
#include "lifetx/places.h"
#include "symbol/symbolizer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LONGEST 65536 /* bytes of a line, by far */

/* Where the last whole line of the file ends; -1: it is no log, or has none in its last bytes. */
static off_t whole_lines(int fd, off_t size)
{
    static const char head[] = "{\"foreweave\":\"violations\"";
    off_t from = size > LONGEST ? size - LONGEST : 0;
    char begin[sizeof head - 1], *tail = fw_xmalloc(LONGEST);
    ssize_t known = pread(fd, begin, sizeof begin, 0), read = pread(fd, tail, LONGEST, from);
    const char *stop = read > 0 ? memrchr(tail, '\n', (size_t)read) : NULL;
    off_t end = stop ? from + (stop + 1 - tail) : from ? -1 : 0;

    free(tail);
    return known > 0 && memcmp(begin, head, (size_t)known) == 0 ? end : -1;
}

/* A line that was not written to its end, since the disk was full or the guard was killed, would
 * have the next one as its rest.  Files that are no logs stay as they are. */
static void drop_cut_line(const char *path)
{
    struct stat about;
    off_t end;
    int fd;

    if (stat(path, &about) < 0 || !S_ISREG(about.st_mode) || !about.st_size)
        return;
    fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    end = whole_lines(fd, about.st_size);
    if (end >= 0 && end < about.st_size && ftruncate(fd, end) < 0)
        errno = 0; /* a courtesy */
    close(fd);
}

int fw_guard_log_open(struct fw_guard_log *log, const char *path,
                      const struct fw_learn_program *program, struct fw_error *err)
{
    struct stat about;
    int fd;

    *log = (struct fw_guard_log) { .program = program };
    if (!path)
        return 0;
    drop_cut_line(path);
    /* A pipe that nobody reads is an error, not something to wait for. */
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644);
    if (fd < 0 || fstat(fd, &about) < 0 || fcntl(fd, F_SETFL, O_APPEND) < 0)
        return fw_error_errno(err, "cannot write the log '%s'", path);
    fw_output_open_fd(&log->out, fd, path);
    log->open = true;
    log->symbolizer = fw_symbolizer_create();
    for (size_t i = 0; i < fw_learn_program_module_count(program); i++)
        fw_vec_push(&log->modules,
                    fw_symbolizer_module(log->symbolizer, fw_learn_program_module(program, i)->path,
                                         NULL, 0));
    if (!about.st_size)
        fw_violations_begin(&log->out);
    fw_output_flush(&log->out);
    return 0;
}

static bool may_write(struct fw_guard_log *log)
{
    enum fw_ring_line may = log->open ? fw_ring_line(&log->reader) : FW_RING_FULL;

    if (may == FW_RING_LAST)
        fw_output_text(&log->out,
                       "{\"says\":\"this log is long enough: the rest is counted only\"}\n");
    return may == FW_RING_LINE;
}

/* Switches are told also when violations are not any more. */
static bool may_say(struct fw_guard_log *log)
{
    return log->open && log->said++ < FW_RING_LINES;
}

static void put_time(struct fw_json *json, uint64_t ns)
{
    time_t seconds = (time_t)(ns / 1000000000u);
    char text[64], all[96];
    struct tm parts;

    gmtime_r(&seconds, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(all, sizeof all, "%s.%06uZ", text, (unsigned)(ns / 1000u % 1000000u));
    fw_json_text(json, "time", all);
}

void fw_guard_log_say(struct fw_guard_log *log, const char *text)
{
    struct fw_json json = { .out = &log->out };
    struct timespec now;

    if (!may_say(log))
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    fw_json_object(&json, NULL);
    put_time(&json, (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
    fw_json_text(&json, "says", text);
    fw_json_end(&json);
    fw_output_flush(&log->out);
}

static void put_frame(struct fw_guard_log *log, struct fw_json *json, uint64_t frame)
{
    uint64_t module = (frame >> 48) - 1, offset = frame & ((UINT64_C(1) << 48) - 1);
    struct fw_source_frame frames[16];
    size_t count =
        module < log->modules.len
            ? fw_symbolizer_frames(log->symbolizer, log->modules.at[module], offset - 1, frames, 16)
            : 0;

    for (size_t i = 0; i < count; i++) {
        char *text = fw_xasprintf("%s %s:%u", frames[i].function ? frames[i].function : "?",
                                  frames[i].at.file ? frames[i].at.file : "?", frames[i].at.line);

        fw_json_text(json, NULL, text);
        free(text);
    }
}

/* Where the other thread's transaction may be split. */
static void put_cut(struct fw_guard_log *log, struct fw_json *json, uint64_t frame)
{
    uint64_t module = (frame >> 48) - 1, returns = frame & ((UINT64_C(1) << 48) - 1);
    const struct fw_learnt_site *site;
    char *place;

    if (!returns || module >= fw_learn_program_module_count(log->program))
        return;
    if (!log->places)
        log->places = fw_cut_places_create();
    place = fw_xasprintf("%s+0x%" PRIx64, fw_learn_program_module(log->program, module)->path,
                         returns - 1);
    site = fw_cut_places_site(log->places, &(struct fw_cut) { FW_CUT_ACCESS, place });
    if (site && site->does == FW_LEARNT_PLACE)
        fw_violation_cut(json, site);
    free(place);
}

static void put_violation(struct fw_guard_log *log, struct fw_json *json,
                          const struct fw_guard_entry *entry)
{
    static const char *const done[] = { [FW_GUARD_DID_NOTHING] = "nothing",
                                        [FW_GUARD_DID_STALL] = "stalled",
                                        [FW_GUARD_DID_PASS] = "passed",
                                        [FW_GUARD_DID_STOP] = "stopped",
                                        [FW_GUARD_DID_AGAIN] = "rolled back" };
    const struct fw_constraints *sites = fw_learn_program_sites(log->program);
    const struct fw_learnt_site *access = fw_constraints_get(sites, entry->site - 1);
    const struct fw_learnt_site *after =
        entry->before ? fw_constraints_get(sites, entry->before - 1) : NULL;
    char address[32];

    snprintf(address, sizeof address, "0x%" PRIx64, entry->address);
    fw_json_number(json, "process", (uint64_t)entry->process);
    fw_json_number(json, "thread", entry->thread);
    fw_json_number(json, "other", entry->other);
    if (log->transactions)
        fw_violation_transactions(json, access, after);
    else
        fw_violation_sites(json, access, after, entry->also);
    if (log->transactions && entry->rests)
        put_cut(log, json, entry->rests);
    fw_json_text(json, "address", address);
    fw_json_text(json, "done", done[entry->done]);
    fw_json_number(json, "ns", entry->ns);
    fw_json_number(json, "tries", entry->tries);
    if (entry->window) {
        fw_json_object(json, "window");
        fw_json_number(json, "places", entry->window);
        fw_json_number(json, "undone", entry->undone);
        fw_json_end(json);
    }
    fw_json_array(json, "stack");
    for (uint32_t i = 0; i < entry->frame_count; i++)
        put_frame(log, json, entry->frames[i]);
    fw_json_end(json);
}

/* The program may have written anything into it. */
static bool is_violation(const struct fw_guard_log *log, const struct fw_guard_entry *entry)
{
    uint32_t count = fw_constraints_site_count(fw_learn_program_sites(log->program));

    return entry->done <= FW_GUARD_DID_AGAIN && entry->done != FW_GUARD_DID_STOP && entry->site &&
           entry->site <= count && entry->before <= count && entry->frame_count <= FW_GUARD_FRAMES;
}

static void put_entry(struct fw_guard_log *log, const struct fw_guard_entry *entry)
{
    struct fw_json json = { .out = &log->out };
    bool violation = is_violation(log, entry);

    if (!(violation ? may_write(log) : may_say(log)))
        return;
    fw_json_object(&json, NULL);
    put_time(&json, entry->time);
    if (violation)
        put_violation(log, &json, entry);
    else if (entry->done == FW_GUARD_DID_STOP)
        fw_json_text(&json, "says", "the budget is spent: the guard is off");
    fw_json_end(&json);
}

void fw_guard_log_drain(struct fw_guard_log *log, const struct fw_guard_file *file)
{
    struct fw_guard_entry entry;
    struct fw_ring ring = { fw_guard_log(file->head), sizeof entry, FW_GUARD_LOG };
    uint64_t end = atomic_load(&file->head->logged);
    bool any = false;

    if (!fw_guard_is_whole(file->head, file->bytes))
        return; /* the program has written over it */
    log->transactions = file->head->mode == FW_GUARD_LIFETX;
    for (; fw_ring_next(&log->reader, &ring, end, &entry); any = true)
        put_entry(log, &entry);
    if (any && log->open)
        fw_output_flush(&log->out);
}

int fw_guard_log_close(struct fw_guard_log *log, struct fw_error *err)
{
    int status = 0;

    fw_symbolizer_destroy(log->symbolizer);
    fw_cut_places_destroy(log->places);
    fw_vec_release(&log->modules);
    if (log->open && log->out.error)
        drop_cut_line(log->out.name);
    if (log->open)
        status = fw_output_close(&log->out, err);
    log->open = false;
    return status;
}
