/*
 * events.c - entering and leaving the runtime, and what interceptors record.
 */
#include "runtime/control_quick.h"
#include "runtime/intercept.h"
#include "runtime/shadow.h"
#include "runtime/sink.h"
#include "runtime/sync.h"
#include "runtime/values.h"

#include <string.h>

#define CALL 32 /* ticks that a call without a point takes: it may be made until it succeeds */

void (*fw_calls_follow)(const char *name, const void *object);
void (*fw_calls_place)(uintptr_t pc);
void (*fw_touch_follow)(const volatile void *to, const volatile void *from, size_t bytes);

struct fw_thread *fw_enter_again(void)
{
    struct fw_thread *t = fw_self;

    if (FW_UNLIKELY(!t || t->inside || !fw_serial)) {
        if (t && fw_hot.regions)
            fw_flow_follow(FW_FLOW_CALL);
        return NULL;
    }
    t->inside = 1;
    fw_token_regain(t);
    return t;
}

/* Where threads run in parallel, and are none of ours, this is all there is to do. */
static struct fw_thread *enter_unknown(uintptr_t pc, const char *name, const void *object)
{
    if (FW_UNLIKELY(fw_calls_follow != NULL))
        fw_calls_follow(name, object);
    if (FW_UNLIKELY(fw_calls_place != NULL))
        fw_calls_place(pc);
    return NULL;
}

struct fw_thread *fw_enter_at(uintptr_t pc, const char *name, const void *object)
{
    bool is_atomic;

    if (!fw_self)
        return enter_unknown(pc, name, object);
    is_atomic = name == fw_op_load || name == fw_op_rmw || name == fw_op_store;
    return fw_enter_atomic(pc, name, object, is_atomic ? sizeof(int) : 0);
}

struct fw_thread *fw_enter_atomic(uintptr_t pc, const char *name, const void *object, unsigned size)
{
    struct fw_thread *t = fw_enter_again();

    if (FW_UNLIKELY(fw_calls_follow != NULL) && !t)
        fw_calls_follow(name, object);
    if (FW_UNLIKELY(fw_calls_place != NULL) && !t)
        fw_calls_place(pc);
    if (FW_UNLIKELY(fw_control_on) && t && !object)
        t->hot->ticks -= CALL;
    if (FW_UNLIKELY(fw_control_on) && t && (object || fw_control_every)) {
        struct fw_op op = { .pc = pc,
                            .name = name,
                            .object = (uint64_t)(uintptr_t)object,
                            .extent = size,
                            .writes = name != fw_op_load,
                            .spins = name == fw_op_load || name == fw_op_rmw };

        fw_control_point(t, &op);
    }
    return t;
}

struct fw_thread *fw_enter_freeing_at(uintptr_t pc, const char *name, const void *block,
                                      size_t bytes)
{
    struct fw_op op = { .pc = pc,
                        .name = name,
                        .block = (uint64_t)(uintptr_t)block,
                        .block_bytes = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX,
                        .writes = true };
    struct fw_thread *t = fw_enter_again();

    if (t) {
        t->hot->ticks -= CALL;
        fw_control_point(t, &op);
    }
    return t;
}

void fw_leave(struct fw_thread *t)
{
    t->inside--;
    if (FW_UNLIKELY(fw_signals_waiting) && !t->inside)
        fw_signals_deliver(t);
}

bool fw_may_interrupt(const struct fw_thread *t)
{
    return !t->inside;
}

void fw_ignore(struct fw_thread *t, unsigned what, int by)
{
    for (unsigned i = 0; i < 3; i++) {
        if (!(what & 1u << i) || (by < 0 && !t->ignore[i]))
            continue;
        t->ignore[i] = by < 0 ? t->ignore[i] - 1 : t->ignore[i] + 1;
        t->ignored = t->ignore[i] ? t->ignored | 1u << i : t->ignored & ~(1u << i);
    }
}

/* Records of threads are always sent: without them nothing that follows makes sense. */
static bool is_ignored(const struct fw_thread *t, enum fw_wire_kind kind)
{
    bool of_threads = kind >= FW_WIRE_FORK && kind <= FW_WIRE_NAME;

    return t->ignored & FW_IGNORE_SYNC && !of_threads;
}

uint64_t fw_sync(struct fw_thread *t, enum fw_wire_kind kind, const void *object, uintptr_t pc)
{
    uint64_t number;

    if (is_ignored(t, kind))
        return 0;
    t->hot->ticks--;
    fw_segment_close(t);
    number = fw_sink_put(t, kind, (uintptr_t)object, 0, 0, pc);
    fw_segment_next(t);
    if (kind == FW_WIRE_JOIN)
        t->hot->has_read = true;
    if (kind == FW_WIRE_BEFORE) {
        fw_control_stirred = true;
        fw_quick_end();
        if (FW_UNLIKELY(fw_control_on))
            fw_wake(&fw_control_stirred, FW_WAKE_ALL, 0);
    }
    return number;
}

uint64_t fw_sync_late(struct fw_thread *t, enum fw_wire_kind kind, const void *object,
                      uintptr_t pc)
{
    uint64_t number;

    fw_sink_nowhere(t);
    number = fw_sync(t, kind, object, pc);
    t->hot->told = 0;
    return number;
}

uint64_t fw_sync_answer(struct fw_thread *t, enum fw_wire_kind kind, const void *object,
                        uint64_t answered, uintptr_t pc)
{
    uint64_t number;

    if (is_ignored(t, kind))
        return 0;
    t->hot->ticks--;
    fw_segment_close(t);
    number = fw_sink_put_more(t, kind, (uintptr_t)object, answered, 0, pc);
    fw_segment_next(t);
    return number;
}

/* After these, accesses repeat what came before. */
static bool keeps_segment(enum fw_wire_kind kind)
{
    switch (kind) {
    case FW_WIRE_ALLOC:
    case FW_WIRE_FREE:
    case FW_WIRE_RESIZE:
    case FW_WIRE_MAP:
    case FW_WIRE_UNMAP:
    case FW_WIRE_NAME:
    case FW_WIRE_TEXT:
    case FW_WIRE_MODULE:
    case FW_WIRE_UNLOAD:
    case FW_WIRE_NOTE:
    case FW_WIRE_EXPECT:
    case FW_WIRE_UNSEEN:
        return true;
    default:
        return false;
    }
}

/* Before a record that ends a segment, or a block. */
static void close_before(struct fw_thread *t, enum fw_wire_kind kind, uint64_t operand, uint64_t a1)
{
    bool ends = kind == FW_WIRE_FREE || kind == FW_WIRE_UNMAP;

    if (fw_values_on && ends)
        fw_values_forget((uintptr_t)operand, a1);
    if (!keeps_segment(kind))
        fw_segment_close(t);
    else if (ends && t->again_count)
        fw_segment_close_block(t, (uintptr_t)operand, a1);
}

uint64_t fw_record(struct fw_thread *t, enum fw_wire_kind kind, uint64_t operand, uintptr_t pc)
{
    uint64_t number;

    close_before(t, kind, operand, 0);
    number = fw_sink_put(t, kind, operand, 0, 0, pc);
    if (!keeps_segment(kind))
        fw_segment_next(t);
    return number;
}

void fw_record_free(struct fw_thread *t, const void *block, size_t bytes, uintptr_t pc)
{
    close_before(t, FW_WIRE_FREE, (uintptr_t)block, bytes);
    if (FW_UNLIKELY(fw_control_observes))
        fw_control_observe_free(t, (uintptr_t)block, bytes, pc);
    fw_sink_put(t, FW_WIRE_FREE, (uintptr_t)block, 0, 0, pc);
}

uint64_t fw_record_more(struct fw_thread *t, enum fw_wire_kind kind, uint64_t operand, uint64_t a1,
                        uint64_t b1, uintptr_t pc)
{
    uint64_t number;

    close_before(t, kind, operand, a1);
    number = fw_sink_put_more(t, kind, operand, a1, b1, pc);
    if (!keeps_segment(kind))
        fw_segment_next(t);
    return number;
}

uint64_t fw_record_text(struct fw_thread *t, enum fw_wire_kind kind, uint64_t operand,
                        const char *text)
{
    return fw_sink_put_text(t, kind, operand, NULL, text);
}

/* --- notes --------------------------------------------------------------------------------- */

#define NOTES 64u

static uint64_t notes_sent[NOTES]; /* hashes; the holder's */
static unsigned note_count;

static bool is_new(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    for (unsigned i = 0; i < note_count; i++)
        if (notes_sent[i] == hash)
            return false;
    if (note_count == NOTES)
        return false;
    notes_sent[note_count++] = hash;
    return true;
}

void fw_note(const char *key, const char *value)
{
    struct fw_thread *t = fw_self;
    size_t key_length = strlen(key), length = strlen(value);
    char text[512];

    if (!t || !fw_token_has(t) || key_length + length + 2 > sizeof text)
        return;
    memcpy(text, key, key_length);
    text[key_length] = '=';
    memcpy(text + key_length + 1, value, length + 1);
    if (is_new(text))
        fw_record_text(t, FW_WIRE_NOTE, 0, text);
}

void fw_unmodelled(const char *what)
{
    fw_note("unmodelled", what);
}
