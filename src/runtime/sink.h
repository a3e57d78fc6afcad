/*
 * sink.h - where records go: the ring that the recorder drains.
 *
 * The holder of the token writes; each record is published by itself.  A full ring makes it wait;
 * a recorder that is gone switches recording off (fw_sink.on), and the program goes on.  Recording
 * in parallel will need one sink a thread and a common count; only this file and wire.h know that
 * there is one ring.
 *
 * Everything a record implies is sent before it: whose it is (SWITCH), and the calls and returns
 * since the thread's last one.  So functions in which nothing happens cost nothing on the wire.
 */
#ifndef FW_RUNTIME_SINK_H
#define FW_RUNTIME_SINK_H

#include "runtime/thread.h"

struct fw_sink {
    bool on;
    bool quick;        /* on, and nothing need be told before a record but what it implies */
    bool positions;    /* records are told with the blocks that their thread has entered */
    uint32_t thread;   /* whose records are being written */
    uint64_t head;     /* bytes written */
    uint64_t limit;    /* head may reach this before tail must be looked at again */
    uint64_t mask;     /* bytes of the ring - 1 */
    uint64_t count;    /* records written */
    char *units;
    struct fw_wire_ring *ring;
    int32_t recorder;
    size_t mapped;     /* bytes of the mapping */
};

extern struct fw_sink fw_sink;

#define FW_SINK_AHEAD 512u /* bytes */

/* Fresh zeroed memory of the runtime's own; NULL if there is none. */
void *fw_map_memory(size_t bytes);

/* Connects to the recorder; false: there is none, or it does not want us. */
bool fw_sink_open(const char *wire, enum fw_wire_how how, bool positions);
/* In a fork child: the parent's ring is not ours. */
void fw_sink_forget(void);
/* Nothing more is recorded; the program goes on. */
void fw_sink_off(void);
/* Everything has been said. */
void fw_sink_done(void);

/* The next records of t tell what happened before. */
void fw_sink_nowhere(struct fw_thread *t);

/* A record of t, the holder.  Nothing is sent while the sink is off.  Return its number, or 0. */
uint64_t fw_sink_put(struct fw_thread *t, enum fw_wire_kind kind, uint64_t operand, unsigned n,
                     unsigned aux, uintptr_t pc);
uint64_t fw_sink_put_more(struct fw_thread *t, enum fw_wire_kind kind, uint64_t operand,
                          uint64_t a1, uint64_t b1, uintptr_t pc);
uint64_t fw_sink_put_text(struct fw_thread *t, enum fw_wire_kind kind, uint64_t operand,
                          const uint64_t more[2], const char *text);

/* --- the short way --------------------------------------------------------------------------- */

/* Can t put a record of one unit with nothing before it? */
static inline bool fw_sink_is_ready(const struct fw_thread *t)
{
    return fw_sink.quick && fw_sink.thread == t->number && fw_hot.written == fw_hot.top &&
           !fw_hot.returns && fw_sink.head + sizeof(struct fw_wire_unit) <= fw_sink.limit;
}

/* The same as fw_sink_put of the calling thread when that is so. */
static inline void fw_sink_put_ready(enum fw_wire_kind kind, uint64_t operand, unsigned n,
                                     uintptr_t pc)
{
    struct fw_wire_unit *unit =
        (struct fw_wire_unit *)(fw_sink.units + (fw_sink.head & fw_sink.mask));
    uint64_t branch = fw_hot.branched & fw_hot.has_read;

    /* The recorder has read what lies there: its processor has the lines. */
    __builtin_prefetch(fw_sink.units + ((fw_sink.head + FW_SINK_AHEAD) & fw_sink.mask), 1);
    fw_hot.has_read &= !branch;
    fw_hot.branched = false;
    unit->a = (operand & 0xffffffffffffu) | (uint64_t)kind << 48 | (uint64_t)n << 56;
    unit->b = (pc & 0xffffffffffffu) | branch << 63;
    fw_sink.head += sizeof *unit;
    fw_sink.count++;
    /* release: pairs with the recorder's acquire, the unit is written */
    atomic_store_explicit(&fw_sink.ring->head, fw_sink.head, memory_order_release);
}

#endif
