/*
 * region.c - see region.h: the sections that a thread is in.
 *
 * Each of them is a *member* of the region of its word, which is open as long as it has members.
 * A member knows the activation of the function that its entry was passed in: the frame's place on
 * the thread's stack of calls, and a mark in the frame, which is gone when the frame is used again.
 */
#include "atomrace/region_state.h"
#include "runtime/futex.h"
#include "runtime/signals.h"
#include "runtime/sink.h"

#include <string.h>

#define MEMBERS 16u /* of a thread */
#define MARK    48  /* bits of a frame's site below its mark */

struct member {
    struct fw_region *region; /* NULL: free */
    struct fw_overlap_access access; /* of the entry */
    struct fw_frame *top;     /* behind the frame of the activation */
    uint32_t entry;
    uint32_t depth;           /* entered so often (recursive) */
    uint32_t since;           /* suspects before that were noted too early */
    uint16_t mark;
    bool inside;              /* the access of the entry was made */
    bool over;                /* it stays open for healing alone */
};

/* A thread's own; mapped when it is needed. */
struct mine {
    volatile uintptr_t busy; /* who is in the middle of something: its place on the stack */
    uint16_t marks;
    uint32_t oldest; /* where a full table makes room next */
    struct member members[MEMBERS];
};

static __thread struct mine *mine;
static __thread bool forced;   /* its ticks are not what they seem ... */
static __thread int32_t ticks, read_ticks; /* ... but these */
const struct fw_region_healing *fw_region_healing;

/* --- being alone ----------------------------------------------------------------------------- */

/*
 * False: this is a handler that has interrupted one that is.  One that jumped away has left a place
 * on the stack that is below us now: that one is in the middle of nothing any more.  (On a stack of
 * its own that lies above a handler is taken for that; what it finds is whole all the same, since
 * members are put in and taken out by one store each.)
 */
static __attribute__((noinline)) bool begin(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    if (!mine || (mine->busy && mine->busy >= here))
        return false;
    mine->busy = here;
    atomic_signal_fence(memory_order_seq_cst);
    return true;
}

static void end(void)
{
    atomic_signal_fence(memory_order_seq_cst);
    mine->busy = 0;
}

/* --- members --------------------------------------------------------------------------------- */

/* Is the activation that has the entry still there? */
static bool is_alive(const struct member *member)
{
    return fw_hot.top >= member->top && member->top[-1].site >> MARK == member->mark;
}

static bool is_here(const struct member *member)
{
    return fw_hot.top == member->top && is_alive(member);
}

static void count_members(void)
{
    uint32_t count = 0;

    for (unsigned i = 0; i < MEMBERS; i++)
        count += mine->members[i].region != NULL;
    fw_hot.regions = (fw_hot.regions & ~FW_REGIONS_COUNTED) | count;
}

/* The region is closed with its last member, which goes only then: who jumps away in between leaves
 * it to be dropped once more. */
static void drop(struct member *member)
{
    unsigned sharing = 0;

    for (unsigned i = 0; i < MEMBERS; i++)
        sharing += mine->members[i].region == member->region;
    if (sharing == 1)
        fw_slot_close(member->region, member->access.thread);
    atomic_signal_fence(memory_order_seq_cst);
    member->region = NULL;
    count_members();
}

static struct member *free_member(void)
{
    for (unsigned i = 0; i < MEMBERS; i++)
        if (!mine->members[i].region)
            return &mine->members[i];
    mine->oldest = (mine->oldest + 1) % MEMBERS;
    drop(&mine->members[mine->oldest]);
    return &mine->members[mine->oldest];
}

static bool is_of_word(const struct member *member, uintptr_t address)
{
    return member->region && fw_word_of(member->access.address) == fw_word_of(address);
}

/* --- the next hook --------------------------------------------------------------------------- */

void fw_regions_force(void)
{
    if (forced)
        return;
    ticks = fw_hot.ticks;
    read_ticks = fw_hot.read_ticks;
    forced = true;
    fw_hot.ticks = fw_hot.read_ticks = -1;
}

/* What they would be by now: the hook that has come has counted down one of the two. */
static int32_t ticks_after(int32_t before, int32_t now)
{
    return before - (before >= 0 && now < -1);
}

/* The hook that was forced has come. */
static void relax(void)
{
    if (!forced)
        return;
    forced = false;
    fw_hot.ticks = ticks_after(ticks, fw_hot.ticks);
    fw_hot.read_ticks = ticks_after(read_ticks, fw_hot.read_ticks);
}

/* The thread has come to something behind its latest hook: whatever it was about to access then it
 * has accessed.  Unless a handler of the program does it; the hook of an access in the function
 * itself is not a handler's. */
static void come_along(bool by_hook)
{
    for (unsigned i = 0; i < MEMBERS; i++) {
        struct member *member = &mine->members[i];
        bool certain = !fw_signals_handled || (by_hook && is_here(member));

        if (!member->region)
            continue;
        if ((certain && member->over) || !is_alive(member)) {
            drop(member);
        } else if (certain && !member->inside) {
            member->since = fw_slot_count(member->region);
            member->inside = true;
        }
    }
}

/* Exits mean: nothing is judged any more. */
static void take_exits(const struct fw_overlap_access *access)
{
    uint32_t i = FW_NO_PLACE;

    while ((i = fw_place_next(FW_PLACE_EXIT, access->pc, i)) != FW_NO_PLACE)
        for (unsigned m = 0; m < MEMBERS; m++)
            if (mine->members[m].region && mine->members[m].entry == fw_regions_exit(i)->entry &&
                is_here(&mine->members[m]))
                drop(&mine->members[m]);
}

void fw_regions_arrive(const struct fw_overlap_access *access)
{
    uint32_t passed = atomic_load_explicit(&access->thread->passed, memory_order_relaxed);

    /* release: what was noted in earlier hooks has been done (has_happened) */
    atomic_store_explicit(&access->thread->passed, passed + 1, memory_order_release);
    relax();
    if (!fw_hot.regions || !begin())
        return;
    come_along(!access->thread->inside);
    if (fw_place_any(access->pc))
        take_exits(access);
    end();
}

void fw_regions_ignored(const struct fw_overlap_access *access)
{
    if (fw_hot.regions && fw_place_any(access->pc))
        fw_regions_release();
}

void fw_regions_flow(enum fw_flow what)
{
    if (begin()) {
        come_along(false);
        end();
    }
    if (what == FW_FLOW_CALL && fw_hot.regions && fw_region_healing && fw_region_healing->called)
        fw_region_healing->called();
}

void fw_regions_freed(const void *block, size_t bytes)
{
    if (!begin())
        return;
    for (unsigned i = 0; i < MEMBERS; i++)
        if (mine->members[i].region &&
            mine->members[i].access.address - (uintptr_t)block < bytes)
            drop(&mine->members[i]);
    end();
}

void fw_regions_switched(void)
{
    if (fw_hot.regions & FW_REGIONS_COUNTED)
        fw_regions_release();
}

/* --- ends ------------------------------------------------------------------------------------ */

static uint32_t flags_of(uint32_t entry)
{
    return fw_regions_section(fw_regions_entry(entry)->section)->flags;
}

static bool overlap(const struct fw_overlap_access *a, const struct fw_overlap_access *b)
{
    return a->address < b->address + b->bytes && b->address < a->address + a->bytes;
}

static bool is_allowed(const struct fw_regions_end *place, const struct fw_suspect *suspect)
{
    return place->allow & (suspect->access.write ? FW_REGIONS_WRITES : FW_REGIONS_READS);
}

/* Has its thread passed another hook since, or ended? */
static bool has_happened(const struct fw_suspect *suspect)
{
    const struct fw_thread *t = suspect->access.thread;

    /* acquire: pairs with fw_regions_arrive; a thread that has taken its place counts from 0 */
    return atomic_load_explicit(&t->passed, memory_order_acquire) != suspect->passed ||
           t->number != suspect->number;
}

static void judge(const struct member *member, struct fw_regions_end *place,
                  const struct fw_overlap_access *access)
{
    uint32_t count = fw_slot_seen(member->region);
    bool violated = false, happened = false;

    /* relaxed, here and below: counters, read when nobody counts any more */
    atomic_fetch_add_explicit(&place->seen, 1, memory_order_relaxed);
    for (uint32_t i = member->since; member->inside && i < count; i++) {
        const struct fw_suspect *suspect = fw_slot_suspect(member->region, i);

        if (is_allowed(place, suspect) || !overlap(&suspect->access, &member->access) ||
            !overlap(&suspect->access, access))
            continue;
        fw_violation(&member->access, suspect, access, fw_regions_entry(member->entry)->section);
        violated = true;
        happened |= has_happened(suspect);
    }
    if (violated)
        atomic_fetch_add_explicit(&place->violated, 1, memory_order_relaxed);
    if (happened)
        atomic_fetch_add_explicit(&place->happened, 1, memory_order_relaxed);
}

/* Judged or not, the section is over. */
static void finish(struct member *member)
{
    if (fw_region_healing && fw_region_healing->ended)
        fw_region_healing->ended(member->entry);
    if (!fw_region_healing || !fw_region_healing->keeps) {
        drop(member);
        return;
    }
    member->over = true;
    fw_regions_force();
}

static void end_member(struct member *member, struct fw_regions_end *place,
                       const struct fw_overlap_access *access)
{
    bool recursive = flags_of(member->entry) & FW_REGIONS_RECURSIVE;

    if (recursive && --member->depth > 0)
        return;
    if (is_here(member))
        judge(member, place, access);
    else if (!recursive)
        return; /* the end of another activation's */
    finish(member);
}

static void take_ends(const struct fw_overlap_access *access)
{
    uint32_t i = FW_NO_PLACE;

    while ((i = fw_place_next(FW_PLACE_END, access->pc, i)) != FW_NO_PLACE)
        for (unsigned m = 0; m < MEMBERS; m++) {
            struct member *member = &mine->members[m];

            if (member->region && !member->over && member->entry == fw_regions_end(i)->entry &&
                overlap(&member->access, access))
                end_member(member, fw_regions_end(i), access);
        }
}

/* --- entries --------------------------------------------------------------------------------- */

/* The mark of the topmost frame; 0: it cannot have one. */
static uint16_t mark_frame(void)
{
    struct fw_frame *frame = fw_hot.top - 1;

    if (fw_hot.top == fw_hot.end || !frame->function)
        return 0;
    if (!(frame->site >> MARK)) {
        mine->marks += mine->marks == UINT16_MAX ? 2 : 1;
        frame->site |= (uintptr_t)mine->marks << MARK;
    }
    return (uint16_t)(frame->site >> MARK);
}

/* The thread is in this section already, on this word? */
static struct member *find_member(uint32_t entry, uintptr_t address)
{
    bool recursive = flags_of(entry) & FW_REGIONS_RECURSIVE;

    for (unsigned i = 0; i < MEMBERS; i++) {
        struct member *member = &mine->members[i];

        if (is_of_word(member, address) && member->entry == entry && !member->over &&
            (recursive || is_here(member)))
            return member;
    }
    return NULL;
}

static bool open_member(const struct fw_overlap_access *access, uint32_t entry)
{
    uintptr_t word = fw_word_of(access->address);
    struct fw_region *region = fw_slot_of(word);
    uint16_t mark = mark_frame();
    struct member *member;

    if (!mark)
        return false;
    member = free_member();
    *member = (struct member){ .access = *access,
                               .top = fw_hot.top,
                               .entry = entry,
                               .depth = 1,
                               .mark = mark };
    /* From here on it is closed in any case, also if a handler jumps away. */
    atomic_signal_fence(memory_order_seq_cst);
    member->region = region;
    atomic_signal_fence(memory_order_seq_cst);
    if (!fw_slot_open(region, access->thread, word, entry))
        member->region = NULL;
    count_members();
    return member->region != NULL;
}

/* Only what lies in one word. */
static bool can_enter(const struct fw_overlap_access *access)
{
    return fw_word_of(access->address) == fw_word_of(access->address + access->bytes - 1) &&
           /* relaxed: it need not be at once */
           !atomic_load_explicit(&fw_regions->off, memory_order_relaxed);
}

/* Is the thread in the section now? */
static bool enter(const struct fw_overlap_access *access, uint32_t entry)
{
    struct member *member = find_member(entry, access->address);

    /* Who heals keeps what it has: to hold on to it for longer does no harm. */
    if (member && fw_regions_entry(entry)->anew && !fw_region_healing &&
        !(flags_of(entry) & FW_REGIONS_RECURSIVE)) {
        drop(member);
        member = NULL;
    }
    if (member) {
        member->depth++;
        return true;
    }
    if (!open_member(access, entry))
        return false;
    fw_regions_force();
    return true;
}

static bool has_memory(void)
{
    if (!mine)
        mine = fw_map_memory(sizeof *mine);
    return mine != NULL;
}

/* Nothing is in the middle while healing waits, and a handler that comes then has tries of its
 * own. */
static void take_entry(const struct fw_overlap_access *access, uint32_t entry)
{
    const struct fw_region_healing *healing = fw_region_healing;
    unsigned tries = 0;
    bool opened, again;

    do {
        if (healing && healing->before)
            healing->before(access, entry);
        if (!begin())
            return;
        opened = enter(access, entry);
        end();
        again = healing && healing->entered && healing->entered(access, entry, opened, tries++);
    } while (again && !opened);
    atomic_fetch_add_explicit(opened ? &fw_regions->opened : &fw_regions->missed, 1,
                              memory_order_relaxed);
}

void fw_regions_noted(void)
{
    if (has_memory())
        fw_regions_force();
}

static void take_entries(const struct fw_overlap_access *access)
{
    uint32_t i = FW_NO_PLACE;

    while ((i = fw_place_next(FW_PLACE_ENTRY, access->pc, i)) != FW_NO_PLACE)
        if (fw_regions_entry(i)->allow != FW_REGIONS_ALL && has_memory() && can_enter(access))
            take_entry(access, i);
}

/* Exits may be anywhere. */
static bool has_exits(void)
{
    for (unsigned i = 0; mine && i < MEMBERS; i++)
        if (mine->members[i].region && fw_regions_entry(mine->members[i].entry)->exits)
            return true;
    return false;
}

void fw_regions_pass(const struct fw_overlap_access *access)
{
    if (fw_place_any(access->pc)) {
        if (fw_hot.regions && begin()) {
            take_ends(access);
            end();
        }
        take_entries(access);
    }
    if (fw_hot.regions && has_exits())
        fw_regions_force();
}

/* --- the rest -------------------------------------------------------------------------------- */

bool fw_regions_mine(void)
{
    return fw_hot.regions & FW_REGIONS_COUNTED;
}

bool fw_region_is_mine(uintptr_t address)
{
    for (unsigned i = 0; mine && i < MEMBERS; i++)
        if (is_of_word(&mine->members[i], address))
            return true;
    return false;
}

unsigned fw_regions_release(void)
{
    unsigned count = 0;

    if (!begin())
        return 0;
    for (unsigned i = 0; i < MEMBERS; i++)
        if (mine->members[i].region) {
            drop(&mine->members[i]);
            count++;
        }
    end();
    return count;
}

void fw_regions_ended(void)
{
    struct mine *was = mine;

    forced = false;
    if (!was)
        return;
    was->busy = 0;
    fw_regions_release();
    mine = NULL;
    fw_call(SYS_munmap, was, sizeof *was, 0, 0);
}

void fw_regions_forked(void)
{
    if (!fw_regions_on)
        return;
    fw_slots_forked();
    fw_violations_forked();
    forced = false;
    if (mine)
        memset(mine, 0, sizeof *mine);
    fw_hot.regions = 0;
}
