/*
 * region.h - atomic sections over a variable, with an entry and several ends, while they are open:
 * what other threads do to the variable meanwhile.
 *
 * Source: Letko, Vojnar, Krena, "AtomRace: Data Race and Atomicity Violation Detector and Healer",
 * PADTAD 2008, section 3.2.  What is called an atomic section there is a *region* here, to keep it
 * apart from the primitive ones of sections.h.
 *
 * A region belongs to a thread and a word of memory.  It is opened in the hook of an entry's access
 * and gone when each of the sections that the thread has entered on that word has come to its end,
 * to an exit, or cannot come to either any more: the function of its entry was left, by whatever
 * way; the thread has ended; it has freed the memory itself, or has gone to another stack
 * (swapcontext).  An end counts in the activation of the function that has the entry.  Of a word
 * the region of one thread is watched at a time.
 *
 * While it is open every access of the word takes the long way.  One of another thread is noted
 * in its hook as a suspect; at the hook of an end (after the thread has dwelt there) suspects that
 * this end does not allow are a violation:
 *
 *   Let a be the entry's access, z the end's, b the suspect's, of thread u.  b counts only if it
 *   was noted when the region's thread had passed a hook behind a's: then a had been made, and u,
 *   which was in the hook of b, had not made b: a < b.  When z's thread is in the hook of z, either
 *   u has made b since, then a < b < z is what happens; or it has not, and then both are in the
 *   hooks of b and z, and b can be next: from the hook to the access a thread runs code of ours
 *   alone (sections.h).  So there is a run of the program, this one or one that differs in the
 *   order of two accesses that both are next, in which b comes between a and z.  Nothing is
 *   assumed of the program's synchronisation.  (What is told of after it was made may have come
 *   before a, and is not noted.)
 *
 * Healing (heal.h) makes use of open regions as locks; what it needs to be told of is
 * struct fw_region_healing.
 *
 *   (A handler of the program may come between the hook of a and a.  So in programs that have
 *   handlers the next hook in the function of the entry itself is waited for: a handler has a frame
 *   of its own.)
 *
 * Threads' own part of it, which sections they are in, nobody else touches.  A handler of the
 * program that comes in between finds it busy and leaves regions alone; one that jumps away leaves
 * nothing behind that others wait for.
 */
#ifndef FW_ATOMRACE_REGION_H
#define FW_ATOMRACE_REGION_H

#include "atomrace/regions_wire.h"
#include "atomrace/sections.h"

/* --- beginning and ending -------------------------------------------------------------------- */

extern bool fw_regions_on;
extern struct fw_regions_head *fw_regions; /* the mapped file */

/* Maps the file; false: there is none, or it is not understood. */
bool fw_regions_open(const char *path);
/* A module was loaded (fw_modules_follow).  One at a time. */
void fw_regions_module(const char *path, uintptr_t base);
void fw_regions_forked(void);
/* The calling thread ends. */
void fw_regions_ended(void);

/* --- hooks ----------------------------------------------------------------------------------- */

#define FW_SITE_CELLS 4096u

/* By the place of a hook's call. */
enum {
    FW_SITE = 1,       /* it may be a section's entry or exit */
    FW_SITE_READS = 2, /* in all of them: reads have to look at their words as well (heal_hold.h) */
};
extern _Atomic uint8_t fw_region_sites[FW_SITE_CELLS];

static inline unsigned fw_site_cell(uintptr_t pc)
{
    return (unsigned)(pc ^ pc >> 12) & (FW_SITE_CELLS - 1);
}

/* What a hook has to look at: 0 means that no section begins here or is left. */
static inline unsigned fw_is_site(uintptr_t pc)
{
    /* relaxed: a hint; who comes while a module is being loaded may miss it */
    return atomic_load_explicit(&fw_region_sites[fw_site_cell(pc)], memory_order_relaxed) & FW_SITE;
}

/* In the hook of an access, first: what the thread has left is closed. */
void fw_regions_arrive(const struct fw_overlap_access *access);
/* The access is not to be looked at: what would end here is closed. */
void fw_regions_ignored(const struct fw_overlap_access *access);
/* Is any region of another thread open on these bytes?  Then the access is noted there. */
bool fw_regions_look(const struct fw_overlap_access *access);
/* It was: that the thread has made the access is to be known soon. */
void fw_regions_noted(void);
/* Last: what ends here is judged, and what begins here is opened. */
void fw_regions_pass(const struct fw_overlap_access *access);

/* Is any region open?  (For accesses of many words.) */
bool fw_regions_any(void);

/* While a thread has regions fw_hot.regions is not 0, and functions that are entered and left, and
 * interceptors, tell (runtime/rt.h: fw_flow_follow, fw_flow_freed). */
void fw_regions_flow(enum fw_flow what);
void fw_regions_freed(const void *block, size_t bytes);
/* Who is on another stack is in no section of its own any more: another thread may come to its end,
 * and this one to that of another activation at the same place. */
void fw_regions_switched(void);

#define FW_REGIONS_COUNTED 0xffffu /* bits of fw_hot.regions; the others are for healing */

/* The calling thread's next access takes the long way; its ticks are as before afterwards. */
void fw_regions_force(void);

/* --- healing --------------------------------------------------------------------------------- */

struct fw_region;

/* A region as another thread sees it; may be over by now. */
struct fw_region_view {
    struct fw_region *region;
    uint32_t owner; /* number of its thread */
    uint32_t entry; /* of the section that was entered first, in the file's table */
    uintptr_t word;
};

/* Whose is the word at this address?  False: nobody's, or the caller's own. */
bool fw_region_at(uintptr_t address, struct fw_region_view *view);
/* Waits until it is closed or ns have passed.  Holds nothing. */
void fw_region_await(const struct fw_region_view *view, uint64_t ns);

/* Does the calling thread have a region, has it one on this word? */
bool fw_regions_mine(void);
bool fw_region_is_mine(uintptr_t address);
/* Closes all regions of the calling thread; nothing is judged.  Returns how many there were. */
unsigned fw_regions_release(void);

/* Set before threads run; NULL: no healing.  All are called by the thread itself, in a hook or an
 * interceptor, with nothing held and not in the middle of anything. */
struct fw_region_healing {
    /* Regions stay open behind their ends until the thread's next hook or interceptor: the access
     * of the end is made then. */
    bool keeps;
    /* An entry is about to be passed: its region will be opened if the word is nobody's then.
     * Before the hook returns. */
    void (*before)(const struct fw_overlap_access *access, uint32_t entry);
    /* It was opened, or not: the word is another's, or there is no room.  True: once more, as has
     * been done `tries` times. */
    bool (*entered)(const struct fw_overlap_access *access, uint32_t entry, bool opened,
                    unsigned tries);
    /* The access has met the region of another thread.  If that is still open when this returns
     * the access becomes a suspect. */
    void (*met)(const struct fw_overlap_access *access, const struct fw_region_view *view);
    /* A section has come to an end (its region may stay open). */
    void (*ended)(uint32_t entry);
    /* An interceptor was entered, with regions open. */
    void (*called)(void);
};

extern const struct fw_region_healing *fw_region_healing;

#endif
