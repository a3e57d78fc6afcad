/*
 * heal_log.c - what was done, one line each, in a file; see heal.h.
 *
 * The file has its name from the beginning: a program that is healed may run for months.
 */
#include "cmd/heal.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int fw_heal_log_open(struct fw_heal_log *log, const char *path, struct fw_heal_names names,
                     struct fw_error *err)
{
    int fd;

    *log = (struct fw_heal_log){ .names = names, .begun = now() };
    if (!path)
        return 0;
    fd = strcmp(path, "-") == 0 ? dup(STDOUT_FILENO)
                                : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return fw_error_errno(err, "cannot write '%s'", path);
    fw_output_open_fd(&log->out, fd, path);
    log->open = true;
    return 0;
}

static bool may_write(struct fw_heal_log *log)
{
    enum fw_ring_line may = log->open ? fw_ring_line(&log->reader) : FW_RING_FULL;

    if (may == FW_RING_LAST)
        fw_output_printf(&log->out, "%u lines: the rest is counted only\n", FW_RING_LINES);
    return may == FW_RING_LINE;
}

static void put_time(struct fw_heal_log *log, uint64_t time)
{
    uint64_t since = time > log->begun ? time - log->begun : 0;

    fw_output_printf(&log->out, "%" PRIu64 ".%06" PRIu64 " ", since / 1000000000u,
                     since / 1000u % 1000000u);
}

void fw_heal_log_say(struct fw_heal_log *log, const char *text)
{
    if (!may_write(log))
        return;
    put_time(log, now());
    fw_output_printf(&log->out, "%s\n", text);
    fw_output_flush(&log->out);
}

static const char *section_name(const struct fw_heal_log *log, uint32_t section)
{
    return section < log->names.count ? log->names.at[section] : "?";
}

static void put_what(struct fw_heal_log *log, const struct fw_heal_entry *entry)
{
    const char *name = section_name(log, entry->section);
    double ms = (double)entry->ns / 1e6;

    switch (entry->what) {
    case FW_HEAL_LOG_WAITED:
        fw_output_printf(&log->out, "waited %.3f ms for thread %" PRIu32 " in '%s'", ms,
                         entry->other, name);
        break;
    case FW_HEAL_LOG_MET:
        fw_output_printf(&log->out, "met thread %" PRIu32 " in '%s'", entry->other, name);
        break;
    case FW_HEAL_LOG_LATE:
        fw_output_printf(&log->out,
                         "waited %.3f ms for thread %" PRIu32 " in '%s' and took the lock from it",
                         ms, entry->other, name);
        break;
    case FW_HEAL_LOG_CIRCLE:
        fw_output_printf(&log->out,
                         "would have waited in a circle: the lock of thread %" PRIu32
                         " in '%s' is released",
                         entry->other, name);
        break;
    case FW_HEAL_LOG_OWN:
        fw_output_printf(&log->out,
                         "would have waited for a mutex in a circle: its lock in '%s' is released",
                         name);
        break;
    case FW_HEAL_LOG_LET_GO:
        fw_output_printf(&log->out, "synchronises in '%s': its lock is released", name);
        break;
    case FW_HEAL_LOG_BUDGET:
        fw_output_text(&log->out, "the budget is spent: healing is off");
        break;
    default:
        fw_output_text(&log->out, "did what is not known here");
    }
}

static void put_entry(struct fw_heal_log *log, const struct fw_heal_entry *entry)
{
    if (!may_write(log))
        return;
    put_time(log, entry->time);
    fw_output_printf(&log->out, "process %" PRId32 " thread %" PRIu32 " ", entry->process,
                     entry->thread);
    put_what(log, entry);
    if (entry->address)
        fw_output_printf(&log->out, ", word 0x%" PRIx64, entry->address);
    fw_output_text(&log->out, "\n");
}

void fw_heal_log_drain(struct fw_heal_log *log, struct fw_heal_wire *wire)
{
    struct fw_heal_entry entry;
    struct fw_ring ring = { wire->log, sizeof entry, FW_HEAL_LOG };
    uint64_t end = atomic_load(&wire->logged);
    bool any = false;

    for (; fw_ring_next(&log->reader, &ring, end, &entry); any = true)
        put_entry(log, &entry);
    if (any && log->open)
        fw_output_flush(&log->out);
}

int fw_heal_log_close(struct fw_heal_log *log, struct fw_error *err)
{
    if (!log->open)
        return 0;
    if (log->reader.lost)
        fw_output_printf(&log->out, "%" PRIu64 " lines were overwritten before they were written\n",
                         log->reader.lost);
    log->open = false;
    return fw_output_close(&log->out, err);
}
