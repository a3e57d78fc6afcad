/*
 * control.h - controlled runs: who runs next is decided at every point, by a strategy.
 *
 * See control_wire.h for the words.  Control replaces the quantum of serial mode: the token changes
 * hands only where the strategy says so, when its holder cannot go on, or when the holder spins.
 * Nothing is elided in a controlled run, so hooks never take the short way of recording: each
 * access comes by here (control_access.c).  As a rule nothing is recorded either; where a recorder
 * is there as well, what comes after an access's point goes to it.
 *
 * All is the holder's, or under the scheduler's lock where said.
 */
#ifndef FW_RUNTIME_CONTROL_H
#define FW_RUNTIME_CONTROL_H

#include "runtime/control_wire.h"
#include "runtime/effect.h"
#include "runtime/thread.h"

struct fw_op {
    uintptr_t pc;
    const char *name; /* of the operation, constant */
    uint64_t object;  /* an address, or a thread's number; 0: none */
    uint32_t size;    /* bytes of an access, 0 otherwise */
    uint32_t extent;  /* bytes of an atomic operation, 0 otherwise */
    uint64_t block;   /* where memory lies that is given back, 0 otherwise */
    uint32_t block_bytes;
    enum fw_reach reach;
    bool writes;      /* does not commute with what reads */
    bool spins;       /* a loop may do this until another thread changes something */
};

extern const char fw_op_load[], fw_op_rmw[], fw_op_store[]; /* names of atomic operations */

extern bool fw_control_on; /* for the rest of the process's life, but for fork children */
extern bool fw_control_child; /* this is such a child */
extern bool fw_control_thin; /* FW_CONTROL_THIN */
extern bool fw_control_every; /* every call that comes by is a point, as a step may name it */
extern uint64_t fw_control_ahead; /* ns that clocks go ahead of the real ones (io_time.c) */
extern struct fw_control_head *fw_control;

static inline bool fw_control_is_virtual(void)
{
    return fw_control_on && fw_control->flags & FW_CONTROL_VIRTUAL;
}

/* Maps the file and claims it; false: it is not for us. */
bool fw_control_open(const char *path);
/* Becomes the server if the controller wants one: then comes back in a child for each run. */
void fw_control_serve(struct fw_control_head *head);
/* The path of the program; "" if it is not known. */
const char *fw_control_executable(void);
/* In a fork child. */
void fw_control_forget(void);

/* --- points (control.c) -------------------------------------------------------------------- */

/* The holder is about to do something.  It may lose the token here and has it again on return. */
void fw_control_point(struct fw_thread *t, const struct fw_op *op);

/* What is known of a place in the code. */
struct fw_spot {
    uint32_t site;
    uint32_t class_; /* FW_CLASS_CALLER: depends on who called */
    uint64_t key;    /* of the site */
    uint8_t roles;   /* FW_SITE_ROLE, from bit 0 */
    bool is_point;
    bool is_marked;  /* known to share memory */
};
/* site: not FW_CONTROL_NONE */
struct fw_spot fw_control_spot(const struct fw_op *op, uint32_t site);
/* As fw_control_point, where that is known. */
void fw_control_point_at(struct fw_thread *t, const struct fw_op *op, const struct fw_spot *spot);
void fw_control_access(struct fw_thread *t, uintptr_t address, size_t bytes, bool write,
                       uintptr_t pc);

/*
 * The holder has tried something that another thread must let it have, in vain, or has said that
 * others may go first.  It makes way, or a loop would never end; in a controlled run only if it
 * does so some times before anybody else had a turn: until then the strategy decides.
 */
void fw_control_in_vain(struct fw_thread *t, const void *object);

/* --- for the scheduler, with its lock ------------------------------------------------------- */

/* Who gets the token: one of the ready ones, or `current`, who could go on (NULL: nobody could).
 * NULL: nobody, for now. */
struct fw_thread *fw_control_pick(struct fw_thread *current, struct fw_list *ready);
/* A thread has become ready (strategy_iroot.c). */
void fw_control_came(void);
/* At a point of the holder's: would it be picked again?  Without the lock; false: perhaps. */
bool fw_control_stays(const struct fw_thread *t);
/* The holder's turn ends. */
void fw_control_turn(struct fw_thread *t, enum fw_turn_end end);
/* Tells it (control_turn.c); false: it has looked in vain, which happens when it happens. */
bool fw_control_tell_turn(struct fw_thread *t, enum fw_turn_end end);
/* Nobody can run.  Does not come back if that is for ever. */
void fw_control_idle(void);
/* May a signal come that none of our threads sends? */
bool fw_control_signal_may_come(void);
/* A thread has come back from the kernel, or its time was over, after so many ns. */
void fw_control_returned(uint64_t away);
extern uint32_t fw_control_around; /* threads that were born and not joined yet; the holder's */
/* Have all threads but one been joined? */
static inline bool fw_control_alone(void)
{
    return fw_control_around < 2;
}
/* t has looked at what it waits for once more. */
void fw_control_retried(struct fw_thread *t);
void fw_control_progress(void);

/* Ends the run: does not come back. */
void fw_control_end(enum fw_control_outcome outcome);
void fw_control_born(struct fw_thread *t, struct fw_thread *parent);
/* t ends. */
void fw_control_leaves(const struct fw_thread *t);
/* A thread was joined, or could not be made. */
void fw_control_gone(void);
/* The holder is about to wait, and thereby closes a cycle of locks: ends the run, if it is under
 * control; of a child it is told.  Without the scheduler's lock. */
void fw_control_deadlocked(struct fw_thread *t);
void fw_control_ended(void);

/* Time flies: t waits until some time, which is now. */
void fw_control_wake_first(struct fw_thread *t);

/* --- limits (control_expire.c), with the scheduler's lock but for the first ------------------- */

/* Is it for us to say when a sleep of so long is over? */
bool fw_control_times(uint64_t nanoseconds);
/* Threads whose wait is over when the strategy says so. */
extern uint32_t fw_control_expiring;
/* t is blocked, with a deadline of the program; it is no more. */
void fw_expiry_begin(struct fw_thread *t);
void fw_expiry_end(struct fw_thread *t, bool has_passed);
/* ns until t, which is or was blocked until then, has to look around; UINT64_MAX: for ever. */
uint64_t fw_expiry_left(const struct fw_thread *t, uint64_t deadline);
/* The time is over: does that end t's wait without anybody having said so? */
bool fw_expiry_passes(struct fw_thread *t, bool nobody_runs);
/* It is over now: t is ready. */
void fw_control_expire(struct fw_thread *t, struct fw_list *ready);
/* One of those that are due, now and then; NULL: none this time. */
struct fw_thread *fw_expiry_draw(void);
/* The first one of those that are due; NULL: none is. */
struct fw_thread *fw_expiry_due(void);
/* Whose is over when nobody can run: as a rule the first one. */
struct fw_thread *fw_expiry_first(void);
/* For the scheduler, when nobody is ready and the holder gives the token away: who is, because time
 * flies; NULL: nobody. */
struct fw_thread *fw_control_fly(struct fw_list *ready);

/* --- what no schedule decides (control_chance.c) ---------------------------------------------- */

/* The program reads a clock, or random numbers. */
void fw_chance_clock(void);
void fw_chance_random(void);
/* Something else of this kind; by the program's own code. */
void fw_chance(enum fw_control_chance what);
/* t gets memory from the heap, or gives some back. */
void fw_chance_heap(const struct fw_thread *t);
/* It opens a file: some differ from run to run.  Inside or not. */
void fw_chance_file(const char *path);
/* A signal is sent to the process: which thread runs the handler is the system's choice. */
void fw_chance_signal(int number);
/* So many threads of those that wait are woken, which nobody has picked. */
void fw_chance_wakes(unsigned waiting, unsigned most);
/* Threads that are blocked on the object.  Without the scheduler's lock. */
unsigned fw_chance_waiting(const void *object);

/* --- spinning (control_spin.c) --------------------------------------------------------------- */

/* At a point: has the thread gone round in circles for long?  Then it is to make way. */
bool fw_spin_noticed(struct fw_thread *t, const struct fw_op *op, const struct fw_spot *spot);
void fw_spin_make_way(struct fw_thread *t);
/* t has written to memory that it shares with nobody, as far as known. */
void fw_spin_wrote(struct fw_thread *t, uintptr_t address);
/* Is it likely that t spins, from what was seen so far? */
bool fw_spin_may(const struct fw_thread *t);
/* t writes to memory that is shared; false: nothing was done, as somebody rests until then. */
bool fw_spin_moves(struct fw_thread *t);
/* t has tried to change something, in vain: has it done so for long?  Then it makes way. */
void fw_spin_failed(struct fw_thread *t);
/* t sleeps itself: so time passes, and it does not just look. */
void fw_spin_slept(struct fw_thread *t);
/* The holder has changed a word by what loops do until they succeed. */
void fw_spin_changed(void);
/* A number that grows whenever shared memory is changed.  The holder's. */
uint64_t fw_spin_changes(void);

/* --- sleeping (control_sleep.c) -------------------------------------------------------------- */

/* Threads that sleep in the kernel; the holder's. */
extern uint32_t fw_control_asleep;
/* The holder does something that threads in the kernel may wait for; who waits for such things
 * without the kernel is blocked on it. */
extern bool fw_control_stirred;
/* Until something is over, or so many ns have passed; false: a signal came first (io_time.c). */
bool fw_control_stay(struct fw_thread *t, uint64_t nanoseconds, bool (*is_over)(const void *what),
                     const void *what);
/* At a point, if either is so: now and then the first sleeper is waited for; those who were woken
 * and are on their way back always are. */
void fw_control_await(void);

/* --- sites (control_sites.c) ---------------------------------------------------------------- */

void fw_control_sites_start(void);
uint32_t fw_control_site_of(const struct fw_op *op);
/* The class of a point of t at the site, 0: none. */
uint32_t fw_control_class_of(const struct fw_thread *t, const struct fw_op *op, uint32_t site);
/* A number of a site that is the same in every session. */
uint64_t fw_control_site_key(uint32_t site);
/* Notes which two sites meet at an object (control_cover.c). */
void fw_control_cover_start(void);
void fw_control_cover(const struct fw_thread *t, const struct fw_op *op, uint32_t site);

/* --- what is known of memory (control_words.c) ------------------------------------------------ */

/*
 * What is remembered of each word (four bytes: neighbours are told apart), see control_sites.c:
 *
 *   one thread was there     (1 + thread) << 44 | (1 + site) << 24 | (1 + site) << 4: where it has
 *                            read last, and where it has written last (0: nowhere)
 *   several, who only read   set << 4 | FW_WORD_SEVERAL: the places
 *   it is shared             FW_WORD_SHARED: nothing more
 *
 * Exact up to a number of pages; all others have one page in common, which is told (head.beyond).
 * The holder's.
 */
#define FW_WORD_SHIFT 2u
#define FW_PAGE_WORDS 1024u

enum {
    FW_WORD_SHARED = 2,
    FW_WORD_SEVERAL = 4,
    FW_WORD_HOT = 8,     /* control_observe.c; whatever else is so */
    FW_WORD_WRITTEN = 4, /* bits: where */
    FW_WORD_READ = 24,
    FW_WORD_SET = 4,
    FW_WORD_THREAD = 44,
};
#define FW_WORD_SITES UINT64_C(0xfffff)

/* Sets of sites have numbers, 0 is the empty one: with the site in it.  There are so many of them;
 * what is left out then is told (head.beyond). */
uint32_t fw_control_set_with(uint32_t set, uint32_t site);
/* False: it is not, or it is not known at once. */
bool fw_control_set_has(uint32_t set, uint32_t site);
/* One of the set, which is not empty; *set is the rest. */
uint32_t fw_control_set_next(uint32_t *set);

/* The page that was looked at last, and its words. */
extern uint64_t fw_control_page, *fw_control_page_words;
bool fw_control_words_start(void);
void fw_control_turn_page(uint64_t page);

static inline uint64_t *fw_control_word(uint64_t word)
{
    if (FW_UNLIKELY(word / FW_PAGE_WORDS != fw_control_page))
        fw_control_turn_page(word / FW_PAGE_WORDS);
    return &fw_control_page_words[word % FW_PAGE_WORDS];
}

/* A handler is as good as another thread: it may come between any two accesses. */
static inline uint64_t fw_control_word_self(const struct fw_thread *t)
{
    uint64_t handler = t->handling ? 1u << 16 : 0;

    return ((uint16_t)(t->number + 1) | handler) << FW_WORD_THREAD;
}

/* The word, which nobody but the thread has used, when it has done so there once more. */
static inline uint64_t fw_control_word_again(uint64_t was, uint64_t self, bool write, uint32_t site)
{
    unsigned at = write ? FW_WORD_WRITTEN : FW_WORD_READ;

    return (was & ~(FW_WORD_SITES << at)) | self | (uint64_t)((site + 1) & FW_WORD_SITES) << at;
}

/* Hot words, from the first to the last, are no more so; false: there was none. */
bool fw_control_cool(uint64_t first, uint64_t last);

/* --- what threads did (control_observe.c) ---------------------------------------------------- */

extern bool fw_control_observes;
/* The memory for it is there in any case: the program's own lies at the same addresses in all runs,
 * and a run can be repeated without being observed. */
void fw_control_observe_start(bool wanted);
/* t has passed its point, if it is one, and makes the access. */
void fw_control_observe_access(const struct fw_thread *t, uint64_t address, uint64_t size,
                               bool writes, uint32_t site);
/* What would be recorded; kind: enum fw_wire_kind. */
void fw_control_observe_record(const struct fw_thread *t, unsigned kind, uint64_t object,
                               uint64_t size, uintptr_t pc);
void fw_control_observe_free(const struct fw_thread *t, uint64_t block, uint64_t size,
                             uintptr_t pc);

/* --- what a thread is about to do (control_pending.c), with the scheduler's lock ------------- */

/* Would it only wait? */
bool fw_pending_waits(const struct fw_thread *t);
struct fw_control_candidate fw_pending_describe(const struct fw_thread *t);
/* Do the two not commute? */
bool fw_pending_depend(const struct fw_control_candidate *a, const struct fw_control_candidate *b);

/* --- accesses (control_access.c) ------------------------------------------------------------- */

/* What a compiler's hook does in a controlled run. */
void fw_control_hook(uintptr_t address, unsigned size, bool write, uintptr_t pc);
void fw_control_hooks_start(void);
/* In a thin run: does anybody watch what the hook that returns there tells of? */
bool fw_control_is_watched(uintptr_t pc);
/* Is it known, and of interest, that the call there writes (or reads) memory that is shared? */
bool fw_control_call_shares(uintptr_t pc, bool write);
/* The site was found to share memory. */
void fw_control_hook_forget(uint32_t site);

extern bool fw_control_has_words; /* there is memory to note it in ... */
extern bool fw_control_shares;    /* ... and somebody wants to know who shares what */

/* Notes who touches the memory; marks sites that share it.  Behind the point: what was noted before
 * the others come by would hide what their accesses meet. */
void fw_control_share(const struct fw_thread *t, uintptr_t address, size_t bytes, bool write,
                      uint32_t site);

static inline struct fw_control_site *fw_control_site(uint32_t site)
{
    return (struct fw_control_site *)((char *)fw_control + fw_control->sites_at) + site;
}

#endif
