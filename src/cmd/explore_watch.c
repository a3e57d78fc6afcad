/* explore_watch.c - see explore_watch.h. */
#include "cmd/explore_watch.h"

#include "base/alloc.h"
#include "cmd/cmd.h"
#include "record/places.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void fw_explore_watch_init(struct fw_explore_watch *watch, const struct fw_explored *explored,
                           bool quiet)
{
    *watch = (struct fw_explore_watch) { .explored = *explored, .next = 10, .quiet = quiet };
    fw_progress_init(&watch->line, STDERR_FILENO, 0, fw_session_now());
}

void fw_explore_watch_release(struct fw_explore_watch *watch)
{
    free(watch->folder);
}

static void say_line(struct fw_explore_watch *watch)
{
    struct fw_output out;

    if (watch->explored.state->runs < watch->next)
        return;
    while (watch->next <= watch->explored.state->runs)
        watch->next *= 10;
    fw_output_open_fd(&out, STDERR_FILENO, "standard error");
    fw_explored_line(&watch->explored, &out);
    fw_output_flush(&out);
    out.fd = -1; /* stays open */
    fw_output_abandon(&out);
}

void fw_explore_watch_progress(void *context, const struct fw_campaign_state *state)
{
    struct fw_explore_watch *watch = context;
    char text[160];

    watch->explored.state = state;
    if (!watch->quiet && isatty(STDERR_FILENO)) {
        snprintf(text, sizeof text,
                 "%s: %" PRIu64 " runs, %.0f/s, %" PRIu64 " failed in %zu ways, %zu pairs",
                 watch->explored.strategy, state->runs,
                 (double)(state->runs - state->known) / (state->seconds + 1e-6), state->failing,
                 state->failures.len, state->pairs);
        fw_progress_line(&watch->line, fw_session_now(), text);
    } else if (!watch->quiet) {
        say_line(watch);
    }
}

/* A folder of its own, when the first failure is found. */
const char *fw_explore_watch_folder(void *context)
{
    struct fw_explore_watch *watch = context;
    struct fw_error err;
    char *path, *slash;

    if (watch->folder)
        return watch->folder;
    if (fw_place_default(&path, &err) < 0) {
        fw_cmd_warning("no schedules are kept: %s", err.message);
        return NULL;
    }
    slash = strrchr(path, '/');
    watch->folder = fw_xstrndup(path, (size_t)(slash - path));
    free(path);
    return watch->folder;
}
