/* progress.c - see progress.h. */
#include "base/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FIRST_AFTER 1.0
#define AGAIN_AFTER 0.2

void fw_progress_init(struct fw_progress *progress, int fd, uint64_t total, double now)
{
    *progress = (struct fw_progress) {
        .fd = fd,
        .wanted = isatty(fd),
        .start = now,
        .shown = now + FIRST_AFTER - AGAIN_AFTER,
        .total = total,
    };
}

/* "980", "12.4 k", "3.0 M" */
static void scaled(double value, char *text, size_t size)
{
    if (value < 1000)
        snprintf(text, size, "%.0f", value);
    else if (value < 1e6)
        snprintf(text, size, "%.1f k", value / 1e3);
    else if (value < 1e9)
        snprintf(text, size, "%.1f M", value / 1e6);
    else
        snprintf(text, size, "%.2f G", value / 1e9);
}

void fw_progress_text(const struct fw_progress *progress, double now, uint64_t events,
                      uint64_t bytes, char *text, size_t size)
{
    double seconds = now - progress->start;
    char count[32], rate[32];
    size_t used;

    scaled((double)events, count, sizeof count);
    scaled(seconds > 0 ? (double)events / seconds : 0, rate, sizeof rate);
    used = (size_t)snprintf(text, size, "%s events, %s/s", count, rate);
    if (progress->total && bytes && bytes <= progress->total && used < size) {
        double part = (double)bytes / (double)progress->total;

        snprintf(text + used, size - used, ", %.0f%%, %.0f s left", part * 100,
                 seconds / part - seconds);
    }
}

/* The terminal may have gone away: then there is nobody to tell. */
static void show(struct fw_progress *progress, const char *text)
{
    char line[256];
    int len = (int)strlen(text);
    int blank = progress->len > len ? progress->len - len : 0;
    int size = snprintf(line, sizeof line, "\r%s%*s%s", text, blank, "", *text ? "" : "\r");

    if (write(progress->fd, line, (size_t)size) < 0)
        progress->wanted = false;
    progress->len = len;
}

void fw_progress_line(struct fw_progress *progress, double now, const char *text)
{
    if (!progress->wanted || now - progress->shown < AGAIN_AFTER)
        return;
    show(progress, text);
    progress->shown = now;
}

void fw_progress_update(struct fw_progress *progress, double now, uint64_t events, uint64_t bytes)
{
    char text[128];

    if (!progress->wanted || now - progress->shown < AGAIN_AFTER)
        return;
    fw_progress_text(progress, now, events, bytes, text, sizeof text);
    fw_progress_line(progress, now, text);
}

void fw_progress_clear(struct fw_progress *progress)
{
    if (progress->wanted && progress->len)
        show(progress, "");
}
