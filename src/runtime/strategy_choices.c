/*
 * strategy_choices.c - follows a list of choices, then never preempts; tells every decision.
 *
 * For systematic search: the controller decides what to try next from the decisions it is told.
 * Candidates are those that could go on and would not wait at once; who has yielded is none until
 * the others have had a turn.  Candidates are also those that wait with a limit: if one is chosen,
 * it has passed.  A decision is made wherever there are two or more; a choice is a thread's number.
 * Points without a choice are told as decisions with one candidate.
 *
 * Behind the last choice some threads *sleep*: what they are about to do has been tried from there
 * by other runs.  A sleeping thread is woken by an operation that its own depends on.  When all
 * candidates sleep the rest is known, and the run ends.
 */
#include "runtime/strategy.h"

#define MOST 1024u /* threads that are looked at */

static uint32_t made; /* decisions so far */
static struct fw_thread *candidates[MOST];
static uint32_t count;

static struct {
    struct fw_control_candidate of[MOST];
    uint32_t count;
    bool begun;
} sleepers;

/* --- candidates ------------------------------------------------------------------------------ */

static void add(struct fw_thread *t)
{
    uint32_t at = count;

    if (count == MOST)
        return;
    for (; at && candidates[at - 1]->number > t->number; at--)
        candidates[at] = candidates[at - 1];
    candidates[at] = t;
    count++;
}

enum {
    UNFIT_WAITS = 1,
    UNFIT_YIELDS = 2
};

static void gather(struct fw_thread *current, struct fw_list *ready, unsigned unfit)
{
    count = 0;
    if (current && !(unfit & UNFIT_WAITS && fw_pending_waits(current)))
        add(current);
    FW_EACH_READY(t, ready)
    if (!(unfit & UNFIT_YIELDS && t->plan.yields) && !(unfit & UNFIT_WAITS && fw_pending_waits(t)))
        add(t);
}

static void add_due(struct fw_thread *t, void *any)
{
    if (t->plan.expires && (*(bool *)any || t->plan.due))
        add(t);
    else if (t->plan.expires)
        fw_control->fair = 1;
}

static uint32_t place_of(uint32_t number)
{
    for (uint32_t i = 0; i < count; i++)
        if (candidates[i]->number == number)
            return i;
    return FW_CONTROL_NONE;
}

/* --- sleeping -------------------------------------------------------------------------------- */

static const uint32_t *choices(void)
{
    return (const uint32_t *)((char *)fw_control + fw_control->choices_at);
}

static bool is_asleep(const struct fw_thread *t)
{
    for (uint32_t i = 0; i < sleepers.count; i++)
        if (sleepers.of[i].thread == t->number)
            return true;
    return false;
}

/* The last choice is made here: those who sleep are among its candidates. */
static void fall_asleep(void)
{
    const uint32_t *numbers = choices() + fw_control->choice_count;

    for (uint32_t i = 0; i < fw_control->sleep_count && sleepers.count < MOST; i++) {
        uint32_t at = place_of(numbers[i]);

        if (at != FW_CONTROL_NONE)
            sleepers.of[sleepers.count++] = fw_pending_describe(candidates[at]);
    }
    sleepers.begun = true;
}

static void wake(const struct fw_thread *runs)
{
    struct fw_control_candidate what = fw_pending_describe(runs);
    uint32_t left = 0;

    for (uint32_t i = 0; i < sleepers.count; i++)
        if (!fw_pending_depend(&sleepers.of[i], &what))
            sleepers.of[left++] = sleepers.of[i];
    sleepers.count = left;
}

/* --- choosing -------------------------------------------------------------------------------- */

static void tell(const struct fw_thread *current, uint32_t chosen)
{
    char *area = (char *)fw_control + fw_control->decisions_at;
    struct fw_control_decision head = { .count = count, .chosen = chosen };
    uint64_t at = fw_control->decision_bytes;
    struct fw_control_candidate *to;

    if (!(fw_control->flags & FW_CONTROL_DECISIONS))
        return;
    if (fw_control->decisions_lost || /* behind the first one that is missing none can be placed */
        at + sizeof head + count * sizeof *to > fw_control->decisions_room) {
        fw_control->decisions_lost++;
        return;
    }
    head.current = current ? place_of(current->number) : FW_CONTROL_NONE;
    *(struct fw_control_decision *)(area + at) = head;
    to = (struct fw_control_candidate *)(area + at + sizeof head);
    for (uint32_t i = 0; i < count; i++)
        to[i] = fw_pending_describe(candidates[i]);
    fw_control->decision_bytes = at + sizeof head + count * sizeof *to;
}

/* Nobody is preempted; who sleeps is left alone.  NONE: all sleep. */
static uint32_t choose_freely(const struct fw_thread *current)
{
    uint32_t chosen = current ? place_of(current->number) : FW_CONTROL_NONE;

    if (chosen != FW_CONTROL_NONE && !is_asleep(current))
        return chosen;
    for (unsigned expires = 0; expires < 2; expires++)
        for (uint32_t i = 0; i < count; i++)
            if (candidates[i]->plan.expires == expires && !is_asleep(candidates[i]))
                return i;
    return FW_CONTROL_NONE;
}

static uint32_t choose(const struct fw_thread *current)
{
    uint32_t chosen;

    if (count == 1 || made >= fw_control->choice_count)
        return choose_freely(current);
    chosen = place_of(choices()[made]);
    if (chosen != FW_CONTROL_NONE)
        return chosen;
    if (!fw_control->diverged)
        fw_control->diverged = made + 1;
    return choose_freely(current);
}

/* True: nobody can go on but when time passes. */
static bool gather_all(struct fw_thread *current, struct fw_list *ready)
{
    bool nobody = !current && ready->next == ready;

    gather(current, ready, UNFIT_WAITS | UNFIT_YIELDS);
    if (!count)
        gather(current, ready, UNFIT_WAITS);
    if (!count && !nobody) { /* all would wait: whose turn it is does not matter */
        gather(current, ready, 0);
        count = 1;
    } else if (fw_control_expiring) {
        fw_thread_each(add_due, &nobody);
    }
    return nobody;
}

static struct fw_thread *pick(struct fw_thread *current, struct fw_list *ready)
{
    uint32_t chosen;

    if (gather_all(current, ready))
        current = fw_expiry_first();
    chosen = choose(current);
    if (chosen == FW_CONTROL_NONE) {
        fw_control_end(FW_OUTCOME_REDUNDANT);
        chosen = 0;
    }
    tell(current, chosen);
    if (sleepers.begun)
        wake(candidates[chosen]);
    if (count > 1 && ++made == fw_control->choice_count)
        fall_asleep();
    return candidates[chosen];
}

const struct fw_strategy fw_strategy_choices = { .pick = pick };
