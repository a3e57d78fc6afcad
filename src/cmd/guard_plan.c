/* guard_plan.c - see guard.h: which sites are watched, and which pairs are known. */
#include "cmd/guard.h"

#include "base/alloc.h"
#include "base/words.h"
#include "report/result_read.h"

#include <stdlib.h>
#include <string.h>

#define EVERYTHING (FW_AFTER_NOBODY | FW_AFTER_SELF | FW_AFTER_READ)

static const struct fw_constraints *sites_of(const struct fw_guard_plan *plan)
{
    return fw_learn_program_sites(plan->program);
}

static void begin(struct fw_guard_plan *plan, enum fw_guard_mode mode)
{
    plan->wish.mode = mode;
    plan->watched =
        fw_xcalloc(fw_constraints_site_count(sites_of(plan)) + (size_t)1, sizeof *plan->watched);
    plan->also =
        fw_xcalloc(fw_constraints_site_count(sites_of(plan)) + (size_t)1, sizeof *plan->also);
    plan->wish.watched = plan->watched;
    plan->claims =
        fw_xcalloc(fw_constraints_site_count(sites_of(plan)) + (size_t)1, sizeof *plan->claims);
    plan->ends =
        fw_xcalloc(fw_constraints_site_count(sites_of(plan)) + (size_t)1, sizeof *plan->ends);
}

void fw_guard_plan_release(struct fw_guard_plan *plan)
{
    free(plan->watched);
    free(plan->also);
    free(plan->claims);
    free(plan->ends);
    fw_vec_release(&plan->pairs);
    fw_vec_release(&plan->needs);
    fw_vec_release(&plan->points);
    fw_vec_release(&plan->stretches);
}

static void add_pair(struct fw_guard_plan *plan, uint32_t site, uint32_t before)
{
    plan->watched[site] = plan->watched[before] = true;
    fw_vec_push(&plan->pairs, (uint64_t)site << 32 | before);
}

int fw_guard_plan_write(struct fw_guard_plan *plan, struct fw_guard_file *file, const char *path,
                        struct fw_error *err)
{
    struct fw_guard_wish wish = plan->wish;

    if (wish.rollback && !wish.dry) {
        wish.functions = fw_guard_stretches_find(plan->program, plan->watched, &plan->stretches);
        wish.stretches = &plan->stretches;
    }
    wish.pairs = plan->pairs.len;
    if (fw_guard_file_make(file, plan->program, &wish, path, err) < 0)
        return -1;
    for (size_t i = 0; i < plan->pairs.len; i++)
        if (fw_guard_file_add_pair(file, (uint32_t)(plan->pairs.at[i] >> 32),
                                   (uint32_t)plan->pairs.at[i]) < 0)
            return fw_error_set(err, "there are more pairs than can be watched");
    for (size_t i = 0; i < plan->needs.len; i++)
        fw_guard_file_need(file, (uint32_t)(plan->needs.at[i] >> 32),
                           (uint32_t)plan->needs.at[i]);
    for (uint32_t i = 0; i < fw_constraints_site_count(sites_of(plan)); i++)
        fw_guard_file_allow(file, i, plan->also[i]);
    return 0;
}

/* --- constraints ----------------------------------------------------------------------------- */

/* What is shared there is watched, and what is not there at all, if that is wanted. */
static void take_sites(struct fw_guard_plan *plan, const struct fw_constraints *constraints,
                       const uint32_t *numbers, bool watch_unseen)
{
    uint32_t count = fw_constraints_site_count(sites_of(plan));
    bool *seen = fw_xcalloc(count + (size_t)1, sizeof *seen);

    for (uint32_t i = 0; i < fw_constraints_site_count(constraints); i++) {
        bool shared = fw_constraints_is_shared(constraints, i);

        plan->sites += shared;
        plan->missing += shared && numbers[i] == FW_LEARNT_NONE;
        if (numbers[i] == FW_LEARNT_NONE)
            continue;
        seen[numbers[i]] = true;
        plan->watched[numbers[i]] |= shared;
        plan->also[numbers[i]] |= (uint8_t)fw_constraints_allowed(constraints, i);
    }
    for (uint32_t i = 0; watch_unseen && i < count; i++)
        if (!seen[i]) {
            plan->watched[i] = true;
            plan->also[i] = EVERYTHING;
        }
    free(seen);
}

static void take_pairs(struct fw_guard_plan *plan, const struct fw_constraints *constraints,
                       const uint32_t *numbers)
{
    for (uint32_t i = 0; i < fw_constraints_site_count(constraints); i++) {
        const uint32_t *before;
        size_t count = fw_constraints_pset(constraints, i, &before);

        for (size_t k = 0; k < count; k++)
            if (numbers[i] != FW_LEARNT_NONE && numbers[before[k]] != FW_LEARNT_NONE)
                add_pair(plan, numbers[i], numbers[before[k]]);
    }
}

/* Where nobody has learnt which accesses are of shared memory, all may be. */
static void take_cuts(struct fw_guard_plan *plan, const struct fw_constraints *constraints)
{
    for (uint32_t i = 0; !plan->sites && i < fw_constraints_site_count(sites_of(plan)); i++)
        plan->watched[i] = true;
    plan->uncut = !fw_constraints_cut_count(constraints);
    plan->lost = fw_guard_cuts_place(plan->program, constraints, &plan->points, plan->claims,
                                     plan->ends);
    plan->wish.claims = plan->claims;
    plan->wish.ends = plan->ends;
    plan->wish.points = &plan->points;
}

int fw_guard_plan_constraints(struct fw_guard_plan *plan, const char *path, bool watch_unseen,
                              struct fw_error *err)
{
    struct fw_constraints *constraints = fw_constraints_read(path, err);
    const char *name = fw_learn_program_module(plan->program, 0)->name;
    uint32_t *numbers;

    begin(plan, plan->lifetx ? FW_GUARD_LIFETX : FW_GUARD_ALLOW);
    if (!constraints)
        return -1;
    if (fw_constraints_are_of(constraints, name, path, err) < 0) {
        fw_constraints_destroy(constraints);
        return -1;
    }
    numbers = fw_learn_program_match(plan->program, constraints);
    take_sites(plan, constraints, numbers, watch_unseen);
    if (plan->lifetx)
        take_cuts(plan, constraints);
    else
        take_pairs(plan, constraints, numbers);
    free(numbers);
    fw_constraints_destroy(constraints);
    if (plan->sites && plan->missing == plan->sites)
        return fw_error_set(err, "no place that the constraints in '%s' name is in '%s': they are "
                                 "of another version of it",
                            path, name);
    return 0;
}

/* --- findings -------------------------------------------------------------------------------- */

static bool is_event(const struct fw_learnt_site *site, const struct fw_result_event *event)
{
    return event->site && event->op && (*event->op == 'w') == (site->does == FW_LEARNT_WRITE) &&
           fw_spot_is_at(&site->at, event->site);
}

static void add_need(struct fw_guard_plan *plan, uint32_t site, uint32_t first)
{
    plan->watched[site] = plan->watched[first] = true;
    fw_vec_push(&plan->needs, (uint64_t)site << 32 | first);
}

/* All accesses of its line that do the same: which of them it was the finding does not say.  One of
 * them is enough to be waited for, the first: in loops that compilers have turned the others may
 * come only when what waits has been made. */
static size_t take_events(struct fw_guard_plan *plan, const struct fw_result_event *before,
                          const struct fw_result_event *after,
                          void (*take)(struct fw_guard_plan *plan, uint32_t after, uint32_t before))
{
    const struct fw_constraints *sites = sites_of(plan);
    uint32_t count = fw_constraints_site_count(sites);
    size_t pairs = 0;

    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; is_event(fw_constraints_get(sites, i), after) && k < count; k++)
            if (is_event(fw_constraints_get(sites, k), before)) {
                take(plan, i, k);
                pairs++;
                if (take == add_need)
                    break;
            }
    return pairs;
}

static bool is_access(const struct fw_result_event *event)
{
    return event->op && event->thread && (!strcmp(event->op, "r") || !strcmp(event->op, "w"));
}

/*
 * Two accesses: the run that was recorded had them in the order of their indices, and the witness
 * the other way round; the later one waits until the earlier one has been passed once.  A read that
 * would not see the write which it saw in that run waits for that write, unless it is the other one
 * that came too early.  Three, of which the first and the last are one thread's: the other one must
 * not come right behind the first.  Returns how many pairs of sites that is.
 */
static size_t take_finding(struct fw_guard_plan *plan, const struct fw_result_finding *finding)
{
    const struct fw_result_event *events = finding->events, *saw = finding->saw;
    size_t count = finding->event_count;

    for (size_t i = 0; i < count; i++)
        if (!is_access(&events[i]))
            return 0;
    if (saw && count && (count == 1 || events[1].index < events[0].index))
        return is_access(saw) && strcmp(saw->thread, events[0].thread) != 0
                   ? take_events(plan, saw, &events[0], add_need)
                   : 0;
    if (count == 2 && strcmp(events[0].thread, events[1].thread) != 0)
        return events[0].index < events[1].index
                   ? take_events(plan, &events[0], &events[1], add_need)
                   : take_events(plan, &events[1], &events[0], add_need);
    if (count == 3 && !strcmp(events[0].thread, events[2].thread) &&
        strcmp(events[0].thread, events[1].thread) != 0)
        return take_events(plan, &events[0], &events[1], add_pair);
    return 0;
}

int fw_guard_plan_result(struct fw_guard_plan *plan, const char *path, size_t *skipped,
                         struct fw_error *err)
{
    struct fw_result *result;
    size_t confirmed = 0;

    begin(plan, FW_GUARD_FORBID);
    memset(plan->also, EVERYTHING,
           fw_constraints_site_count(sites_of(plan)));
    if (fw_text_is_file(path, "result", err) < 0 || fw_result_read(&result, path, err) < 0)
        return -1;
    for (size_t i = 0; i < result->count; i++) {
        const struct fw_result_finding *finding = &result->findings[i];

        if (!finding->status || strcmp(finding->status, "confirmed") != 0)
            continue;
        confirmed++;
        *skipped += !take_finding(plan, finding);
    }
    fw_result_destroy(result);
    if (!confirmed)
        return fw_error_set(err, "'%s' has no confirmed finding: 'foreweave run' confirms them",
                            path);
    if (!plan->pairs.len && !plan->needs.len)
        return fw_error_set(err, "no confirmed finding of '%s' is an order of accesses that the "
                                 "program has",
                            path);
    return 0;
}
