/*
 * control.c - see control.h: points, turns, and runs that cannot go on.
 */
#include "runtime/control_quick.h"

#include "runtime/futex.h"
#include "runtime/modules.h"
#include "runtime/signals.h"
#include "runtime/sink.h"
#include "runtime/strategy.h"
#include "runtime/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

#define SIGNAL_TIME (FW_SECOND / 2) /* that a signal may be on its way */
#define TRIES       4u              /* in vain, after which others go first */

const char fw_op_load[] = "load", fw_op_rmw[] = "rmw", fw_op_store[] = "store";

bool fw_control_on, fw_control_every, fw_control_child, fw_control_thin;
uint64_t fw_control_ahead;
struct fw_control_head *fw_control;

static const struct fw_strategy *const strategies[FW_STRATEGY_COUNT] = {
    [FW_STRATEGY_NONE] = &fw_strategy_none,
    [FW_STRATEGY_RANDOM] = &fw_strategy_random,
    [FW_STRATEGY_PCT] = &fw_strategy_pct,
    [FW_STRATEGY_PCT_LARGE] = &fw_strategy_pct_large,
    [FW_STRATEGY_DELAY] = &fw_strategy_delay,
    [FW_STRATEGY_POS] = &fw_strategy_pos,
    [FW_STRATEGY_CHOICES] = &fw_strategy_choices,
    [FW_STRATEGY_STEPS] = &fw_strategy_steps,
    [FW_STRATEGY_IROOT] = &fw_strategy_iroot,
};
static const struct fw_strategy *strategy;
static bool preempts; /* it may */
static bool every_access; /* is a point, as a step may name it */
_Static_assert((unsigned)FW_STATE_BLOCKED == FW_THREAD_BLOCKED, "as control_wire.h says");

uint32_t fw_control_around;
static uint64_t picks;        /* times that somebody was picked; under the scheduler's lock */
static uint64_t progress = 1; /* grows whenever something changes; under the scheduler's lock */

/* --- beginning ------------------------------------------------------------------------------- */

static bool is_whole(const struct fw_control_head *head, uint64_t bytes)
{
    return head->magic == FW_CONTROL_MAGIC && head->version == FW_CONTROL_VERSION &&
           head->bytes == bytes && head->strategy < FW_STRATEGY_COUNT;
}

const char *fw_control_executable(void)
{
    static char path[256];

    if (!path[0])
        fw_call(SYS_readlink, "/proc/self/exe", path, sizeof path - 1, 0);
    return path;
}

static bool is_meant(const struct fw_control_head *head)
{
    return fw_modules_main_has_hooks() || strcmp(fw_control_executable(), head->program) == 0;
}

/* The first process that is meant has the run.  So has what it executes instead of itself, if that
 * has hooks and it had none: what env starts, or a script. */
static bool claims(struct fw_control_head *head)
{
    int32_t self = (int32_t)fw_call(SYS_getpid, 0, 0, 0, 0), former = 0;

    if (atomic_compare_exchange_strong(&head->claimed, &former, self))
        return true;
    if (former != self || head->has_hooks || !fw_modules_main_has_hooks())
        return false;
    memset(&head->has_hooks, 0,
           offsetof(struct fw_control_head, asked) - offsetof(struct fw_control_head, has_hooks));
    return true;
}

bool fw_control_open(const char *path)
{
    long fd = fw_call(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0), size;
    struct fw_control_head *head;
    bool meant;

    if (fd < 0)
        return false;
    size = fw_call(SYS_lseek, fd, 0, SEEK_END, 0);
    head = size < (long)sizeof *head
               ? MAP_FAILED
               : mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
    fw_call(SYS_close, fd, 0, 0, 0);
    if (head == MAP_FAILED)
        return false;
    meant = is_whole(head, (uint64_t)size) && is_meant(head);
    if (meant)
        fw_control_serve(head);
    if (!meant || !claims(head)) {
        munmap(head, (size_t)size);
        return false;
    }
    fw_control = head;
    head->has_hooks = fw_modules_main_has_hooks();
    fw_control_sites_start();
    strategy = strategies[head->strategy];
    preempts = head->strategy != FW_STRATEGY_NONE;
    fw_control_observe_start(head->flags & FW_CONTROL_OBSERVE);
    fw_strategy_seed(head->seed);
    if (strategy->start)
        strategy->start();
    fw_control_on = true;
    fw_control_every = head->strategy == FW_STRATEGY_STEPS;
    every_access = fw_control_every && !(head->flags & FW_CONTROL_USUAL);
    fw_control_thin = head->flags & FW_CONTROL_THIN;
    fw_quick_start();
    return true;
}

void fw_control_forget(void)
{
    fw_control_child = fw_control_on || fw_control_child;
    fw_control_on = fw_control_every = fw_control_observes = fw_control_thin = false;
    fw_quick_never();
}

/* --- threads --------------------------------------------------------------------------------- */

static struct fw_control_thread *told(const struct fw_thread *t)
{
    struct fw_control_thread *threads =
        (struct fw_control_thread *)((char *)fw_control + fw_control->threads_at);

    return t->number < fw_control->threads_room ? &threads[t->number] : NULL;
}

static uint32_t find_path(uint32_t parent, uint32_t ordinal)
{
    const struct fw_control_path *paths =
        (const struct fw_control_path *)((char *)fw_control + fw_control->paths_at);

    for (uint32_t i = 1; i < fw_control->path_count; i++)
        if (paths[i].parent == parent && paths[i].ordinal == ordinal)
            return i;
    return FW_CONTROL_NONE;
}

void fw_control_born(struct fw_thread *t, struct fw_thread *parent)
{
    struct fw_control_thread *entry = told(t);
    struct fw_plan *plan = &t->plan;
    size_t room = fw_control->sites_room;

    fw_control_around++;
    if (!plan->by_site)
        plan->by_site = fw_map_memory(2 * room * sizeof *plan->by_site);
    else
        memset(plan->by_site, 0, 2 * room * sizeof *plan->by_site);
    plan->by_class = plan->by_site ? plan->by_site + room : NULL;
    plan->site = FW_CONTROL_NONE;
    plan->told = entry;
    plan->held = 0;
    plan->parent = parent ? parent->number : FW_CONTROL_NONE;
    plan->ordinal = parent ? ++parent->plan.children : 0;
    plan->path = !parent ? 0
                 : parent->plan.path == FW_CONTROL_NONE
                     ? FW_CONTROL_NONE
                     : find_path(parent->plan.path, plan->ordinal);
    if (entry)
        *entry = (struct fw_control_thread){ .parent = plan->parent, .ordinal = plan->ordinal };
    if (t->number >= fw_control->thread_count)
        fw_control->thread_count = t->number + 1;
    if (strategy->born)
        strategy->born(t);
}

/* Having ended is not enough: in another run it may do so later. */
void fw_control_gone(void)
{
    fw_control_around--;
}

void fw_control_returned(uint64_t away)
{
    if (!fw_control_on)
        return;
    if (fw_control_around > 1)
        fw_control->returned = 1;
    if (away > fw_control->away_ns)
        fw_control->away_ns = away;
}

/* --- the end --------------------------------------------------------------------------------- */

void fw_control_end(enum fw_control_outcome outcome)
{
    fw_control->outcome = outcome;
    fw_call(SYS_kill, fw_call(SYS_getpid, 0, 0, 0, 0), SIGKILL, 0, 0);
}

void fw_control_leaves(const struct fw_thread *t)
{
    if (fw_control_on && t && t->hot)
        fw_control->blocks += t->hot->blocks;
}

void fw_control_ended(void)
{
    if (!fw_control_on)
        return;
    fw_control_leaves(fw_self);
    fw_control->outcome = FW_OUTCOME_ENDED;
}

struct census {
    unsigned blocked, waiting, others, waits_for_lock; /* waiting: until some time */
    struct fw_thread *first; /* of the waiting ones to come back */
    struct fw_thread *unsure; /* has not looked again since something changed */
};

static void count_thread(struct fw_thread *t, void *context)
{
    struct census *census = context;

    if (t->state == FW_STATE_DEAD)
        return;
    if (t->state == FW_STATE_BLOCKED && t->deadline != FW_NO_DEADLINE) {
        census->waiting++;
        if (!census->first || t->deadline < census->first->deadline)
            census->first = t;
        return;
    }
    if (t->state != FW_STATE_BLOCKED) {
        census->others++;
        return;
    }
    census->blocked++;
    if (t->plan.retried != progress)
        census->unsure = t;
    census->waits_for_lock += fw_lock_is_held(t->object);
}

static bool timer_is_set(void)
{
    struct itimerval timer;

    return fw_call(SYS_getitimer, ITIMER_REAL, &timer, 0, 0) == 0 &&
           (timer.it_value.tv_sec || timer.it_value.tv_usec);
}

void fw_control_wake_first(struct fw_thread *t)
{
    uint64_t now = fw_now();
    bool is_choice = t->plan.expires;

    if (t->deadline > now)
        fw_control_ahead += t->deadline - now;
    fw_unblock(t, FW_TIMED_OUT);
    if (!is_choice)
        fw_control_returned(0);
}

/* Timers are seen until they expire; what they send may take its time. */
static bool timer_may_expire(void)
{
    static uint64_t seen; /* when a timer was running last; 0: never */
    uint64_t now = fw_now(), until = fw_timers_until;

    if (timer_is_set())
        seen = now;
    return (seen && now - seen < SIGNAL_TIME) || until == UINT64_MAX ||
           (until && now < until + SIGNAL_TIME);
}

/* A child can send signals, and its end is one. */
static bool child_may_send(void)
{
    siginfo_t about;

    return fw_signals_handled && fw_syscall(SYS_waitid, P_ALL, 0, (long)&about,
                                            WEXITED | WNOHANG | WNOWAIT, 0, 0) != -ECHILD;
}

/* Threads that libc has made for itself, or the program without it, do what nobody sees. */
static bool stranger_may_act(const struct census *census)
{
    struct stat tasks; /* a link for each, and two */

    return fw_call(SYS_stat, "/proc/self/task", &tasks, 0, 0) == 0 &&
           tasks.st_nlink > 2u + census->blocked + census->waiting;
}

/* The token is given to who was picked, whose limit may have passed. */
static struct fw_thread *picked(struct fw_thread *next, const struct fw_thread *current,
                                struct fw_list *ready)
{
    if (next->state == FW_STATE_BLOCKED)
        fw_control_expire(next, ready);
    fw_control->running = next->number;
    fw_control->running_expired = next->plan.expired;
    if (next != current) {
        next->plan.picked = ++picks;
        next->plan.yields = false;
    }
    if (next->plan.expired)
        next->plan.expired_at = picks;
    return next;
}

bool fw_control_signal_may_come(void)
{
    return fw_signals_waiting || timer_may_expire() || child_may_send();
}

struct fw_thread *fw_control_fly(struct fw_list *ready)
{
    struct fw_thread *next = NULL;
    struct census census = { 0 };

    fw_quick_end();
    if (!fw_control_expiring || ready->next != ready ||
        fw_control->strategy == FW_STRATEGY_NONE || fw_control->strategy == FW_STRATEGY_STEPS)
        return NULL;
    fw_thread_each(count_thread, &census);
    if (!census.others && !fw_control_signal_may_come())
        next = fw_control->strategy == FW_STRATEGY_CHOICES ? strategy->pick(NULL, ready)
                                                           : fw_expiry_first();
    return next ? picked(next, NULL, ready) : NULL;
}

/*
 * When everybody waits, without a limit, and has looked again since anything changed, nothing can
 * change any more but from outside.  (Cycles of locks are found as they close: stuck.c.)
 */
void fw_control_idle(void)
{
    struct fw_thread *awaited = strategy->awaited ? strategy->awaited() : NULL;
    struct census census = { 0 };

    if (awaited && (fw_control_is_virtual() || awaited->plan.expires) &&
        awaited->state == FW_STATE_BLOCKED && awaited->deadline != FW_NO_DEADLINE) {
        fw_control_wake_first(awaited);
        return;
    }
    fw_thread_each(count_thread, &census);
    if (census.others || (!census.blocked && !census.waiting))
        return;
    if (census.waiting) {
        if (fw_control_is_virtual() ||
            (census.first->plan.expires && !fw_control_signal_may_come()))
            fw_control_wake_first(census.first);
        return;
    }
    if (census.unsure)
        fw_unblock(census.unsure, FW_RETRY);
    else if (!fw_control_signal_may_come() && !stranger_may_act(&census))
        fw_control_end(census.waits_for_lock ? FW_OUTCOME_DEADLOCK : FW_OUTCOME_STUCK);
}

void fw_control_retried(struct fw_thread *t)
{
    t->plan.retried = progress;
}

void fw_control_progress(void)
{
    progress++;
}

/* --- turns ----------------------------------------------------------------------------------- */

void fw_control_turn(struct fw_thread *t, enum fw_turn_end end)
{
    struct fw_plan *plan = &t->plan;

    if (!fw_control_tell_turn(t, end))
        return;
    plan->points = 0;
    plan->expired = false;
    if (end == FW_TURN_YIELDED)
        plan->yielded = picks;
    if (end != FW_TURN_PREEMPTED && strategy->away)
        strategy->away(t, end);
}

/* Has everybody who could run had a turn since then? */
static bool is_served(const struct fw_thread *t, uint64_t since, const struct fw_thread *current,
                      struct fw_list *ready)
{
    if (current && current->plan.picked < since)
        return false;
    FW_EACH_READY(other, ready)
        if (other != t && other->plan.picked < since)
            return false;
    return true;
}

struct around {
    struct fw_thread *current;
    struct fw_list *ready;
};

static void note_due(struct fw_thread *t, void *context)
{
    const struct around *at = context;

    t->plan.due = t->plan.expires && is_served(t, t->plan.expired_at, at->current, at->ready);
}

void fw_control_deadlocked(struct fw_thread *t)
{
    if (fw_control_child)
        fw_control->child_deadlock = 1;
    if (!fw_control_on)
        return;
    fw_sched_lock();
    fw_control_turn(t, FW_TURN_BLOCKED);
    fw_control_end(FW_OUTCOME_DEADLOCK);
    fw_sched_unlock();
}

/* Fairness: who gives way comes behind the others, but not for longer than one turn of each. */
struct fw_thread *fw_control_pick(struct fw_thread *current, struct fw_list *ready)
{
    struct around at = { current, ready };
    struct fw_thread *next;

    fw_quick_end();
    if (ready->next == ready && !current)
        return NULL;
    FW_EACH_READY(t, ready)
        if (t->plan.yields && is_served(t, t->plan.yielded, current, ready))
            t->plan.yields = false;
    if (fw_control_expiring)
        fw_thread_each(note_due, &at);
    next = fw_expiry_draw();
    if (!next)
        next = strategy->pick(current, ready);
    return next ? picked(next, current, ready) : NULL;
}

void fw_control_in_vain(struct fw_thread *t, const void *object)
{
    struct fw_plan *plan = &t->plan;
    bool again = plan->in_vain == object && plan->in_vain_at == picks;

    plan->in_vain = object;
    plan->in_vain_at = picks;
    plan->tries = again ? plan->tries + 1 : 1;
    if (!fw_control_on || plan->tries % TRIES == 0)
        fw_yield(t);
}

/* --- points ---------------------------------------------------------------------------------- */

static void count_point(struct fw_thread *t, const struct fw_op *op, const struct fw_spot *spot)
{
    struct fw_plan *plan = &t->plan;

    plan->site = spot->site;
    plan->by_site[spot->site]++;
    plan->class_ = spot->class_ == FW_CLASS_CALLER ? fw_control_class_of(t, op, spot->site)
                                                   : spot->class_;
    if (plan->class_)
        plan->by_class[plan->class_]++;
    plan->points++;
    plan->all_points++;
    t->woken = FW_WOKEN; /* a retry, if it was one, has not been in vain */
}

static bool is_point(const struct fw_op *op, uint32_t site)
{
    uint32_t flags = fw_control_site(site)->flags;

    if (fw_control->flags & FW_CONTROL_NAMED_ONLY)
        return flags & FW_SITE_NAMED;
    if (!op->size)
        return true;
    if (fw_control->flags & FW_CONTROL_THIN)
        return flags & FW_SITE_WATCHED;
    if (fw_control->flags & FW_CONTROL_SYNC_ONLY)
        return flags & FW_SITE_NAMED;
    return fw_control->flags & FW_CONTROL_ALL_POINTS ||
           flags & (FW_SITE_SHARED | FW_SITE_NAMED | FW_SITE_WATCHED);
}

static void leave_trail(const struct fw_thread *t, uint32_t site)
{
    struct fw_control_trail *trail =
        (struct fw_control_trail *)((char *)fw_control + fw_control->trail_at);

    if (fw_control->trail_count == fw_control->trail_room) {
        fw_control->trail_lost++;
        return;
    }
    trail[fw_control->trail_count++] = (struct fw_control_trail){
        t->number, site, t->plan.class_, (uint32_t)t->hot->blocks
    };
}

static void tell(const struct fw_thread *t, const struct fw_spot *spot)
{
    struct fw_control_thread *entry = t->plan.told;
    uint64_t mixed = (uint64_t)t->number << 48 ^ spot->key ^ t->plan.by_site[spot->site];

    fw_control->digest = (fw_control->digest ^ mixed) * 0x100000001b3u;
    fw_control->point_count++;
    if (fw_control->flags & FW_CONTROL_TRAIL)
        leave_trail(t, spot->site);
    if (entry) {
        entry->site = spot->site;
        entry->object = t->plan.object;
        entry->blocks = t->hot->blocks;
        entry->state = t->state;
    }
}

struct fw_spot fw_control_spot(const struct fw_op *op, uint32_t site)
{
    const struct fw_control_site *at = fw_control_site(site);

    return (struct fw_spot){
        .site = site,
        .class_ = at->flags & FW_SITE_CALLER ? FW_CLASS_CALLER
                  : at->class_ < fw_control->sites_room ? at->class_
                                                        : 0,
        .key = fw_control_site_key(site),
        .roles = (uint8_t)(at->flags / FW_SITE_ROLE(0)),
        .is_point = every_access || is_point(op, site),
        .is_marked = at->flags & (FW_SITE_SHARED | FW_SITE_FOUND),
    };
}

static void note_pending(struct fw_plan *plan, const struct fw_op *op)
{
    plan->pc = op->pc;
    plan->name = op->name;
    plan->object = op->object;
    plan->size = op->size;
    plan->extent = op->extent;
    plan->block = op->block;
    plan->block_bytes = op->block_bytes;
    plan->reach = op->reach;
    plan->writes = op->writes;
}

/* What a strategy sees. */
static void decide_at(struct fw_thread *t, const struct fw_op *op, const struct fw_spot *spot)
{
    tell(t, spot);
    fw_control_cover(t, op, spot->site);
    t->plan.pending = true;
    if (strategy->at_point)
        strategy->at_point(t);
    if (preempts && (op->pc || strategy == &fw_strategy_steps)) /* who starts was just chosen */
        fw_sched_decide(t);
    t->plan.pending = false;
}

void fw_control_point_at(struct fw_thread *t, const struct fw_op *op, const struct fw_spot *spot)
{
    note_pending(&t->plan, op);
    if (!t->plan.by_site)
        return; /* there was no memory */
    count_point(t, op, spot);
    progress++;
    if (fw_spin_noticed(t, op, spot))
        fw_spin_make_way(t);
    t->plan.quick_left = fw_spin_may(t) ? FW_QUICK_LEAST : FW_QUICK_MOST;
    if (spot->is_point)
        decide_at(t, op, spot);
    if (FW_UNLIKELY(fw_control_observes) && op->size)
        fw_control_observe_access(t, op->object, op->size, op->writes, spot->site);
}

void fw_control_point(struct fw_thread *t, const struct fw_op *op)
{
    uint32_t site = fw_control_site_of(op);
    struct fw_spot spot;

    if (t->hot->ticks < 0)
        fw_yield(t);
    if (site == FW_CONTROL_NONE) {
        note_pending(&t->plan, op);
        return; /* there is no room for it */
    }
    spot = fw_control_spot(op, site);
    fw_control_point_at(t, op, &spot);
    if (op->size || op->extent)
        fw_control_share(t, op->object, op->size + op->extent, op->writes, site);
}
