/*
 * tell.c - what functions without hooks do is not looked at where threads are guarded: interceptors
 * just call the real ones.  Modules that come and go are.
 */
#include "guard/calls.h"
#include "guard/learning.h"
#include "guard/locks.h"
#include "guard/region.h"
#include "runtime/annotate.h"
#include "runtime/futex.h"
#include "runtime/modules.h"
#include "runtime/thread.h"

#include <signal.h>

static struct fw_lock lock;
static uint64_t lock_mask; /* signals of who has it, as they were */

struct fw_thread *fw_tell_at(uintptr_t pc, const char *name)
{
    (void)pc;
    (void)name;
    if (fw_guard_calls_own)
        return NULL;
    fw_guard_calls_look();
    fw_region_end();
    fw_guard_learnt();
    return NULL;
}

struct fw_thread *fw_tell_after_at(uintptr_t pc, const char *name)
{
    return fw_tell_at(pc, name);
}

bool fw_tells_first; /* never: nothing is told */

void fw_await_turn(const struct fw_extent *extents, unsigned count, uintptr_t pc)
{
    (void)extents;
    (void)count;
    (void)pc;
}

/* Handlers are kept out: they may want the lock. */
struct fw_thread *fw_say_at(uintptr_t pc, const char *name, const void *object)
{
    static struct fw_hot hot;
    static struct fw_thread nobody = { .hot = &hot };
    uint64_t all = UINT64_MAX, mask;

    (void)pc;
    (void)name;
    (void)object;
    if (!fw_modules_always)
        return NULL;
    fw_call(SYS_rt_sigprocmask, SIG_SETMASK, &all, &mask, 8);
    fw_lock(&lock);
    lock_mask = mask;
    return &nobody;
}

void fw_said(struct fw_thread *t)
{
    uint64_t mask = lock_mask;

    (void)t;
    fw_unlock(&lock);
    fw_call(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, 8);
}

void fw_access(struct fw_thread *t, const void *address, size_t bytes, bool write, uintptr_t pc)
{
    (void)t;
    (void)address;
    (void)bytes;
    (void)write;
    (void)pc;
}

void fw_annotate_ignore(unsigned what, int by)
{
    (void)what;
    (void)by;
}
