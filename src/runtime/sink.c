/*
 * sink.c - records into the ring.
 */
#include "runtime/sink.h"

#include "runtime/control.h"
#include "runtime/futex.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

struct fw_sink fw_sink;

#define WAIT_FOR_SPACE (50 * 1000 * 1000) /* ns, then see whether the recorder is still there */

void fw_sink_off(void)
{
    fw_sink.on = fw_sink.quick = false;
}

void fw_sink_done(void)
{
    if (!fw_sink.ring)
        return;
    /* release: the recorder reads head after it */
    atomic_store_explicit(&fw_sink.ring->done, 1, memory_order_release);
}

static bool recorder_is_there(void)
{
    /* relaxed: nothing depends on it but going on */
    return !atomic_load_explicit(&fw_sink.ring->gone, memory_order_relaxed) &&
           fw_call(SYS_kill, fw_sink.recorder, 0, 0, 0) != -ESRCH;
}

/* Waits until `bytes` more fit.  False: never, recording is off now. */
static __attribute__((noinline)) bool make_space(uint64_t bytes)
{
    struct fw_wire_ring *ring = fw_sink.ring;

    for (;;) {
        uint32_t space = atomic_load_explicit(&ring->space, memory_order_acquire);
        /* acquire: pairs with the reader's release, units before tail are free */
        uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);

        fw_sink.limit = tail + fw_sink.mask + 1;
        if (atomic_load_explicit(&ring->gone, memory_order_relaxed))
            break;
        if (fw_sink.head + bytes <= fw_sink.limit)
            return true;
        atomic_store(&ring->waiting, 1);
        if (atomic_load(&ring->tail) == tail)
            fw_futex_wait(&ring->space, space, WAIT_FOR_SPACE, 1);
        atomic_store(&ring->waiting, 0);
        if (atomic_load(&ring->tail) == tail && !recorder_is_there())
            break;
    }
    fw_sink_off();
    return false;
}

static inline void write_unit(uint64_t at, uint64_t a, uint64_t b)
{
    struct fw_wire_unit *unit = (struct fw_wire_unit *)(fw_sink.units + (at & fw_sink.mask));

    unit->a = a;
    unit->b = b;
}

static inline uint64_t word_a(enum fw_wire_kind kind, uint64_t operand, unsigned n)
{
    return (operand & 0xffffffffffffu) | (uint64_t)kind << 48 | (uint64_t)n << 56;
}

static inline uint64_t word_b(uintptr_t pc, unsigned aux)
{
    return (pc & 0xffffffffffffu) | (uint64_t)aux << 48;
}

static inline bool reserve(uint64_t bytes)
{
    return FW_LIKELY(fw_sink.head + bytes <= fw_sink.limit) || make_space(bytes);
}

static inline void publish(uint64_t bytes)
{
    fw_sink.head += bytes;
    fw_sink.count++;
    /* release: pairs with the recorder's acquire, the units are written */
    atomic_store_explicit(&fw_sink.ring->head, fw_sink.head, memory_order_release);
}

static void put_one(enum fw_wire_kind kind, uint64_t operand, uintptr_t pc)
{
    if (!reserve(16))
        return;
    write_unit(fw_sink.head, word_a(kind, operand, 0), word_b(pc, 0));
    publish(16);
}

static __attribute__((noinline)) void put_calls(struct fw_hot *hot)
{
    if (hot->returns)
        put_one(FW_WIRE_RETURN, hot->returns, 0);
    hot->returns = 0;
    for (; hot->written < hot->top; hot->written++)
        if (hot->written->function)
            put_one(FW_WIRE_CALL, hot->written->function, hot->written->site);
}

/* What a record of t implies: SWITCH, position, calls and returns. */
static inline void introduce(struct fw_thread *t)
{
    struct fw_hot *hot = t->hot;

    if (FW_UNLIKELY(fw_sink.thread != t->number)) {
        put_one(FW_WIRE_SWITCH, t->number, 0);
        fw_sink.thread = t->number;
    }
    if (FW_UNLIKELY(fw_sink.positions) && hot->told != hot->blocks + 1) {
        put_one(FW_WIRE_BLOCKS, hot->blocks, 0);
        hot->told = hot->blocks + 1;
    }
    if (FW_UNLIKELY(hot->written != hot->top || hot->returns))
        put_calls(hot);
}

/* Until the thread enters another block this is taken for its position; but what follows in this
 * one is told again. */
void fw_sink_nowhere(struct fw_thread *t)
{
    if (!fw_sink.positions || !fw_sink.on)
        return;
    introduce(t);
    put_one(FW_WIRE_BLOCKS, FW_WIRE_NOWHERE, 0);
}

/* Did a branch that matters come before the record? */
static inline unsigned take_branch(struct fw_hot *hot)
{
    unsigned aux = hot->branched && hot->has_read ? FW_WIRE_BRANCH : 0;

    if (aux)
        hot->has_read = false;
    hot->branched = false;
    return aux;
}

/* Controlled runs and their children record nothing, but interceptors keep their books as if. */
static uint64_t not_recorded(const struct fw_thread *t, enum fw_wire_kind kind, uint64_t operand,
                             uint64_t size, uintptr_t pc)
{
    if (FW_UNLIKELY(fw_control_observes))
        fw_control_observe_record(t, kind, operand, size, pc);
    return fw_control_on || fw_control_child ? ++fw_sink.count : 0;
}

uint64_t fw_sink_put(struct fw_thread *t, enum fw_wire_kind kind, uint64_t operand, unsigned n,
                     unsigned aux, uintptr_t pc)
{
    if (!fw_sink.on)
        return not_recorded(t, kind, operand, n, pc);
    introduce(t);
    aux |= take_branch(t->hot);
    if (!reserve(16))
        return 0;
    write_unit(fw_sink.head, word_a(kind, operand, n), word_b(pc, aux));
    publish(16);
    return fw_sink.count;
}

uint64_t fw_sink_put_more(struct fw_thread *t, enum fw_wire_kind kind, uint64_t operand,
                          uint64_t a1, uint64_t b1, uintptr_t pc)
{
    unsigned aux;

    if (!fw_sink.on)
        return not_recorded(t, kind, operand, a1, pc);
    introduce(t);
    aux = take_branch(t->hot);
    if (!reserve(32))
        return 0;
    write_unit(fw_sink.head, word_a(kind, operand, 0), word_b(pc, aux));
    write_unit(fw_sink.head + 16, a1, b1);
    publish(32);
    return fw_sink.count;
}

uint64_t fw_sink_put_text(struct fw_thread *t, enum fw_wire_kind kind, uint64_t operand,
                          const uint64_t more[2], const char *text)
{
    size_t length = strnlen(text, FW_WIRE_MAX_TEXT);
    unsigned units = fw_wire_text_units((unsigned)length);
    uint64_t bytes = 16 + (more ? 16 : 0) + 16ull * units, at;

    if (!fw_sink.on)
        return 0;
    introduce(t);
    if (!reserve(bytes))
        return 0;
    at = fw_sink.head;
    write_unit(at, word_a(kind, operand, 0), word_b(0, (unsigned)length));
    at += 16;
    if (more) {
        write_unit(at, more[0], more[1]);
        at += 16;
    }
    for (unsigned i = 0; i < units; i++, at += 16) {
        uint64_t words[2] = { 0, 0 };
        size_t left = length - 16ull * i;

        memcpy(words, text + 16ull * i, left < 16 ? left : 16);
        write_unit(at, words[0], words[1]);
    }
    publish(bytes);
    return fw_sink.count;
}
