/*
 * prop_observe.c - the streaming observer finds exactly the iRoots that the definitions say.
 *
 * Both ways, for every idiom, with windows of any size, in batches of any size; with a site for
 * each event, so that instances are compared one by one, and with few sites.
 */
#include "support/naive_iroots.h"
#include "support/property.h"
#include "support/random.h"
#include "support/sited.h"

#include "iroot/observe_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t seen[FW_IDIOMS + 1], deadlocks;

static void observe(const struct fw_trace *trace, struct fw_strtab *accesses,
                    struct fw_iroot_set *set, const struct fw_observe_options *options,
                    uint32_t step)
{
    struct fw_observe_options how = { options->simple, options->window, trace->lacks_repeats };
    struct fw_watch *watch = fw_watch_create(trace->symbols, accesses, set, &how);
    struct fw_batch all = fw_trace_batch(trace);

    for (uint32_t i = 0; i < all.count; i += step) {
        struct fw_batch part = all;

        part.events += i;
        part.first += i;
        part.count = all.count - i < step ? all.count - i : step;
        fw_watch_batch(watch, &part);
    }
    fw_watch_finish(watch);
    fw_watch_destroy(watch);
}

/* Is every one of `some` in `all`, if it is of one of the idioms up to `most`? */
static bool is_within(const struct fw_iroot_set *some, const struct fw_iroot_set *all,
                      unsigned most, const struct fw_strtab *accesses, const char *what, char *why,
                      size_t why_size)
{
    for (uint32_t i = 0; i < fw_iroot_set_count(some); i++) {
        const struct fw_iroot *iroot = fw_iroot_set_get(some, i);
        struct fw_output out;

        if (iroot->idiom > most || fw_iroot_set_has(all, iroot))
            continue;
        fw_output_open_memory(&out);
        fw_iroot_print(iroot, accesses, &out);
        snprintf(why, why_size, "%s: %.*s", what, (int)out.used, out.buffer);
        fw_output_abandon(&out);
        return false;
    }
    return true;
}

static void count(const struct fw_iroot_set *set)
{
    for (unsigned idiom = 1; idiom <= FW_IDIOMS; idiom++)
        seen[idiom] += fw_iroot_set_of_idiom(set, idiom);
    for (uint32_t i = 0; i < fw_iroot_set_count(set); i++)
        deadlocks += fw_iroot_set_get(set, i)->waits;
}

static bool compare(const struct fw_trace *trace, struct fw_random *random, char *why,
                    size_t why_size)
{
    struct fw_observe_options options = { .simple = fw_random_percent(random, 10),
                                          .window = fw_random_percent(random, 30)
                                                        ? 0
                                                        : 1 + fw_random_below(random, 8) };
    struct fw_iroot_set *found = fw_iroot_set_create(), *expected = fw_iroot_set_create();
    unsigned most = options.simple ? 1 : FW_IDIOMS;
    struct fw_strtab accesses;
    bool good;

    fw_strtab_init(&accesses);
    observe(trace, &accesses, found, &options, 1 + fw_random_below(random, 30));
    fw_naive_iroots(trace, &accesses, options.window ? options.window : FW_IROOT_WINDOW, expected);
    good = is_within(found, expected, FW_IDIOMS, &accesses, "not exposed", why, why_size) &&
           is_within(expected, found, most, &accesses, "overlooked", why, why_size);
    count(found);
    fw_iroot_set_destroy(found);
    fw_iroot_set_destroy(expected);
    fw_strtab_release(&accesses);
    return good;
}

static bool holds(const struct fw_sample *sample, char *why, size_t why_size)
{
    struct fw_trace *trace =
        fw_load_sited(sample->text, sample->size, sample->seed, why, why_size);
    struct fw_random random;
    bool good;

    if (!trace)
        return false;
    fw_random_init(&random, sample->seed);
    good = compare(trace, &random, why, why_size);
    fw_trace_destroy(trace);
    return good;
}

int main(void)
{
    static const char *const profiles[] = { "two",   "shared",     "atomics", "heap",
                                            "crowds", "everything", "deadlocks", "medium",
                                            "nested", "medium-locks", NULL };
    int status = fw_property_run("prop_observe", profiles, 40000, holds);

    printf("prop_observe: by idiom");
    for (unsigned idiom = 1; idiom <= FW_IDIOMS; idiom++)
        printf(" %" PRIu64, seen[idiom]);
    printf(", %" PRIu64 " deadlocks\n", deadlocks);
    return status;
}
