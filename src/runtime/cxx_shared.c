/*
 * cxx_shared.c - what libstdc++ does atomically in its own code, without hooks: it counts who
 * refers to an exception, and makes futures ready when a thread ends.
 *
 * The atomic operations are told before the call that makes them.  Nobody else gets the token in
 * between: until they are done the library calls nothing that hands it over.
 *
 * Objects look as libstdc++'s ABI says on x86-64; exceptions do so since its version 4.5, futures
 * since 5.
 */
#include "runtime/control.h"
#include "runtime/library.h"
#include "runtime/shadow.h"
#include "runtime/sink.h"
#include "runtime/sync.h"

static void tell(struct fw_thread *t, enum fw_wire_kind kind, const int *word, int order,
                 uintptr_t pc)
{
    fw_shadow_forget((uintptr_t)word);
    if (t->ignored & FW_IGNORE_SYNC)
        return;
    fw_segment_close(t);
    fw_sink_put(t, kind, (uintptr_t)word, sizeof *word, (unsigned)order & FW_WIRE_ORDER, pc);
    fw_segment_next(t);
    t->hot->has_read |= kind != FW_WIRE_ATOMIC_STORE;
}

/* --- exceptions ----------------------------------------------------------------------------- */

struct header { /* _Unwind_Exception, which is the end of what stands before a thrown object */
    uint64_t class;
    void (*cleanup)(int reason, struct header *header);
    uint64_t private[2];
};

#define THROWN   UINT64_C(0x474e5543432b2b00) /* "GNUCC++\0" */
#define RETHROWN UINT64_C(0x474e5543432b2b01) /* by rethrow_exception: it refers to another one */

/* The count of what was thrown, before the object itself. */
static const int *count_of(const void *object)
{
    return (const int *)((const char *)object - 128);
}

/*
 * Somebody lets go of it.  The last one destroys it and comes after all others, who need no order
 * among themselves (nor do those who take hold of it, since they do so through somebody who has):
 * it is a semaphore that they post, and from which the last one takes all that is there.
 */
static void lets_go(const void *object, uintptr_t pc)
{
    const int *count = object ? count_of(object) : NULL;
    struct fw_thread *t = count ? fw_enter_at(pc, fw_op_rmw, count) : NULL;
    struct fw_cell *cell;

    if (!t)
        return;
    fw_point(t);
    /* acquire: pairs with the library's release */
    if (__atomic_load_n(count, __ATOMIC_ACQUIRE) > 1) {
        cell = fw_cell_get(FW_CELL_SEMAPHORE, count, 0);
        if (cell && fw_sync(t, FW_WIRE_POST, count, pc))
            cell->of.semaphore.posted++;
    } else if ((cell = fw_cell_find(FW_CELL_SEMAPHORE, count, 0))) {
        while (cell->of.semaphore.posted--)
            fw_sync_answer(t, FW_WIRE_PEND, count, 0, pc);
        fw_sync(t, FW_WIRE_DESTROY, count, pc);
        fw_cell_drop(cell);
    }
    fw_leave(t);
}

CXX(exception_release, "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv", "CXXABI_1.3.13", void,
    (void **pointer))
{
    lets_go(*pointer, FW_PC);
    real_cxx_exception_release()(pointer);
}

/* The last handler of an exception has ended. */
LIBRARY("libgcc_s.so.1", unwind_delete, "_Unwind_DeleteException", "GCC_3.0", void,
        (struct header *header))
{
    if (header->class == THROWN)
        lets_go(header + 1, FW_PC);
    else if (header->class == RETHROWN) /* the pointer stands where the other's description does */
        lets_go(*(void **)((char *)header - 80), FW_PC);
    real_unwind_delete()(header);
}

_Static_assert(sizeof(struct header) == 32, "the object begins behind it");

/* --- futures that are ready when a thread ends ------------------------------------------------ */

struct counts { /* std::_Sp_counted_base */
    void *table;
    int uses, weak;
};

struct state { /* std::__future_base::_State_baseV2 */
    void *table, *result;
    int status;
};

struct ready { /* std::__future_base::_State_baseV2::_Make_ready */
    struct ready *next;
    void (*run)(struct ready *ready);
    struct state *state; /* a weak_ptr */
    struct counts *counts;
};

static void (*real_run)(struct ready *ready);

/* It locks the weak pointer, sets the status, and gives both pointers back. */
static void run(struct ready *ready)
{
    struct counts *counts = ready->counts;
    struct fw_thread *t = fw_enter_at(FW_PC, fw_op_rmw, &ready->state->status);

    if (t) {
        fw_point(t);
        /* acquire: pairs with the releases of those who held it */
        if (__atomic_load_n(&counts->uses, __ATOMIC_ACQUIRE)) {
            tell(t, FW_WIRE_ATOMIC_RMW, &counts->uses, __ATOMIC_ACQ_REL, FW_PC);
            tell(t, FW_WIRE_ATOMIC_STORE, &ready->state->status, __ATOMIC_RELEASE, FW_PC);
            tell(t, FW_WIRE_ATOMIC_RMW, &counts->uses, __ATOMIC_ACQ_REL, FW_PC);
        } else {
            tell(t, FW_WIRE_ATOMIC_LOAD, &counts->uses, __ATOMIC_ACQUIRE, FW_PC);
        }
        tell(t, FW_WIRE_ATOMIC_RMW, &counts->weak, __ATOMIC_ACQ_REL, FW_PC);
        fw_leave(t);
    }
    __atomic_load_n(&real_run, __ATOMIC_RELAXED)(ready); /* what its own thread has stored */
}

/* All of them are run by one function. */
CXX(make_ready, "_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv", "GLIBCXX_3.4.21", void,
    (struct ready *ready))
{
    real_cxx_make_ready()(ready);
    if (ready->state && ready->counts) {
        __atomic_store_n(&real_run, ready->run, __ATOMIC_RELAXED); /* the same for all threads */
        ready->run = run;
    }
}
