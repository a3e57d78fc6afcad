/*
 * sections.h - primitive atomic sections: threads that are about to access memory, and who else
 * comes by.
 *
 * Source: Letko, Vojnar, Krena, "AtomRace: Data Race and Atomicity Violation Detector and Healer",
 * PADTAD 2008, section 3.1.
 *
 * A section is opened inside the hook before an access and closed before the hook returns.  While
 * it is open its thread sits in the hook; that is where noise happens.  Any thread that is in a
 * hook for the same bytes meanwhile, one of the two being a write, has caught a race:
 *
 *   Both threads are inside the hook of their access at one and the same moment.  From entering the
 *   hook to the access a thread runs code of ours alone, which neither releases nor acquires
 *   anything that the program knows of, whatever its synchronisation is made of; no handler of the
 *   program runs in between while a section is open or looked at (mask.h).  So nothing keeps either
 *   of the two accesses from being the next: they are unordered, by definition.  The moment is
 *   pinned down: who finds a section open takes hold of it, and its owner cannot close it before it
 *   is let go.
 *
 *   An access that would fault is not next, its thread would come to a handler of the program:
 *   memory that is out of reach at that moment does not count (reach.h).
 *
 *   A function without hooks is told of by its interceptor, before it runs, or, where only the
 *   function knows what it touches, after it has run.  Then its thread has made the access already
 *   and has still released nothing since: whoever is in a hook now cannot have been told of it, so
 *   the two are unordered all the same.  That holds for a function only if nothing that it does
 *   between the access and its return can be waited for or seen by another thread:
 *     - arithmetic, and what works on the memory it is given alone (strings, numbers, sprintf and
 *       sscanf, attributes, sets of signals), is told of after it has run (fw_tell_after, TOLD);
 *     - so are questions to the kernel (limits, clocks, stat, readlink), whose answer is stored
 *       last;
 *     - so are functions that have a lock of libc's own while they store, if others find nothing
 *       behind it that depends on who came first (the time zone's, of localtime_r): two calls could
 *       as well have come in the other order, so the lock orders nothing of the program;
 *     - what a call reads and then puts into effect for all to see (prlimit, tcsetattr, sigmask) is
 *       told before; what it stores in the end, after (TOLD_GIVEN);
 *     - whatever else makes files (mkstemp), takes data or events out of somewhere and so makes
 *       room (read, accept, epoll_wait, waitpid), closes a descriptor or gives back any other lock
 *       of its own after it has stored (readdir, getpwnam_r, pthread_getname_np, regexec, streams),
 *       calls the program back (also sprintf, once the program has registered conversions of its
 *       own), waits or synchronises is not told of at all: its interceptor asks for the token
 *       (fw_enter), which nobody has here.
 *   A signal handler between the function and the telling could have released something, so
 *   programs that have handlers are not told of afterwards.
 *
 *   (The access of a handler's own hook comes after what it interrupted, in its thread's order.)
 *
 * Threads that open sections at the same time both look around after opening: one of them sees the
 * other.
 *
 * A fork child has the calling thread alone: it starts with no section.
 *
 * Cost.  A hook looks at one cell of a table: how many open sections may concern this word.  Cells
 * are written when sections open and close, which is rare; so the table, of two pages of memory,
 * stays in every processor's cache.
 */
#ifndef FW_ATOMRACE_SECTIONS_H
#define FW_ATOMRACE_SECTIONS_H

#include "runtime/thread.h"

#include <stdatomic.h>

#define FW_WATCH_CELLS 4096u /* words 32 KiB apart share one */
#define FW_WATCH_TARGET 0x8000u /* noise is wanted at this word */
#define FW_WATCH_SITED  0x2000u /* in all cells: some hooks are places where sections begin */
#define FW_WATCH_HEALED 0x4000u /* the word has a healing lock ... */
#define FW_WATCH_READ_HEALED 0x1000u /* ... which reads are to look at as well */

extern _Atomic uint16_t fw_watch[FW_WATCH_CELLS];

static inline unsigned fw_watch_cell(uintptr_t address)
{
    return address >> 3 & (FW_WATCH_CELLS - 1);
}

/* What a hook has to look at: 0 means nothing. */
static inline unsigned fw_watched(uintptr_t address)
{
    /* relaxed: a section that was opened just now may be missed, never made up */
    return atomic_load_explicit(&fw_watch[fw_watch_cell(address)], memory_order_relaxed);
}

/* One access of one thread. */
struct fw_overlap_access {
    struct fw_thread *thread;
    uintptr_t address, pc;
    size_t bytes;
    bool write;
    bool late; /* it was made before it is told of */
};

struct fw_section;

/* NULL: too many are open.  Handlers of the program are kept out until it is closed. */
struct fw_section *fw_section_open(const struct fw_overlap_access *access);
void fw_section_close(struct fw_section *section);

/* Is any section open?  Each may concern a range, whose cells nobody looks at one by one. */
bool fw_sections_any(void);
/* Reports every open section of another thread that this access overlaps with. */
void fw_sections_look(const struct fw_overlap_access *access);

/* In a fork child. */
void fw_sections_forked(void);

#endif
