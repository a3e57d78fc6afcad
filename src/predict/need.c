/*
 * need.c - see need.h: cuts, over either store of demands.
 */
#include "predict/need.h"

#include "base/alloc.h"
#include "predict/need_store.h"

#include <string.h>

/* ---- demands ---- */

struct fw_need *fw_need_create(const struct fw_core *core, bool loose)
{
    struct fw_need *need = fw_xcalloc(1, sizeof *need);

    if (core->threads <= FW_NEED_ROW_THREADS && !core->chains)
        need->rows = fw_rows_store_create(core, loose);
    if (!need->rows)
        need->chains = fw_chain_store_create(core, loose);
    return need;
}

void fw_need_destroy(struct fw_need *need)
{
    if (!need)
        return;
    fw_rows_store_destroy(need->rows);
    fw_chain_store_destroy(need->chains);
    free(need);
}

size_t fw_need_bytes(const struct fw_need *need)
{
    return need->rows ? fw_rows_store_bytes(need->rows) : fw_chain_store_bytes(need->chains);
}

static void join(const struct fw_need *need, struct fw_demander who, struct fw_cut *cut)
{
    if (need->rows)
        fw_rows_store_join(need->rows, who, cut);
    else
        fw_chain_store_join(need->chains, who, cut);
}

bool fw_need_has(const struct fw_core *core, uint32_t of, uint32_t len, uint32_t thread,
                 uint32_t place)
{
    const struct fw_need *need = core->loose ? core->loose : core->need;
    struct fw_demander who = fw_demander_of(core, of, len);
    uint32_t seen = fw_seen_by_force(core, of, len);

    if (need->rows ? fw_rows_store_has(need->rows, who, thread, place)
                   : fw_chain_store_has(need->chains, who, thread, place))
        return true;
    if (seen == FW_NO_EVENT)
        return false;
    if (fw_thread_of(core, seen) == thread && fw_place_of(core, seen) >= place)
        return true;
    return fw_need_has(core, fw_thread_of(core, seen), fw_place_of(core, seen) + 1, thread, place);
}

/* ---- cuts ---- */

void fw_cut_init(struct fw_cut *cut, const struct fw_core *core)
{
    memset(cut, 0, sizeof *cut);
    cut->need = core->need;
    cut->len = fw_xcalloc((size_t)core->threads + 1, sizeof *cut->len);
    cut->clean = fw_xcalloc((size_t)core->threads + 1, sizeof *cut->clean);
}

void fw_cut_release(struct fw_cut *cut)
{
    free(cut->len);
    free(cut->clean);
    fw_vec_release(&cut->touched);
}

void fw_cut_clear(struct fw_cut *cut)
{
    for (size_t i = 0; i < cut->touched.len; i++)
        cut->len[cut->touched.at[i]] = cut->clean[cut->touched.at[i]] = 0;
    fw_vec_clear(&cut->touched);
}

void fw_cut_copy(struct fw_cut *to, const struct fw_cut *from)
{
    fw_cut_clear(to);
    to->need = from->need;
    fw_vec_reserve(&to->touched, from->touched.len);
    for (size_t i = 0; i < from->touched.len; i++) {
        uint32_t t = from->touched.at[i];

        to->touched.at[i] = t;
        to->len[t] = from->len[t];
        to->clean[t] = from->clean[t];
    }
    to->touched.len = from->touched.len;
}

void fw_cut_raise(struct fw_cut *cut, uint32_t thread, uint32_t len, uint32_t clean)
{
    if (!cut->len[thread] && !cut->clean[thread])
        fw_vec_push(&cut->touched, thread);
    if (cut->len[thread] < len)
        cut->len[thread] = len;
    if (cut->clean[thread] < clean)
        cut->clean[thread] = clean;
}

void fw_cut_need(const struct fw_core *core, struct fw_cut *cut, uint32_t thread, uint32_t len)
{
    uint32_t seen;

    if (cut->len[thread] >= len)
        return;
    fw_cut_raise(cut, thread, len, fw_own_clean(core, thread, len));
    join(cut->need, fw_demander_of(core, thread, len), cut);
    seen = fw_seen_by_force(core, thread, len);
    if (seen != FW_NO_EVENT)
        fw_cut_need(core, cut, fw_thread_of(core, seen), fw_place_of(core, seen) + 1);
}

void fw_cut_need_clean(struct fw_cut *cut, uint32_t thread, uint32_t c)
{
    if (cut->clean[thread] >= c)
        return;
    fw_cut_raise(cut, thread, c - 1, c);
    join(cut->need, (struct fw_demander) { thread, c, true }, cut);
}

void fw_cut_need_start(const struct fw_core *core, struct fw_cut *cut, uint32_t thread)
{
    uint32_t fork = core->index->fork_of[thread];

    if (fork != FW_NO_EVENT)
        fw_cut_need(core, cut, fw_thread_of(core, fork), fw_place_of(core, fork) + 1);
}
