/*
 * effect.h - what threads do to each other through the kernel: points of controlled runs.
 *
 * Whoever opens, removes, writes, closes, forks, sends a signal or ends the process changes what
 * others find later, without any object that they share in memory.  So such calls are points, and
 * stand for operations on words of ours, which tell what they depend on:
 *   - a descriptor is a word, by its channel or its file: two of them may share one;
 *   - names, and the table of descriptors, are all those words;
 *   - what libc keeps for all threads, and the order in which addresses are given out, are a word
 *     for each kind;
 *   - the end of the process, children and signals are everything there is.
 *
 * Who only looks does not depend on who looks.  Looking, and calls that fail (fw_effect_failed),
 * may be done in a loop until another thread changes something, and count as spinning.
 *
 * Without control all this is fw_enter, or nothing.
 */
#ifndef FW_RUNTIME_EFFECT_H
#define FW_RUNTIME_EFFECT_H

#include "runtime/rt.h"

enum fw_reach {
    FW_REACH_OBJECT, /* no effect of this kind: what the operation names */
    FW_REACH_FD,
    FW_REACH_FILES,
    FW_REACH_ALL,
    FW_REACH_LIBC,
};

/* What is kept for all threads, and no descriptor. */
enum fw_libc_state {
    FW_LIBC_RANDOM,
    FW_LIBC_ENVIRONMENT,
    FW_LIBC_LOCALE,
    FW_LIBC_ENDING,
    FW_LIBC_KEYS,
    FW_LIBC_ADDRESSES,
    FW_LIBC_CANCELS,
    FW_LIBC_STATES,
};

struct fw_effect {
    enum fw_reach reach;
    int fd; /* with FW_REACH_FD; with FW_REACH_LIBC what it is */
    bool looks;
};

#define FW_ON_FILES       ((struct fw_effect) { .reach = FW_REACH_FILES })
#define FW_LOOK_AT_FILES  ((struct fw_effect) { .reach = FW_REACH_FILES, .looks = true })
#define FW_ON_FD(number)  ((struct fw_effect) { FW_REACH_FD, (number), false })
#define FW_LOOK_AT_FD(number) ((struct fw_effect) { FW_REACH_FD, (number), true })
#define FW_ON_LIBC(state)      ((struct fw_effect) { FW_REACH_LIBC, (state), false })
#define FW_LOOK_AT_LIBC(state) ((struct fw_effect) { FW_REACH_LIBC, (state), true })
#define FW_LOOK_AT_ALL    ((struct fw_effect) { .reach = FW_REACH_ALL, .looks = true })
#define FW_ON_ALL         ((struct fw_effect) { .reach = FW_REACH_ALL })

#define FW_FILES_BYTES 512u /* all words of descriptors */

/* fw_enter, for a call with an effect. */
#define fw_enter_effect(effect) fw_enter_effect_at(FW_PC, __func__, effect)
struct fw_thread *fw_enter_effect_at(uintptr_t pc, const char *name, struct fw_effect effect);

/* Before a call that has nothing else to tell, or tells it later. */
#define fw_effect(what) fw_effect_at(FW_PC, __func__, what)
#define fw_effect_at(pc, name, what)                                                               \
    do {                                                                                           \
        if (FW_UNLIKELY(fw_control_on))                                                            \
            fw_effect_alone(pc, name, what);                                                       \
    } while (0)
extern bool fw_control_on;
void fw_effect_alone(uintptr_t pc, const char *name, struct fw_effect effect);

/* A call with an effect had none.  t is inside, or NULL; the other is for who is not inside. */
void fw_effect_failed(struct fw_thread *t);
void fw_effect_failed_alone(void);

#endif
