/*
 * noise_targets.c - where in the program's files noise is wanted; see noise.h.
 */
#include "cmd/noise.h"

#include "cmd/chosen.h"
#include "cmd/cmd.h"
#include "symbol/symbolizer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_TARGETS 1024u /* as the runtime has room for */
#define ELSEWHERE    " (others are looked into by --module)"

struct file {
    const char *path;
    uint32_t module;
    struct stat about;
};

struct search {
    struct fw_symbolizer *symbolizer;
    struct file *files;
    size_t count;
    struct fw_output text; /* of the targets found */
    size_t targets;
};

/* --- files ----------------------------------------------------------------------------------- */

static int open_files(struct search *search, const char *const *paths, size_t count)
{
    bool any = false;

    search->symbolizer = fw_symbolizer_create();
    search->files = fw_xcalloc(count, sizeof *search->files);
    for (size_t i = 0; i < count; i++) {
        struct file *file = &search->files[search->count++];

        file->path = paths[i];
        file->module = fw_symbolizer_module(search->symbolizer, paths[i], NULL, 0);
        if (stat(paths[i], &file->about) < 0) {
            struct fw_error err;

            fw_error_errno(&err, "cannot read '%s'", paths[i]);
            return fw_cmd_fail(FW_EXIT_INPUT, &err);
        }
        any |= fw_symbolizer_has_debug(search->symbolizer, file->module);
    }
    if (any)
        return 0;
    fw_cmd_error("'%s' has no debug information to look for names and lines in: build it with -g"
                 " (or name the file that has them: --module=FILE)",
                 paths[0]);
    return FW_EXIT_INPUT;
}

static void close_files(struct search *search)
{
    fw_symbolizer_destroy(search->symbolizer);
    free(search->files);
}

static void add_targets(struct search *search, const struct file *file, char kind,
                        const struct fw_symbol_ranges *ranges)
{
    for (size_t i = 0; i < ranges->len; i++, search->targets++)
        fw_output_printf(&search->text, "%s%c%" PRIx64 ".%" PRIx64 ".%" PRIx64 ".%" PRIx64,
                         search->targets ? "," : "", kind, (uint64_t)file->about.st_dev,
                         (uint64_t)file->about.st_ino, ranges->at[i].start, ranges->at[i].end);
}

/* --- names and lines ------------------------------------------------------------------------- */

static bool find_variable(struct search *search, const char *name, struct fw_suggestion *near)
{
    bool found = false;

    for (size_t i = 0; i < search->count; i++) {
        struct fw_symbol_ranges ranges = { 0 };

        found |= fw_symbolizer_find_variable(search->symbolizer, search->files[i].module, name,
                                             &ranges, near) > 0;
        add_targets(search, &search->files[i], 'v', &ranges);
        fw_vec_release(&ranges);
    }
    return found;
}

static int want_variable(struct search *search, const char *name)
{
    struct fw_suggestion near = { .word = name };

    if (find_variable(search, name, &near))
        return 0;
    if (near.best)
        fw_cmd_error("--noise: there is no global variable '%s'; did you mean '%s'?", name,
                     near.best);
    else
        fw_cmd_error("--noise: there is no global variable '%s' in '%s'%s", name,
                     search->files[0].path, search->count > 1 ? " and the others" : ELSEWHERE);
    return FW_EXIT_INPUT;
}

/* site: FILE:LINE; kind: of what is done there. */
static bool find_line(struct search *search, const char *site, char kind, unsigned *nearest)
{
    const char *colon = strrchr(site, ':');
    char *file = fw_xstrndup(site, colon ? (size_t)(colon - site) : 0);
    unsigned line = colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
    bool found = false;

    for (size_t i = 0; i < search->count && line; i++) {
        struct fw_symbol_ranges ranges = { 0 };

        found |= fw_symbolizer_find_line(search->symbolizer, search->files[i].module, file, line,
                                         &ranges, nearest) > 0;
        add_targets(search, &search->files[i], kind, &ranges);
        fw_vec_release(&ranges);
    }
    free(file);
    return found;
}

static int want_line(struct search *search, const char *site)
{
    unsigned nearest = 0;

    if (find_line(search, site, 'c', &nearest))
        return 0;
    if (nearest)
        fw_cmd_error("--noise: there is no code at %s; the nearest line with code is %u", site,
                     nearest);
    else
        fw_cmd_error("--noise: '%s' was not made from the file of %s%s", search->files[0].path,
                     site, search->count > 1 ? "" : ELSEWHERE);
    return FW_EXIT_INPUT;
}

/* --- findings -------------------------------------------------------------------------------- */

/* A line may have other accesses, and two threads that dwell at all of them in turn may never be
 * at the finding's two at once. */
static char kind_of(const char *op)
{
    return op && strcmp(op, "r") == 0 ? 'r' : op && strcmp(op, "w") == 0 ? 'w' : 'c';
}

/* The variables that can be found by their names; if there are none (on the heap), the places. */
static bool want_events(struct search *search, const struct fw_result_finding *finding)
{
    bool found = false;

    for (size_t i = 0; i < finding->event_count; i++) {
        const char *target = finding->events[i].target;
        struct fw_suggestion near = { .word = target };
        bool again = i && target && finding->events[i - 1].target &&
                     strcmp(target, finding->events[i - 1].target) == 0;

        if (target && !again)
            found |= find_variable(search, target, &near);
    }
    if (search->targets)
        return found;
    for (size_t i = 0; i < finding->event_count; i++) {
        unsigned nearest = 0;

        if (finding->events[i].site)
            found |= find_line(search, finding->events[i].site, kind_of(finding->events[i].op),
                               &nearest);
    }
    return found;
}

static int want_finding(struct search *search, const char *path, const char *id)
{
    const struct fw_result_finding *finding;
    struct fw_result *result;
    struct fw_error err;
    int status = FW_EXIT_INPUT;

    if (fw_result_read(&result, path, &err) < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    finding = fw_chosen_finding(result, path, id, NULL);
    if (finding && want_events(search, finding))
        status = 0;
    else if (finding)
        fw_cmd_error("--noise: neither the variables nor the lines of finding '%s' are in '%s'",
                     finding->id, search->files[0].path);
    fw_result_destroy(result);
    return status;
}

/* --- all of it ------------------------------------------------------------------------------- */

static int want(struct search *search, const struct fw_noise_wish *wish)
{
    int status = 0;

    if (wish->kind == FW_NOISE_FINDING)
        return want_finding(search, wish->names.at[0], wish->names.at[1]);
    for (size_t i = 0; i < wish->names.len && !status; i++)
        status = wish->kind == FW_NOISE_SITE ? want_line(search, wish->names.at[i])
                                             : want_variable(search, wish->names.at[i]);
    return status;
}

static int find_targets(struct search *search, const struct fw_noise_wish *wish,
                        const char *const *files, size_t count)
{
    int status = open_files(search, files, count);

    if (!status)
        status = want(search, wish);
    if (!status && search->targets > MOST_TARGETS)
        status = fw_cmd_usage("--noise: %zu places are too many: %u at most", search->targets,
                              MOST_TARGETS);
    close_files(search);
    return status;
}

char *fw_noise_options(const struct fw_noise_wish *wish, const char *const *files, size_t count,
                       int *status)
{
    struct search search = { 0 };
    char *text = NULL;

    *status = 0;
    if (wish->kind <= FW_NOISE_RANDOM)
        return fw_xasprintf("%" PRIu64 ",%" PRIu64, wish->strength, wish->micros);
    fw_output_open_memory(&search.text);
    *status = find_targets(&search, wish, files, count);
    fw_output_bytes(&search.text, "", 1);
    if (!*status)
        text = fw_xasprintf("%" PRIu64 ",%" PRIu64 ":targets=%s", wish->strength, wish->micros,
                            search.text.buffer);
    fw_output_abandon(&search.text);
    return text;
}
