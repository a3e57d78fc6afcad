/* lifetx_segments.c - calls, loops and iterations that a thread is in, and cutpoints at them. */
#include "lifetx/lifetx_state.h"

#include "base/bug.h"

enum {
    ASKED = 1,
    ENTRY_CUT = 2,
    LOOP_CUT = 4,
    ITERATION_CUT = 8,
};

static const char *site_name(const struct fw_lifetx *l, uint32_t site)
{
    return fw_symbols_name(l->symbols, FW_SPACE_SITE, site);
}

/* --- places of the code ---------------------------------------------------------------------- */

static struct site *site_at(struct fw_lifetx *l, uint32_t id)
{
    struct site *site;
    const char *name;

    fw_vec_extend(&l->sites, id + (size_t)1);
    site = &l->sites.at[id];
    if (site->asked)
        return site;
    name = site_name(l, id);
    site->asked = true;
    site->placed = id && l->code.at && l->code.at(l->code.me, name, &site->at);
    site->foreign = id && l->code.can_cut && !l->code.can_cut(l->code.me, name);
    if (fw_cuts_has(l->cuts, FW_CUT_CALL, name))
        site->cuts |= 1u << FW_CUT_CALL;
    if (fw_cuts_has(l->cuts, FW_CUT_ACCESS, name))
        site->cuts |= 1u << FW_CUT_ACCESS;
    return site;
}

static uint8_t *function_at(struct fw_lifetx *l, uint32_t id)
{
    const char *name = fw_symbols_name(l->symbols, FW_SPACE_FUNCTION, id);

    fw_vec_extend(&l->functions, id + (size_t)1);
    if (!l->functions.at[id])
        l->functions.at[id] = fw_cuts_has(l->cuts, FW_CUT_ENTRY, name) ? ASKED | ENTRY_CUT : ASKED;
    return &l->functions.at[id];
}

static uint8_t *loop_at(struct fw_lifetx *l, uint32_t id)
{
    char *name;

    fw_vec_extend(&l->loops, id + (size_t)1);
    if (l->loops.at[id])
        return &l->loops.at[id];
    name = l->code.name(l->code.me, id);
    l->loops.at[id] = ASKED;
    if (fw_cuts_has(l->cuts, FW_CUT_LOOP, name))
        l->loops.at[id] |= LOOP_CUT;
    if (fw_cuts_has(l->cuts, FW_CUT_ITERATION, name))
        l->loops.at[id] |= ITERATION_CUT;
    free(name);
    return &l->loops.at[id];
}

bool lifetx_cut_before(struct fw_lifetx *l, uint32_t site)
{
    return site_at(l, site)->cuts & 1u << FW_CUT_ACCESS;
}

/* --- segments -------------------------------------------------------------------------------- */

static void push(struct fw_lifetx *l, uint32_t t, enum fw_cut_kind kind, uint32_t place)
{
    struct actor *actor = lifetx_actor(l, t);

    fw_vec_push(&actor->segments,
                ((struct segment) { kind, fw_txs_now(l->txs, t), place, 0 }));
    fw_txs_mark(l->txs, t);
}

static void leave(struct fw_lifetx *l, uint32_t t, size_t depth)
{
    struct actor *actor = lifetx_actor(l, t);

    FW_ASSERT(depth <= actor->segments.len);
    fw_txs_unmark(l->txs, t, actor->segments.len - depth);
    actor->segments.len = depth;
}

static struct frame *frame_of(struct fw_lifetx *l, uint32_t t)
{
    struct actor *actor = lifetx_actor(l, t);

    if (!actor->frames.len)
        fw_vec_push(&actor->frames, ((struct frame) { 0 }));
    return &fw_vec_last(&actor->frames);
}

/* The loop around the place that has `above` others around it. */
static uint32_t loop_above(const struct fw_lifetx *l, const struct fw_loop_place *place,
                           uint32_t above)
{
    uint32_t loop = place->innermost;

    for (uint32_t depth = place->depth; depth > above + 1; depth--)
        loop = l->code.parent(l->code.me, loop);
    return loop;
}

/* Iteration after iteration of what may be a long loop. */
static bool goes_round(struct fw_lifetx *l, uint32_t t, size_t at)
{
    struct segment *loop = &lifetx_actor(l, t)->segments.at[at];
    uint32_t id = loop->place;
    uint8_t *cuts = loop_at(l, id);

    loop->trips++;
    leave(l, t, at + 1);
    if (l->options.trips && loop->trips >= l->options.trips && !(*cuts & ITERATION_CUT)) {
        char *name = l->code.name(l->code.me, id);

        *cuts |= ITERATION_CUT;
        l->stats.long_loops++;
        l->stats.new_cuts += fw_cuts_add(l->cuts, FW_CUT_ITERATION, name);
        free(name);
    }
    push(l, t, FW_CUT_ITERATION, id);
    return *cuts & ITERATION_CUT;
}

static bool enter(struct fw_lifetx *l, uint32_t t, uint32_t loop)
{
    push(l, t, FW_CUT_LOOP, loop);
    push(l, t, FW_CUT_ITERATION, loop);
    return *loop_at(l, loop) & LOOP_CUT;
}

/*
 * From where the activation was seen last to here: loops that are left, the outermost one of which
 * another iteration has certainly begun, loops that are new.  Each has two segments.
 */
static bool move(struct fw_lifetx *l, uint32_t t, const struct frame *frame,
                 const struct fw_loop_place *to)
{
    const struct actor *actor = lifetx_actor(l, t);
    uint32_t depth = (uint32_t)(actor->segments.len - frame->base) / 2, level = 0;
    bool cut = false, again = false;

    while (level < depth && level < to->depth && !again &&
           actor->segments.at[frame->base + level * 2].place == loop_above(l, to, level)) {
        again = l->code.again(l->code.me, loop_above(l, to, level), frame->last.returns,
                              to->returns);
        level++;
    }
    leave(l, t, frame->base + level * 2);
    if (again)
        cut = goes_round(l, t, frame->base + (level - 1) * 2);
    for (; level < to->depth; level++)
        cut |= enter(l, t, loop_above(l, to, level));
    return cut;
}

/* A site in another function than the activation's says nothing about its loops. */
bool lifetx_at(struct fw_lifetx *l, uint32_t t, uint32_t site)
{
    struct frame *frame = frame_of(l, t);
    const struct fw_loop_place to = site_at(l, site)->at;
    bool cut;

    if (!l->sites.at[site].placed || (frame->placed && frame->last.function != to.function))
        return false;
    cut = move(l, t, frame, &to);
    frame->placed = true;
    frame->last = to;
    return cut;
}

bool lifetx_call(struct fw_lifetx *l, uint32_t t, uint32_t function, uint32_t site)
{
    bool cut = lifetx_at(l, t, site);
    struct actor *actor = lifetx_actor(l, t);

    frame_of(l, t);
    cut |= *function_at(l, function) & ENTRY_CUT;
    if (site && !site_at(l, site)->foreign) {
        cut |= site_at(l, site)->cuts & 1u << FW_CUT_CALL;
        push(l, t, FW_CUT_CALL, site);
    } else {
        push(l, t, FW_CUT_ENTRY, function);
    }
    fw_vec_push(&actor->frames, ((struct frame) { .base = actor->segments.len }));
    return cut;
}

void lifetx_return(struct fw_lifetx *l, uint32_t t)
{
    const struct frame *frame = frame_of(l, t);
    struct actor *actor = lifetx_actor(l, t);

    if (actor->frames.len < 2)
        return;
    leave(l, t, frame->base - 1);
    actor->frames.len--;
}

/* --- cutpoints that are learnt --------------------------------------------------------------- */

void lifetx_first_read(struct fw_lifetx *l, uint32_t site)
{
    if (site)
        site_at(l, site)->first_reads++;
}

void lifetx_upgrade(struct fw_lifetx *l, uint32_t site)
{
    if (site)
        site_at(l, site)->upgrades++;
}

void lifetx_claim(struct fw_lifetx *l)
{
    for (uint32_t i = 1; i < l->sites.len; i++) {
        const struct site *site = &l->sites.at[i];

        if (site->upgrades && site->upgrades * UINT64_C(2) >= site->first_reads)
            l->stats.claims += fw_cuts_add(l->cuts, FW_CUT_CLAIM, site_name(l, i));
    }
}

void lifetx_last(struct fw_lifetx *l, uint32_t site)
{
    if (site)
        site_at(l, site)->last = true;
}

void lifetx_more(struct fw_lifetx *l, uint32_t site)
{
    if (site)
        site_at(l, site)->more = true;
}

/* Transactions that were split are not as they will be: such a run says nothing about it. */
void lifetx_ends(struct fw_lifetx *l)
{
    for (uint32_t i = 1; !l->stats.splits && i < l->sites.len; i++) {
        if (l->sites.at[i].last)
            fw_cuts_add(l->cuts, FW_CUT_LAST, site_name(l, i));
        if (l->sites.at[i].more)
            fw_cuts_add(l->cuts, FW_CUT_MORE, site_name(l, i));
    }
}

void lifetx_cut_call(struct fw_lifetx *l, uint32_t site)
{
    struct site *at = site_at(l, site);

    if (at->cuts & 1u << FW_CUT_ACCESS)
        return;
    at->cuts |= 1u << FW_CUT_ACCESS;
    fw_cuts_add(l->cuts, FW_CUT_ACCESS, site_name(l, site));
    l->stats.new_cuts++;
    l->stats.calls++;
}

/* Remembers that there is one; its place is the name of the segment's.  The caller frees it. */
static char *mark_cut(struct fw_lifetx *l, enum fw_cut_kind kind, uint32_t place)
{
    switch (kind) {
    case FW_CUT_LOOP:
        *loop_at(l, place) |= LOOP_CUT;
        return l->code.name(l->code.me, place);
    case FW_CUT_ITERATION:
        *loop_at(l, place) |= ITERATION_CUT;
        return l->code.name(l->code.me, place);
    case FW_CUT_ENTRY:
        *function_at(l, place) |= ENTRY_CUT;
        return fw_xstrdup(fw_symbols_name(l->symbols, FW_SPACE_FUNCTION, place));
    default:
        site_at(l, place)->cuts |= (uint8_t)(1u << kind);
        return fw_xstrdup(site_name(l, place));
    }
}

void lifetx_cut(struct fw_lifetx *l, uint32_t t, uint32_t site, uint64_t last)
{
    const struct actor *actor = lifetx_actor(l, t);
    struct segment at = { FW_CUT_ACCESS, fw_txs_now(l->txs, t), site, 0 };
    struct fw_lifetx_split split = { .position = l->position, .thread = t };
    char *place;

    for (size_t i = actor->segments.len; i-- && actor->segments.at[i].entry > last;)
        at = actor->segments.at[i];
    place = mark_cut(l, at.kind, at.place);
    split.at = at.entry;
    split.kind = at.kind;
    split.place = place;
    split.known = !fw_cuts_add(l->cuts, at.kind, place);
    l->stats.new_cuts += !split.known;
    l->stats.splits++;
    if (l->options.on_split)
        l->options.on_split(l->options.me, &split);
    fw_txs_split(l->txs, t, at.entry);
    free(place);
}
