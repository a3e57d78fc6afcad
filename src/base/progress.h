/*
 * progress.h - one line on a terminal that says how far long work is.
 *
 *     12.4 M events, 18.2 M/s, 43%, 9 s left
 *
 * Nothing is ever shown if the output is no terminal, nor in the first second;
 * the line is gone when the work is done.  The caller says what time it is.
 */
#ifndef FW_BASE_PROGRESS_H
#define FW_BASE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fw_progress {
    int fd;
    bool wanted;
    double start, shown; /* seconds */
    uint64_t total;      /* bytes to read; 0: not known */
    int len;             /* letters on the screen */
};

void fw_progress_init(struct fw_progress *progress, int fd, uint64_t total, double now);

/* Call it often: it looks at the time and seldom does more. */
void fw_progress_update(struct fw_progress *progress, double now, uint64_t events, uint64_t bytes);

/* The same with words of the caller's, where no events are counted. */
void fw_progress_line(struct fw_progress *progress, double now, const char *text);

/* Before anything else is printed there. */
void fw_progress_clear(struct fw_progress *progress);

/* The line itself. */
void fw_progress_text(const struct fw_progress *progress, double now, uint64_t events,
                      uint64_t bytes, char *text, size_t size);

#endif
