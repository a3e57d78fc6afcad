/*
 * hooks_atomic.c - atomic operations, which the compiler turns into calls.
 *
 * The operation is done here, seq_cst always (stronger is allowed), and recorded with the order
 * that the program asked for.  Since its thread has the token nothing comes between the two.  A
 * failed compare-exchange is a load.
 *
 * A loop that spins on a load would fill the trace: a load that repeats the last record of all,
 * from the same place and with the same value, is elided; putting it back right behind that record
 * changes nothing that anybody sees.  After some repeats the token is offered to others.
 */
#include "runtime/control.h"
#include "runtime/shadow.h"
#include "runtime/sink.h"

#include <string.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define SPINS 32u

typedef unsigned __int128 uint128_t;
typedef uint8_t a8;
typedef uint16_t a16;
typedef uint32_t a32;
typedef uint64_t a64;
typedef uint128_t a128;

/* --- recording ----------------------------------------------------------------------------- */

/* gcc's numbers are those of <stdatomic.h>; higher bits are hints. */
static void record(struct fw_thread *t, enum fw_wire_kind kind, const volatile void *address,
                   unsigned size, int order, uintptr_t pc)
{
    uintptr_t at = (uintptr_t)address;

    t->hot->ticks--;
    fw_shadow_forget(at);
    if (size > 8)
        fw_shadow_forget(at + 8);
    if (!(t->ignored & FW_IGNORE_SYNC)) {
        fw_segment_close(t);
        fw_sink_put(t, kind, at, size, (unsigned)order & FW_WIRE_ORDER, pc);
        fw_segment_next(t);
    }
    if (kind != FW_WIRE_ATOMIC_STORE)
        t->hot->has_read = true;
}

static void record_load(struct fw_thread *t, const volatile void *address, unsigned size, int order,
                        uint64_t value, uintptr_t pc)
{
    const void *at = (const void *)(uintptr_t)address;

    if (t->load_address == at && t->load_pc == pc && t->load_value == value &&
        t->load_record == fw_sink.count && fw_sink.on) {
        if (++t->spins % SPINS == 0)
            fw_yield(t);
        return;
    }
    record(t, FW_WIRE_ATOMIC_LOAD, address, size, order, pc);
    t->load_address = at;
    t->load_pc = pc;
    t->load_value = value;
    t->load_record = fw_sink.count;
    t->spins = 0;
}

/* A read-modify-write was done. */
static void record_change(struct fw_thread *t, const volatile void *address, unsigned size,
                          int order, bool changed, uintptr_t pc)
{
    if (FW_UNLIKELY(fw_control_on) && changed)
        fw_spin_changed();
    record(t, FW_WIRE_ATOMIC_RMW, address, size, order, pc);
}

static struct fw_thread *enter(const char *name, const volatile void *address, unsigned size,
                               uintptr_t pc)
{
    struct fw_thread *t = fw_enter_atomic(pc, name, (const void *)(uintptr_t)address, size);

    if (t)
        fw_point(t);
    else
        fw_touch(address, NULL, size);
    return t;
}

/* The operation is done. */
static void over(const struct fw_thread *t)
{
    if (!t)
        fw_touch(NULL, NULL, 0);
}

/* --- operations ---------------------------------------------------------------------------- */

#define LOAD_AND_STORE(bits, LOADED, STORED)                                                       \
    FW_EXPORT a##bits __tsan_atomic##bits##_load(const volatile a##bits *address, int order)       \
    {                                                                                              \
        struct fw_thread *t = enter(fw_op_load, address, bits / 8, FW_PC);                         \
        a##bits value = LOADED(address);                                                           \
                                                                                                   \
        over(t);                                                                                   \
        if (t) {                                                                                   \
            record_load(t, address, bits / 8, order, (uint64_t)value, FW_PC);                      \
            fw_leave(t);                                                                           \
        }                                                                                          \
        return value;                                                                              \
    }                                                                                              \
    FW_EXPORT void __tsan_atomic##bits##_store(volatile a##bits *address, a##bits value,           \
                                               int order)                                          \
    {                                                                                              \
        struct fw_thread *t = enter(fw_op_store, address, bits / 8, FW_PC);                        \
                                                                                                   \
        STORED(address, value);                                                                    \
        over(t);                                                                                   \
        if (t) {                                                                                   \
            record(t, FW_WIRE_ATOMIC_STORE, address, bits / 8, order, FW_PC);                      \
            fw_leave(t);                                                                           \
        }                                                                                          \
    }

#define CHANGE(bits, name, CHANGED)                                                                \
    FW_EXPORT a##bits __tsan_atomic##bits##_##name(volatile a##bits *address, a##bits value,       \
                                                   int order)                                      \
    {                                                                                              \
        struct fw_thread *t = enter(fw_op_rmw, address, bits / 8, FW_PC);                          \
        a##bits old = CHANGED(address, value);                                                     \
                                                                                                   \
        over(t);                                                                                   \
        if (t) {                                                                                   \
            record_change(t, address, bits / 8, order, old != *address, FW_PC);                    \
            fw_leave(t);                                                                           \
        }                                                                                          \
        return old;                                                                                \
    }

#define EXCHANGE_IF(bits, name, EXCHANGED)                                                         \
    FW_EXPORT int __tsan_atomic##bits##_compare_exchange_##name(                                   \
        volatile a##bits *address, a##bits *expected, a##bits wanted, int order, int otherwise)    \
    {                                                                                              \
        struct fw_thread *t = enter(fw_op_rmw, address, bits / 8, FW_PC);                          \
        int done = EXCHANGED(address, expected, wanted);                                           \
                                                                                                   \
        over(t);                                                                                   \
        if (t && done)                                                                             \
            record_change(t, address, bits / 8, order, true, FW_PC);                               \
        else if (t)                                                                                \
            record_load(t, address, bits / 8, otherwise, (uint64_t)*expected, FW_PC);              \
        if (t)                                                                                     \
            fw_leave(t);                                                                           \
        return done;                                                                               \
    }

#define OPERATIONS(bits, LOADED, STORED, EXCHANGED, FETCHED)                                       \
    LOAD_AND_STORE(bits, LOADED, STORED)                                                           \
    CHANGE(bits, exchange, FETCHED##_exchange)                                                     \
    CHANGE(bits, fetch_add, FETCHED##_add)                                                         \
    CHANGE(bits, fetch_sub, FETCHED##_sub)                                                         \
    CHANGE(bits, fetch_and, FETCHED##_and)                                                         \
    CHANGE(bits, fetch_or, FETCHED##_or)                                                           \
    CHANGE(bits, fetch_xor, FETCHED##_xor)                                                         \
    CHANGE(bits, fetch_nand, FETCHED##_nand)                                                       \
    EXCHANGE_IF(bits, strong, EXCHANGED)                                                           \
    EXCHANGE_IF(bits, weak, EXCHANGED)                                                             \
    FW_EXPORT a##bits __tsan_atomic##bits##_compare_exchange_val(                                  \
        volatile a##bits *address, a##bits expected, a##bits wanted, int order, int otherwise)     \
    {                                                                                              \
        struct fw_thread *t = enter(fw_op_rmw, address, bits / 8, FW_PC);                          \
        int done = EXCHANGED(address, &expected, wanted);                                          \
                                                                                                   \
        over(t);                                                                                   \
        if (t && done)                                                                             \
            record_change(t, address, bits / 8, order, true, FW_PC);                               \
        else if (t)                                                                                \
            record_load(t, address, bits / 8, otherwise, (uint64_t)expected, FW_PC);               \
        if (t)                                                                                     \
            fw_leave(t);                                                                           \
        return expected;                                                                           \
    }

#define machine_load(address)        __atomic_load_n(address, __ATOMIC_SEQ_CST)
#define machine_store(address, value) __atomic_store_n(address, value, __ATOMIC_SEQ_CST)
#define machine_exchange_if(address, expected, wanted)                                             \
    __atomic_compare_exchange_n(address, expected, wanted, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define machine_exchange(address, value) __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST)
#define machine_add(address, value)  __atomic_fetch_add(address, value, __ATOMIC_SEQ_CST)
#define machine_sub(address, value)  __atomic_fetch_sub(address, value, __ATOMIC_SEQ_CST)
#define machine_and(address, value)  __atomic_fetch_and(address, value, __ATOMIC_SEQ_CST)
#define machine_or(address, value)   __atomic_fetch_or(address, value, __ATOMIC_SEQ_CST)
#define machine_xor(address, value)  __atomic_fetch_xor(address, value, __ATOMIC_SEQ_CST)
#define machine_nand(address, value) __atomic_fetch_nand(address, value, __ATOMIC_SEQ_CST)

OPERATIONS(8, machine_load, machine_store, machine_exchange_if, machine)
OPERATIONS(16, machine_load, machine_store, machine_exchange_if, machine)
OPERATIONS(32, machine_load, machine_store, machine_exchange_if, machine)
OPERATIONS(64, machine_load, machine_store, machine_exchange_if, machine)

/* 16 bytes: everything is a compare-exchange (cmpxchg16b). */
static inline int wide_exchange_if(volatile a128 *address, a128 *expected, a128 wanted)
{
    a128 seen = __sync_val_compare_and_swap(address, *expected, wanted);
    int done = seen == *expected;

    *expected = seen;
    return done;
}

static inline a128 wide_load(const volatile a128 *address)
{
    return __sync_val_compare_and_swap((volatile a128 *)(uintptr_t)address, 0, 0);
}

#define WIDE(name, result)                                                                         \
    static inline a128 wide_##name(volatile a128 *address, a128 value)                             \
    {                                                                                              \
        a128 old = wide_load(address);                                                             \
                                                                                                   \
        while (!wide_exchange_if(address, &old, result))                                           \
            ;                                                                                      \
        return old;                                                                                \
    }
WIDE(exchange, value)
WIDE(add, old + value)
WIDE(sub, old - value)
WIDE(and, (old & value))
WIDE(or, (old | value))
WIDE(xor, (old ^ value))
WIDE(nand, ~(old & value))

#define wide_store(address, value) (void)wide_exchange(address, value)
OPERATIONS(128, wide_load, wide_store, wide_exchange_if, wide)

/* --- fences -------------------------------------------------------------------------------- */

FW_EXPORT void __tsan_atomic_thread_fence(int order)
{
    struct fw_thread *t = enter("fence", NULL, 0, FW_PC); /* touches nothing */

    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (!t)
        return;
    if (!(t->ignored & FW_IGNORE_SYNC)) {
        fw_segment_close(t);
        fw_sink_put(t, FW_WIRE_FENCE, 0, 0, (unsigned)order & FW_WIRE_ORDER, FW_PC);
        fw_segment_next(t);
    }
    fw_leave(t);
}

FW_EXPORT void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
