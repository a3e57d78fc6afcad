/*
 * prop_iroot_ask.c - what the solver says of instances of interleaving idioms is what the
 * brute-force oracle says, its witnesses and their minimised forms are accepted by the verifier,
 * and the verifier agrees with the oracle's own definition on witnesses that were tampered with.
 *
 * Of each trace: all instances of idiom 1, some of every other one.  Both definite answers must
 * agree, whatever the number of threads.  Windows differ from trace to trace.
 */
#include "predict/minimise.h"
#include "predict/solver.h"
#include "support/oracle_iroot.h"
#include "support/property.h"
#include "support/random.h"

#include <stdio.h>

#define EACH 12u /* instances of a compound idiom that are asked about */

struct run {
    const struct fw_trace *trace;
    struct fw_oracle *oracle;
    struct fw_verifier *verifier;
    struct fw_solver *solver;
    struct fw_minimiser *minimiser;
    struct fw_random random;
    uint32_t window;
    char *why;
    size_t size;
};

static uint64_t asked[7], feasible[7], undecided;

static bool fail(struct run *run, const struct fw_instance *instance, const char *what)
{
    int len = snprintf(run->why, run->size, "idiom %u%s, window %u,", instance->idiom,
                       instance->waits ? "w" : "", run->window);

    for (uint32_t i = 0; i < instance->count; i++)
        len += snprintf(run->why + len, run->size - (size_t)len, " %u", instance->events[i]);
    snprintf(run->why + len, run->size - (size_t)len, ": %s", what);
    return false;
}

/* The verifier and the oracle's definition, which share nothing, say the same. */
static bool judges_agree(struct run *run, const struct fw_instance *instance,
                         const struct fw_witness *witness)
{
    bool truth = fw_oracle_shows_iroot(run->oracle, witness, run->window);
    struct fw_verdict verdict = fw_verify(run->verifier, witness);

    if (verdict.accepted == truth)
        return true;
    return fail(run, instance, truth ? verdict.reason : "accepted, but the oracle does not");
}

/* Two steps change places, or the end is missing. */
static bool tampered_agree(struct run *run, const struct fw_instance *instance,
                           struct fw_witness witness)
{
    uint32_t count = witness.order_count;
    uint32_t *order = fw_xcalloc(count + 1, sizeof *order);
    bool ok = true;

    for (uint32_t round = 0; round < 4 && ok && count > 1; round++) {
        uint32_t at = fw_random_below(&run->random, count - 1);

        for (uint32_t i = 0; i < count; i++)
            order[i] = witness.order[i];
        order[at] = witness.order[at + 1];
        order[at + 1] = witness.order[at];
        ok =
            judges_agree(run, instance,
                         &(struct fw_witness) { FW_CLAIM_IROOT, witness.events, witness.event_count,
                                                order, count - (round == 3) });
    }
    free(order);
    return ok;
}

static bool witness_holds(struct run *run, const struct fw_instance *instance)
{
    struct fw_witness witness = { FW_CLAIM_IROOT, instance->events, instance->count, NULL, 0 };
    struct fw_verdict verdict;

    witness.order = fw_solver_witness(run->solver, &witness.order_count);
    verdict = fw_verify(run->verifier, &witness);
    if (!verdict.accepted)
        return fail(run, instance, verdict.reason);
    if (!judges_agree(run, instance, &witness) || !tampered_agree(run, instance, witness))
        return false;
    witness.order = fw_minimise(run->minimiser, &witness);
    verdict = fw_verify(run->verifier, &witness);
    return verdict.accepted || fail(run, instance, verdict.reason);
}

static bool agrees(struct run *run, const struct fw_instance *instance)
{
    enum fw_answer answer =
        fw_solver_ask(run->solver, FW_CLAIM_IROOT, instance->events, instance->count);
    bool truth;

    asked[instance->idiom]++;
    if (answer == FW_UNDECIDED) {
        undecided++;
        return fail(run, instance, "undecided");
    }
    if (answer == FW_FEASIBLE && !witness_holds(run, instance))
        return false;
    truth = fw_oracle_iroot(run->oracle, instance->events, instance->count, run->window);
    feasible[instance->idiom] += truth;
    if (truth == (answer == FW_FEASIBLE))
        return true;
    return fail(run, instance, truth ? "missed" : "the oracle says that it cannot happen");
}

/* Idiom 1 in full, of the others a few from anywhere. */
static bool is_asked_about(struct run *run, const struct fw_instances *all, size_t i)
{
    uint32_t alike = 0;

    if (all->at[i].idiom == 1)
        return true;
    for (size_t k = 0; k < all->len; k++)
        alike += all->at[k].idiom == all->at[i].idiom && all->at[k].waits == all->at[i].waits;
    return fw_random_below(&run->random, alike) < EACH;
}

static bool all_agree(struct run *run)
{
    struct fw_instances all = { 0 };
    bool ok = true;

    fw_oracle_instances(run->oracle, run->window, &all);
    for (size_t i = 0; i < all.len && ok; i++)
        ok = !is_asked_about(run, &all, i) || agrees(run, &all.at[i]);
    fw_vec_release(&all);
    return ok;
}

static bool trace_agrees(struct run *run, const struct fw_index *index, bool values, uint64_t seed)
{
    struct fw_core_options options = { .values = values, .chains = seed % 4 == 0, .iroots = true };
    struct fw_core *core = fw_core_create(index, &options);
    bool ok = true;

    fw_random_init(&run->random, seed);
    run->window = seed % 3 ? FW_VERIFY_WINDOW : 1 + fw_random_below(&run->random, 6);
    run->oracle = fw_oracle_create(run->trace);
    fw_oracle_use_values(run->oracle, values);
    if (fw_oracle_explore(run->oracle, 30000) == 0) {
        run->verifier = fw_verifier_create(run->trace);
        fw_verifier_use_values(run->verifier, values);
        fw_verifier_use_window(run->verifier, run->window);
        run->solver = fw_solver_create(core, NULL);
        run->minimiser = fw_minimiser_create(index);
        ok = all_agree(run);
        fw_minimiser_destroy(run->minimiser);
        fw_solver_destroy(run->solver);
        fw_verifier_destroy(run->verifier);
    }
    fw_oracle_destroy(run->oracle);
    fw_core_destroy(core);
    return ok;
}

static bool has_values(const struct fw_trace *trace)
{
    for (uint32_t i = 0; i < trace->attr_count; i++)
        if (trace->attrs[i].has & FW_ATTR_VALUE)
            return true;
    return false;
}

static bool holds(const struct fw_sample *sample, char *why, size_t size)
{
    struct fw_trace *trace =
        fw_load_text(sample->text, sample->size, "iroot.std", false, why, size);
    struct run run = { .trace = trace, .why = why, .size = size };
    struct fw_index *index;
    bool ok;

    if (!trace)
        return false;
    index = fw_index_create(trace);
    ok = trace_agrees(&run, index, false, sample->seed) &&
         (!has_values(trace) || trace_agrees(&run, index, true, sample->seed));
    fw_index_destroy(index);
    fw_trace_destroy(trace);
    return ok;
}

int main(void)
{
    static const char *const profiles[] = {
        "locks",      "branches",   "two",      "forks",    "shared", "waits",
        "monitors",   "semaphores", "barriers", "atomics",  "heap",   "deadlocks",
        "everything", "tiny",       "nested",   "sections", "values", NULL,
    };
    int status = fw_property_run("prop_iroot_ask", profiles, 3000, holds);

    for (unsigned i = 1; i <= 6; i++)
        printf("prop_iroot_ask: idiom %u: %llu asked, %llu feasible\n", i,
               (unsigned long long)asked[i], (unsigned long long)feasible[i]);
    return status;
}
