/*
 * control_effect.c - see effect.h.
 */
#include "runtime/effect.h"

#include "runtime/channel.h"
#include "runtime/control.h"
#include "runtime/intercept.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define WORDS (FW_FILES_BYTES / sizeof(uint64_t))

static uint64_t words[WORDS]; /* only their addresses matter; the first is for all */
static uint64_t libc_words[FW_LIBC_STATES];
static uint64_t all;

/* Copies of a descriptor, and the two ends of a pipe, are one. */
static const void *word_of(int fd)
{
    struct stat about = { 0 };
    uint64_t number = fw_channel_in(fd);

    if (!number && fw_syscall(SYS_fstat, fd, (long)&about, 0, 0, 0, 0) == 0)
        number = (uint64_t)about.st_dev << 32 ^ about.st_ino;
    return &words[1 + (number * 0x9e3779b97f4a7c15u >> 32) % (WORDS - 1)];
}

static const void *object_of(struct fw_effect effect)
{
    switch (effect.reach) {
    case FW_REACH_ALL:
        return &all;
    case FW_REACH_FILES:
        return words;
    case FW_REACH_LIBC:
        return &libc_words[effect.fd];
    default:
        return word_of(effect.fd);
    }
}

static void come_by(struct fw_thread *t, uintptr_t pc, const char *name, struct fw_effect effect)
{
    struct fw_op op = { .pc = pc,
                        .name = name,
                        .object = (uint64_t)(uintptr_t)object_of(effect),
                        .reach = effect.reach,
                        .writes = !effect.looks,
                        .spins = effect.looks };

    fw_control_point(t, &op);
}

struct fw_thread *fw_enter_effect_at(uintptr_t pc, const char *name, struct fw_effect effect)
{
    struct fw_thread *t;

    if (FW_LIKELY(!fw_control_on))
        return fw_enter_at(pc, name, NULL);
    t = fw_enter_again();
    if (t)
        come_by(t, pc, name, effect);
    return t;
}

void fw_effect_alone(uintptr_t pc, const char *name, struct fw_effect effect)
{
    struct fw_thread *t = fw_enter_effect_at(pc, name, effect);

    fw_done(t);
}

/* Which words it will access is not known here, so it may be any.  Steps may name every call.  Who
 * spins is seen by what it accesses then. */
void fw_call_shares(uintptr_t pc, const char *name)
{
    struct fw_thread *t = fw_enter_again();
    struct fw_op op = { .pc = pc, .name = name, .object = (uintptr_t)&all, .reach = FW_REACH_ALL };

    if (!t)
        return;
    op.writes = fw_control_call_shares(pc, true);
    if (op.writes || fw_control_every || fw_control->flags & FW_CONTROL_ALL_POINTS ||
        fw_control_call_shares(pc, false))
        fw_control_point(t, &op);
    fw_leave(t);
}

void fw_effect_failed(struct fw_thread *t)
{
    int saved = errno;

    if (FW_UNLIKELY(fw_control_on) && t)
        fw_spin_failed(t);
    errno = saved;
}

void fw_effect_failed_alone(void)
{
    int saved = errno;
    struct fw_thread *t = FW_UNLIKELY(fw_control_on) ? fw_enter_again() : NULL;

    if (t) {
        fw_spin_failed(t);
        fw_leave(t);
    }
    errno = saved;
}
