/*
 * init.c - how this library comes to life in a program.
 *
 * Without FOREWEAVE_OPTIONS, or with a file that cannot be used, nothing is switched on and the
 * program runs as it would alone.
 */
#include "guard/calls.h"
#include "guard/flight.h"
#include "guard/guard.h"
#include "guard/lifetx.h"
#include "guard/locks.h"
#include "guard/mutexes.h"
#include "guard/region.h"
#include "guard/shared_maps.h"
#include "guard/touch.h"
#include "runtime/futex.h"
#include "runtime/modules.h"
#include "runtime/options.h"
#include "runtime/thread.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <linux/membarrier.h>
#include <stdlib.h>

static struct fw_runtime_options options;

void *fw_real_symbol(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static void follow_nothing(enum fw_flow what)
{
    (void)what;
}

/* Calls are of interest where something is watched. */
static void follow_module(const char *path, uintptr_t base)
{
    fw_guard_module(path, base);
    if (fw_guard->counts[FW_GUARD_PLACED])
        fw_calls_follow = fw_guard_tx ? fw_guard_tx_call
                          : fw_guard->mode == FW_GUARD_LEARN || fw_guard->noise
                              ? fw_guard_locks_call
                              : fw_guard_locks_pass;
    if (fw_flights_on)
        fw_touch_follow = fw_touch_around;
    fw_guard_mutexes_follow();
}

static void start(void)
{
    struct fw_thread *t;
    void *frame;

    fw_call(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0, 0);
    backtrace(&frame, 1); /* loads what it needs, while that is harmless */
    fw_flow_follow = follow_nothing;
    fw_flow_freed = fw_guard_freed;
    fw_flow_frees = true;
    fw_guard_locks_begin();
    fw_guard_tx = fw_guard->mode == FW_GUARD_LIFETX;
    if (fw_guard_tx)
        fw_calls_place = fw_guard_tx_place;
    fw_modules_follow = follow_module;
    fw_modules_always = true;
    t = fw_say();
    fw_modules_begin(t);
    fw_said(t);
    fw_guard_calls_begin();
    fw_guard_self_new();
    if (fw_flights_on) {
        fw_shared_maps_begin();
        fw_regions_follow_handlers();
    }
}

/* After the real functions are known. */
static __attribute__((constructor(102))) void fw_runtime_init(void)
{
    const char *text = getenv("FOREWEAVE_OPTIONS");

    if (!text)
        return;
    fw_runtime_options_parse(&options, text);
    if (options.guarded && options.guard[0] && fw_guard_open(options.guard, options.strict))
        start();
}

void fw_runtime_forked(void)
{
    if (fw_guard)
        fw_guard_forked();
}

void fw_runtime_ending(enum fw_wire_kind kind, uint64_t operand, const char *text)
{
    (void)kind;
    (void)operand;
    (void)text;
}
