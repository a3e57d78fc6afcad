/* property.c - see property.h. */
#include "support/property.h"

#include "support/decorate.h"
#include "support/shrink.h"

#include "base/alloc.h"
#include "base/bug.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct fw_trace *fw_load_text(const char *text, size_t size, const char *name, bool repair,
                              char *why, size_t why_size)
{
    struct fw_read_options options = { .repair = repair };
    struct fw_error err = { { 0 } };
    struct fw_trace *trace = NULL;

    if (fw_trace_load_memory(&trace, text, size, name, &options, &err) == 0)
        return trace;
    snprintf(why, why_size, "does not load: %s", err.message);
    return NULL;
}

struct fw_trace *fw_load_line(const char *text)
{
    char why[256] = "", *lines = fw_xstrdup(text);
    struct fw_trace *trace;

    for (char *c = lines; *c; c++)
        if (*c == ' ')
            *c = '\n';
    trace = fw_load_text(lines, strlen(lines), "test.std", false, why, sizeof why);
    free(lines);
    if (!trace)
        FW_BUG("%s: %s", text, why);
    return trace;
}

struct fw_trace *fw_load_sample(const struct fw_sample *sample, char *why, size_t why_size)
{
    struct fw_random random;
    struct fw_trace *trace;
    size_t size;
    char *text;

    fw_random_init(&random, sample->seed ^ UINT64_C(0x7370656c6c696e67));
    if (!fw_random_percent(&random, 20))
        return fw_load_text(sample->text, sample->size, "random.std", false, why, why_size);
    text = fw_decorate(sample->text, sample->size, &random, &size);
    trace = fw_load_text(text, size, "spelled.std", false, why, why_size);
    free(text);
    return trace;
}

bool fw_blocks_hold(const struct fw_sample *sample, fw_block_property *holds, char *why,
                    size_t why_size)
{
    struct fw_trace *trace =
        fw_load_text(sample->text, sample->size, "sample.std", false, why, why_size);
    struct fw_index *index;
    bool good;

    if (!trace)
        return false;
    index = fw_index_create(trace);
    good = holds(index, false, why, why_size) && holds(index, true, why, why_size);
    fw_index_destroy(index);
    fw_trace_destroy(trace);
    return good;
}

#define SAME_CAUSE 16 /* characters of the explanation that must stay the same in shrinking */

struct shrinking {
    fw_property holds;
    struct fw_sample sample;
    const char *why;
};

/* A trace that does not even load is not the failure that we are after. */
static bool fails(void *context, const char *text, size_t size)
{
    struct shrinking *shrinking = context;
    struct fw_trace *trace;
    char why[1024] = "";

    trace = fw_load_text(text, size, "shrunk.std", false, why, sizeof why);
    if (!trace)
        return false;
    fw_trace_destroy(trace);
    shrinking->sample.text = text;
    shrinking->sample.size = size;
    return !shrinking->holds(&shrinking->sample, why, sizeof why) &&
           strncmp(why, shrinking->why, SAME_CAUSE) == 0;
}

static void report(const char *program, const struct fw_sample *sample, fw_property holds,
                   const char *why)
{
    struct shrinking shrinking = { holds, *sample, why };
    char small_why[1024] = "";
    size_t size;
    char *small;

    printf("%s: seed %" PRIu64 ", profile %s: %s\n", program, sample->seed, sample->profile, why);
    printf("replay: FOREWEAVE_SEED=%" PRIu64 " build/tests/%s\n", sample->seed, program);
    printf("--- the trace\n%.*s", (int)sample->size, sample->text);
    fflush(stdout);
    small = fw_shrink(sample->text, sample->size, fails, &shrinking, &size);
    shrinking.sample.text = small;
    shrinking.sample.size = size;
    holds(&shrinking.sample, small_why, sizeof small_why);
    printf("--- shrunk: %s\n%.*s---\n", small_why, (int)size, small);
    free(small);
}

static uint64_t number_from(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);

    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static bool check_one(const char *program, const char *profile, uint64_t seed, fw_property holds,
                      struct fw_generated *generated, uint64_t *events)
{
    const struct fw_generate_options *options = fw_generate_profile(profile);
    struct fw_sample sample = { .seed = seed, .profile = profile };
    char why[1024] = "";

    if (!options)
        FW_BUG("no profile '%s'", profile);
    fw_generate(generated, options, seed);
    *events += generated->events;
    sample.text = generated->text;
    sample.size = generated->size;
    if (holds(&sample, why, sizeof why))
        return true;
    report(program, &sample, holds, why);
    return false;
}

int fw_property_run(const char *program, const char *const *profiles, uint64_t count,
                    fw_property holds)
{
    uint64_t first = number_from("FOREWEAVE_FIRST", 1), only = number_from("FOREWEAVE_SEED", 0);
    struct fw_generated generated = { 0 };
    uint64_t events = 0, done = 0, profile_count = 0;
    clock_t start = clock();
    bool good = true;

    /* The same large buffers over and over: keep them instead of asking the kernel each time. */
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    while (profiles[profile_count])
        profile_count++;
    if (getenv("FOREWEAVE_SANITIZE") && *getenv("FOREWEAVE_SANITIZE"))
        count = count / 10; /* which slows everything down as much */
    count = number_from("FOREWEAVE_COUNT", count);
    if (only) {
        first = only;
        count = 1;
    }
    for (; good && done < count; done++)
        good = check_one(program, profiles[(first + done) % profile_count], first + done, holds,
                         &generated, &events);
    printf("%s: %" PRIu64 " traces, %" PRIu64 " events, seeds from %" PRIu64 ", %.1f s: %s\n",
           program, done, events, first, (double)(clock() - start) / CLOCKS_PER_SEC,
           good ? "holds" : "FAILS");
    fw_generated_release(&generated);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
