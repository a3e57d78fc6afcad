/*
 * prop_formats.c - what is written is what was read, in every format.
 *
 * STD → .fwt → STD, STD → Tiddle → STD and Tiddle → trace → Tiddle are
 * identities, byte for byte; a .fwt in many small blocks reads like one in a
 * single block; other spellings of the same trace read like the canonical one.
 */
#include "support/convert.h"
#include "support/decorate.h"
#include "support/property.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The file, read as `from` and written as `to`; false and why if that fails. */
static bool convert(const struct fw_file *in, const char *from, const char *to, struct fw_file *out,
                    char *why, size_t why_size)
{
    struct fw_trace *trace = fw_file_load(in, from, why, why_size);
    int result;

    *out = (struct fw_file) { 0 };
    if (!trace)
        return false;
    result = fw_file_write(out, trace, to, why, why_size);
    fw_trace_destroy(trace);
    return result == 0;
}

/* Takes the way through the formats, ended by NULL; the end must equal the beginning. */
static bool way_back(const struct fw_file *start, const char *const *formats, char *why,
                     size_t why_size)
{
    struct fw_file at = { 0 }, next;
    bool good = true;

    for (size_t i = 0; good && formats[i + 1]; i++) {
        good = convert(i ? &at : start, formats[i], formats[i + 1], &next, why, why_size);
        fw_file_release(&at);
        at = next;
    }
    if (good && !fw_file_equal(start, &at)) {
        good = false;
        snprintf(why, why_size, "%s, %s, ... is not the same again:\n%.*s", formats[0], formats[1],
                 (int)at.size < 500 ? (int)at.size : 500, at.data);
    }
    fw_file_release(&at);
    return good;
}

static bool blocks_do_not_matter(const struct fw_file *text, struct fw_random *random, char *why,
                                 size_t why_size)
{
    struct fw_trace *trace = fw_file_load(text, "std", why, why_size);
    struct fw_file blocks, again;
    bool good;

    if (!trace)
        return false;
    blocks = fw_file_write_blocks(trace, random);
    good = convert(&blocks, "fwt", "std", &again, why, why_size);
    if (good && !fw_file_equal(text, &again)) {
        good = false;
        snprintf(why, why_size, "a .fwt in small blocks reads otherwise");
    }
    fw_trace_destroy(trace);
    fw_file_release(&blocks);
    fw_file_release(&again);
    return good;
}

static bool spelling_does_not_matter(const struct fw_file *text, struct fw_random *random,
                                     char *why, size_t why_size)
{
    struct fw_file spelled, again;
    bool good;

    spelled.data = fw_decorate(text->data, text->size, random, &spelled.size);
    good = convert(&spelled, "std", "std", &again, why, why_size);
    if (good && !fw_file_equal(text, &again)) {
        good = false;
        snprintf(why, why_size, "another spelling reads otherwise:\n%.600s", spelled.data);
    }
    fw_file_release(&spelled);
    fw_file_release(&again);
    return good;
}

/* Longer ways, and what a .fwt is made of. */
static bool formats_compose(const struct fw_file *text, struct fw_random *random, char *why,
                            size_t why_size)
{
    static const char *const all[] = { "std", "tid", "fwt", "tid", "std", NULL };
    static const char *const binary[] = { "fwt", "fwt", NULL };
    struct fw_file other = { 0 };
    bool good = way_back(text, all, why, why_size) &&
                convert(text, "std", "fwt", &other, why, why_size) &&
                way_back(&other, binary, why, why_size);

    fw_file_release(&other);
    return good && blocks_do_not_matter(text, random, why, why_size);
}

static bool formats_keep_everything(const struct fw_sample *sample, char *why, size_t why_size)
{
    static const char *const same[] = { "std", "std", NULL };
    static const char *const binary[] = { "std", "fwt", "std", NULL };
    static const char *const tiddle[] = { "std", "tid", "std", NULL };
    static const char *const tiddle_alone[] = { "tid", "tid", NULL };
    struct fw_file text = { (char *)sample->text, sample->size }, other = { 0 };
    struct fw_random random;
    bool good;

    fw_random_init(&random, sample->seed ^ UINT64_C(0x666f726d617473));
    good = way_back(&text, same, why, why_size) && way_back(&text, binary, why, why_size) &&
           way_back(&text, tiddle, why, why_size);
    good = good && convert(&text, "std", "tid", &other, why, why_size) &&
           way_back(&other, tiddle_alone, why, why_size);
    fw_file_release(&other);
    good = good && spelling_does_not_matter(&text, &random, why, why_size);
    if (good && sample->seed % 4 == 0)
        good = formats_compose(&text, &random, why, why_size);
    return good;
}

int main(void)
{
    static const char *const profiles[] = { "everything", "long",   "two",      "atomics",
                                            "heap",       "blocks", "waits",    "shared",
                                            "forks",      "tiny",   "monitors", "semaphores",
                                            "barriers",   NULL };

    return fw_property_run("prop_formats", profiles, 20000, formats_keep_everything);
}
