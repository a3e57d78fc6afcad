/*
 * control_spin.c - threads that go round in circles until another one changes something.
 *
 * Who looks again and again at the same few objects and changes nothing spins, and makes way.  What
 * counts does not depend on which accesses are points of the run, so that a replay notices what the
 * first run has noticed.  Locks that are taken and given back, and variables on the thread's own
 * stack that change, may be part of such a loop or of one that gets somewhere: in doubt it takes
 * longer.  What is not seen here uses up ticks (sched.c).
 *
 * A spinning thread may wait for one that sleeps or is in the kernel.  When nobody else can run but
 * to spin as well, it *rests* until that one is back, or somebody changes something; where time is
 * virtual the clocks go forward.  It never rests for long: it may wait for somebody out of sight.
 */
#include "runtime/control.h"
#include "runtime/futex.h"
#include "runtime/sink.h"

#define SPINS  1024u /* at few places without a change, after which others go first ... */
#define LOOK   64u   /* ... a look counts so much, ... */
#define TRY    16u   /* ... a try to change something so much; in doubt all count 1 */
#define DOUBT  16u   /* looks that are doubtful after something that may get somewhere */
#define FEW    16    /* places, and values ... */
#define BITS   58    /* ... of so many that are told apart */
#define SURE   4u    /* times that it was noticed, in doubt, until it rests */

#define MILLISECOND (FW_SECOND / 1000)
#define LATE  (20 * MILLISECOND)  /* that a sleeper may be back too late */
#define MOST  (100 * MILLISECOND) /* to rest for somebody who is known to come back ... */
#define FIRST MILLISECOND         /* ... for others so long, then twice as long ... */
#define LAST  (32 * MILLISECOND)  /* ... up to this */

static uint64_t moves = 1;   /* changes of shared memory; the holder's ... */
static uint64_t changes = 1; /* ... and by what may be a try only, too */

static void go_on(struct fw_plan *plan)
{
    plan->spun = 0;
    plan->spin_doubt = 0;
    plan->spin_rounds = 0;
    plan->spin_moves = 0;
}

/* --- noticing -------------------------------------------------------------------------------- */

static bool is_own_stack(const struct fw_thread *t, uint64_t address)
{
    return address - t->stack < t->stack_bytes;
}

/* Memory is written, but for what is tried. */
static void note_write(struct fw_thread *t, const struct fw_op *op, bool is_shared)
{
    if (!is_shared) {
        fw_spin_wrote(t, op->object);
        return;
    }
    go_on(&t->plan);
    moves++;
    changes++;
    if (FW_UNLIKELY(fw_resting)) {
        fw_sched_lock();
        fw_rouse();
        fw_sched_unlock();
    }
}

bool fw_spin_moves(struct fw_thread *t)
{
    if (FW_UNLIKELY(fw_resting))
        return false;
    go_on(&t->plan);
    moves++;
    changes++;
    return true;
}

bool fw_spin_may(const struct fw_thread *t)
{
    return t->plan.spun > SPINS / 8;
}

/* Is the place, or the value, none of the few latest ones?  A bit for each; above them is how many
 * there are, since counting them is a call without SSE4. */
static inline bool is_new(uint64_t *few, uint64_t what)
{
    uint64_t hash = what * 0x9e3779b97f4a7c15u >> 32;
    uint64_t bit = UINT64_C(1) << (hash * BITS >> 32);

    if (*few & bit)
        return false;
    if (*few >> BITS >= FEW)
        *few = 0;
    *few = (*few | bit) + (UINT64_C(1) << BITS);
    return true;
}

/* Before the write, as a rule: what is there then was written in the round before. */
void fw_spin_wrote(struct fw_thread *t, uintptr_t address)
{
    if (!is_own_stack(t, address))
        go_on(&t->plan);
    else if (is_new(&t->plan.spin_values, address ^ *(const volatile uint64_t *)(address & ~7ul)))
        t->plan.spin_doubt = DOUBT;
}

void fw_spin_changed(void)
{
    changes++;
}

uint64_t fw_spin_changes(void)
{
    return changes;
}

void fw_spin_slept(struct fw_thread *t)
{
    go_on(&t->plan);
}

bool fw_spin_noticed(struct fw_thread *t, const struct fw_op *op, const struct fw_spot *spot)
{
    struct fw_plan *plan = &t->plan;

    if ((op->size && op->writes) || op->name == fw_op_store) {
        note_write(t, op, !op->size || spot->is_marked);
        return false;
    }
    if (!op->object || (op->size && !spot->is_marked) || (op->reach && !op->spins))
        return false; /* the latter: it may get somewhere, which is not known yet */
    if (is_new(&plan->spin_places, op->object << 20 ^ (spot->site + 1)))
        go_on(plan);
    if (!op->spins)
        plan->spin_doubt = DOUBT;
    plan->spun += plan->spin_doubt ? 1 : op->writes ? TRY : LOOK;
    if (plan->spin_doubt)
        plan->spin_doubt--;
    if (plan->spun < SPINS || (plan->held && plan->spin_doubt && plan->spun < 2 * SPINS))
        return false; /* others may want the lock: better when it is given back */
    plan->spun = 0;
    plan->spin_rounds++;
    plan->spin_moves = moves;
    fw_control_site(spot->site)->flags |= FW_SITE_SPINS;
    return true;
}

/* --- resting --------------------------------------------------------------------------------- */

struct around {
    const struct fw_thread *self;
    bool goes_on;            /* somebody can run who does not spin */
    bool is_outside;         /* somebody is in the kernel */
    struct fw_thread *first; /* of those that wait until some time */
    uint64_t back;           /* when the first one that sleeps is back */
};

static void look_at(struct fw_thread *t, void *context)
{
    struct around *around = context;
    uint64_t until = t->state == FW_STATE_BLOCKED ? t->deadline
                     : t->asleep_until            ? t->asleep_until
                                                  : FW_NO_DEADLINE;

    if (t == around->self || (t->state == FW_STATE_BLOCKED && t->flags & FW_BLOCK_RESTS))
        return;
    if (t->state == FW_STATE_READY && t->plan.spin_moves != moves)
        around->goes_on = true;
    if (t->state != FW_STATE_OUTSIDE && t->state != FW_STATE_BLOCKED)
        return;
    if (t->state == FW_STATE_OUTSIDE)
        around->is_outside = true;
    else if (until != FW_NO_DEADLINE && (!around->first || until < around->first->deadline))
        around->first = t;
    if (until < around->back)
        around->back = until;
}

/* Until when t rests. */
static uint64_t end_of_rest(const struct fw_thread *t, const struct around *around)
{
    uint64_t now = fw_now(), pause = FIRST << (t->plan.spin_rounds < 8 ? t->plan.spin_rounds : 8);
    uint64_t end = now + (pause < LAST ? pause : LAST);

    if (around->back != FW_NO_DEADLINE && around->back + LATE > end && !t->plan.spin_doubt)
        end = around->back + LATE;
    return end < now + MOST ? end : now + MOST;
}

void fw_spin_make_way(struct fw_thread *t)
{
    struct around around = { .self = t, .back = FW_NO_DEADLINE };
    bool doubt = t->plan.spin_doubt && t->plan.spin_rounds < SURE;
    bool flies;

    fw_sched_lock();
    fw_thread_each(look_at, &around);
    flies = around.first && (fw_control_is_virtual() || around.first->plan.expires) &&
            !around.goes_on && !around.is_outside;
    if (flies && !doubt)
        fw_control_wake_first(around.first);
    fw_sched_unlock();
    t->plan.spins = true;
    if (doubt || flies || around.goes_on || !(around.is_outside || around.first))
        fw_yield(t);
    else
        fw_block(t, &fw_resting, end_of_rest(t, &around), FW_BLOCK_RESTS);
    t->plan.spins = false;
}

void fw_spin_failed(struct fw_thread *t)
{
    t->plan.spun += t->plan.spin_doubt ? 1 : TRY;
    if (t->plan.spun < SPINS)
        return;
    t->plan.spun = 0;
    t->plan.spin_rounds++;
    t->plan.spin_moves = moves;
    fw_spin_make_way(t);
}
