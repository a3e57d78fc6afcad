/*
 * iroot.c - see iroot.h: idiom 1, the predictor, and the forecast for those who want answers.
 *
 * Idiom 1 goes through the objects one by one.  Accesses are sorted into lanes by thread, static
 * access and kind, once as A and once as B; against one B those of a lane fall into too early, open
 * and too late (match.h), by the rules of iroot_facts.c.  In the lanes the second half of an item
 * is what the rules need to know: for A the next access of its thread to the object, for B the one
 * before.
 */
#include "predict/iroot.h"

#include "base/bug.h"
#include "predict/gather.h"
#include "predict/iroot_state.h"
#include "predict/match.h"

struct iroots {
    struct fw_iroot_facts facts;
    struct fw_iroot_roots roots;
    struct fw_predict_options options;
    struct fw_match_rules rules;

    /* idiom 1 */
    uint32_t object;            /* the next one */
    struct fw_lanes as_a, as_b; /* of the present one ... */
    uint32_t lane;              /* ... whose B's from this lane on are to be matched */
    bool open;                  /* there is a present one */
    struct fw_match_budget budget;
    struct fw_iroot iroot; /* of the lanes at hand */
    uint64_t picked;       /* candidates of theirs */
    uint32_t work;         /* since the last return */

    struct fw_iroot_pairs *pairs; /* the others; NULL: done, or not asked for */
    bool sorted;                  /* all candidates are there */
    uint32_t next;                /* root to hand out */
};

/* --- idiom 1 ----------------------------------------------------------------------------- */

static bool precedes(const struct iroots *iroots, uint32_t a, uint32_t b)
{
    return a < b && fw_core_must_precede(iroots->facts.core, a, b);
}

static bool is_early(const void *context, struct fw_span a, struct fw_span b)
{
    return (a.last != FW_NO_EVENT && precedes(context, a.last, b.first)) ||
           (b.last != FW_NO_EVENT && precedes(context, a.first, b.last));
}

static bool is_late(const void *context, struct fw_span a, struct fw_span b)
{
    return precedes(context, b.first, a.first);
}

static void add_access(struct iroots *iroots, uint32_t at)
{
    const struct fw_event *event = &iroots->facts.trace->events[at];
    struct fw_lane_key key = { .thread = event->thread,
                               .sites = { iroots->facts.accesses[at] },
                               .kinds = event->kind };

    if (!fw_iroot_is_access(event->kind) || iroots->facts.accesses[at] == FW_ACCESS_NONE)
        return;
    if (!fw_is_class(event->kind, FW_CLASS_ACQUIRE))
        fw_lanes_add(&iroots->as_a, &key, (struct fw_span) { at, iroots->facts.behind[at] });
    if (!fw_is_class(event->kind, FW_CLASS_RELEASE))
        fw_lanes_add(&iroots->as_b, &key, (struct fw_span) { at, iroots->facts.before[at] });
}

/* Variables come first, then locks. */
static const struct fw_rows *rows_of(const struct iroots *iroots, uint32_t *row, uint32_t *object)
{
    const struct fw_index *index = iroots->facts.index;
    bool lock = *row >= index->by_variable.rows;

    *row -= lock ? index->by_variable.rows : 0;
    *object = *row * 2 + lock;
    return lock ? &index->by_lock : &index->by_variable;
}

static bool has_objects(const struct iroots *iroots)
{
    const struct fw_index *index = iroots->facts.index;

    return fw_iroot_wanted(&iroots->options, 1) &&
           iroots->object < index->by_variable.rows + index->by_lock.rows;
}

static void open_object(struct iroots *iroots)
{
    uint32_t row = iroots->object++, object;
    const struct fw_rows *rows = rows_of(iroots, &row, &object);
    uint32_t count = fw_row_count(rows, row);

    iroots->work++;
    if (!fw_iroot_shared(&iroots->facts, object))
        return;
    iroots->work += count / 16;
    fw_lanes_clear(&iroots->as_a);
    fw_lanes_clear(&iroots->as_b);
    for (uint32_t i = 0; i < count; i++)
        add_access(iroots, fw_row(rows, row)[i]);
    fw_lanes_finish(&iroots->as_a);
    fw_lanes_finish(&iroots->as_b);
    iroots->budget = fw_match_budget(count);
    iroots->lane = 0;
    iroots->open = true;
}

static void pick(void *context, struct fw_span b, uint32_t a)
{
    struct iroots *iroots = context;

    iroots->picked++;
    if (fw_iroot_locks_let(&iroots->facts, a, b.first))
        fw_iroot_add(&iroots->roots, &iroots->iroot, (uint32_t[4]) { a, b.first });
}

static void pick_all(struct iroots *iroots, const struct fw_match *match)
{
    for (uint32_t i = 0; i < match->span_count; i++) {
        struct fw_opening open =
            fw_opening_find(match->rules, match->points, match->point_count, match->spans[i]);

        for (uint32_t k = open.from; k < open.to; k++)
            pick(iroots, match->spans[i], match->points[k].first);
        iroots->work++;
    }
}

/* What the match leaves open.  That there is nothing is certain only if all were looked at. */
static void pick_some(struct iroots *iroots, const struct fw_match *match)
{
    uint64_t looks = iroots->budget.looks, open, looked;

    iroots->picked = 0;
    open = fw_match(match);
    looked = looks - iroots->budget.looks;
    if (open > iroots->picked)
        fw_iroot_leave(&iroots->roots, &iroots->iroot, open - iroots->picked);
    else if (!open && (looked || !looks) && looked < match->span_count)
        fw_iroot_leave(&iroots->roots, &iroots->iroot, 1);
}

static bool is_wanted(const struct iroots *iroots, const struct fw_lane *a,
                      const struct fw_lane *b, bool known)
{
    const struct fw_iroot_source *source = iroots->options.iroots;

    return !source || !source->wanted ||
           source->wanted(source->context, iroots->facts.trace,
                          fw_lane_items(&iroots->as_a, a)->first,
                          fw_lane_items(&iroots->as_b, b)->first, known);
}

static void match_lanes(struct iroots *iroots, const struct fw_lane *a, const struct fw_lane *b)
{
    struct fw_match match = { .rules = &iroots->rules,
                              .spans = fw_lane_items(&iroots->as_b, b),
                              .span_count = b->count,
                              .points = fw_lane_items(&iroots->as_a, a),
                              .point_count = a->count,
                              .all_below = iroots->roots.cap,
                              .budget = &iroots->budget,
                              .work = &iroots->work,
                              .pick = pick,
                              .context = iroots };
    bool known;

    iroots->iroot =
        (struct fw_iroot) { .idiom = 1, .access = { a->key.sites[0], b->key.sites[0] } };
    iroots->work++;
    if (a->key.thread == b->key.thread || !fw_iroot_kinds_depend(a->key.kinds, b->key.kinds))
        return;
    known = fw_iroot_set_has(iroots->facts.known, &iroots->iroot);
    if (!is_wanted(iroots, a, b, known) || known)
        return;
    if (iroots->options.pairs_all)
        pick_all(iroots, &match);
    else
        pick_some(iroots, &match);
}

static void match_object(struct iroots *iroots)
{
    while (iroots->lane < iroots->as_b.len && iroots->work < FW_MATCH_SLICE) {
        const struct fw_lane *b = &iroots->as_b.at[iroots->lane++];

        for (uint32_t i = 0; i < iroots->as_a.len; i++)
            match_lanes(iroots, &iroots->as_a.at[i], b);
    }
    iroots->open = iroots->lane < iroots->as_b.len;
}

/* --- units ------------------------------------------------------------------------------- */

/* Looks for candidates, for a while; false: all are there. */
static bool search(struct iroots *iroots)
{
    iroots->work = 0;
    while (iroots->work < FW_MATCH_SLICE) {
        if (iroots->open)
            match_object(iroots);
        else if (has_objects(iroots))
            open_object(iroots);
        else
            break;
    }
    if (iroots->open || has_objects(iroots))
        return true;
    if (iroots->pairs && fw_iroot_pairs_work(iroots->pairs))
        return true;
    fw_iroot_pairs_destroy(iroots->pairs);
    iroots->pairs = NULL;
    return false;
}

/* Suspects without a variable: the first one that is proved settles the unit. */
static void hand_out(const struct fw_iroot_root *root, struct fw_unit *unit)
{
    for (uint32_t i = 0; i < root->len; i++) {
        struct fw_suspect suspect = { .count = fw_idiom_accesses(root->iroot.idiom),
                                      .variable = FW_NO_EVENT,
                                      .claim = FW_CLAIM_IROOT,
                                      .label = root->label };

        fw_unit_add(unit, &suspect, root->candidates[i].events);
    }
    if (root->len)
        unit->suspects.at[0].left = root->left;
    else
        unit->left = root->left;
}

static bool iroot_next(void *state, struct fw_unit *unit)
{
    struct iroots *iroots = state;

    fw_unit_clear(unit);
    unit->number = FW_NO_EVENT;
    if (!iroots->sorted) {
        if (search(iroots))
            return true;
        fw_iroot_roots_sort(&iroots->roots);
        iroots->sorted = true;
        unit->cut = iroots->roots.cut || iroots->roots.lost;
        return true;
    }
    if (iroots->next == iroots->roots.at.len)
        return false;
    unit->number = iroots->next++;
    hand_out(&iroots->roots.at.at[unit->number], unit);
    return true;
}

/* --- the predictor ----------------------------------------------------------------------- */

static void *iroot_create(const struct fw_core *core, const struct fw_predict_options *options)
{
    struct iroots *iroots = fw_xcalloc(1, sizeof *iroots);
    uint32_t cap = options->cap ? options->cap : FW_IROOT_CAP;

    FW_ASSERT(core->iroots);
    iroots->options = *options;
    fw_iroot_facts_init(&iroots->facts, core, options);
    fw_iroot_roots_init(&iroots->roots, &iroots->facts, options->pairs_all ? UINT32_MAX : cap);
    iroots->rules = (struct fw_match_rules) { iroots, is_early, is_late, is_early, is_late };
    if (!options->idioms || options->idioms >> 2)
        iroots->pairs = fw_iroot_pairs_create(&iroots->facts, &iroots->roots, &iroots->options);
    return iroots;
}

static void iroot_answered(void *state, const struct fw_unit *unit, enum fw_answer answer,
                           const struct fw_prediction *proved)
{
    struct iroots *iroots = state;
    const struct fw_iroot_source *source = iroots->options.iroots;

    if (unit->number != FW_NO_EVENT && source && source->answered)
        source->answered(source->context, &iroots->roots.at.at[unit->number].iroot, answer, proved);
}

static void iroot_destroy(void *state)
{
    struct iroots *iroots = state;

    if (!iroots)
        return;
    fw_iroot_pairs_destroy(iroots->pairs);
    fw_lanes_release(&iroots->as_a);
    fw_lanes_release(&iroots->as_b);
    fw_iroot_roots_release(&iroots->roots);
    fw_iroot_facts_release(&iroots->facts);
    free(iroots);
}

const struct fw_predictor fw_predictor_iroot = {
    .name = "iroot",
    .claim = FW_CLAIM_IROOT,
    .create = iroot_create,
    .next = iroot_next,
    .answered = iroot_answered,
    .destroy = iroot_destroy,
};
