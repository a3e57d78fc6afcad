/*
 * final_stuck.c - see final_state.h: what threads wait for when the recording ends.
 *
 * Most requests are granted: then the acquire says all there is to say.  A request that is its
 * thread's last record becomes an event, behind all others.  That all threads wait is told in the
 * metadata (docs/formats.md), since waiting for a condition or a thread is no event.
 */
#include "record/final_state.h"
#include "record/waiting.h"

#include <inttypes.h>
#include <stdio.h>

void fw_final_request(struct fw_final *f, const struct fw_wire_unit *record)
{
    struct final_thread *t = f->thread;
    unsigned kind = fw_wire_kind(record);

    t->request = f->record;
    t->request_lock = fw_final_object(f, FW_SPACE_LOCK, fw_wire_operand(record));
    t->request_pc = fw_wire_pc(record);
    t->request_kind = kind == FW_WIRE_RELOCK    ? FW_RELOCK
                      : kind == FW_WIRE_REQUEST ? FW_REQUEST
                                                : FW_SHARED_REQUEST;
}

/* In the order in which the threads began to wait. */
static struct final_thread *next_request(const struct fw_final *f, uint64_t after)
{
    struct final_thread *first = NULL;

    for (size_t i = 0; i < f->threads.len; i++) {
        struct final_thread *t = f->threads.at[i];

        if (t && t->request > after && (!first || t->request < first->request))
            first = t;
    }
    return first;
}

void fw_final_requests(struct fw_final *f)
{
    uint64_t last = 0;

    if (fw_final_count(f) != f->waits_since || f->waits_due)
        fw_final_texts_release(&f->waits); /* somebody went on */
    while ((f->thread = next_request(f, last)) != NULL) {
        last = f->thread->request;
        fw_final_before(f, f->thread->request_pc, false);
        fw_final_event(f, f->thread->request_kind, f->thread->request_lock, f->thread->request_pc,
                       0, 0);
    }
}

/* --- all threads wait ------------------------------------------------------------------------ */

/* A line of the metadata: names as in the trace. */
static void add_wait(struct fw_final *f, const struct fw_wire_unit *record)
{
    enum fw_wire_wait kind = (enum fw_wire_wait)(record[1].a >> 32 & 0xff);
    enum fw_space space = fw_waiting_space(kind);
    uint64_t operand = fw_wire_operand(record), pc = fw_wire_pc(record);
    char name[FW_FINAL_NAME];

    if (space == FW_SPACE_THREAD)
        snprintf(name, sizeof name, "T%" PRIu64, operand);
    else if (space == FW_SPACE_VARIABLE)
        fw_final_name(f, operand, name);
    else
        snprintf(name, sizeof name, "%s",
                 fw_symbols_name(f->symbols, space, fw_final_object(f, space, operand)));
    fw_vec_push(&f->waits,
                fw_xasprintf("T%" PRIu32 "\t%s\t%s\t%s", (uint32_t)record[1].a,
                             fw_waiting_word(kind), name,
                             pc ? fw_symbols_name(f->symbols, FW_SPACE_SITE, fw_final_site(f, pc))
                                : "-"));
}

void fw_final_stuck(struct fw_final *f, const struct fw_wire_unit *record)
{
    if (fw_wire_kind(record) == FW_WIRE_STUCK_AT) {
        if (f->waits_due) {
            f->waits_due--;
            add_wait(f, record);
        }
        return;
    }
    if (record[1].a != FW_WIRE_STUCK_ALL)
        return;
    fw_final_texts_release(&f->waits);
    f->waits_due = (size_t)fw_wire_operand(record);
    f->waits_since = fw_final_count(f);
}
