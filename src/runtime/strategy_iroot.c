/*
 * strategy_iroot.c - seeks an instance of an iRoot: holds threads at its accesses until the others
 * have come to theirs, then lets them go in the idiom's order.
 *
 * Threads have strict priorities and are preempted by nobody of lower priority: by the order of
 * their creation, the first highest in the first attempt and lowest in the second, drawn in later
 * ones.  On top of that, an idiom is a *script*: which of its accesses comes after which, each made
 * by one of two threads to one of two objects.  Whoever stands before the first access waits, below
 * all others, until somebody stands before the second one on the same object; then both go.  If
 * nobody else can go on, nor wakes from a sleep or a wait with a limit, it makes its access all the
 * same and is kept back after it, in the hope that the other one will come (the source calls it
 * watch mode); so are all who are about to spoil what has been reached.  If there is no other way,
 * what has been reached is given up and the script starts again.
 *
 * Each hand-over costs as much as thousands of instructions.  So when what was reached had to be
 * given up some times, fewer of those who come to the script's accesses are held there, so that the
 * rest of the run costs more than that; and threads of higher priority take the turn from others so
 * many times only: from then on they get it when those wait.
 *
 * Which one of several that could take a part does so is drawn.  Whether the instance came about is
 * judged by who observes the run, not here.
 *
 * The source is the active scheduler of Maple (Yu, Narayanasamy, Pereira, Pokam 2012); one rule for
 * all idioms, with the next accesses of all threads in sight, takes the place of a rule for each.
 */
#include "runtime/control_quick.h"
#include "runtime/futex.h"
#include "runtime/strategy.h"

#define ROLES  4u
#define WINDOW 4096u /* points between two accesses of the script */
#define VAIN   64u   /* so often given up at no price; from then on as often as is worth it: ... */
#define WHOLE  1024u /* ... once in so many points, or in four times as many, ... */
#define THIN   32768u /* ... or in so many of a thin run, where points cost next to nothing: ... */
#define RARE   16u   /* ... else half, or twice, as many are held, down to one in 2 to this power */
#define HOLDS  8u    /* held threads that are looked at without the scheduler's lock */
#define TAKEN  1024u /* turns that are taken from others for higher priority's sake */
#define WAITS  64u   /* for threads in the kernel that did not come back: a server's wait there for
                        requests, and every wait costs as much as thousands of hand-overs */

/* Levels of who goes on, above the priorities of threads and below them. */
enum level { HELD, BACK, USUAL, NEXT, NOW };

struct part {
    unsigned role, thread, object; /* which access; of S or T (0, 1); to x or y (0, 1) */
};

struct script {
    unsigned length;
    struct part parts[ROLES];
};

/* By idiom; the order is one in which all dependencies can come about. */
static const struct script scripts[] = {
    [1] = { 2, { { 0, 0, 0 }, { 1, 1, 0 } } },
    [2] = { 3, { { 0, 0, 0 }, { 1, 1, 0 }, { 2, 0, 0 } } },
    [3] = { 4, { { 0, 0, 0 }, { 1, 1, 0 }, { 2, 1, 0 }, { 3, 0, 0 } } },
    [4] = { 4, { { 0, 0, 0 }, { 1, 1, 0 }, { 2, 1, 1 }, { 3, 0, 1 } } },
    [5] = { 4, { { 0, 0, 0 }, { 2, 1, 1 }, { 1, 1, 0 }, { 3, 0, 1 } } },
    [6] = { 4, { { 0, 0, 0 }, { 1, 1, 0 }, { 2, 0, 1 }, { 3, 1, 1 } } },
};

static const struct script *script;
static unsigned at;                     /* accesses that have been made */
static const struct fw_thread *cast[2]; /* who has S's and T's part; NULL: nobody yet */
static uint64_t objects[2];             /* x and y; 0: not known yet */
static uint64_t since;                  /* points when the latest access was made */
static uint64_t waits_since;            /* for threads in the kernel; 0: not */
static uint32_t waits;                  /* such, to no purpose */
static uint32_t vain;                   /* times that something reached was given up */
static uint64_t vain_at;                /* points when that was so last */
static unsigned halvings;               /* of those who are held */
static uint32_t taken;                  /* turns, as said above */
static const struct fw_thread *settled; /* the holder that was picked again, of which nothing
                                           followed; nothing else changes the others' levels ... */
static uint64_t awaiting[HOLDS];        /* ... but its coming to one of these objects, for which
                                           threads are held before the first access */
static unsigned awaiting_count;
struct fw_alarm fw_alarm;
static bool has_company; /* somebody has become ready since the latest pick */

/* Something was reached in vain, again: are too many held, or too few? */
static void pace(void)
{
    uint64_t points = fw_control->point_count - vain_at;
    uint64_t worth = fw_control->flags & FW_CONTROL_THIN ? THIN : WHOLE;

    vain_at = fw_control->point_count;
    if (++vain <= VAIN)
        return;
    if (points < worth && halvings < RARE)
        halvings++;
    else if (points > 4 * worth && halvings)
        halvings--;
}

static void give_up(void)
{
    if (at)
        pace();
    at = 0;
    cast[0] = cast[1] = NULL;
    objects[0] = objects[1] = 0;
}

static void start(void)
{
    unsigned idiom = fw_control->idiom;

    script = &scripts[idiom < sizeof scripts / sizeof *scripts && idiom ? idiom : 1];
    waits_since = 0;
    at = 0;
    give_up();
    vain = taken = waits = halvings = 0;
    vain_at = 0;
}

static void born(struct fw_thread *t)
{
    uint64_t middle = UINT64_C(1) << 40;

    t->plan.priority = fw_control->attempt == 0   ? middle - t->number
                       : fw_control->attempt == 1 ? middle + t->number
                                                  : fw_strategy_below(2 * middle);
}

/* --- parts ----------------------------------------------------------------------------------- */

static bool has_role(const struct fw_thread *t, unsigned role)
{
    return t->plan.pending && t->plan.site != FW_CONTROL_NONE && t->plan.object &&
           fw_control_site(t->plan.site)->flags & FW_SITE_ROLE(role);
}

/* May it begin something at this of its points? */
static bool is_eligible_at(const struct fw_thread *t, uint64_t points)
{
    uint64_t number = (points ^ (uint64_t)t->number << 48 ^ fw_control->seed) *
                      0x9e3779b97f4a7c15u;

    return number >> 32 <= UINT32_MAX >> halvings;
}

/* The same whenever it is asked at this point of the thread. */
static bool is_eligible(const struct fw_thread *t)
{
    return is_eligible_at(t, t->plan.all_points);
}

static bool fits(const struct fw_thread *t, const struct part *part)
{
    const struct fw_thread *mine = cast[part->thread], *other = cast[!part->thread];
    uint64_t object = objects[part->object];

    if (!has_role(t, part->role) || (mine ? mine != t : other == t) || (!at && !is_eligible(t)))
        return false;
    return object ? object == t->plan.object : objects[!part->object] != t->plan.object;
}

/* The part that t is about to take: the next one first.  NULL: none. */
static const struct part *part_of(const struct fw_thread *t)
{
    for (unsigned i = at; i < script->length; i++)
        if (fits(t, &script->parts[i]))
            return &script->parts[i];
    return NULL;
}

/* Could t make the access that comes right behind the first one, made by `first`? */
static bool is_partner(const struct fw_thread *t, const struct fw_thread *first)
{
    const struct part *second = &script->parts[1];

    return t != first && has_role(t, second->role) &&
           (second->object != script->parts[0].object || t->plan.object == first->plan.object);
}

static bool has_partner(const struct fw_thread *first, const struct fw_thread *current,
                        struct fw_list *ready)
{
    if (current && is_partner(current, first))
        return true;
    FW_EACH_READY(t, ready)
    if (is_partner(t, first))
        return true;
    return false;
}

static bool is_reached(const struct fw_thread *t)
{
    return at && t->plan.pending && t->plan.object &&
           (t->plan.object == objects[0] || t->plan.object == objects[1]);
}

/* Is it about to access what has been reached, without a part in it? */
static bool spoils(const struct fw_thread *t)
{
    return is_reached(t) && !part_of(t);
}

static enum level level_of(const struct fw_thread *t, const struct fw_thread *current,
                           struct fw_list *ready)
{
    const struct part *part = part_of(t), *next = &script->parts[at];

    if (at == script->length)
        return USUAL;
    if (part == next)
        return at || has_partner(t, current, ready) ? NOW : HELD;
    if (part || spoils(t))
        return HELD;
    if (at && cast[next->thread] == t)
        return NEXT;
    return at && (cast[0] == t || cast[1] == t) ? BACK : USUAL;
}

/* --- who runs -------------------------------------------------------------------------------- */

static void count_outside(struct fw_thread *t, void *context)
{
    *(unsigned *)context += t->state == FW_STATE_OUTSIDE || t->state == FW_STATE_NEW;
}

/* Threads in the kernel may come back and do what is waited for: they have some time for it before
 * what has been reached is given up. */
static bool is_patient(void)
{
    unsigned outside = 0;

    fw_thread_each(count_outside, &outside);
    if (!outside || waits >= WAITS)
        return false;
    if (!waits_since)
        waits_since = fw_now();
    if (fw_now() - waits_since < fw_control->delay * (FW_SECOND / 1000))
        return true;
    waits++;
    return false;
}

/* t goes on: what does that mean for the script? */
static void follow(const struct fw_thread *t)
{
    const struct part *part = at < script->length ? &script->parts[at] : NULL;

    waits_since = 0;
    if (!part)
        return;
    if (fits(t, part)) {
        cast[part->thread] = t;
        objects[part->object] = t->plan.object;
        since = fw_control->point_count;
        at++;
        fw_control->played |= at == script->length;
    } else if (spoils(t) || (at && fw_control->point_count - since > WINDOW)) {
        give_up();
    }
}

static bool is_better(const struct fw_thread *t, enum level level, const struct fw_thread *best,
                      enum level best_level)
{
    if (!best || t->plan.yields != best->plan.yields)
        return !best || !t->plan.yields;
    if (level != best_level)
        return level > best_level;
    if (level == HELD || level == NOW) /* several could take the part */
        return fw_strategy_below(2);
    return t->plan.priority > best->plan.priority;
}

/* False: there are too many. */
static bool note_held(const struct fw_thread *t)
{
    if (part_of(t) != &script->parts[0])
        return true;
    if (awaiting_count == HOLDS)
        return false;
    awaiting[awaiting_count++] = t->plan.object;
    return true;
}

static struct fw_thread *pick(struct fw_thread *current, struct fw_list *ready)
{
    struct fw_thread *best = current;
    enum level level = current ? level_of(current, current, ready) : HELD;
    bool quiet = level == BACK || level == USUAL || level == NEXT;
    unsigned before = at;
    struct fw_thread *sleeper;

    __atomic_store_n(&has_company, false, __ATOMIC_RELAXED);
    settled = NULL;
    awaiting_count = 0;
    FW_EACH_READY(t, ready)
    {
        enum level its = level_of(t, current, ready);

        quiet = quiet && (at || its != HELD || note_held(t));
        if (!is_better(t, its, best, level))
            continue;
        best = t;
        level = its;
    }
    if (best && level == HELD && (sleeper = fw_expiry_due()))
        return sleeper;
    if (best && level == HELD && is_patient())
        return NULL;
    if (current && best != current && level == USUAL && !current->plan.yields &&
        level_of(current, current, ready) == USUAL && ++taken > TAKEN)
        best = current;
    if (best)
        follow(best);
    if (quiet && best == current && at == before)
        settled = current;
    return best;
}

/* Could an access of the second part be the one that a held thread waits for? */
static bool is_object_awaited(uint64_t object)
{
    if (script->parts[1].object != script->parts[0].object)
        return awaiting_count > 0;
    for (unsigned i = 0; i < awaiting_count; i++)
        if (awaiting[i] == object)
            return true;
    return false;
}

static bool is_awaited(const struct fw_thread *t)
{
    return has_role(t, script->parts[1].role) && is_object_awaited(t->plan.object);
}

static bool has_any_role(const struct fw_thread *t)
{
    return t->plan.site != FW_CONTROL_NONE &&
           fw_control_site(t->plan.site)->flags & FW_SITE_ROLES;
}

void fw_control_came(void)
{
    __atomic_store_n(&has_company, true, __ATOMIC_RELAXED);
    fw_quick_end();
}

/* relaxed: who comes in this moment might as well have come later */
bool fw_control_stays(const struct fw_thread *t)
{
    if (settled != t || __atomic_load_n(&has_company, __ATOMIC_RELAXED) || fw_control_expiring)
        return false;
    if (at == script->length)
        return true;
    if (has_any_role(t) && (part_of(t) || (!at && is_awaited(t))))
        return false;
    return !at || (!is_reached(t) && fw_control->point_count - since <= WINDOW);
}

/* At other points fw_control_stays would say that the holder does, which is calm. */
void fw_iroot_alarm(void)
{
    bool is_begun = at && at < script->length;

    fw_alarm = (struct fw_alarm){ .until = is_begun ? since + WINDOW : UINT64_MAX };
    for (unsigned i = 0; is_begun && i < 2; i++)
        fw_alarm.objects[i] = objects[i];
    for (unsigned i = at; i < script->length; i++)
        fw_alarm.roles |= 1u << script->parts[i].role;
}

bool fw_iroot_wants(const struct fw_thread *t, uint32_t roles, uint64_t object)
{
    return at || is_eligible_at(t, t->plan.all_points + 1) ||
           (roles & 1u << script->parts[1].role && is_object_awaited(object));
}

/* Who has ended takes no further part. */
static void away(struct fw_thread *t, enum fw_turn_end end)
{
    for (unsigned i = at; end == FW_TURN_FINISHED && i < script->length; i++)
        if (cast[script->parts[i].thread] == t) {
            give_up();
            return;
        }
}

const struct fw_strategy fw_strategy_iroot = {
    .start = start,
    .born = born,
    .pick = pick,
    .away = away,
};
