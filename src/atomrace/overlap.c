/*
 * overlap.c - see overlap.h.
 */
#include "atomrace/overlap.h"

#include "atomrace/heal.h"
#include "atomrace/hits.h"
#include "atomrace/noise.h"
#include "atomrace/region.h"
#include "atomrace/sharing.h"
#include "runtime/annotate.h"
#include "runtime/modules.h"
#include "runtime/signals.h"
#include "runtime/sink.h"

bool fw_overlap_on;
bool fw_tells_first;

/* The calling thread; NULL: nothing is to be done. */
static struct fw_thread *self(void)
{
    struct fw_thread *t = fw_overlap_on ? fw_overlap_self() : NULL;

    if (FW_UNLIKELY(!t))
        fw_hot.ticks = fw_hot.read_ticks = INT32_MAX;
    return t;
}

/* --- accesses -------------------------------------------------------------------------------- */

static bool is_ignored(const struct fw_thread *t, bool write)
{
    return t->ignored & (write ? FW_IGNORE_WRITES : FW_IGNORE_READS);
}

/* Races, and noise.  Did it dwell? */
static bool dwell(const struct fw_overlap_access *access)
{
    struct fw_section *section;

    if (fw_sharing_on)
        fw_sharing_note(access);
    section = fw_noise_wants(access) ? fw_section_open(access) : NULL;
    fw_sections_look(access);
    if (!section)
        return false;
    if (fw_heal_on)
        fw_holds_dwell();
    else
        fw_noise_dwell();
    fw_section_close(section);
    return true;
}

/* It was made when the thread was on its way here, perhaps before a region that is open now was:
 * it says nothing about regions, and nobody waits. */
static void pass_late(const struct fw_overlap_access *access)
{
    fw_regions_ignored(access);
    if (!is_ignored(access->thread, access->write))
        dwell(access);
}

/* A region of its own is open while it dwells, and whose region is open afterwards has had its
 * access of the entry made, perhaps, since. */
static void pass_regions(const struct fw_overlap_access *access)
{
    bool noted = false, dwelt;

    fw_regions_arrive(access);
    if (FW_UNLIKELY(fw_heal_on))
        fw_heal_arrive(access);
    if (access->late) {
        pass_late(access);
        return;
    }
    if (is_ignored(access->thread, access->write)) {
        fw_regions_ignored(access);
        return;
    }
    if (!fw_heal_on)
        noted = fw_regions_look(access);
    dwelt = dwell(access);
    if (FW_UNLIKELY(fw_heal_on))
        fw_heal_access(access);
    if (dwelt || fw_heal_on)
        noted |= fw_regions_look(access);
    fw_regions_pass(access);
    if (noted)
        fw_regions_noted();
}

static inline void pass(const struct fw_overlap_access *access)
{
    bool ignored = is_ignored(access->thread, access->write);

    if (fw_heal_alone) {
        if (!ignored)
            fw_heal_hook(access);
    } else if (FW_UNLIKELY(fw_regions_on)) {
        pass_regions(access);
    } else if (!ignored) {
        dwell(access);
    }
}

void fw_overlap_hook(uintptr_t address, unsigned size, bool write, uintptr_t pc)
{
    struct fw_thread *t = self();

    if (t)
        pass(&(struct fw_overlap_access){ t, address, pc, size, write, false });
}

static bool range_needs_a_look(uintptr_t address, size_t bytes)
{
    return bytes && (--fw_hot.ticks < 0 || fw_sections_any() || fw_regions_any() ||
                     fw_heal_on || fw_noise_has_target(address, bytes));
}

void fw_overlap_range(uintptr_t address, size_t bytes, bool write, uintptr_t pc)
{
    struct fw_thread *t = range_needs_a_look(address, bytes) ? self() : NULL;

    if (t)
        pass(&(struct fw_overlap_access){ t, address, pc, bytes, write, false });
}

/* --- interceptors that tell of memory -------------------------------------------------------- */

/* fw_leave counts down. */
struct fw_thread *fw_tell_at(uintptr_t pc, const char *name)
{
    struct fw_thread *t = self();

    (void)pc;
    (void)name;
    if (!t)
        return NULL;
    if (fw_hot.regions && !fw_heal_alone)
        fw_regions_flow(FW_FLOW_ENTRY);
    t->told_after = false;
    t->inside++;
    return t;
}

struct fw_thread *fw_tell_after_at(uintptr_t pc, const char *name)
{
    struct fw_thread *t = fw_signals_handled ? NULL : fw_tell_at(pc, name);

    if (t)
        t->told_after = true;
    return t;
}

void fw_await_turn(const struct fw_extent *extents, unsigned count, uintptr_t pc)
{
    struct fw_thread *t = fw_heal_on && count ? self() : NULL;
    struct fw_overlap_access accesses[FW_TURNS];

    if (!t || is_ignored(t, true))
        return;
    for (unsigned i = 0; i < count; i++)
        accesses[i] = (struct fw_overlap_access){
            .thread = t, .address = (uintptr_t)extents[i].address, .pc = pc,
            .bytes = extents[i].bytes, .write = true };
    fw_heal_await(accesses, count);
}

void fw_access(struct fw_thread *t, const void *address, size_t bytes, bool write, uintptr_t pc)
{
    if (range_needs_a_look((uintptr_t)address, bytes))
        pass(&(struct fw_overlap_access){ t, (uintptr_t)address, pc, bytes, write, t->told_after });
}

/* --- what is said apart from events ---------------------------------------------------------- */

struct fw_thread *fw_say_at(uintptr_t pc, const char *name, const void *object)
{
    struct fw_thread *t = fw_sink.on || fw_modules_always ? self() : NULL;

    (void)pc;
    (void)name;
    (void)object;
    if (t)
        fw_telling_begin();
    return t;
}

void fw_said(struct fw_thread *t)
{
    (void)t;
    fw_telling_end();
}

void fw_annotate_ignore(unsigned what, int by)
{
    struct fw_thread *t = self();

    if (!t)
        return;
    fw_ignore(t, what, by);
    fw_holds_forget();
}
