/*
 * empty_hooks.c - a library that stands in for the runtime and does nothing: what hooks cost by
 * being called.  Atomic operations are done, since the program needs them.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define EMPTY(name, ...)                                                                           \
    void name(__VA_ARGS__)                                                                         \
    {                                                                                              \
    }
#define ACCESS(size)                                                                               \
    EMPTY(__tsan_read##size, void)                                                                 \
    EMPTY(__tsan_write##size, void)                                                                \
    EMPTY(__tsan_read_write##size, void)                                                           \
    EMPTY(__tsan_unaligned_read##size, void)                                                       \
    EMPTY(__tsan_unaligned_write##size, void)                                                      \
    EMPTY(__tsan_unaligned_read_write##size, void)                                                 \
    EMPTY(__tsan_volatile_read##size, void)                                                        \
    EMPTY(__tsan_volatile_write##size, void)

ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
EMPTY(__tsan_read_range, void)
EMPTY(__tsan_write_range, void)
EMPTY(__tsan_vptr_read, void)
EMPTY(__tsan_vptr_update, void)
EMPTY(__tsan_init, void)
EMPTY(__tsan_func_entry, void)
EMPTY(__tsan_func_exit, void)
EMPTY(__foreweave_no_branches, void)
EMPTY(__sanitizer_cov_trace_pc, void)
EMPTY(__sanitizer_cov_trace_pc_guard, void)
EMPTY(__sanitizer_cov_trace_pc_guard_init, void)
EMPTY(__sanitizer_cov_trace_pc_indir, void)

void *__tsan_memcpy(void *to, const void *from, size_t bytes)
{
    return memcpy(to, from, bytes);
}

void *__tsan_memmove(void *to, const void *from, size_t bytes)
{
    return memmove(to, from, bytes);
}

void *__tsan_memset(void *to, int byte, size_t bytes)
{
    return memset(to, byte, bytes);
}

#define CHANGE(bits, name)                                                                         \
    uint##bits##_t __tsan_atomic##bits##_fetch_##name(volatile uint##bits##_t *address,            \
                                                      uint##bits##_t value, int order)             \
    {                                                                                              \
        (void)order;                                                                               \
        return __atomic_fetch_##name(address, value, __ATOMIC_SEQ_CST);                            \
    }
#define COMPARE(bits, name)                                                                        \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile uint##bits##_t *address,            \
                                                      uint##bits##_t *expected,                    \
                                                      uint##bits##_t wanted, int order, int fail)  \
    {                                                                                              \
        (void)order, (void)fail;                                                                   \
        return __atomic_compare_exchange_n(address, expected, wanted, 0, __ATOMIC_SEQ_CST,         \
                                           __ATOMIC_SEQ_CST);                                      \
    }
#define ATOMIC(bits)                                                                               \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *address, int order)   \
    {                                                                                              \
        (void)order;                                                                               \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                         \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *address, uint##bits##_t value,       \
                                     int order)                                                    \
    {                                                                                              \
        (void)order;                                                                               \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                        \
    }                                                                                              \
    uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t *address,                \
                                                  uint##bits##_t value, int order)                 \
    {                                                                                              \
        (void)order;                                                                               \
        return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                              \
    }                                                                                              \
    CHANGE(bits, add)                                                                              \
    CHANGE(bits, sub)                                                                              \
    CHANGE(bits, and)                                                                              \
    CHANGE(bits, or)                                                                               \
    CHANGE(bits, xor)                                                                              \
    COMPARE(bits, strong)                                                                          \
    COMPARE(bits, weak)

ATOMIC(8)
ATOMIC(16)
ATOMIC(32)
ATOMIC(64)

void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

EMPTY(__tsan_atomic_signal_fence, void)
