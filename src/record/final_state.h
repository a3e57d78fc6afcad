/*
 * final_state.h - inside the finaliser: what it remembers while it goes through the records.
 *
 *   final.c         the two passes, modules, notes
 *   final_record.c  what each kind of record becomes
 *   final_plain.c   most accesses, in short
 *   final_memory.c  shared words, variables, lives, objects at addresses
 *   final_order.c   what happens before what, by annotations and through the kernel
 *   final_names.c   names for addresses, sites, functions
 *   final_out.c     events out: branches, calls, attributes, well-formedness
 *   final_stuck.c   what threads wait for at the end
 *   final_told.c    metadata
 */
#ifndef FW_RECORD_FINAL_STATE_H
#define FW_RECORD_FINAL_STATE_H

#include "record/addrmap.h"
#include "record/chunks.h"
#include "record/final.h"
#include "record/lives.h"
#include "record/modules.h"
#include "record/spool.h"
#include "symbol/operand.h"
#include "trace/fwt.h"
#include "trace/fwt_columns.h"
#include "trace/wellformed.h"
#include "trace/writer.h"

struct final_call {
    uint64_t function, pc;
};

struct final_thread {
    uint32_t number;
    uint32_t id; /* in the symbols */
    bool branched; /* a branch comes before its next event */
    bool has_read; /* ... which is worth an event: it read, joined or started since the last one */
    bool easy;     /* its accesses need no check (wellformed.h) */
    FW_VEC(struct final_call) calls;
    size_t written;           /* calls[0..written) are in the trace */
    FW_VEC(uint32_t) blocks;  /* open begins */
    /* The lock it began to wait for, if it has done nothing since. */
    uint64_t request; /* number of the record; 0: none */
    uint32_t request_lock;
    uint64_t request_pc;
    enum fw_kind request_kind;
};

/* What a kind of plain access at a place in the code becomes; a cache. */
struct final_place {
    uint64_t b;        /* of its records */
    uint16_t high;     /* ... a >> 48 */
    uint8_t fixed;     /* its object does not hang on data: 0: not asked yet, 1: no, 2: yes */
    uint32_t site;
    uint64_t block;    /* first event of the block, plus 1, ... */
    uint32_t code;     /* ... in which it has this code */
};

#define FINAL_PLACES 1024u

/* A lock, condition, ... at an address. */
struct final_object {
    uint16_t offset; /* in its chunk */
    uint8_t space;   /* enum fw_space */
    uint32_t id;
};

/* The object met last among those with this hash. */
struct final_met {
    uint64_t key; /* address << 8 | space << 1 | 1; 0: none */
    uint32_t id;
};

#define FINAL_MET 256u

/*
 * What is kept of a kilobyte.  A word: bits 0..7 a variable begins at byte i, 8..15 byte i is
 * shared, 16..23 races on byte i are expected, 32..63 the id of the variable that begins at byte 0,
 * plus 1 (at byte 4: in `half`; the others' are in `odd`).
 */
struct final_chunk {
    uint64_t word[FW_CHUNK_WORDS];
    uint32_t *half; /* by word: id + 1 of the variable that begins in its middle; NULL: none */
    FW_VEC(struct final_object) objects;
};

#define WORD_EXPECTED(address) (UINT64_C(1) << (16 + ((address)&7)))

struct final_stack {
    uint64_t low, end;
    uint32_t thread;
};

/* A heap block too large to be found by probing. */
struct final_block {
    uint64_t start, end, number;
};

/* A post or notify that may be answered: the number of its record, its event. */
struct final_answer {
    uint64_t record, event;
    uint32_t object;
    bool answered;
};

FW_VEC_TYPE(final_answers, struct final_answer); /* ascending */
FW_VEC_TYPE(final_texts, char *);                /* distinct */

FW_VEC_TYPE(final_ids, uint32_t);

/* A thread that did what comes before something, on one object. */
struct final_sender {
    uint32_t thread;   /* its number */
    uint32_t variable; /* on which it releases */
    uint32_t reader;   /* who acquired last, and one more; 0: nobody */
    bool sent;         /* something since then */
};

struct final_order {
    FW_VEC(struct final_sender) senders;
    bool collected; /* some are gone, their variables are not */
};

struct fw_final {
    const struct fw_final_setup *setup;
    struct fw_final_result *result;
    struct fw_error *err;
    bool failed;

    /* Records. */
    uint64_t record; /* number of the current one, from 1 */
    struct final_thread *thread;
    FW_VEC(struct final_thread *) threads; /* by number; NULL: not met */
    struct fw_lives lives;
    struct final_answers posts, notifies;
    size_t posts_answered;
    FW_VEC(struct final_order) orders;
    struct fw_addrmap order_of; /* the object's variable, and one more → index */
    uint32_t channels[2]; /* of the kernel that have a name, and rooms in them */

    /* Memory. */
    const struct fw_kept *kept, *kept_end; /* of lives to come */
    struct fw_chunks *chunks;
    struct fw_addrmap odd; /* address of a variable that does not begin a word → id */
    FW_VEC(struct final_stack) stacks;
    FW_VEC(struct final_block) large;
    struct final_ids expected; /* variables on which races are expected ... */
    struct final_ids unseen;   /* ... and that were written unseen */
    uint64_t expected_bytes;
    struct final_met met[FINAL_MET];

    /* Names. */
    struct fw_symbols *symbols;
    struct fw_modules modules;
    struct fw_operands *operands;
    struct fw_addrmap sites;     /* return address → id, SITE_* */
    struct fw_addrmap functions; /* address → id */
    struct fw_addrmap labels;    /* address → id of the block */
    struct final_place places[FINAL_PLACES];
    struct fw_addrmap reused;    /* space and id of a name → how often it was given out */

    /* All threads wait, if nothing has happened since. */
    struct final_texts waits; /* one for each thread */
    size_t waits_due;         /* records of them to come */
    uint64_t waits_since;     /* events before */

    /* Told at the end. */
    struct final_texts unmodelled, inexact, partial, off, shared, notes, names;
    size_t pairs_told;       /* of the spool's */
    size_t modules_asked;    /* whether they synchronise */
    int exit_status, signal; /* -1: not told */
    char *exec;

    /* Out. */
    struct fw_writer *writer;
    struct fw_wellformed *wellformed;
    struct fw_read_status status;
    FW_VEC(struct fw_event) events; /* of the batch */
    FW_VEC(struct fw_attr) attrs;
    uint64_t raw; /* events before the batch */
    FW_VEC(struct fw_fwt_mark) marks; /* not written yet */
    struct fw_fwt_columns *columns; /* for events that need no check, while the batch is empty */
    uint64_t passed;                /* ... so many, not yet told to the check and the writer */
    uint64_t branch_block;          /* as in struct final_place ... */
    uint32_t branch_code;           /* ... of branches */
};

/* Events so far, those that will be dropped among them. */
static inline uint64_t fw_final_count(const struct fw_final *f)
{
    return f->raw + f->passed + f->events.len;
}

/* final_record.c */
void fw_final_record(struct fw_final *f, const struct fw_wire_unit *record);
struct final_thread *fw_final_thread(struct fw_final *f, uint64_t number); /* NULL: impossible */

/* final_plain.c */
/* A plain read or write; false: it is not an easy one, and nothing was done. */
bool fw_final_plain(struct fw_final *f, const struct fw_wire_unit *record);

/* final_memory.c */
/* The record will be looked at soon. */
void fw_final_fetch(struct fw_final *f, const struct fw_wire_unit *record);
void fw_final_access(struct fw_final *f, const struct fw_wire_unit *record, enum fw_kind kind,
                     uint64_t bytes);
uint64_t fw_final_bytes(const struct fw_wire_unit *record);  /* of an access */
unsigned fw_final_order(const struct fw_wire_unit *record); /* enum fw_order */
void fw_final_life(struct fw_final *f, const struct fw_wire_unit *record);
void fw_final_unseen(struct fw_final *f, uint64_t start, uint64_t bytes);
void fw_final_expect(struct fw_final *f, uint64_t start, uint64_t bytes);
uint32_t fw_final_object(struct fw_final *f, enum fw_space space, uint64_t address);
void fw_final_destroyed(struct fw_final *f, uint64_t address);
/* Takes the kept words of a life. */
void fw_final_load(struct fw_final *f, uint32_t life);
void fw_final_chunk_destroy(void *chunk);

/* final_order.c */
/* BEFORE, else AFTER. */
void fw_final_before_after(struct fw_final *f, const struct fw_wire_unit *record, bool before);
void fw_final_orders_destroy(struct fw_final *f);

/* final_stuck.c */
/* A request of a lock. */
void fw_final_request(struct fw_final *f, const struct fw_wire_unit *record);
/* STUCK and STUCK_AT. */
void fw_final_stuck(struct fw_final *f, const struct fw_wire_unit *record);
/* At the end: the requests that were never granted become events. */
void fw_final_requests(struct fw_final *f);

/* final_names.c */
enum {
    FW_FINAL_NAME = 512, /* room for a name */
    /* So far before an address its heap block is found by probing words; large ones by a list. */
    FW_FINAL_PROBED = 65536,
};
/* Writes the name of an address: "PATH+0x10", "heap:3", "stack:T1-0x40", "mem:0x7f00". */
void fw_final_name(const struct fw_final *f, uint64_t address, char name[FW_FINAL_NAME]);
void fw_final_block_name(uint64_t block, uint64_t offset, char name[FW_FINAL_NAME]);
/* A fresh id for a variable in a heap block that has just been allocated: no name is like it. */
uint32_t fw_final_block_id(struct fw_final *f, uint64_t block, uint64_t offset);
/* An id with that name, or with "#2" ... behind it if the name was given out before. */
uint32_t fw_final_fresh_id(struct fw_final *f, enum fw_space space, const char *name);
uint32_t fw_final_site(struct fw_final *f, uint64_t pc);
bool fw_final_fixed(struct fw_final *f, uint64_t pc);  /* the object of the event there */
bool fw_final_direct(struct fw_final *f, uint64_t pc); /* the call there */
uint32_t fw_final_function(struct fw_final *f, uint64_t address);
uint32_t fw_final_label(struct fw_final *f, uint64_t address);
void fw_final_text(struct fw_final *f, const struct fw_wire_unit *record);
void fw_final_modules_changed(struct fw_final *f);

/* final_out.c */
void fw_final_open(struct fw_final *f);
/* A branch, if its thread has read since the latest one. */
void fw_final_branch(struct fw_final *f);
/* What comes before the next event of the current thread: a branch, calls. */
void fw_final_before(struct fw_final *f, uint64_t pc, bool fixed);
/* One event of the current thread; its index before anything is dropped. */
uint64_t fw_final_event(struct fw_final *f, enum fw_kind kind, uint32_t target, uint64_t pc,
                        unsigned order, uint64_t size);
uint64_t fw_final_answering(struct fw_final *f, enum fw_kind kind, uint32_t target, uint64_t pc,
                            uint64_t answered);
/* The current thread has entered so many basic blocks. */
void fw_final_mark(struct fw_final *f, uint64_t blocks);
void fw_final_marks_out(struct fw_final *f);
void fw_final_flush(struct fw_final *f);
/* Can events of the current thread be put without a check?  The batch is empty then. */
bool fw_final_lane(struct fw_final *f);
/* Puts one: fw_fwt_columns_put. */
static inline void fw_final_put(struct fw_final *f, uint32_t code, uint32_t target);
void fw_final_block_full(struct fw_final *f);
void fw_final_fail(struct fw_final *f);

static inline void fw_final_put(struct fw_final *f, uint32_t code, uint32_t target)
{
    fw_fwt_columns_put(f->columns, code, f->thread->id, target);
    f->passed++;
    if (FW_UNLIKELY(f->columns->count == FW_FWT_MAX_EVENTS))
        fw_final_block_full(f);
}

/* final_told.c */
void fw_final_note(struct fw_final *f, const struct fw_wire_unit *record);
void fw_final_thread_name(struct fw_final *f, const struct fw_wire_unit *record);
void fw_final_module(struct fw_final *f, const struct fw_wire_unit *record);
/* Tells of libraries whose own synchronisation is not seen. */
void fw_final_libraries(struct fw_final *f);
/* Passes on what the spool tells, as soon as it is met. */
void fw_final_pairs(struct fw_final *f, const struct fw_spool_reader *spool);
void fw_final_metadata(struct fw_final *f, const struct fw_spool_reader *spool);
void fw_final_texts_release(struct final_texts *texts);

#endif
