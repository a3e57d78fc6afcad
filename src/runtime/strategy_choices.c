/*
 * strategy_choices.c - follows a list of choices, then never preempts; tells every decision.
 *
 * For systematic search: the controller decides what to try next from the decisions it is told.  A
 * decision is made wherever two or more threads could go on.  A choice is the thread's number.
 */
#include "runtime/strategy.h"

static uint32_t made; /* decisions so far */

static struct fw_control_candidate describe(const struct fw_thread *t)
{
    return (struct fw_control_candidate){ .thread = t->number,
                                          .site = t->plan.site,
                                          .object = t->plan.object |
                                                    (t->plan.writes ? UINT64_C(1) << 63 : 0) };
}

static void tell(struct fw_thread *current, struct fw_list *ready, const struct fw_thread *chosen)
{
    char *area = (char *)fw_control + fw_control->decisions_at;
    struct fw_control_decision head = { .current = FW_CONTROL_NONE };
    uint64_t at = fw_control->decision_bytes + sizeof head;
    const uint64_t size = sizeof(struct fw_control_candidate);

    if (current)
        head.current = 0;
    for (struct fw_thread *t = current ? current : FW_THREAD_OF(link, ready->next);;) {
        if (at + size > fw_control->decisions_room) {
            fw_control->decisions_lost++;
            return;
        }
        if (t == chosen)
            head.chosen = head.count;
        *(struct fw_control_candidate *)(area + at) = describe(t);
        at += size;
        head.count++;
        t = t == current ? FW_THREAD_OF(link, ready->next) : FW_THREAD_OF(link, t->link.next);
        if (&t->link == ready)
            break;
    }
    *(struct fw_control_decision *)(area + fw_control->decision_bytes) = head;
    fw_control->decision_bytes = at;
}

static struct fw_thread *wanted(struct fw_thread *current, struct fw_list *ready)
{
    const uint32_t *choices = (const uint32_t *)((char *)fw_control + fw_control->choices_at);
    uint32_t number;

    if (made >= fw_control->choice_count)
        return NULL;
    number = choices[made];
    if (current && current->number == number)
        return current;
    FW_EACH_READY(t, ready)
        if (t->number == number)
            return t;
    if (!fw_control->diverged)
        fw_control->diverged = made + 1;
    return NULL;
}

static struct fw_thread *pick(struct fw_thread *current, struct fw_list *ready)
{
    bool alone = current ? ready->next == ready : ready->next->next == ready;
    struct fw_thread *chosen;

    if (alone)
        return current ? current : FW_THREAD_OF(link, ready->next);
    chosen = wanted(current, ready);
    if (!chosen)
        chosen = fw_strategy_none.pick(current, ready);
    made++;
    tell(current, ready, chosen);
    return chosen;
}

const struct fw_strategy fw_strategy_choices = { .pick = pick };
