/*
 * control_quick.h - points that are passed quickly, in thin runs; internal to the runtime.
 *
 * The holder is *calm* while nothing can be decided at its points, but where the iRoot that is
 * sought has an access: it would be picked again, and nobody has become ready since.  Then a point
 * is only counted, as all are, since turns end at the n-th visit of a place; nothing else is told
 * of it.  One in some is taken in full all the same: so it is noticed when a thread spins.
 *
 * Mutexes that were taken quickly are in a short list (sync_quick.c), and in no cell until somebody
 * looks for one.
 *
 * All is the holder's, but for the end of calm, which is anybody's with the scheduler's lock.
 */
#ifndef FW_RUNTIME_CONTROL_QUICK_H
#define FW_RUNTIME_CONTROL_QUICK_H

#include "runtime/control.h"

#define FW_QUICK_MOST  128 /* points in a row that are passed quickly ... */
#define FW_QUICK_LEAST 8  /* ... by a thread that may be spinning */

extern const struct fw_thread *fw_control_calm; /* NULL: nobody is */

/* relaxed: who comes in this moment might as well have come later */
static inline void fw_quick_end(void)
{
    __atomic_store_n(&fw_control_calm, NULL, __ATOMIC_RELAXED);
}

static inline bool fw_quick_is_calm(const struct fw_thread *t)
{
    return __atomic_load_n(&fw_control_calm, __ATOMIC_RELAXED) == t;
}

/* The run begins. */
void fw_quick_start(void);
/* The holder goes on, and nobody else would be picked: it is calm, if that may be. */
void fw_quick_begin(const struct fw_thread *t);
/* Nobody is, from now on. */
void fw_quick_never(void);

/* At which points of a calm holder something may be decided all the same (strategy_iroot.c). */
struct fw_alarm {
    uint64_t objects[2]; /* at these; 0: none */
    uint64_t until;      /* when so many points have been passed */
    uint32_t roles;      /* in one of these (from bit 0), if fw_iroot_wants says so */
};
extern struct fw_alarm fw_alarm;
void fw_iroot_alarm(void);
bool fw_iroot_wants(const struct fw_thread *t, uint32_t roles, uint64_t object);

/* At its next point a calm holder is about to do something in these roles: is that decided? */
static inline bool fw_quick_passes(const struct fw_thread *t, uint32_t roles, uint64_t object)
{
    return object != fw_alarm.objects[0] && object != fw_alarm.objects[1] &&
           fw_control->point_count < fw_alarm.until &&
           (!(roles & fw_alarm.roles) || !fw_iroot_wants(t, roles, object));
}

static inline void fw_quick_count(struct fw_thread *t, uint32_t site, uint32_t class_,
                                  uint64_t object)
{
    struct fw_plan *plan = &t->plan;

    plan->site = site;
    plan->class_ = class_;
    plan->object = object;
    plan->by_site[site]++;
    plan->by_class[class_]++; /* 0: none, and read by nobody */
    plan->points++;
    plan->all_points++;
    fw_control->point_count++;
}

/* --- mutexes (sync_quick.c) ------------------------------------------------------------------ */

/* pthread_mutex_lock and _unlock, called from there, if that is all there is to them; false:
 * nothing was done. */
bool fw_quick_lock(pthread_mutex_t *mutex, uintptr_t pc);
bool fw_quick_unlock(pthread_mutex_t *mutex, uintptr_t pc);
/* t is at its point of such a call. */
void fw_quick_learn(const struct fw_thread *t, bool unlocks, uintptr_t pc);

extern unsigned fw_quick_held; /* mutexes in the list */
/* They get cells. */
void fw_quick_settle(void);
/* In a fork child: nobody holds anything, as its trace knows. */
void fw_quick_forked(void);

#endif
