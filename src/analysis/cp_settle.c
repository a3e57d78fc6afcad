/*
 * cp_settle.c - cells that wait for others, and how they settle.
 *
 * A waiting cell depends on the unsettled cells that its release (or second
 * access) had seen.  As long as an open section can be reached through these
 * dependencies the cell watches one; when that section closes it looks for
 * another.  If there is none, everything it reaches has been released, and the
 * whole group settles: rule (b) to its fixpoint, then the suspects in the
 * order of their second events, each race raising the group again.
 */
#include "analysis/cp_state.h"

#include "base/bug.h"

/* Its value can add nothing to a clock that has seen the event it belongs to. */
static bool is_superfluous(const struct cp_cell *cell, const struct fw_clock *plain)
{
    return fw_clock_covers(plain, cell->thread, cell->time);
}

void cp_prune(struct fw_clock *plain, struct cp_cells *cells)
{
    size_t kept = 0;

    for (size_t i = 0; i < cells->len; i++)
        if (cells->at[i]->state == CP_SETTLED && cells->at[i]->value)
            fw_clock_join(plain, &cells->at[i]->value->clock);
    for (size_t i = 0; i < cells->len; i++) {
        struct cp_cell *cell = cells->at[i];

        if (cell->state == CP_SETTLED || is_superfluous(cell, plain))
            cp_cell_put(cell);
        else
            cells->at[kept++] = cell;
    }
    cells->len = kept;
}

/* An open section that can be reached from the cell, or NULL. */
static struct cp_cell *find_open(struct fw_cp *cp, struct cp_cell *cell)
{
    struct cp_cell *open = NULL;

    cp->stamp++;
    fw_vec_clear(&cp->search);
    fw_vec_push(&cp->search, cell);
    while (cp->search.len && !open) {
        const struct cp_cell *from = fw_vec_pop(&cp->search);

        for (size_t i = 0; i < from->deps.len && !open; i++) {
            struct cp_cell *dep = from->deps.at[i];

            if (dep->state == CP_OPEN)
                open = dep;
            else if (dep->state == CP_WAITING && dep->mark != cp->stamp)
                fw_vec_push(&cp->search, dep);
            dep->mark = cp->stamp;
        }
    }
    return open;
}

static void join_group(struct fw_cp *cp, struct cp_cell *cell, struct cp_cells *group)
{
    if (cell->mark == cp->stamp || cell->state == CP_SETTLED)
        return;
    FW_ASSERT(cell->state == CP_WAITING);
    cell->mark = cp->stamp;
    fw_vec_push(group, cp_cell_get(cell));
}

static void collect_group(struct fw_cp *cp, struct cp_cell *cell, struct cp_cells *group)
{
    cp->stamp++;
    join_group(cp, cell, group);
    for (size_t i = 0; i < group->len; i++)
        for (size_t j = 0; j < group->at[i]->deps.len; j++)
            join_group(cp, group->at[i]->deps.at[j], group);
}

/* Rule (b) over the group until nothing rises. */
static void reach_fixpoint(struct fw_cp *cp, struct cp_cells *group)
{
    bool risen;

    do {
        risen = false;
        for (size_t i = 0; i < group->len; i++) {
            struct cp_cell *cell = group->at[i];

            if (!cell->suspect)
                risen |= cp_apply_rule_b(cp, cell, &cell->plain, &cell->deps);
        }
    } while (risen);
}

static bool is_ordered(const struct cp_cell *cell)
{
    const struct cp_access *first = &cell->suspect->first;
    uint32_t thread = first->about.mark.thread, time = first->time;

    if (fw_clock_covers(&cell->plain, thread, time))
        return true;
    for (size_t i = 0; i < cell->deps.len; i++)
        if (cp_shared_covers(cell->deps.at[i]->value, thread, time))
            return true;
    return false;
}

static int compare_suspects(const void *a, const void *b)
{
    const struct cp_pair *x = (*(struct cp_cell *const *)a)->suspect;
    const struct cp_pair *y = (*(struct cp_cell *const *)b)->suspect;

    if (x->second.about.position != y->second.about.position)
        return x->second.about.position < y->second.about.position ? -1 : 1;
    return x->first.about.position < y->first.about.position ? -1 : 1;
}

static void decide(struct fw_cp *cp, struct cp_cell *cell, struct cp_cells *group)
{
    struct fw_clock clock = { 0 };

    if (is_ordered(cell))
        return;
    cp_report(cp, &cell->suspect->first, &cell->suspect->second, false);
    if (cp->relation)
        return;
    cp_access_join(&clock, &cell->suspect->first);
    cell->value = cp_share(&clock);
    fw_clock_release(&clock);
    reach_fixpoint(cp, group);
}

static void decide_suspects(struct fw_cp *cp, struct cp_cells *group)
{
    FW_VEC(struct cp_cell *) suspects = { 0 };

    for (size_t i = 0; i < group->len; i++)
        if (group->at[i]->suspect)
            fw_vec_push(&suspects, group->at[i]);
    if (suspects.len)
        qsort(suspects.at, suspects.len, sizeof *suspects.at, compare_suspects);
    for (size_t i = 0; i < suspects.len; i++)
        decide(cp, suspects.at[i], group);
    fw_vec_release(&suspects);
}

static void settle_group(struct fw_cp *cp, struct cp_cell *cell)
{
    struct cp_cells group = { 0 };

    collect_group(cp, cell, &group);
    reach_fixpoint(cp, &group);
    decide_suspects(cp, &group);
    for (size_t i = 0; i < group.len; i++) {
        struct cp_cell *member = group.at[i];

        member->state = CP_SETTLED;
        member->watch = NULL;
        cp_cells_release(&member->deps);
        fw_clock_release(&member->plain);
        if (member->section) {
            member->section->waiting = false;
            cp_cells_remove(&cp->locks.at[member->lock].waiting, member);
        }
        cp_cells_remove(&cp->waiting, member);
    }
    cp_cells_release(&group);
}

/* Watches an open section, or settles. */
static void look_again(struct fw_cp *cp, struct cp_cell *cell)
{
    cell->watch = find_open(cp, cell);
    if (!cell->watch)
        settle_group(cp, cell);
}

void cp_wait(struct fw_cp *cp, struct cp_cell *cell)
{
    cell->state = CP_WAITING;
    fw_vec_push(&cp->waiting, cp_cell_get(cell));
    if (cell->section) {
        cell->section->waiting = true;
        fw_vec_push(&cp->locks.at[cell->lock].waiting, cp_cell_get(cell));
    }
    look_again(cp, cell);
}

void cp_closed(struct fw_cp *cp, const struct cp_cell *section)
{
    struct cp_cells again = { 0 };

    for (size_t i = 0; i < cp->waiting.len; i++)
        if (cp->waiting.at[i]->watch == section)
            fw_vec_push(&again, cp_cell_get(cp->waiting.at[i]));
    for (size_t i = 0; i < again.len; i++)
        if (again.at[i]->state == CP_WAITING)
            look_again(cp, again.at[i]);
    cp_cells_release(&again);
}
