/*
 * noise_learnt.c - where threads shared memory in earlier runs; see noise.h.
 */
#include "cmd/noise.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST       512u
#define EVERYWHERE 4u /* each so many runs noise is made everywhere */

void fw_noise_learnt_init(struct fw_noise_learnt *learnt)
{
    memset(learnt, 0, sizeof *learnt);
    fw_output_open_memory(&learnt->text);
}

void fw_noise_learnt_release(struct fw_noise_learnt *learnt)
{
    for (size_t i = 0; i < learnt->lines.len; i++)
        free(learnt->lines.at[i]);
    fw_vec_release(&learnt->lines);
    fw_output_abandon(&learnt->text);
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
    uint64_t offset;
    struct stat file;
    char *end;

    if (learnt->lines.len == MOST || (*line != 'v' && *line != 'c') || is_known(learnt, line))
        return;
    offset = strtoull(line + 1, &end, 16);
    if (*end != ':' || stat(end + 1, &file) < 0)
        return;
    fw_output_printf(&learnt->text, "%s%c%" PRIx64 ".%" PRIx64 ".%" PRIx64 ".%" PRIx64,
                     learnt->lines.len ? "," : "", *line, (uint64_t)file.st_dev,
                     (uint64_t)file.st_ino, offset, offset + (*line == 'v' ? 8 : 1));
    fw_vec_push(&learnt->lines, fw_xstrdup(line));
}

/* Now and then as if nothing were known: what nobody has seen shared yet gets its chance. */
char *fw_noise_with_learnt(const char *options, const struct fw_noise_learnt *learnt, uint64_t run)
{
    if (run % EVERYWHERE == 0)
        return fw_xasprintf("%s:learn=1", options);
    if (!learnt->lines.len)
        return fw_xasprintf("%s:learn=1:prefer=1", options);
    return fw_xasprintf("%s:learn=1:prefer=1:targets=%.*s", options, (int)learnt->text.used,
                        learnt->text.buffer);
}
