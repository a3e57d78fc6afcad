/* collect.c - see collect.h. */
#include "explore/collect.h"

#include "explore/schedule.h"

#include <ctype.h>
#include <stdio.h>
#include <unistd.h>

#define SHRINKING 200u /* runs that making a schedule short may take ... */
#define HANGING   20.0 /* ... or seconds, if each of them hangs, but ... */
#define LEAST     4u   /* ... so many runs */
#define GRACE     1    /* second */
#define REPEATED  2u   /* times, if it does not fail the first time */

char *fw_collector_path(const char *folder, const char *failure)
{
    uint32_t hash = 2166136261u;
    char word[32];
    size_t used = 0;

    for (const char *at = failure; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    for (const char *at = failure; *at && *at != ':' && *at != '(' && used < sizeof word - 1; at++)
        if (isalnum((unsigned char)*at))
            word[used++] = *at;
        else if (used && word[used - 1] != '-')
            word[used++] = '-';
    while (used && word[used - 1] == '-')
        used--;
    word[used] = '\0';
    return fw_xasprintf("%s/%s-%04x.sched", folder, word, (hash ^ hash >> 16) & 0xffff);
}

void fw_collector_release(struct fw_collector *collector)
{
    fw_session_destroy(collector->session);
    collector->session = NULL;
}

bool fw_collector_has(const struct fw_collector *collector, const char *failure)
{
    char *path;
    bool has;

    if (!collector->folder)
        return false;
    path = fw_collector_path(collector->folder, failure);
    has = access(path, R_OK) == 0;
    free(path);
    return has;
}

/* A failure that is found when the time is nearly over is still worth a schedule. */
static int open_session(struct fw_collector *collector, struct fw_error *err)
{
    struct fw_session_setup setup = collector->setup->session;

    if (setup.until > 0)
        setup.until += GRACE;
    if (!collector->session)
        collector->session = fw_session_create(&setup, err);
    return collector->session ? 0 : -1;
}

/* Runs to make it short. */
static unsigned shrinking(const struct fw_failure *failure)
{
    double runs = HANGING / failure->result.seconds;

    if (failure->result.end != FW_RUN_TIMEOUT)
        return SHRINKING;
    return runs < LEAST ? LEAST : runs < SHRINKING ? (unsigned)runs : SHRINKING;
}

static int write_file(struct fw_collector *collector, const struct fw_capture *capture,
                      struct fw_failure *failure, const char *path, struct fw_error *err)
{
    const struct fw_campaign_setup *setup = collector->setup;
    struct fw_wanted wanted = { .failure = failure->text,
                                .ok = setup->ok,
                                .escort = setup->session.escort,
                                .argv = setup->session.argv,
                                .runs = shrinking(failure) };
    unsigned times = failure->result.end == FW_RUN_TIMEOUT ? 1 : REPEATED;
    int status = 1;

    if (open_session(collector, err) < 0)
        return -1;
    for (; status > 0 && times; times--)
        status = fw_capture_keep(capture, collector->session, &wanted, path, err);
    if (status > 0)
        failure->unkept = fw_session_left(collector->session) > failure->result.seconds
                              ? "it did not fail again when it was repeated"
                              : "there was no time to repeat it";
    return status;
}

/* Which waits time out there: the longest, and how many others.  NULL: none. */
static char *find_timeouts(const char *path)
{
    const struct fw_script_step *longest = NULL;
    struct fw_script script;
    struct fw_error ignored;
    char *text = NULL, more[32] = "";
    size_t count = 0;

    if (fw_script_read(&script, path, &ignored) < 0)
        return NULL;
    for (size_t i = 0; i < script.steps.len; i++) {
        const struct fw_script_step *step = &script.steps.at[i];

        if (step->end != FW_UNTIL_EXPIRES)
            continue;
        count++;
        if (!longest || step->limit > longest->limit)
            longest = step;
    }
    if (count > 1)
        snprintf(more, sizeof more, ", and %zu more", count - 1);
    if (longest)
        text = fw_xasprintf("%s%s%s, %.2g s%s",
                            longest->anchor.operation ? longest->anchor.operation : "a wait",
                            longest->anchor.function ? " in " : "",
                            longest->anchor.function ? longest->anchor.function : "",
                            (double)longest->limit / 1e9, more);
    fw_script_release(&script);
    return text;
}

int fw_collector_add(struct fw_collector *collector, const struct fw_capture *capture,
                     struct fw_failure *failure, struct fw_error *err)
{
    const struct fw_campaign_setup *setup = collector->setup;
    char *path;
    int status = 0;

    if (!collector->folder && setup->place)
        collector->folder = setup->place(setup->context);
    if (!collector->folder)
        return 0;
    path = fw_collector_path(collector->folder, failure->text);
    if (access(path, R_OK) == 0) { /* of the campaign that this one goes on with */
        failure->schedule = path;
        failure->timeouts = find_timeouts(path);
        return 0;
    }
    if (capture)
        status = write_file(collector, capture, failure, path, err);
    else
        failure->unkept = "the run was too long";
    if (status == 0 && capture) {
        failure->schedule = path;
        failure->unkept = NULL;
        failure->timeouts = find_timeouts(path);
    } else {
        free(path);
    }
    return status < 0 ? -1 : 0;
}
