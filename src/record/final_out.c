/*
 * final_out.c - see final_state.h: events out.
 *
 * Events that may be ill-formed are collected into batches, go through the same check as everything
 * that is read (which drops and counts what does not fit), and are numbered by the writer.  All
 * others, the bulk, go straight into the columns of the trace; once something was dropped, so that
 * indices differ from places, they take the long way too.
 */
#include "record/final_state.h"

void fw_final_open(struct fw_final *f)
{
    static const struct fw_read_options repair = { .repair = true };

    f->symbols = fw_symbols_create();
    f->wellformed = fw_wellformed_create(f->symbols, &repair);
    fw_vec_push(&f->attrs, ((struct fw_attr) { 0 }));
    if (fw_writer_open_output(&f->writer, f->setup->out, "fwt", f->symbols, true, f->err) < 0 ||
        fw_fwt_write_metadata(fw_writer_encoder(f->writer), FW_FWT_REPEATS, "left out", f->err) < 0)
        fw_final_fail(f);
    else
        f->columns = fw_fwt_columns_of(fw_writer_encoder(f->writer));
}

void fw_final_fail(struct fw_final *f)
{
    f->failed = true;
}

static void start_batch(struct fw_final *f)
{
    f->raw += f->events.len;
    f->events.len = 0;
    f->attrs.len = 1;
}

/* Tells of the events that were put without a check. */
static void settle(struct fw_final *f)
{
    if (!f->passed)
        return;
    fw_wellformed_passed(f->wellformed, f->passed);
    fw_writer_passed(f->writer, f->passed);
    f->raw += f->passed;
    f->passed = 0;
}

void fw_final_block_full(struct fw_final *f)
{
    if (fw_fwt_flush(fw_writer_encoder(f->writer), f->err) < 0)
        fw_final_fail(f);
}

bool fw_final_lane(struct fw_final *f)
{
    if (f->events.len)
        fw_final_flush(f);
    if (!f->thread->easy)
        f->thread->easy = fw_wellformed_is_easy(f->wellformed, f->thread->id);
    return f->thread->easy && !f->failed;
}

void fw_final_flush(struct fw_final *f)
{
    struct fw_raw_batch raw = { f->events.at, f->attrs.at, (uint32_t)f->events.len };
    struct fw_batch batch;
    struct fw_error why;
    uint32_t bad;

    settle(f);
    if (f->failed || !raw.count)
        return;
    fw_wellformed_filter(f->wellformed, &raw, &batch, &f->status, &bad, &why);
    if (bad != FW_NOTHING_BAD && !f->status.first_drop[0])
        snprintf(f->status.first_drop, sizeof f->status.first_drop, "%.255s", why.message);
    if (batch.count && fw_writer_batch(f->writer, &batch, f->err) < 0)
        fw_final_fail(f);
    start_batch(f);
}

#define BIT(kind) (UINT64_C(1) << (kind))

/* Kinds that need no check (wellformed.h). */
static const uint64_t easy_kinds = BIT(FW_READ) | BIT(FW_WRITE) | BIT(FW_ATOMIC_LOAD) |
                                   BIT(FW_ATOMIC_STORE) | BIT(FW_ATOMIC_RMW) | BIT(FW_FENCE) |
                                   BIT(FW_BRANCH) | BIT(FW_CALL) | BIT(FW_RETURN) |
                                   BIT(FW_ALLOC) | BIT(FW_FREE);

/* Straight into the columns; false: it cannot go there. */
static bool pass(struct fw_final *f, const struct fw_event *event, const struct fw_attr *attr)
{
    uint32_t code;

    if (!(easy_kinds >> event->kind & 1) || !fw_final_lane(f))
        return false;
    code = fw_fwt_columns_code(f->columns, event, attr, f->err);
    if (code == FW_FWT_NO_CODE)
        fw_final_fail(f);
    else
        fw_final_put(f, code, event->target);
    return true;
}

/* With an attribute, or NULL. */
static uint64_t push(struct fw_final *f, struct fw_event event, const struct fw_attr *attr)
{
    uint64_t index = f->raw + f->passed + f->events.len;

    event.thread = f->thread->id & (FW_MAX_THREADS - 1);
    event.attr = attr ? 1 : 0;
    if (pass(f, &event, attr)) /* which may have begun a new batch */
        return index;
    if (attr) {
        event.attr = (uint32_t)f->attrs.len;
        fw_vec_push(&f->attrs, *attr);
    }
    fw_vec_push(&f->events, event);
    if (f->events.len >= FW_BATCH_EVENTS)
        fw_final_flush(f);
    return index;
}

/* Events that are dropped would shift the numbers: then there are no positions. */
void fw_final_marks_out(struct fw_final *f)
{
    if (f->marks.len && !f->status.dropped && !f->failed &&
        fw_fwt_write_positions(fw_writer_encoder(f->writer), f->marks.at, f->marks.len, f->err) < 0)
        fw_final_fail(f);
    f->marks.len = 0;
}

void fw_final_mark(struct fw_final *f, uint64_t blocks)
{
    struct fw_fwt_mark mark = { .event = f->raw + f->passed + f->events.len,
                                .blocks = blocks,
                                .thread = f->thread->id };

    fw_vec_push(&f->marks, mark);
    if (f->marks.len < FW_FWT_MAX_MARKS)
        return;
    fw_final_flush(f);
    fw_final_marks_out(f);
}

static void write_calls(struct fw_final *f)
{
    struct final_thread *t = f->thread;

    for (; t->written < t->calls.len; t->written++) {
        const struct final_call *call = &t->calls.at[t->written];

        push(f, (struct fw_event) { .kind = FW_CALL,
                                    .target = fw_final_function(f, call->function),
                                    .site = fw_final_site(f, call->pc) },
             NULL);
    }
}

void fw_final_branch(struct fw_final *f)
{
    if (f->thread->has_read)
        push(f, (struct fw_event) { .kind = FW_BRANCH }, NULL);
    f->thread->has_read = false;
    f->thread->branched = false;
}

void fw_final_before(struct fw_final *f, uint64_t pc, bool fixed)
{
    struct final_thread *t = f->thread;

    if (t->has_read && (t->branched || !(fixed || fw_final_fixed(f, pc))))
        fw_final_branch(f);
    t->branched = false;
    if (t->written < t->calls.len)
        write_calls(f);
}

uint64_t fw_final_event(struct fw_final *f, enum fw_kind kind, uint32_t target, uint64_t pc,
                        unsigned order, uint64_t size)
{
    struct fw_attr attr = { .size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
                            .has = FW_ATTR_SIZE };

    return push(f,
                (struct fw_event) { .kind = kind,
                                    .target = target,
                                    .site = fw_final_site(f, pc),
                                    .order = order & 15 },
                size ? &attr : NULL);
}

uint64_t fw_final_answering(struct fw_final *f, enum fw_kind kind, uint32_t target, uint64_t pc,
                            uint64_t answered)
{
    struct fw_attr attr = { .rf = answered, .has = FW_ATTR_RF };

    return push(f,
                (struct fw_event) {
                    .kind = kind, .target = target, .site = fw_final_site(f, pc) },
                &attr);
}
