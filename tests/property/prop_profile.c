/*
 * prop_profile.c - the profiler guesses exactly the iRoots that its definition says, and with them
 * all that the trace itself exposes.
 *
 * Both ways, for every idiom, with and without atomics as synchronisation, with windows of any
 * size, in one pass and in two; with a site for each event, and with few sites.  If few couples are
 * kept, nothing else is guessed, and what is overlooked then is said.
 */
#include "support/naive_profile.h"
#include "support/property.h"
#include "support/random.h"
#include "support/sited.h"

#include "iroot/observe_trace.h"

#include <inttypes.h>
#include <stdio.h>

static uint64_t seen[FW_IDIOMS + 1], deadlocks, from_outside, exposed, overlooked;

static bool is_within(const struct fw_iroot_set *some, const struct fw_iroot_set *all, bool waits,
                      const struct fw_strtab *accesses, const char *what, char *why,
                      size_t why_size)
{
    for (uint32_t i = 0; i < fw_iroot_set_count(some); i++) {
        const struct fw_iroot *iroot = fw_iroot_set_get(some, i);
        struct fw_output out;

        if ((iroot->waits && !waits) || fw_iroot_set_has(all, iroot))
            continue;
        fw_output_open_memory(&out);
        fw_iroot_print(iroot, accesses, &out);
        snprintf(why, why_size, "%s: %.*s", what, (int)out.used, out.buffer);
        fw_output_abandon(&out);
        return false;
    }
    return true;
}

struct sets {
    struct fw_iroot_set *found, *outside;               /* what the profiler says */
    struct fw_iroot_set *expected, *expected_outside;   /* what the definition says */
    struct fw_iroot_set *exposed;                       /* by the trace */
};

static void count(const struct sets *sets)
{
    for (unsigned idiom = 1; idiom <= FW_IDIOMS; idiom++)
        seen[idiom] += fw_iroot_set_of_idiom(sets->found, idiom);
    for (uint32_t i = 0; i < fw_iroot_set_count(sets->found); i++)
        deadlocks += fw_iroot_set_get(sets->found, i)->waits;
    from_outside += fw_iroot_set_count(sets->outside);
    exposed += fw_iroot_set_count(sets->exposed);
}

/* Does it say that it overlooks something? */
static bool profile(const struct fw_trace *trace, struct fw_strtab *accesses,
                    const struct fw_profile_options *options, const struct sets *sets, bool twice)
{
    struct fw_batch batch = fw_trace_batch(trace);
    struct fw_profiler *profiler;
    bool overlooks;

    if (twice)
        return fw_profile_trace(trace, accesses, options, sets->found, sets->outside).overlooks;
    profiler = fw_profiler_create(trace->symbols, accesses, options);
    fw_profiler_batch(profiler, &batch);
    fw_profiler_finish(profiler, sets->found, sets->outside);
    overlooks = fw_profiler_overlooks(profiler);
    fw_profiler_destroy(profiler);
    return overlooks;
}

static bool compare(const struct fw_trace *trace, struct fw_random *random, const struct sets *sets,
                    char *why, size_t why_size)
{
    struct fw_profile_options options = { .simple = fw_random_percent(random, 10),
                                          .free_atomics = fw_random_percent(random, 50),
                                          .window = fw_random_percent(random, 30)
                                                        ? 0
                                                        : 1 + fw_random_below(random, 8),
                                          .most = fw_random_percent(random, 10)
                                                      ? 1 + fw_random_below(random, 3)
                                                      : UINT32_MAX,
                                          .looks = fw_random_percent(random, 10)
                                                       ? 1 + fw_random_below(random, 40)
                                                       : 0,
                                          .guarded = fw_random_percent(random, 10)
                                                         ? 1 + fw_random_below(random, 2)
                                                         : 0,
                                          .lacks_repeats = trace->lacks_repeats };
    struct fw_observe_options observe = { .simple = options.simple, .window = options.window };
    struct fw_index *index = fw_index_create(trace);
    struct fw_strtab accesses;
    bool bounded = options.most != UINT32_MAX || options.looks || options.guarded;
    bool good, overlooks;

    fw_strtab_init(&accesses);
    overlooks = profile(trace, &accesses, &options, sets, fw_random_percent(random, 50));
    fw_naive_profile(index, &accesses, &options, sets->expected, sets->expected_outside);
    fw_observe_trace(trace, &accesses, sets->exposed, &observe);
    good = is_within(sets->found, sets->expected, true, &accesses, "guessed", why, why_size) &&
           is_within(sets->outside, sets->expected_outside, true, &accesses, "not from outside",
                     why, why_size);
    if (good && (!overlooks || !bounded))
        good = is_within(sets->expected, sets->found, true, &accesses, "overlooked", why,
                         why_size) &&
               is_within(sets->expected_outside, sets->outside, true, &accesses, "is from outside",
                         why, why_size) &&
               is_within(sets->exposed, sets->found, false, &accesses, "exposed, not guessed", why,
                         why_size);
    count(sets);
    overlooked += overlooks;
    fw_strtab_release(&accesses);
    fw_index_destroy(index);
    return good;
}

static bool holds(const struct fw_sample *sample, char *why, size_t why_size)
{
    struct fw_trace *trace =
        fw_load_sited(sample->text, sample->size, sample->seed, why, why_size);
    struct sets sets = { fw_iroot_set_create(), fw_iroot_set_create(), fw_iroot_set_create(),
                         fw_iroot_set_create(), fw_iroot_set_create() };
    struct fw_random random;
    bool good = false;

    fw_random_init(&random, sample->seed);
    if (trace)
        good = compare(trace, &random, &sets, why, why_size);
    fw_iroot_set_destroy(sets.found);
    fw_iroot_set_destroy(sets.outside);
    fw_iroot_set_destroy(sets.expected);
    fw_iroot_set_destroy(sets.expected_outside);
    fw_iroot_set_destroy(sets.exposed);
    fw_trace_destroy(trace);
    return good;
}

int main(void)
{
    static const char *const profiles[] = { "two",        "shared",     "atomics",   "heap",
                                            "semaphores", "everything", "deadlocks", "waits",
                                            "barriers",   "nested",     "sections",  "forks",
                                            "windows",    "messages",   "messages",  NULL };
    int status = fw_property_run("prop_profile", profiles, 16000, holds);

    printf("prop_profile: by idiom");
    for (unsigned idiom = 1; idiom <= FW_IDIOMS; idiom++)
        printf(" %" PRIu64, seen[idiom]);
    printf(", %" PRIu64 " deadlocks, %" PRIu64 " from outside; %" PRIu64
           " were exposed; %" PRIu64 " traces with something overlooked\n",
           deadlocks, from_outside, exposed, overlooked);
    return status;
}
