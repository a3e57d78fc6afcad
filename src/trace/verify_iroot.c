/*
 * verify_iroot.c - part of the verifier (verify.h): instances of interleaving idioms.
 *
 * docs/soundness.md has the definition.  The events are A, B, C, D; which idiom
 * they are of is seen from their number, their objects and their threads:
 *
 *     A B          1   A => B
 *     A B C        2   A => B => C           one object; S: A C    T: B
 *     A B C D      3   A => B, C => D        one object; S: A D    T: B C
 *                  4   A => B, C => D        two objects; S: A D   T: B C
 *                  5   A => B, C => D        two objects; S: A D   T: C B
 *                  6   A => B, C => D        two objects; S: A C   T: B D
 *
 * If all four take locks it is idiom 5 as a deadlock: A and C are done, D and
 * B are next and wait.  (In a dependency between locks A gives one back.)
 *
 * Everything that is looked at between two events lies in the witness: linear.
 */
#include "trace/verify_claim.h"

#include <inttypes.h>

static const struct fw_event *event_at(const struct fw_player *p, uint32_t e)
{
    return &p->trace->events[e];
}

/* Accesses, free and whatever takes or gives back a lock. */
static bool is_access(const struct fw_player *p, uint32_t e)
{
    return fw_is_class(event_at(p, e)->kind,
                       FW_CLASS_CONFLICT | FW_CLASS_ACQUIRE | FW_CLASS_RELEASE);
}

static bool is_of_lock(const struct fw_player *p, uint32_t e)
{
    return fw_kind_info[event_at(p, e)->kind].space == FW_SPACE_LOCK;
}

/* Operations on locks in exclusive mode are writes, those in shared mode are reads. */
static bool writes(const struct fw_player *p, uint32_t e)
{
    unsigned kind = event_at(p, e)->kind;

    return is_of_lock(p, e) ? !fw_is_class(kind, FW_CLASS_SHARED)
                            : fw_is_write(kind) || kind == FW_FREE;
}

static bool same_object(const struct fw_player *p, uint32_t a, uint32_t b)
{
    return event_at(p, a)->target == event_at(p, b)->target && is_of_lock(p, a) == is_of_lock(p, b);
}

static bool same_thread(const struct fw_player *p, uint32_t a, uint32_t b)
{
    return event_at(p, a)->thread == event_at(p, b)->thread;
}

static bool conflict(struct fw_player *p, uint32_t a, uint32_t b)
{
    if (!same_thread(p, a, b) && same_object(p, a, b) && (writes(p, a) || writes(p, b)))
        return true;
    return fw_claim_refuse(p, "%s and %s do not conflict", fw_claim_label(p, a).text,
                           fw_claim_label(p, b).text);
}

/* ---- the thread's own order ---- */

/* What must not stand between the two events of a thread. */
enum between {
    ANYTHING,
    NO_ACCESS,  /* of either one's object */
    NO_RELEASE, /* of the first one's lock */
};

static bool stands_in_the_way(const struct fw_player *p, uint32_t e, uint32_t first,
                              uint32_t second, enum between between)
{
    if (between == NO_ACCESS)
        return is_access(p, e) && (same_object(p, e, first) || same_object(p, e, second));
    return between == NO_RELEASE && fw_is_class(event_at(p, e)->kind, FW_CLASS_RELEASE) &&
           same_object(p, e, first);
}

/* The first one has happened, and the second one has or is next.  So the walk stays in the order.
 */
static bool follows(struct fw_player *p, uint32_t first, uint32_t second, enum between between)
{
    uint32_t apart = 1;

    if (!same_thread(p, first, second) ||
        (fw_play_done(p, second) && p->when[second] <= p->when[first]))
        return fw_claim_refuse(p, "%s does not follow %s in its thread",
                               fw_claim_label(p, second).text, fw_claim_label(p, first).text);
    for (uint32_t e = p->facts.next[first]; e != second; e = p->facts.next[e]) {
        if (stands_in_the_way(p, e, first, second, between))
            return fw_claim_refuse(p, "%s stands between %s and %s", fw_play_label(p, e).text,
                                   fw_play_label(p, first).text, fw_claim_label(p, second).text);
        apart += is_access(p, e);
    }
    if (apart > p->window)
        return fw_claim_refuse(p, "%s is %" PRIu32 " accesses behind %s, more than %" PRIu32,
                               fw_claim_label(p, second).text, apart, fw_play_label(p, first).text,
                               p->window);
    return true;
}

/* ---- dependencies ---- */

/* Does the event between a and b part them? */
static bool parts(const struct fw_player *p, uint32_t e, uint32_t a, uint32_t b)
{
    if (!is_access(p, e) || !same_object(p, e, a))
        return false;
    return same_thread(p, e, a) || same_thread(p, e, b) || writes(p, e) ||
           (writes(p, a) && writes(p, b));
}

/* a => b, in the order that has been played. */
static bool depends(struct fw_player *p, const uint32_t *order, uint32_t a, uint32_t b)
{
    if (!conflict(p, a, b))
        return false;
    if (is_of_lock(p, a) && !(fw_is_class(event_at(p, a)->kind, FW_CLASS_RELEASE) &&
                              fw_is_class(event_at(p, b)->kind, FW_CLASS_ACQUIRE)))
        return fw_claim_refuse(p, "%s does not give back what %s takes", fw_claim_label(p, a).text,
                               fw_claim_label(p, b).text);
    if (p->when[b] <= p->when[a])
        return fw_claim_refuse(p, "%s does not come after %s", fw_claim_label(p, b).text,
                               fw_claim_label(p, a).text);
    for (uint64_t i = p->when[a] - p->begun; i + 1 < p->when[b] - p->begun; i++)
        if (parts(p, order[i], a, b))
            return fw_claim_refuse(p, "%s comes between %s and %s",
                                   fw_claim_label(p, order[i]).text, fw_play_label(p, a).text,
                                   fw_play_label(p, b).text);
    return true;
}

/* ---- the idioms ---- */

static bool are_done(struct fw_player *p, const struct fw_witness *w)
{
    for (uint32_t i = 0; i < w->event_count; i++)
        if (!fw_play_done(p, w->events[i]))
            return fw_claim_refuse(p, "%s is not in the order",
                                   fw_claim_label(p, w->events[i]).text);
    return true;
}

/* Idioms 3 to 6: the order within the threads. */
static bool shows_shape(struct fw_player *p, const uint32_t *e)
{
    bool one = same_object(p, e[0], e[2]);

    if (same_thread(p, e[0], e[2]) && !one)
        return follows(p, e[0], e[2], ANYTHING) && follows(p, e[1], e[3], ANYTHING);
    if (!same_thread(p, e[0], e[3]) || !same_thread(p, e[1], e[2]))
        return fw_claim_refuse(p, "the four events are of no idiom");
    if (!one && p->when[e[2]] < p->when[e[1]])
        return follows(p, e[0], e[3], ANYTHING) && follows(p, e[2], e[1], ANYTHING);
    return follows(p, e[0], e[3], NO_ACCESS) && follows(p, e[1], e[2], ANYTHING);
}

static bool shows_dependencies(struct fw_player *p, const struct fw_witness *w)
{
    const uint32_t *e = w->events;

    if (!fw_play(p, w->order, w->order_count) || !are_done(p, w) ||
        !depends(p, w->order, e[0], e[1]))
        return false;
    if (w->event_count == 2)
        return true;
    if (w->event_count == 3)
        return follows(p, e[0], e[2], ANYTHING) && depends(p, w->order, e[1], e[2]);
    return depends(p, w->order, e[2], e[3]) && shows_shape(p, e);
}

/* ---- idiom 5 as a deadlock ---- */

static bool takes(const struct fw_player *p, uint32_t e)
{
    return fw_is_class(event_at(p, e)->kind, FW_CLASS_ACQUIRE);
}

static bool is_waiting(const struct fw_player *p, uint32_t e)
{
    return fw_is_class(event_at(p, e)->kind, FW_CLASS_BLOCKING) &&
           event_at(p, e)->kind != FW_RELOCK;
}

/* S: A D   T: C B.  Each holds its first lock and is next at the other one's. */
static bool shows_waiting(struct fw_player *p, const struct fw_witness *w)
{
    const uint32_t *e = w->events;

    if (!conflict(p, e[0], e[1]) || !conflict(p, e[2], e[3]))
        return false;
    if (!same_thread(p, e[0], e[3]) || !same_thread(p, e[1], e[2]) || same_object(p, e[0], e[2]) ||
        !is_waiting(p, e[1]) || !is_waiting(p, e[3]))
        return fw_claim_refuse(p, "the four events are of no idiom");
    if (!fw_play(p, w->order, w->order_count))
        return false;
    if (!fw_play_done(p, e[0]) || !fw_play_done(p, e[2]))
        return fw_claim_refuse(p, "%s is not in the order",
                               fw_claim_label(p, e[fw_play_done(p, e[0]) ? 2 : 0]).text);
    return fw_play_is_next(p, e[1]) && fw_play_is_next(p, e[3]) &&
           follows(p, e[0], e[3], NO_RELEASE) && follows(p, e[2], e[1], NO_RELEASE);
}

bool fw_claim_iroot(struct fw_player *p, const struct fw_witness *w)
{
    if (w->event_count < 2 || w->event_count > 4)
        return fw_claim_refuse(p, "an instance of an idiom has 2 to 4 events, not %" PRIu32,
                               w->event_count);
    if (w->event_count == 4 && takes(p, w->events[0]) && takes(p, w->events[2]))
        return shows_waiting(p, w);
    for (uint32_t i = 0; i < w->event_count; i++)
        if (!is_access(p, w->events[i]))
            return fw_claim_refuse(p, "%s is no access", fw_claim_label(p, w->events[i]).text);
    return shows_dependencies(p, w);
}
