/*
 * final_record.c - see final_state.h: what each kind of record becomes.
 */
#include "record/final_state.h"

#include <stdio.h>

/* Notifies and posts that are remembered for those who answer late. */
#define MOST_ANSWERS (1u << 20)

struct final_thread *fw_final_thread(struct fw_final *f, uint64_t number)
{
    struct final_thread *t;
    char name[24];
    int len;

    if (number >= FW_MAX_THREADS - 1)
        return NULL;
    fw_vec_extend(&f->threads, (size_t)number + 1);
    t = f->threads.at[number];
    if (t)
        return t;
    t = fw_xcalloc(1, sizeof *t);
    t->number = (uint32_t)number;
    len = snprintf(name, sizeof name, "T%u", t->number);
    t->id = fw_strtab_intern(&f->symbols->table[FW_SPACE_THREAD], name, (size_t)len);
    f->threads.at[number] = t;
    return t;
}

/* --- who answers whom ------------------------------------------------------------------------ */

/* The answer with this record number, or NULL. */
static struct final_answer *find_answer(const struct final_answers *list, uint64_t record)
{
    size_t low = 0, high = list->len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (list->at[middle].record < record)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->len && list->at[low].record == record ? &list->at[low] : NULL;
}

static void forget_oldest(struct final_answers *list, size_t count)
{
    list->len -= count;
    memmove(list->at, list->at + count, list->len * sizeof *list->at);
}

static void note_notify(struct fw_final *f, uint32_t object, uint64_t event)
{
    if (f->notifies.len >= MOST_ANSWERS)
        forget_oldest(&f->notifies, MOST_ANSWERS / 2);
    fw_vec_push(&f->notifies,
                ((struct final_answer) { .record = f->record, .event = event, .object = object }));
}

/* Answered posts go once they are half of the list. */
static void tidy_posts(struct fw_final *f)
{
    size_t kept = 0;

    if (f->posts_answered * 2 < f->posts.len || f->posts.len < 64)
        return;
    for (size_t i = 0; i < f->posts.len; i++)
        if (!f->posts.at[i].answered)
            f->posts.at[kept++] = f->posts.at[i];
    f->posts.len = kept;
    f->posts_answered = 0;
}

static void note_post(struct fw_final *f, uint32_t object, uint64_t event)
{
    tidy_posts(f);
    fw_vec_push(&f->posts,
                ((struct final_answer) { .record = f->record, .event = event, .object = object }));
}

static struct final_answer *oldest_post(struct fw_final *f, uint32_t object)
{
    for (size_t i = 0; i < f->posts.len; i++)
        if (!f->posts.at[i].answered && f->posts.at[i].object == object)
            return &f->posts.at[i];
    return NULL;
}

/*
 * Tokens of a semaphore are all the same; which post a pend answers only matters for what must
 * come before it.  If its own post is taken, or it took a token that was there from the
 * beginning while posts are unanswered, it gets the oldest of these: that is what readers
 * take it for.
 */
static void pend(struct fw_final *f, const struct fw_wire_unit *record)
{
    uint32_t object = fw_final_object(f, FW_SPACE_SEMAPHORE, fw_wire_operand(record));
    struct final_answer *post = find_answer(&f->posts, record[1].a);

    if (!record[1].a || !post || post->answered || post->object != object)
        post = oldest_post(f, object);
    fw_final_before(f, fw_wire_pc(record), false);
    if (!post) {
        fw_final_event(f, FW_PEND, object, fw_wire_pc(record), 0, 0);
        return;
    }
    post->answered = true;
    f->posts_answered++;
    fw_final_answering(f, FW_PEND, object, fw_wire_pc(record), post->event);
}

/* A wait that nobody ended, by time or for no reason, is just its release and acquire. */
static void wake(struct fw_final *f, const struct fw_wire_unit *record)
{
    const struct final_answer *notify = find_answer(&f->notifies, record[1].a);
    uint32_t object = fw_final_object(f, FW_SPACE_CONDITION, fw_wire_operand(record));

    if (!notify || notify->object != object)
        return;
    fw_final_before(f, fw_wire_pc(record), false);
    fw_final_answering(f, FW_WAKE, object, fw_wire_pc(record), notify->event);
}

/* --- operations on objects ------------------------------------------------------------------- */

static const struct {
    unsigned char known, kind;
} operations[FW_WIRE_KIND_COUNT] = {
    [FW_WIRE_ACQUIRE] = { 1, FW_ACQUIRE },
    [FW_WIRE_RELEASE] = { 1, FW_RELEASE },
    [FW_WIRE_TRY_ACQUIRE] = { 1, FW_TRY_ACQUIRE },
    [FW_WIRE_TRY_FAIL] = { 1, FW_TRY_FAIL },
    [FW_WIRE_SHARED_ACQUIRE] = { 1, FW_SHARED_ACQUIRE },
    [FW_WIRE_SHARED_RELEASE] = { 1, FW_SHARED_RELEASE },
    [FW_WIRE_TRY_SHARED_ACQUIRE] = { 1, FW_TRY_SHARED_ACQUIRE },
    [FW_WIRE_NOTIFY] = { 1, FW_NOTIFY },
    [FW_WIRE_NOTIFY_ALL] = { 1, FW_NOTIFY_ALL },
    [FW_WIRE_POST] = { 1, FW_POST },
    [FW_WIRE_BARRIER_IN] = { 1, FW_BARRIER_IN },
    [FW_WIRE_BARRIER_OUT] = { 1, FW_BARRIER_OUT },
};

static void operate(struct fw_final *f, const struct fw_wire_unit *record, enum fw_kind kind)
{
    uint32_t object = fw_final_object(f, fw_kind_info[kind].space, fw_wire_operand(record));
    uint64_t event;

    fw_final_before(f, fw_wire_pc(record), false);
    event = fw_final_event(f, kind, object, fw_wire_pc(record), 0, 0);
    if (kind == FW_NOTIFY || kind == FW_NOTIFY_ALL)
        note_notify(f, object, event);
    else if (kind == FW_POST)
        note_post(f, object, event);
}

static void fence(struct fw_final *f, const struct fw_wire_unit *record)
{
    fw_final_before(f, fw_wire_pc(record), true);
    fw_final_event(f, FW_FENCE, 0, fw_wire_pc(record), fw_final_order(record), 0);
}

/* --- threads and calls ----------------------------------------------------------------------- */

static void fork_or_join(struct fw_final *f, const struct fw_wire_unit *record, enum fw_kind kind)
{
    struct final_thread *other = fw_final_thread(f, fw_wire_operand(record));

    if (!other)
        return;
    /* By now the libraries that the program is linked with have said whether they have hooks. */
    if (f->modules_asked != f->modules.all.len)
        fw_final_libraries(f);
    fw_final_before(f, fw_wire_pc(record), kind == FW_FORK);
    fw_final_event(f, kind, other->id, fw_wire_pc(record), 0, 0);
    if (kind == FW_FORK)
        other->has_read = true; /* it starts with what its parent had read */
    else
        f->thread->has_read = true;
    other->easy = false;
}

/* What its thread did last may have hung on what it read: so does that it ends. */
static void finish(struct fw_final *f)
{
    if (f->thread->branched)
        fw_final_branch(f);
}

static void call(struct fw_final *f, const struct fw_wire_unit *record)
{
    fw_vec_push(&f->thread->calls, ((struct final_call) { fw_wire_operand(record),
                                                          fw_wire_pc(record) }));
    if (f->thread->has_read && !f->thread->branched && !fw_final_direct(f, fw_wire_pc(record)))
        f->thread->branched = true;
}

static void returns(struct fw_final *f, uint64_t count)
{
    struct final_thread *t = f->thread;

    for (; count && t->calls.len; count--) {
        struct final_call last = fw_vec_pop(&t->calls);

        if (t->written <= t->calls.len)
            continue;
        t->written = t->calls.len;
        fw_final_event(f, FW_RETURN, fw_final_function(f, last.function), 0, 0, 0);
    }
}

static void block(struct fw_final *f, const struct fw_wire_unit *record, bool begin)
{
    struct final_thread *t = f->thread;
    uint32_t label;

    if (!begin && !t->blocks.len)
        return;
    if (begin) {
        label = fw_final_label(f, fw_wire_operand(record));
        fw_vec_push(&t->blocks, label);
    } else {
        label = fw_vec_pop(&t->blocks);
    }
    fw_final_before(f, fw_wire_pc(record), true);
    fw_final_event(f, begin ? FW_BEGIN : FW_END, label, fw_wire_pc(record), 0, 0);
}

/* --- the table ------------------------------------------------------------------------------- */

static void told(struct fw_final *f, const struct fw_wire_unit *record)
{
    size_t len;

    switch (fw_wire_kind(record)) {
    case FW_WIRE_NAME:
        fw_final_thread_name(f, record);
        break;
    case FW_WIRE_TEXT:
        fw_final_text(f, record);
        break;
    case FW_WIRE_NOTE:
        fw_final_note(f, record);
        break;
    case FW_WIRE_EXIT:
        f->exit_status = (int)(fw_wire_operand(record) & 0xff);
        break;
    case FW_WIRE_SIGNAL:
        f->signal = (int)(fw_wire_operand(record) & 0xff);
        break;
    case FW_WIRE_EXEC:
        free(f->exec);
        f->exec = fw_xstrndup(fw_unit_text(record, &len), fw_wire_aux(record));
        break;
    default:
        break;
    }
}

static void memory(struct fw_final *f, const struct fw_wire_unit *record)
{
    switch (fw_wire_kind(record)) {
    case FW_WIRE_READ:
    case FW_WIRE_READ_RANGE:
        fw_final_access(f, record, FW_READ, fw_final_bytes(record));
        break;
    case FW_WIRE_WRITE:
    case FW_WIRE_WRITE_RANGE:
        fw_final_access(f, record, FW_WRITE, fw_final_bytes(record));
        break;
    case FW_WIRE_ATOMIC_LOAD:
        fw_final_access(f, record, FW_ATOMIC_LOAD, fw_final_bytes(record));
        break;
    case FW_WIRE_ATOMIC_STORE:
        fw_final_access(f, record, FW_ATOMIC_STORE, fw_final_bytes(record));
        break;
    case FW_WIRE_ATOMIC_RMW:
        fw_final_access(f, record, FW_ATOMIC_RMW, fw_final_bytes(record));
        break;
    case FW_WIRE_EXPECT:
        fw_final_expect(f, fw_wire_operand(record), record[1].a);
        break;
    case FW_WIRE_UNSEEN:
        fw_final_unseen(f, fw_wire_operand(record), fw_final_bytes(record));
        break;
    default:
        fw_final_life(f, record);
    }
}

/* Threads, calls, annotations; false: the record is of another sort. */
static bool control(struct fw_final *f, const struct fw_wire_unit *record)
{
    switch (fw_wire_kind(record)) {
    case FW_WIRE_BLOCKS:
        fw_final_mark(f, fw_wire_operand(record));
        return true;
    case FW_WIRE_FENCE:
        fence(f, record);
        return true;
    case FW_WIRE_WAKE:
        wake(f, record);
        return true;
    case FW_WIRE_PEND:
        pend(f, record);
        return true;
    case FW_WIRE_DESTROY:
        fw_final_destroyed(f, fw_wire_operand(record));
        return true;
    case FW_WIRE_FORK:
    case FW_WIRE_JOIN:
        fork_or_join(f, record, fw_wire_kind(record) == FW_WIRE_FORK ? FW_FORK : FW_JOIN);
        return true;
    case FW_WIRE_FINISH:
        finish(f);
        return true;
    case FW_WIRE_CALL:
        call(f, record);
        return true;
    case FW_WIRE_RETURN:
        returns(f, fw_wire_operand(record));
        return true;
    case FW_WIRE_BEGIN:
    case FW_WIRE_END:
        block(f, record, fw_wire_kind(record) == FW_WIRE_BEGIN);
        return true;
    case FW_WIRE_BEFORE:
    case FW_WIRE_AFTER:
        fw_final_before_after(f, record, fw_wire_kind(record) == FW_WIRE_BEFORE);
        return true;
    default:
        return false;
    }
}

static void waiting(struct fw_final *f, const struct fw_wire_unit *record)
{
    if (fw_wire_kind(record) >= FW_WIRE_STUCK)
        fw_final_stuck(f, record);
    else
        fw_final_request(f, record);
}

void fw_final_record(struct fw_final *f, const struct fw_wire_unit *record)
{
    unsigned kind = fw_wire_kind(record);

    if (kind <= FW_WIRE_WRITE && kind >= FW_WIRE_READ && fw_final_plain(f, record))
        return;
    f->record++;
    if (kind == FW_WIRE_SWITCH) {
        f->thread = fw_final_thread(f, fw_wire_operand(record));
        return;
    }
    if (fw_unit_has_text(kind) || kind == FW_WIRE_EXIT || kind == FW_WIRE_SIGNAL) {
        if (kind == FW_WIRE_MODULE)
            fw_final_module(f, record);
        told(f, record);
    }
    if (!f->thread) /* a thread with an impossible number: the recording is damaged */
        f->thread = fw_final_thread(f, 0);
    if (!fw_unit_has_text(kind) && fw_wire_aux(record) & FW_WIRE_BRANCH)
        f->thread->branched = true;
    if (kind >= FW_WIRE_REQUEST && kind <= FW_WIRE_STUCK_AT) {
        waiting(f, record);
        return;
    }
    if (kind < FW_WIRE_TEXT)
        f->thread->request = 0; /* it went on */
    if (operations[kind].known)
        operate(f, record, operations[kind].kind);
    else if (!control(f, record))
        memory(f, record);
    if (kind == FW_WIRE_UNLOAD)
        fw_final_module(f, record);
}
