/*
 * prop_profile_orders.c - the profiler overlooks nothing that a correct reordering exposes.
 *
 * All correct reorderings of tiny traces, by the oracle; each is observed.  (Deadlocks apart, which
 * end in a request that the trace itself may not have.)
 */
#include "support/oracle.h"
#include "support/property.h"
#include "support/sited.h"

#include "iroot/observe_trace.h"
#include "iroot/profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_ORDERS 4000u

static uint64_t orders, guesses, exposures;

struct visit {
    const struct fw_trace *trace;
    struct fw_event *events; /* in the order at hand */
    struct fw_strtab *accesses;
    struct fw_iroot_set *exposed;
};

static bool observe(void *context, const uint32_t *order, uint32_t count)
{
    struct visit *visit = context;
    struct fw_observe_options options = { .lacks_repeats = visit->trace->lacks_repeats };
    struct fw_watch *watch =
        fw_watch_create(visit->trace->symbols, visit->accesses, visit->exposed, &options);
    struct fw_batch batch = fw_trace_batch(visit->trace);

    for (uint32_t i = 0; i < count; i++)
        visit->events[i] = visit->trace->events[order[i]];
    batch.events = visit->events;
    batch.count = count;
    fw_watch_batch(watch, &batch);
    fw_watch_destroy(watch);
    return true;
}

static bool compare(const struct fw_trace *trace, struct fw_strtab *accesses,
                    struct fw_iroot_set *guessed, struct fw_iroot_set *exposed, char *why,
                    size_t why_size)
{
    struct fw_oracle *oracle = fw_oracle_create(trace);
    struct fw_profile_options options = { .most = UINT32_MAX };
    struct visit visit = { trace, calloc(trace->count + 1u, sizeof(struct fw_event)), accesses,
                           exposed };
    bool good = true;

    fw_profile_trace(trace, accesses, &options, guessed, NULL);
    orders += fw_oracle_enumerate(oracle, MOST_ORDERS, observe, &visit);
    for (uint32_t i = 0; good && i < fw_iroot_set_count(exposed); i++) {
        const struct fw_iroot *iroot = fw_iroot_set_get(exposed, i);
        struct fw_output out;

        good = fw_iroot_set_has(guessed, iroot);
        fw_output_open_memory(&out);
        fw_iroot_print(iroot, accesses, &out);
        snprintf(why, why_size, "not guessed: %.*s", (int)out.used, out.buffer);
        fw_output_abandon(&out);
    }
    guesses += fw_iroot_set_count(guessed);
    exposures += fw_iroot_set_count(exposed);
    free(visit.events);
    fw_oracle_destroy(oracle);
    return good;
}

static bool holds(const struct fw_sample *sample, char *why, size_t why_size)
{
    struct fw_trace *trace =
        fw_load_sited(sample->text, sample->size, sample->seed, why, why_size);
    struct fw_iroot_set *guessed = fw_iroot_set_create(), *exposed = fw_iroot_set_create();
    struct fw_strtab accesses;
    bool good = false;

    fw_strtab_init(&accesses);
    if (trace)
        good = compare(trace, &accesses, guessed, exposed, why, why_size);
    fw_strtab_release(&accesses);
    fw_iroot_set_destroy(guessed);
    fw_iroot_set_destroy(exposed);
    fw_trace_destroy(trace);
    return good;
}

int main(void)
{
    static const char *const profiles[] = { "tiny", "nested", NULL };
    int status = fw_property_run("prop_profile_orders", profiles, 2000, holds);

    printf("prop_profile_orders: %" PRIu64 " orders; of %" PRIu64 " guesses %" PRIu64
           " are exposed\n",
           orders, guesses, exposures);
    return status;
}
