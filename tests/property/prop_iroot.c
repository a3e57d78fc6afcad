/*
 * prop_iroot.c - which iRoots the predictor says a trace could have exposed.
 *
 * Against the brute-force oracle, which decides all instances of a small trace: every iRoot that
 * is said to be feasible is one of the oracle's and not exposed by the trace, every one that is
 * said to be infeasible or is not in the list has no feasible instance at all (or is exposed).
 * Undecided ones are counted: with enough candidates at most one in a hundred.  Witnesses are
 * judged by the verifier; several workers say what one says; a small cap leaves iRoots undecided,
 * never wrong.
 */
#include "iroot/naming.h"
#include "iroot/observe_trace.h"
#include "predict/iroot.h"
#include "support/oracle_iroot.h"
#include "support/property.h"

#include <stdio.h>

struct run {
    const struct fw_trace *trace;
    struct fw_index *index;
    struct fw_oracle *oracle;
    struct fw_verifier *verifier;
    struct fw_strtab accesses;
    struct fw_iroot_set *exposed, *feasible; /* feasible: also exposed ones */
    uint32_t window;
    uint64_t seed;
    char *why;
    size_t size;
};

static uint64_t feasible_count[7], infeasible_count[7], undecided_count, all_count, too_large;

static bool fail(struct run *run, const struct fw_iroot *iroot, const char *what)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);

    fprintf(file, "idiom %u%s, window %u,", iroot->idiom, iroot->waits ? "w" : "", run->window);
    for (unsigned i = 0; i < fw_idiom_accesses(iroot->idiom); i++)
        fprintf(file, "%s %s", i ? " |" : "", fw_strtab_text(&run->accesses, iroot->access[i]));
    fclose(file);
    snprintf(run->why, run->size, "%s: %s", text, what);
    free(text);
    return false;
}

/* --- what is true ------------------------------------------------------------------------ */

/* False: one of its accesses is nowhere in the code. */
static bool iroot_of(struct run *run, struct fw_naming *naming, const struct fw_instance *instance,
                     struct fw_iroot *iroot)
{
    *iroot = (struct fw_iroot) { .idiom = (uint8_t)instance->idiom, .waits = instance->waits };
    for (uint32_t i = 0; i < instance->count; i++) {
        iroot->access[i] = fw_naming_access(naming, &run->trace->events[instance->events[i]]);
        if (iroot->access[i] == FW_ACCESS_NONE)
            return false;
    }
    return true;
}

static void find_truth(struct run *run)
{
    struct fw_observe_options how = { .window = run->window };
    struct fw_naming *naming;
    struct fw_instances all = { 0 };

    fw_observe_trace(run->trace, &run->accesses, run->exposed, &how);
    naming = fw_naming_create(run->trace->symbols, &run->accesses,
                              run->trace->lacks_repeats);
    fw_oracle_instances(run->oracle, run->window, &all);
    for (size_t i = 0; i < all.len; i++) {
        struct fw_iroot iroot;

        if (iroot_of(run, naming, &all.at[i], &iroot) &&
            !fw_iroot_set_has(run->feasible, &iroot) &&
            fw_oracle_iroot(run->oracle, all.at[i].events, all.at[i].count, run->window))
            fw_iroot_set_add(run->feasible, &iroot);
    }
    fw_vec_release(&all);
    fw_naming_destroy(naming);
}

/* --- what is said ------------------------------------------------------------------------ */

static bool witness_holds(struct run *run, const struct fw_iroot_prediction *prediction)
{
    struct fw_schedule_walk walk;
    uint32_t *order = fw_xcalloc(prediction->witness.steps + 1u, sizeof *order), count = 0;
    struct fw_witness witness = { FW_CLAIM_IROOT, prediction->events,
                                  fw_idiom_accesses(prediction->iroot.idiom), order, 0 };
    struct fw_verdict verdict;

    fw_schedule_walk_init(&walk, &prediction->witness, run->index);
    while (fw_schedule_next(&walk, &order[count]))
        count++;
    fw_schedule_walk_release(&walk);
    witness.order_count = count;
    verdict = fw_verify(run->verifier, &witness);
    free(order);
    return verdict.accepted || fail(run, &prediction->iroot, verdict.reason);
}

static bool prediction_holds(struct run *run, const struct fw_iroot_prediction *prediction)
{
    const struct fw_iroot *iroot = &prediction->iroot;
    bool truth = fw_iroot_set_has(run->feasible, iroot);

    if (fw_iroot_set_has(run->exposed, iroot))
        return fail(run, iroot, "predicted, but the trace exposes it");
    if (prediction->answer == FW_FEASIBLE)
        return truth ? witness_holds(run, prediction)
                     : fail(run, iroot, "said to be feasible, but the oracle finds none");
    if (prediction->answer == FW_INFEASIBLE && truth)
        return fail(run, iroot, "said to be infeasible, but the oracle finds one");
    return true;
}

static const struct fw_iroot_prediction *find(const struct fw_iroot_forecast *forecast,
                                              const struct fw_iroot *iroot)
{
    for (size_t i = 0; i < forecast->count; i++)
        if (fw_iroot_compare(&forecast->at[i].iroot, iroot) == 0)
            return &forecast->at[i];
    return NULL;
}

/* Everything that is feasible and not exposed is there. */
static bool is_complete(struct run *run, const struct fw_iroot_forecast *forecast)
{
    for (uint32_t i = 0; i < fw_iroot_set_count(run->feasible); i++) {
        const struct fw_iroot *iroot = fw_iroot_set_get(run->feasible, i);

        if (!fw_iroot_set_has(run->exposed, iroot) && !find(forecast, iroot))
            return fail(run, iroot, "feasible, but not predicted");
    }
    return true;
}

static bool forecast_holds(struct run *run, const struct fw_iroot_forecast *forecast)
{
    bool ok = !*forecast->rejected;

    if (!ok)
        snprintf(run->why, run->size, "rejected: %s", forecast->rejected);
    for (size_t i = 0; i < forecast->count && ok; i++)
        ok = prediction_holds(run, &forecast->at[i]);
    return ok && is_complete(run, forecast);
}

static struct fw_iroot_forecast *ask(struct run *run, uint32_t cap, uint32_t jobs)
{
    struct fw_iroot_setup setup = { .index = run->index,
                                    .accesses = &run->accesses,
                                    .window = run->window,
                                    .cap = cap,
                                    .jobs = jobs };

    return fw_iroot_forecast_create(&setup);
}

static bool same(struct run *run, const struct fw_iroot_forecast *a,
                 const struct fw_iroot_forecast *b)
{
    bool ok = a->count == b->count;

    for (size_t i = 0; ok && i < a->count; i++)
        ok = fw_iroot_compare(&a->at[i].iroot, &b->at[i].iroot) == 0 &&
             a->at[i].answer == b->at[i].answer &&
             memcmp(a->at[i].events, b->at[i].events, sizeof a->at[i].events) == 0;
    if (!ok)
        snprintf(run->why, run->size, "two workers say something else than one");
    return ok;
}

static bool all_hold(struct run *run)
{
    uint32_t cap = run->seed % 5 ? 100000 : 1 + run->seed % 3;
    struct fw_iroot_forecast *forecast = ask(run, cap, 1);
    bool ok = forecast_holds(run, forecast);

    for (size_t i = 0; i < forecast->count && cap == 100000; i++) {
        feasible_count[forecast->at[i].iroot.idiom] += forecast->at[i].answer == FW_FEASIBLE;
        infeasible_count[forecast->at[i].iroot.idiom] += forecast->at[i].answer == FW_INFEASIBLE;
        undecided_count += forecast->at[i].answer == FW_UNDECIDED;
        all_count++;
    }
    if (ok && run->seed % 16 == 0) {
        struct fw_iroot_forecast *again = ask(run, cap, 2);

        ok = same(run, forecast, again);
        fw_iroot_forecast_destroy(again);
    }
    fw_iroot_forecast_destroy(forecast);
    return ok;
}

/* Writes that say again what was left out have no site. */
static void lose_sites(struct fw_trace *trace, uint64_t seed)
{
    trace->lacks_repeats = true;
    for (uint32_t i = 0; i < trace->count; i++)
        if (trace->events[i].kind == FW_WRITE && (i + seed) % 3 == 0)
            trace->events[i].site = 0;
}

/* The trace with sites, a few of them or one for each line; one in four stays without.  Some lack
 * repeats. */
static struct fw_trace *load(const struct fw_sample *sample, char *why, size_t size)
{
    static const uint64_t sites[] = { 2, 5, 1000 };
    struct fw_trace *trace;
    char *text = NULL;
    size_t length = 0;
    uint64_t number = sample->seed;
    FILE *file = open_memstream(&text, &length);

    for (size_t i = 0; i < sample->size; i++) {
        char c = sample->text[i];

        if (c == '\n' && i && sample->text[i - 1] == ')' && sample->seed % 4)
            fprintf(file, "|s%llu", (unsigned long long)(number % sites[sample->seed % 4 - 1]));
        number += c == '\n';
        fputc(c, file);
    }
    fclose(file);
    trace = fw_load_text(text, length, "iroot.std", false, why, size);
    free(text);
    if (trace && sample->seed % 4 && sample->seed % 3 == 0)
        lose_sites(trace, sample->seed);
    return trace;
}

static bool holds(const struct fw_sample *sample, char *why, size_t size)
{
    struct fw_trace *trace = load(sample, why, size);
    struct run run = { .trace = trace, .seed = sample->seed, .why = why, .size = size };
    bool ok = true;

    if (!trace)
        return false;
    run.window = sample->seed % 7 ? FW_IROOT_WINDOW : 1 + (uint32_t)(sample->seed / 7 % 6);
    run.oracle = fw_oracle_create(trace);
    if (fw_oracle_explore(run.oracle, 30000) == 0) {
        fw_strtab_init(&run.accesses);
        run.index = fw_index_create(trace);
        run.exposed = fw_iroot_set_create();
        run.feasible = fw_iroot_set_create();
        run.verifier = fw_verifier_create(trace);
        fw_verifier_use_window(run.verifier, run.window);
        find_truth(&run);
        ok = all_hold(&run);
        fw_verifier_destroy(run.verifier);
        fw_iroot_set_destroy(run.feasible);
        fw_iroot_set_destroy(run.exposed);
        fw_index_destroy(run.index);
        fw_strtab_release(&run.accesses);
    } else {
        too_large++;
    }
    fw_oracle_destroy(run.oracle);
    fw_trace_destroy(trace);
    return ok;
}

int main(void)
{
    static const char *const profiles[] = {
        "locks", "branches",  "two",        "forks", "shared", "waits",    "monitors", "atomics",
        "heap",  "deadlocks", "everything", "tiny",  "nested", "sections", "barriers", NULL,
    };
    int status = fw_property_run("prop_iroot", profiles, 2000, holds);

    for (unsigned i = 1; i <= FW_IDIOMS; i++)
        printf("prop_iroot: idiom %u: %llu feasible, %llu infeasible\n", i,
               (unsigned long long)feasible_count[i], (unsigned long long)infeasible_count[i]);
    printf("prop_iroot: %llu of %llu undecided, %llu traces too large for the oracle\n",
           (unsigned long long)undecided_count, (unsigned long long)all_count,
           (unsigned long long)too_large);
    if (undecided_count * 100 > all_count) {
        printf("prop_iroot: more than one in a hundred\n");
        return 1;
    }
    return status;
}
