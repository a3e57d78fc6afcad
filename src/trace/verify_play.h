/*
 * verify_play.h - plays an order of events and stops at the first broken rule.
 *
 * Part of the verifier (verify.h).  An order that can be played to its end is
 * a correct reordering of the trace; then the player holds the state that the
 * order leads to, for the claims to look at.
 *
 * Nothing is cleared between two orders.  Time (`now`) never goes back: a play
 * begins at the time `begun`, each of its steps is later, and whatever carries
 * an older stamp counts as untouched.
 */
#ifndef FW_TRACE_VERIFY_PLAY_H
#define FW_TRACE_VERIFY_PLAY_H

#include "trace/verify.h"
#include "trace/verify_facts.h"

/* State of a thread, lock, variable, round; good if `since` is the time the play began. */
struct fw_play_thread {
    uint64_t since;
    uint32_t next;    /* its next event, or FW_NO_EVENT after its last one */
    uint32_t release; /* its latest rel or rrel, or FW_NO_EVENT */
    uint32_t taint;   /* the event that tainted it; FW_NO_EVENT: untainted */
    bool stuck;       /* before the branch implied after a read, and tainted */
    bool in_set;      /* one of the threads of a deadlock claim */
};

struct fw_play_lock {
    uint64_t since;
    uint32_t writer;      /* thread that holds it in exclusive mode or FW_NO_EVENT */
    uint32_t readers;     /* number of threads that hold it in shared mode */
    uint32_t set_readers; /* those of them that are in the set of a deadlock claim */
};

struct fw_play_variable {
    uint64_t since;
    uint32_t last_write; /* the latest write, or FW_NO_EVENT */
    bool tainted;        /* that write is */
};

struct fw_play_round {
    uint64_t since;
    uint32_t arrived; /* ins so far */
};

struct fw_player {
    struct fw_facts facts;
    const struct fw_trace *trace; /* borrowed; that of the facts */
    uint64_t begun, now;
    uint64_t *when; /* event → time it happened; later than begun: in this play */
    struct fw_play_thread *threads;
    struct fw_play_lock *locks;
    struct fw_play_variable *variables;
    struct fw_play_round *rounds;
    uint32_t seen;              /* the write that the latest read saw, or FW_NO_EVENT */
    uint32_t changed;           /* the first changed read of this play, or FW_NO_EVENT */
    uint32_t window;            /* see fw_verifier_use_window */
    bool values;                /* equal values are no change */
    bool playing;               /* a step is being judged, not the state at the end */
    struct fw_verdict *verdict; /* where a refusal goes */
};

void fw_player_init(struct fw_player *player, const struct fw_trace *trace);
void fw_player_release(struct fw_player *player);

/* A new play from the start of the program; refusals will go to *verdict. */
void fw_play_begin(struct fw_player *player, struct fw_verdict *verdict);

/* Plays these events; false at the first one that breaks a rule, with step and reason set. */
bool fw_play(struct fw_player *player, const uint32_t *order, uint32_t count);

/* Is the event the next one of its thread?  If not, says why as a refusal. */
bool fw_play_is_next(struct fw_player *player, uint32_t event);

/* Does the read surely get what it got in the trace, if it sees this untainted write (or none)? */
bool fw_play_is_same(const struct fw_player *player, uint32_t read, uint32_t seen);
/* With values: do the two writes leave the same one? */
bool fw_play_leave_same(const struct fw_player *player, uint32_t a, uint32_t b);

static inline bool fw_play_done(const struct fw_player *player, uint32_t event)
{
    return player->when[event] > player->begun;
}

/* Number of steps taken so far. */
static inline uint32_t fw_play_steps(const struct fw_player *player)
{
    return (uint32_t)(player->now - player->begun);
}

struct fw_play_thread *fw_play_thread(struct fw_player *player, uint32_t thread);
struct fw_play_lock *fw_play_lock(struct fw_player *player, uint32_t lock);

/* For messages: "event 12, 'acq(L1)'"; 12 is the index. */
struct fw_label {
    char text[112];
};
struct fw_label fw_play_label(const struct fw_player *player, uint32_t event);

/* Sets the reason, once, and returns false.  `event` is what the reason is about. */
bool fw_play_refuse(struct fw_player *player, uint32_t event, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
