/* cp_core.c - life cycle, steps and hard edges; see cp_core.h. */
#include "analysis/cp_state.h"

uint64_t fw_cp_first_sweep = 65536;

struct fw_cp *fw_cp_create(bool relation, fw_cp_report *report, void *context)
{
    struct fw_cp *cp = fw_xcalloc(1, sizeof *cp);

    cp->relation = relation;
    cp->report = report;
    cp->report_context = context;
    cp->sweep_first = cp->sweep_at = fw_cp_first_sweep;
    cp->covered = UINT64_MAX;
    return cp;
}

static void release_thread(struct cp_thread *thread)
{
    fw_clock_release(&thread->hb);
    fw_clock_release(&thread->plain);
    cp_cells_release(&thread->live);
    cp_cells_release(&thread->held);
    fw_vec_release(&thread->locks);
    cp_shared_put(thread->seen);
}

void fw_cp_destroy(struct fw_cp *cp)
{
    if (!cp)
        return;
    for (size_t i = 0; i < cp->threads.len; i++)
        release_thread(&cp->threads.at[i]);
    for (size_t i = 0; i < cp->locks.len; i++)
        cp_lock_release_state(&cp->locks.at[i]);
    cp_variables_release(cp);
    cp_cells_release(&cp->waiting);
    fw_vec_release(&cp->search);
    fw_vec_release(&cp->threads);
    fw_vec_release(&cp->locks);
    free(cp);
}

struct cp_thread *cp_thread_at(struct fw_cp *cp, uint32_t thread)
{
    fw_vec_extend(&cp->threads, thread + 1);
    return &cp->threads.at[thread];
}

void cp_report(const struct fw_cp *cp, const struct cp_access *first,
               const struct cp_access *second, bool hb)
{
    struct fw_cp_pair pair = { &first->about, &second->about, hb,
                               second->about.position < cp->covered };

    cp->report(cp->report_context, &pair);
}

void fw_cp_step(struct fw_cp *cp, uint32_t thread, uint64_t position, bool synchronises)
{
    struct cp_thread *self = cp_thread_at(cp, thread);

    cp->position = position;
    self->phase += synchronises;
    fw_clock_set(&self->hb, thread, ++self->time);
}

void fw_cp_uncover(struct fw_cp *cp)
{
    if (cp->position < cp->covered)
        cp->covered = cp->position;
}

const struct fw_clock *fw_cp_clock(struct fw_cp *cp, uint32_t thread)
{
    return &cp_thread_at(cp, thread)->hb;
}

void fw_cp_receive(struct fw_cp *cp, uint32_t thread, const struct fw_clock *clock)
{
    struct cp_thread *self = cp_thread_at(cp, thread);

    /* Whatever the sender's cells may still add is before the sender, so it is in the clock. */
    fw_clock_join(&self->hb, clock);
    fw_clock_join(&self->plain, clock);
    cp_prune(&self->plain, &self->live);
    cp_shared_put(self->seen);
    self->seen = NULL;
}

void fw_cp_finish(struct fw_cp *cp)
{
    cp_close_all(cp);
}

void fw_cp_set_roots(struct fw_cp *cp, fw_cp_roots *roots, void *context)
{
    cp->roots = roots;
    cp->roots_context = context;
}
