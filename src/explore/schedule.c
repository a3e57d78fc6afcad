/* schedule.c - see schedule.h: schedules in memory, and writing them. */
#include "explore/schedule.h"

#include "base/alloc.h"
#include "base/words.h"
#include "record/modules.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

void fw_script_init(struct fw_script *schedule)
{
    memset(schedule, 0, sizeof *schedule);
    fw_vec_push(&schedule->paths, ((struct fw_control_path){ FW_CONTROL_NONE, 0 }));
}

static void clear_program(struct fw_script *schedule)
{
    for (size_t i = 0; i < schedule->program.len; i++)
        free(schedule->program.at[i]);
    fw_vec_clear(&schedule->program);
    free(schedule->build);
    schedule->build = NULL;
}

void fw_script_release(struct fw_script *schedule)
{
    clear_program(schedule);
    fw_vec_release(&schedule->program);
    free(schedule->shows);
    free(schedule->judge);
    free(schedule->setup);
    free(schedule->drive);
    free(schedule->teardown);
    for (size_t i = 0; i < schedule->steps.len; i++) {
        struct fw_anchor *anchor = &schedule->steps.at[i].anchor;

        free(anchor->operation);
        free(anchor->function);
        free(anchor->text);
    }
    fw_vec_release(&schedule->steps);
    fw_vec_release(&schedule->paths);
    memset(schedule, 0, sizeof *schedule);
}

uint32_t fw_script_path(struct fw_script *schedule, uint32_t parent, uint32_t ordinal)
{
    for (uint32_t i = 1; i < schedule->paths.len; i++)
        if (schedule->paths.at[i].parent == parent && schedule->paths.at[i].ordinal == ordinal)
            return i;
    fw_vec_push(&schedule->paths, ((struct fw_control_path){ parent, ordinal }));
    return (uint32_t)schedule->paths.len - 1;
}

const char *fw_script_path_text(const struct fw_script *schedule, uint32_t path,
                                  char text[FW_PATH_TEXT])
{
    size_t at = FW_PATH_TEXT - 1;

    text[at] = '\0';
    while (path && path < schedule->paths.len) {
        char part[16];
        int len = snprintf(part, sizeof part, ".%" PRIu32, schedule->paths.at[path].ordinal);

        if (at < (size_t)len + 1)
            break; /* deeper than anybody can read */
        at -= (size_t)len;
        memcpy(text + at, part, (size_t)len);
        path = schedule->paths.at[path].parent;
    }
    text[--at] = '0';
    return memmove(text, text + at, FW_PATH_TEXT - at);
}

struct fw_script_step *fw_script_add(struct fw_script *schedule, uint32_t path,
                                         enum fw_script_end end)
{
    fw_vec_push(&schedule->steps,
                ((struct fw_script_step){ .path = path, .end = end, .goal = FW_NO_GOAL }));
    return &fw_vec_last(&schedule->steps);
}

void fw_script_set_shows(struct fw_script *schedule, const char *shows)
{
    free(schedule->shows);
    schedule->shows = shows ? fw_xstrdup(shows) : NULL;
}

/* For programs that were linked without a build id. */
static uint32_t hash_of_file(const char *path, unsigned char id[FW_BUILD_ID_MAX])
{
    FILE *in = fopen(path, "re");
    char bytes[65536];
    XXH64_state_t state;
    XXH64_canonical_t hash;
    size_t got;

    if (!in)
        return 0;
    XXH64_reset(&state, 0);
    while ((got = fread(bytes, 1, sizeof bytes, in)) > 0)
        XXH64_update(&state, bytes, got);
    fclose(in);
    XXH64_canonicalFromHash(&hash, XXH64_digest(&state));
    memcpy(id, hash.digest, sizeof hash.digest);
    return sizeof hash.digest;
}

static char *build_of(const char *program)
{
    unsigned char id[FW_BUILD_ID_MAX];
    uint32_t own = fw_elf_build_id(program, id), bytes = own ? own : hash_of_file(program, id);
    char *text = bytes ? fw_xmalloc(2 * bytes + 1) : NULL;

    for (uint32_t i = 0; i < bytes; i++)
        snprintf(text + 2 * i, 3, "%02x", id[i]);
    return text;
}

void fw_script_set_program(struct fw_script *schedule, char *const *argv)
{
    clear_program(schedule);
    for (; *argv; argv++)
        fw_vec_push(&schedule->program, fw_xstrdup(*argv));
    if (schedule->program.len)
        schedule->build = build_of(schedule->program.at[0]);
}

/* --- writing --------------------------------------------------------------------------------- */

/* A name as a word if it can be one. */
static void print_name(struct fw_output *out, const char *name)
{
    const char *at = name;

    while (isalnum((unsigned char)*at) || (*at && strchr("_:~.@$-", *at)))
        at++;
    if (*name && !*at)
        fw_output_text(out, name);
    else
        fw_output_quoted(out, name);
}

/* Words as they are, if they read as the same again. */
static void print_words(struct fw_output *out, const char *text)
{
    const char *at = text;

    while (*at && !strchr("\"#\\\t", *at) && (unsigned char)*at >= ' ' &&
           !(*at == ' ' && (at == text || !at[1] || at[1] == ' ')))
        at++;
    if (*text && !*at)
        fw_output_text(out, text);
    else
        fw_output_quoted(out, text);
}

static void print_anchor(struct fw_output *out, const struct fw_anchor *anchor)
{
    print_name(out, anchor->operation ? anchor->operation : "");
    if (anchor->function) {
        fw_output_text(out, " in ");
        print_name(out, anchor->function);
    }
    if (anchor->text) {
        fw_output_text(out, " ");
        fw_output_quoted(out, anchor->text);
    }
    if (anchor->has_line)
        fw_output_printf(out, " %+" PRId32, anchor->line);
}

static void print_expiry(struct fw_output *out, const struct fw_script_step *step)
{
    fw_output_text(out, "times out");
    if (step->anchor.operation) {
        fw_output_text(out, " at ");
        print_anchor(out, &step->anchor);
        fw_output_printf(out, " #%" PRIu64, step->ordinal);
    }
    if (step->limit)
        fw_output_printf(out, " after %.2g s", (double)step->limit / 1e9);
}

void fw_script_print_step(const struct fw_script *schedule, uint32_t number,
                            struct fw_output *out)
{
    const struct fw_script_step *step = &schedule->steps.at[number];
    char path[FW_PATH_TEXT];

    fw_output_printf(out, "%s ", fw_script_path_text(schedule, step->path, path));
    switch (step->end) {
    case FW_UNTIL_BEFORE:
        fw_output_text(out, "before ");
        print_anchor(out, &step->anchor);
        fw_output_printf(out, " #%" PRIu64, step->ordinal);
        break;
    case FW_UNTIL_WAITS:
        fw_output_text(out, "until it waits");
        break;
    case FW_UNTIL_ENDS:
        fw_output_text(out, "until it ends");
        break;
    case FW_UNTIL_NEXT:
        fw_output_text(out, "one point further");
        break;
    case FW_UNTIL_EXPIRES:
        print_expiry(out, step);
        break;
    }
    if (step->goal != FW_NO_GOAL)
        fw_output_printf(out, " goal %u", step->goal + 1u);
}

static void print_command(struct fw_output *out, const char *word, const char *command)
{
    if (!command)
        return;
    fw_output_printf(out, "%s ", word);
    fw_output_quoted(out, command);
    fw_output_text(out, "\n");
}

void fw_script_print(const struct fw_script *schedule, struct fw_output *out)
{
    fw_output_text(out, "foreweave schedule 1\n");
    if (schedule->program.len) {
        fw_output_text(out, "program");
        for (size_t i = 0; i < schedule->program.len; i++) {
            fw_output_text(out, " ");
            fw_output_quoted(out, schedule->program.at[i]);
        }
        fw_output_text(out, "\n");
    }
    if (schedule->build)
        fw_output_printf(out, "build %s\n", schedule->build);
    if (schedule->virtual_time)
        fw_output_text(out, "time virtual\n");
    if (schedule->timeouts == UINT64_MAX)
        fw_output_text(out, "timeouts any\n");
    else if (schedule->timeouts)
        fw_output_printf(out, "timeouts %g\n", (double)schedule->timeouts / 1e9);
    print_command(out, "setup", schedule->setup);
    print_command(out, "drive", schedule->drive);
    print_command(out, "teardown", schedule->teardown);
    print_command(out, "judge", schedule->judge);
    if (schedule->shows) {
        fw_output_text(out, "shows ");
        print_words(out, schedule->shows);
        fw_output_text(out, "\n");
    }
    for (uint32_t i = 0; i < schedule->steps.len; i++) {
        fw_script_print_step(schedule, i, out);
        fw_output_text(out, "\n");
    }
}

int fw_script_write(const struct fw_script *schedule, const char *path, struct fw_error *err)
{
    struct fw_output out;

    if (fw_output_open(&out, path, err) < 0)
        return -1;
    fw_script_print(schedule, &out);
    return fw_output_close(&out, err);
}
