/*
 * control_access.c - the accesses that compilers' hooks tell of, in controlled runs.
 *
 * They are many, and few of them are points.  What is known of a place is found by its return
 * address in a small table; when another place comes to lie there it is worked out again.
 *
 * In a run whose points do not change (FW_CONTROL_FROZEN) a place that is no point stays none: its
 * accesses are not even counted.  Who shares memory is noted all the same.
 */
#include "runtime/control_held.h"
#include "runtime/control_quick.h"
#include "runtime/patch.h"
#include "runtime/sink.h"

#define PLACES 4096u

static struct place {
    uintptr_t key; /* address << 1 | writes; 0: nothing */
    struct fw_spot spot;
} places[PLACES]; /* by bits of the address */
static bool counts; /* what is no point as well */
static const struct fw_spot nowhere = { .site = FW_CONTROL_NONE };

void fw_control_hooks_start(void)
{
    counts = !(fw_control->flags & FW_CONTROL_FROZEN);
}

static uintptr_t key_of(uintptr_t pc, bool write)
{
    return pc << 1 | write;
}

static struct place *place_of(uintptr_t key)
{
    return &places[(key >> 2 ^ key) % PLACES];
}

void fw_control_hook_forget(uint32_t site)
{
    for (unsigned i = 0; i < PLACES; i++)
        if (places[i].spot.site == site)
            places[i].key = 0;
}

static struct fw_op op_of(uintptr_t address, size_t bytes, bool write, uintptr_t pc)
{
    return (struct fw_op){ .pc = pc,
                           .name = write ? "write" : "read",
                           .object = address,
                           .size = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX,
                           .writes = write,
                           .spins = !write };
}

bool fw_control_call_shares(uintptr_t pc, bool write)
{
    struct fw_op op = op_of(0, 1, write, pc);
    uint32_t site = fw_control_site_of(&op);

    return !(fw_control->flags & FW_CONTROL_SYNC_ONLY) && site != FW_CONTROL_NONE &&
           fw_control_site(site)->flags & FW_SITE_SHARED;
}

/* Is a word of it known to be shared?  It is not much. */
static bool is_shared(const struct fw_op *op)
{
    uint64_t last = (op->object + op->size - 1) >> FW_WORD_SHIFT;

    for (uint64_t word = op->object >> FW_WORD_SHIFT; word <= last; word++)
        if (!fw_control_shares || *fw_control_word(word) & FW_WORD_SHARED)
            return true;
    return false;
}

/* Some calls tell of what they wrote when they have, and none lets others in between its bytes, or
 * between the several things that it uses. */
static void note_call(struct fw_thread *t, const struct fw_op *op)
{
    uint32_t site = fw_control_site_of(op);
    struct fw_plan *plan = &t->plan;

    if (site == FW_CONTROL_NONE || fw_control_alone() || !fw_control_spot(op, site).is_marked)
        return;
    if (op->writes || op->size > 8) {
        fw_control->at_once = 1;
    } else if (is_shared(op)) {
        if (plan->call == op->pc && plan->call_blocks == t->hot->blocks)
            fw_control->at_once = 1;
        plan->call = op->pc;
        plan->call_blocks = t->hot->blocks;
    }
}

void fw_control_access(struct fw_thread *t, uintptr_t address, size_t bytes, bool write,
                       uintptr_t pc)
{
    struct fw_op op = op_of(address, bytes, write, pc);

    if (!bytes || t->ignored & (write ? FW_IGNORE_WRITES : FW_IGNORE_READS))
        return;
    fw_control_point(t, &op);
    note_call(t, &op);
}

static void learn(uintptr_t key, const struct fw_op *op)
{
    uint32_t site = fw_control_site_of(op);

    if (site != FW_CONTROL_NONE)
        *place_of(key) = (struct place){ key, fw_control_spot(op, site) };
}

static inline void leave(struct fw_thread *t)
{
    t->inside = 0;
    if (FW_UNLIKELY(fw_signals_waiting))
        fw_signals_deliver(t);
}

/*
 * What follows is called with the hook's own arguments, last of all, so that the short way has
 * nothing to save on the stack.  The thread is inside, and leaves here.
 */

/* The place is not known, or something is to be done before. */
static __attribute__((noinline)) void take_long_way(uintptr_t address, unsigned size, bool write,
                                                    uintptr_t pc)
{
    struct fw_op op = op_of(address, size, write, pc);
    struct fw_thread *t = fw_self;

    fw_token_regain(t);
    fw_point(t);
    if (fw_control_thin && place_of(key_of(pc, write))->key != key_of(pc, write) &&
        !fw_control_is_watched(pc)) {
        if (!fw_patch_call(pc))
            *place_of(key_of(pc, write)) = (struct place){ key_of(pc, write), nowhere };
        fw_leave(t);
        return;
    }
    if (!(t->ignored & (write ? FW_IGNORE_WRITES : FW_IGNORE_READS))) {
        fw_control_point(t, &op);
        learn(key_of(pc, write), &op);
    }
    fw_leave(t);
}

static __attribute__((noinline)) void take_point(uintptr_t address, unsigned size, bool write,
                                                 uintptr_t pc)
{
    struct fw_op op = op_of(address, size, write, pc);
    struct fw_spot spot = place_of(key_of(pc, write))->spot; /* others may come and learn */
    struct fw_thread *t = fw_self;

    fw_control_point_at(t, &op, &spot);
    leave(t);
}

static __attribute__((noinline)) void observe(uintptr_t address, unsigned size, bool write,
                                              uintptr_t pc)
{
    struct fw_thread *t = fw_self;

    if (write)
        fw_spin_wrote(t, address);
    fw_control_observe_access(t, address, size, write, place_of(key_of(pc, write))->spot.site);
    leave(t);
}

static inline void go_on(struct fw_thread *t, uintptr_t address, unsigned size, bool write,
                         uintptr_t pc)
{
    if (place_of(key_of(pc, write))->spot.is_point || counts) {
        take_point(address, size, write, pc);
    } else if (fw_control_observes) {
        observe(address, size, write, pc);
    } else {
        if (write)
            fw_spin_wrote(t, address);
        leave(t);
    }
}

static __attribute__((noinline)) void share(uintptr_t address, unsigned size, bool write,
                                            uintptr_t pc)
{
    uint32_t site = place_of(key_of(pc, write))->spot.site; /* others may come and learn */
    struct fw_thread *t = fw_self;

    go_on(t, address, size, write, pc);
    t->inside = 1;
    fw_control_share(t, address, size, write, site);
    fw_leave(t);
}

/* May it be noted before the point?  There is none. */
static inline bool is_passed(const struct fw_spot *spot)
{
    return !spot->is_point && !counts;
}

static inline bool is_word_known(const struct fw_thread *t, uintptr_t word, bool write,
                                 const struct fw_spot *spot)
{
    uint64_t *at = fw_control_word(word), was = *at, self = fw_control_word_self(t), now;

    if (was & FW_WORD_SHARED)
        return spot->is_marked;
    if (was & FW_WORD_SEVERAL)
        return !write && (spot->is_marked ||
                          fw_control_set_has((uint32_t)(was >> FW_WORD_SET), spot->site));
    if (was >> FW_WORD_THREAD != self >> FW_WORD_THREAD)
        return false;
    now = fw_control_word_again(was, self, write, spot->site);
    if (now != was && !is_passed(spot))
        return false;
    *at = now;
    return true;
}

/* Would fw_control_share change nothing?  Where there is no point, what is only to be remembered is
 * so now. */
static inline bool is_known(const struct fw_thread *t, uintptr_t address, unsigned size, bool write,
                            const struct fw_spot *spot)
{
    uintptr_t first = address >> FW_WORD_SHIFT, last = (address + size - 1) >> FW_WORD_SHIFT;

    if (!fw_control_shares || (fw_control_alone() && !t->handling))
        return true;
    if (last - first > 1 || !is_word_known(t, first, write, spot))
        return false;
    return first == last || is_word_known(t, last, write, spot);
}

/* It is held back instead of one like it, which is all there is to do. */
static inline bool is_repeat(struct fw_thread *t, uintptr_t address, unsigned size, bool write,
                             const struct fw_spot *spot)
{
    return fw_control_observes && size <= 8 && is_passed(spot) &&
           fw_held_repeats(t, address, size, write, spot->site);
}

/* Is this all there is to do? */
static inline bool is_passed_quickly(struct fw_thread *t, uintptr_t address, bool write,
                                     const struct fw_spot *spot)
{
    if (FW_LIKELY(!fw_quick_is_calm(t)) || !spot->is_point || !spot->is_marked ||
        spot->class_ == FW_CLASS_CALLER || --t->plan.quick_left <= 0 ||
        !fw_quick_passes(t, spot->roles, address) || (write && !fw_spin_moves(t)))
        return false;
    fw_quick_count(t, spot->site, spot->class_, address);
    return true;
}

static inline __attribute__((always_inline)) void on_access(uintptr_t address, unsigned size,
                                                            bool write, uintptr_t pc)
{
    struct fw_thread *t = fw_self;
    uintptr_t key = key_of(pc, write);
    const struct place *place = place_of(key);

    if (FW_UNLIKELY(!t || t->inside))
        return;
    t->inside = 1; /* handlers are put off: they would learn places and turn pages */
    if (FW_UNLIKELY(place->key != key || --fw_hot.ticks < 0 || t->lost || t->ignored)) {
        take_long_way(address, size, write, pc);
    } else if (is_passed_quickly(t, address, write, &place->spot)) {
        leave(t);
    } else if (FW_UNLIKELY(!is_known(t, address, size, write, &place->spot))) {
        share(address, size, write, pc);
    } else if (is_repeat(t, address, size, write, &place->spot)) {
        if (write)
            fw_spin_wrote(t, address);
        leave(t);
    } else {
        go_on(t, address, size, write, pc);
    }
}

void fw_control_hook(uintptr_t address, unsigned size, bool write, uintptr_t pc)
{
    if (write)
        on_access(address, size, true, pc);
    else
        on_access(address, size, false, pc);
}
