/*
 * noise_learnt.c - where threads shared memory in earlier runs; see noise.h.
 */
#include "cmd/noise.h"

#include "base/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST  512u
#define TURNS 8u

static void release_names(struct fw_noise_names *names)
{
    for (size_t i = 0; i < names->len; i++)
        free(names->at[i]);
    fw_vec_release(names);
}

void fw_noise_learnt_release(struct fw_noise_learnt *learnt)
{
    release_names(&learnt->lines);
    release_names(&learnt->targets);
    release_names(&learnt->less);
}

static bool is_known(const struct fw_noise_learnt *learnt, const char *line)
{
    for (size_t i = 0; i < learnt->lines.len; i++)
        if (strcmp(learnt->lines.at[i], line) == 0)
            return true;
    return false;
}

void fw_noise_learn(struct fw_noise_learnt *learnt, const char *line)
{
    bool memory = *line == 'v' || *line == 'w', less = *line == 'w' || *line == 'd';
    uint64_t offset;
    struct stat file;
    char *end, *target;

    if (learnt->lines.len == MOST || (!memory && !less && *line != 'c') || is_known(learnt, line))
        return;
    offset = strtoull(line + 1, &end, 16);
    if (*end != ':' || stat(end + 1, &file) < 0)
        return;
    target = fw_xasprintf("%c%" PRIx64 ".%" PRIx64 ".%" PRIx64 ".%" PRIx64, memory ? 'v' : 'c',
                          (uint64_t)file.st_dev, (uint64_t)file.st_ino, offset,
                          offset + (memory ? 8 : 1));
    fw_vec_push(&learnt->lines, fw_xstrdup(line));
    if (less)
        fw_vec_push(&learnt->less, target);
    else
        fw_vec_push(&learnt->targets, target);
}

static void put_names(struct fw_output *out, const struct fw_noise_names *names)
{
    for (size_t i = 0; i < names->len; i++)
        fw_output_printf(out, ",%s", names->at[i]);
}

/* Every second variable; no places in the code. */
static void put_some(struct fw_output *out, const struct fw_noise_names *names, bool odd)
{
    size_t variables = 0;

    for (size_t i = 0; i < names->len; i++)
        if (names->at[i][0] == 'v' && (variables++ & 1) == odd)
            fw_output_printf(out, ",%s", names->at[i]);
}

/* Now and then as if nothing were known: what nobody has seen shared yet gets its chance.  Every
 * other turn is for what counts less, and there alone: threads that dwell on their way to it do not
 * come to it at one time.  For the same reason every second of these has but half of the variables
 * and none of the places in the code, of which there are many in what a library's headers do. */
char *fw_noise_with_learnt(const char *options, const struct fw_noise_learnt *learnt, uint64_t run)
{
    bool less = run % 2 == 0 && learnt->less.len;
    struct fw_output targets;
    char *text;

    if (run % TURNS == 0)
        return fw_xasprintf("%s:learn=1", options);
    fw_output_open_memory(&targets);
    if (less && run % 4 == 2)
        put_some(&targets, &learnt->less, run % 8 == 6);
    if (!targets.used)
        put_names(&targets, less ? &learnt->less : &learnt->targets);
    fw_output_bytes(&targets, "", 1);
    text = fw_xasprintf("%s:learn=1%s%s%s", options, less ? "" : ":prefer=1",
                        targets.used > 1 ? ":targets=" : "", targets.buffer + (targets.used > 1));
    fw_output_abandon(&targets);
    return text;
}
