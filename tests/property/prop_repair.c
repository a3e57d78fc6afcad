/*
 * prop_repair.c - whatever is wrong with a text, --repair makes a trace of it.
 *
 * Lines of a random trace are dropped, doubled, swapped, moved to another
 * thread, cut or filled with rubbish.  Reading it with repair must succeed,
 * and what was read, written in any format, must read back without repair and
 * without a change.  A text that reads without repair is not touched by it.
 */
#include "support/convert.h"
#include "support/property.h"

#include "base/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t damaged, dropped;

struct lines {
    FW_VEC(char *) of;
};

static void split(struct lines *lines, const char *text, size_t size)
{
    while (size) {
        const char *end = memchr(text, '\n', size);
        size_t len = end ? (size_t)(end - text) : size;

        fw_vec_push(&lines->of, fw_xstrndup(text, len));
        len += end != NULL;
        text += len;
        size -= len;
    }
}

static void set_line(struct lines *lines, uint32_t at, char *text)
{
    free(lines->of.at[at]);
    lines->of.at[at] = text;
}

static void insert(struct lines *lines, uint32_t at, char *text)
{
    fw_vec_push(&lines->of, NULL);
    memmove(lines->of.at + at + 1, lines->of.at + at,
            (lines->of.len - at - 1) * sizeof *lines->of.at);
    lines->of.at[at] = text;
}

static void take_out(struct lines *lines, uint32_t at)
{
    free(lines->of.at[at]);
    memmove(lines->of.at + at, lines->of.at + at + 1,
            (lines->of.len - at - 1) * sizeof *lines->of.at);
    lines->of.len--;
}

static char *rubbish(struct fw_random *random, const char *line)
{
    static const char *const lines[] = {
        "T1|",          "|w(x)",  "T1|w",    "T1|frob(x)", "T1|w(x)|a|b",
        "T1|r(x)||rf=", "T2|w()", "garbage", "T1|br(x)",   "T3|pend(s)||rf=999"
    };
    const char *bar = strchr(line, '|');

    if (*line == '#') /* a header that says nothing sensible cannot be repaired */
        return fw_xstrdup("# a comment");
    if (fw_random_percent(random, 30) && *line)
        return fw_xstrndup(line, fw_random_below(random, (uint32_t)strlen(line)));
    if (fw_random_percent(random, 50) && bar)
        return fw_xasprintf("T%u%s", fw_random_below(random, 5), bar);
    return fw_xstrdup(lines[fw_random_below(random, sizeof lines / sizeof *lines)]);
}

static void damage(struct lines *lines, struct fw_random *random)
{
    uint32_t n = (uint32_t)lines->of.len, at = fw_random_below(random, n);
    uint32_t other = fw_random_below(random, n);
    char *line = lines->of.at[at];

    switch (fw_random_below(random, 6)) {
    case 0:
        take_out(lines, at);
        break;
    case 1:
        insert(lines, other, fw_xstrdup(line));
        break;
    case 2:
        lines->of.at[at] = lines->of.at[other];
        lines->of.at[other] = line;
        break;
    case 3:
        set_line(lines, at, rubbish(random, line));
        break;
    case 4:
        insert(lines, other, rubbish(random, line));
        break;
    default:
        if (at + 1 < n) {
            lines->of.at[at] = lines->of.at[at + 1];
            lines->of.at[at + 1] = line;
        }
        break;
    }
}

static struct fw_file join(struct lines *lines)
{
    struct fw_file file = { 0 };

    for (size_t i = 0; i < lines->of.len; i++)
        file.size += strlen(lines->of.at[i]) + 1;
    file.data = fw_xmalloc(file.size + 1);
    file.size = 0;
    for (size_t i = 0; i < lines->of.len; i++)
        file.size += (size_t)sprintf(file.data + file.size, "%s\n", lines->of.at[i]);
    return file;
}

/* Written and read again without repair, it is the same. */
static bool is_well_formed(const struct fw_trace *trace, const char *format, char *why,
                           size_t why_size)
{
    struct fw_file text = { 0 }, file = { 0 }, again = { 0 };
    struct fw_trace *copy = NULL;
    bool good = fw_file_write(&text, trace, "std", why, why_size) == 0 &&
                fw_file_write(&file, trace, format, why, why_size) == 0 &&
                (copy = fw_file_load(&file, format, why, why_size)) &&
                fw_file_write(&again, copy, "std", why, why_size) == 0;

    if (good && !fw_file_equal(&text, &again)) {
        good = false;
        snprintf(why, why_size, "repaired and written as %s, it reads otherwise", format);
    }
    fw_trace_destroy(copy);
    fw_file_release(&text);
    fw_file_release(&file);
    fw_file_release(&again);
    return good;
}

/* A text that needs no repair reads the same with it. */
static bool repair_is_quiet(const struct fw_file *file, const struct fw_trace *repaired, char *why,
                            size_t why_size)
{
    struct fw_trace *plain = fw_file_load(file, "std", why, why_size);
    bool good = !plain == (repaired->status.dropped > 0);

    if (!good)
        snprintf(why, why_size, "%s without repair, %" PRIu64 " dropped with it",
                 plain ? "loads" : "does not load", repaired->status.dropped);
    fw_trace_destroy(plain);
    return good;
}

static bool check_repair(const struct fw_file *file, char *why, size_t why_size)
{
    struct fw_trace *trace = fw_load_text(file->data, file->size, "bad.std", true, why, why_size);
    bool good;

    if (!trace)
        return false;
    damaged++;
    dropped += trace->status.dropped;
    good = repair_is_quiet(file, trace, why, why_size) &&
           is_well_formed(trace, "std", why, why_size) &&
           is_well_formed(trace, "tid", why, why_size) &&
           is_well_formed(trace, "fwt", why, why_size);
    fw_trace_destroy(trace);
    return good;
}

static bool repair_yields_a_trace(const struct fw_sample *sample, char *why, size_t why_size)
{
    struct lines lines = { 0 };
    struct fw_random random;
    struct fw_file file;
    bool good;

    fw_random_init(&random, sample->seed ^ UINT64_C(0x726570616972));
    split(&lines, sample->text, sample->size);
    for (uint32_t i = fw_random_between(&random, 1, 6); i > 0 && lines.of.len; i--)
        damage(&lines, &random);
    file = join(&lines);
    good = check_repair(&file, why, why_size);
    if (!good) {
        size_t used = strlen(why);

        snprintf(why + used, why_size - used, "\n--- damaged\n%.700s", file.data);
    }
    for (size_t i = 0; i < lines.of.len; i++)
        free(lines.of.at[i]);
    fw_vec_release(&lines.of);
    fw_file_release(&file);
    return good;
}

int main(void)
{
    static const char *const profiles[] = { "everything", "two",      "waits", "semaphores",
                                            "shared",     "barriers", "forks", "blocks",
                                            "heap",       "atomics",  "tiny",  NULL };
    int status = fw_property_run("prop_repair", profiles, 30000, repair_yields_a_trace);

    printf("%" PRIu64 " damaged texts, %" PRIu64 " events dropped\n", damaged, dropped);
    return status;
}
