/*
 * chess.c - see chess.h.
 *
 * A planned run (struct item) is a place in an earlier run and another choice there.  Earlier runs
 * are kept as lists of choices as long as an item needs them.
 */
#include "explore/chess.h"

#include "base/bug.h"
#include "explore/states.h"

/* A choice of an earlier run: the thread, and a number for what could be chosen from. */
struct choice {
    uint32_t thread, among;
};

struct past {
    uint32_t users;
    uint32_t count;
    struct choice choices[];
};

struct item {
    struct past *past; /* NULL: the first run of all */
    uint32_t kept;     /* choices of it that are kept ... */
    uint32_t choice;   /* ... and the thread behind them */
    uint32_t *sleep;   /* threads, or NULL */
    uint32_t sleeping;
};

FW_VEC_TYPE(item_vec, struct item);

struct planned {
    struct item item;
    uint32_t *choices; /* what the run is told: choices, then who sleeps */
    uint32_t count;
};

struct fw_chess {
    uint32_t bound;
    FW_VEC(struct item_vec) levels; /* by number of preemptions */
    uint32_t level;
    FW_VEC(struct planned) round;
    struct fw_states states;
};

static void drop_past(struct past *past)
{
    if (past && --past->users == 0)
        free(past);
}

static void drop_item(struct item *item)
{
    drop_past(item->past);
    free(item->sleep);
}

static void push(struct fw_chess *chess, uint32_t level, struct item item)
{
    fw_vec_extend(&chess->levels, level + 1);
    if (item.past)
        item.past->users++;
    fw_vec_push(&chess->levels.at[level], item);
}

static void clear_round(struct fw_chess *chess)
{
    for (size_t i = 0; i < chess->round.len; i++) {
        drop_item(&chess->round.at[i].item);
        free(chess->round.at[i].choices);
    }
    fw_vec_clear(&chess->round);
}

static void clear_levels(struct fw_chess *chess)
{
    for (size_t i = 0; i < chess->levels.len; i++) {
        struct item_vec *items = &chess->levels.at[i];

        for (size_t k = 0; k < items->len; k++)
            drop_item(&items->at[k]);
        fw_vec_clear(items);
    }
}

void fw_chess_restart(struct fw_chess *chess)
{
    clear_levels(chess);
    clear_round(chess);
    fw_states_clear(&chess->states);
    chess->level = 0;
    push(chess, 0, (struct item) { 0 });
}

struct fw_chess *fw_chess_create(uint32_t preemptions)
{
    struct fw_chess *chess = fw_xcalloc(1, sizeof *chess);

    chess->bound = preemptions;
    fw_states_init(&chess->states);
    fw_chess_restart(chess);
    return chess;
}

void fw_chess_destroy(struct fw_chess *chess)
{
    if (!chess)
        return;
    clear_round(chess);
    clear_levels(chess);
    for (size_t i = 0; i < chess->levels.len; i++)
        fw_vec_release(&chess->levels.at[i]);
    fw_vec_release(&chess->levels);
    fw_vec_release(&chess->round);
    fw_states_release(&chess->states);
    free(chess);
}

uint32_t fw_chess_level(const struct fw_chess *chess)
{
    return chess->level;
}

/* --- planning -------------------------------------------------------------------------------- */

static struct planned prepare(struct item item)
{
    struct planned planned = { .item = item, .count = item.past ? item.kept + 1 : 0 };

    planned.choices =
        fw_xcalloc((size_t)planned.count + item.sleeping + 1, sizeof *planned.choices);
    for (uint32_t i = 0; item.past && i < item.kept; i++)
        planned.choices[i] = item.past->choices[i].thread;
    if (item.past)
        planned.choices[item.kept] = item.choice;
    if (item.sleeping)
        memcpy(planned.choices + planned.count, item.sleep,
               item.sleeping * sizeof *planned.choices);
    return planned;
}

size_t fw_chess_plan(struct fw_chess *chess, size_t most)
{
    clear_round(chess);
    while (chess->level < chess->levels.len && !chess->levels.at[chess->level].len)
        chess->level++;
    if (chess->level >= chess->levels.len)
        return 0;
    while (chess->round.len < most && chess->levels.at[chess->level].len)
        fw_vec_push(&chess->round, prepare(fw_vec_pop(&chess->levels.at[chess->level])));
    return chess->round.len;
}

void fw_chess_order(const struct fw_chess *chess, size_t slot, struct fw_run_order *order)
{
    const struct planned *planned = &chess->round.at[slot];

    order->flags |= FW_CONTROL_DECISIONS;
    order->choices = planned->choices;
    order->choice_count = planned->count;
    order->sleep_count = planned->item.sleeping;
}

/* --- learning -------------------------------------------------------------------------------- */

/* One run, decision by decision. */
struct walk {
    struct fw_chess *chess;
    const struct planned *planned;
    struct past *past;
    uint32_t made; /* decisions so far */
    uint32_t preemptions;
    bool settled; /* what can follow has been planned elsewhere */
    bool strays;  /* up to the choice that is new it went otherwise than the earlier run */
    FW_VEC(struct fw_control_candidate) sleep;
};

static bool is_asleep(const struct walk *walk, uint32_t thread)
{
    for (size_t i = 0; i < walk->sleep.len; i++)
        if (walk->sleep.at[i].thread == thread)
            return true;
    return false;
}

/* Who of the sleeping ones, and of the candidates before `upto`, still sleeps when `by` has run. */
static struct item with_sleep(const struct walk *walk, const struct fw_decision *decision,
                              uint32_t by)
{
    const struct fw_control_candidate *runs = &decision->candidates[by];
    struct item item = { .past = walk->past, .kept = walk->made, .choice = runs->thread };
    uint32_t chosen = decision->head.chosen;

    item.sleep = fw_xcalloc(walk->sleep.len + decision->head.count, sizeof *item.sleep);
    for (size_t i = 0; i < walk->sleep.len; i++)
        if (!fw_candidates_depend(&walk->sleep.at[i], runs))
            item.sleep[item.sleeping++] = walk->sleep.at[i].thread;
    for (uint32_t i = 0; i < decision->head.count; i++) {
        const struct fw_control_candidate *other = &decision->candidates[i];

        if ((i == chosen || i < by) && i != by && !is_asleep(walk, other->thread) &&
            !fw_candidates_depend(other, runs))
            item.sleep[item.sleeping++] = other->thread;
    }
    return item;
}

/* Whoever runs might as well be interrupted at its next point, if it has done nothing by then that
 * others see: the same order, and not more preemptions. */
static bool is_quiet(const struct fw_decision *decision)
{
    uint32_t current = decision->head.current;

    return current < decision->head.count && current == decision->head.chosen &&
           decision->candidates[current].flags & FW_CANDIDATE_QUIET;
}

/* Is the choice one that the bound counts?  Going on is free, so is what comes when nobody can;
 * that a limit passes before it has to is as good as a preemption. */
static bool is_counted(const struct fw_decision *decision, uint32_t choice)
{
    const struct fw_control_decision *head = &decision->head;

    return choice != head->current &&
           (head->current < head->count ||
            decision->candidates[choice].flags & FW_CANDIDATE_EXPIRES);
}

/* Plans the choices that the run did not make here. */
static void branch(struct walk *walk, const struct fw_decision *decision)
{
    struct fw_chess *chess = walk->chess;
    const struct fw_control_decision *head = &decision->head;

    for (uint32_t i = head->count; i-- > 0;) {
        uint32_t thread = decision->candidates[i].thread;
        uint32_t cost = walk->preemptions + is_counted(decision, i);

        if (i == head->chosen || is_asleep(walk, thread))
            continue;
        if (chess->bound == FW_ANY_PREEMPTIONS)
            push(chess, 0, with_sleep(walk, decision, i));
        else if (cost <= chess->bound)
            push(chess, cost,
                 (struct item) { .past = walk->past, .kept = walk->made, .choice = thread });
    }
}

/* The run has taken its choice: who has slept and depends on it wakes up. */
static void wake(struct walk *walk, const struct fw_decision *decision)
{
    const struct fw_control_candidate *runs = &decision->candidates[decision->head.chosen];
    size_t left = 0;

    for (size_t i = 0; i < walk->sleep.len; i++)
        if (!fw_candidates_depend(&walk->sleep.at[i], runs))
            walk->sleep.at[left++] = walk->sleep.at[i];
    walk->sleep.len = left;
}

/* Behind the last choice that was given: those who sleep are among the candidates here. */
static void fall_asleep(struct walk *walk, const struct fw_decision *decision)
{
    const struct item *item = &walk->planned->item;

    for (uint32_t i = 0; i < item->sleeping; i++)
        for (uint32_t k = 0; k < decision->head.count; k++)
            if (decision->candidates[k].thread == item->sleep[i])
                fw_vec_push(&walk->sleep, decision->candidates[k]);
}

/* The same beginning gives the same choice, if the choices alone decide. */
static void note_choice(struct walk *walk, const struct fw_decision *decision)
{
    const struct item *item = &walk->planned->item;
    struct choice choice = { decision->candidates[decision->head.chosen].thread,
                             fw_decision_hash(decision) };

    if (item->past && walk->made <= item->kept && walk->made < item->past->count)
        walk->strays |= item->past->choices[walk->made].among != choice.among;
    walk->past->choices[walk->made++] = choice;
    walk->past->count = walk->made;
}

static void decide(struct walk *walk, const struct fw_decision *decision,
                   struct fw_trace_hash *hash)
{
    const struct fw_control_decision *head = &decision->head;
    bool is_choice = head->count > 1, is_last = walk->made + 1 == walk->planned->count;
    bool is_new = walk->made >= walk->planned->count;
    bool bounded = walk->chess->bound != FW_ANY_PREEMPTIONS;
    bool branches = is_choice && is_new && !walk->settled && !(bounded && is_quiet(decision));

    if (branches && bounded)
        walk->settled = !fw_states_add(&walk->chess->states, fw_trace_hash_state(hash, decision),
                                       walk->preemptions);
    if (branches && !walk->settled)
        branch(walk, decision);
    if (is_choice && is_last)
        fall_asleep(walk, decision);
    else if (is_new)
        wake(walk, decision);
    fw_trace_hash_add(hash, &decision->candidates[head->chosen]);
    if (!is_choice)
        return;
    note_choice(walk, decision);
    walk->preemptions += is_counted(decision, head->chosen);
}

bool fw_chess_learn(struct fw_chess *chess, size_t slot, const struct fw_trial *trial)
{
    struct walk walk = { .chess = chess, .planned = &chess->round.at[slot] };
    size_t most = trial->decision_bytes / sizeof(struct fw_control_decision);
    struct fw_trace_hash hash;
    struct fw_decision decision;
    size_t at = 0;

    if (trial->diverged)
        return true; /* it says nothing about the schedule that was planned */
    walk.past = fw_xcalloc(1, sizeof *walk.past + most * sizeof *walk.past->choices);
    walk.past->users = 1;
    fw_trace_hash_init(&hash);
    while (fw_decision_next(trial->decisions, trial->decision_bytes, &at, &decision))
        decide(&walk, &decision, &hash);
    fw_trace_hash_release(&hash);
    fw_vec_release(&walk.sleep);
    drop_past(walk.past);
    return !walk.strays;
}
