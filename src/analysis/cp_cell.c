/* cp_cell.c - cells, shared clocks and sets of cells; see cp_state.h. */
#include "analysis/cp_state.h"

struct cp_shared *cp_share(const struct fw_clock *clock)
{
    struct cp_shared *shared = fw_xcalloc(1, sizeof *shared);

    shared->refs = 1;
    fw_clock_copy(&shared->clock, clock);
    return shared;
}

struct cp_shared *cp_shared_get(struct cp_shared *shared)
{
    if (shared)
        shared->refs++;
    return shared;
}

void cp_shared_put(struct cp_shared *shared)
{
    if (!shared || --shared->refs)
        return;
    fw_clock_release(&shared->clock);
    free(shared);
}

bool cp_shared_covers(const struct cp_shared *shared, uint32_t thread, uint32_t time)
{
    return shared && fw_clock_covers(&shared->clock, thread, time);
}

struct cp_section *cp_section_get(struct cp_section *section)
{
    section->refs++;
    return section;
}

void cp_section_put(struct cp_section *section)
{
    if (!section || --section->refs)
        return;
    cp_shared_put(section->release);
    free(section);
}

struct cp_cell *cp_cell_get(struct cp_cell *cell)
{
    cell->refs++;
    return cell;
}

void cp_cell_put(struct cp_cell *cell)
{
    if (!cell || --cell->refs)
        return;
    cp_shared_put(cell->value);
    cp_section_put(cell->section);
    if (cell->suspect) {
        cp_access_release(&cell->suspect->first);
        cp_access_release(&cell->suspect->second);
        free(cell->suspect);
    }
    fw_clock_release(&cell->plain);
    cp_cells_release(&cell->deps);
    free(cell);
}

void cp_cells_copy(struct cp_cells *to, const struct cp_cells *from)
{
    for (size_t i = 0; i < to->len; i++)
        cp_cell_put(to->at[i]);
    fw_vec_clear(to);
    fw_vec_reserve(to, from->len);
    for (size_t i = 0; i < from->len; i++)
        fw_vec_push(to, cp_cell_get(from->at[i]));
}

void cp_cells_join(struct fw_cp *cp, struct cp_cells *to, const struct cp_cells *from)
{
    cp->stamp++;
    for (size_t i = 0; i < to->len; i++)
        to->at[i]->mark = cp->stamp;
    for (size_t i = 0; i < from->len; i++)
        if (from->at[i]->mark != cp->stamp)
            fw_vec_push(to, cp_cell_get(from->at[i]));
}

void cp_cells_remove(struct cp_cells *cells, const struct cp_cell *cell)
{
    for (size_t i = 0; i < cells->len; i++) {
        struct cp_cell *gone = cells->at[i];

        if (gone != cell)
            continue;
        memmove(cells->at + i, cells->at + i + 1, (cells->len - i - 1) * sizeof *cells->at);
        cells->len--;
        cp_cell_put(gone);
        return;
    }
}

void cp_cells_release(struct cp_cells *cells)
{
    for (size_t i = 0; i < cells->len; i++)
        cp_cell_put(cells->at[i]);
    fw_vec_release(cells);
}

void cp_access_copy(struct cp_access *to, const struct cp_access *from)
{
    struct cp_shared *seen = cp_shared_get(from->seen);

    cp_shared_put(to->seen);
    *to = *from;
    to->seen = seen;
}

void cp_access_release(struct cp_access *access)
{
    cp_shared_put(access->seen);
    access->seen = NULL;
}

void cp_access_join(struct fw_clock *to, const struct cp_access *access)
{
    uint32_t thread = access->about.mark.thread, own = fw_clock_get(to, thread);

    /* `seen` may be of another moment in its own thread's component: that one is `time`. */
    fw_clock_join(to, &access->seen->clock);
    fw_clock_set(to, thread, own > access->time ? own : access->time);
}

bool cp_access_covers(const struct cp_access *access, uint32_t thread, uint32_t time)
{
    if (thread == access->about.mark.thread)
        return time <= access->time;
    return fw_clock_covers(&access->seen->clock, thread, time);
}
