/*
 * merge.c - the events of several threads in the order of the trace.
 *
 * If most events are wanted, a scan of the trace.  Otherwise a heap of threads
 * by the position of their next event; the first one is drained as long as it
 * stays first.
 */
#include "base/bisect.h"
#include "predict/window.h"

struct source {
    uint32_t position; /* of the next event */
    const uint32_t *next, *end;
};

FW_VEC_TYPE(sources, struct source);

static void sift_down(struct source *heap, size_t count, size_t i)
{
    struct source moved = heap[i];

    for (;;) {
        size_t child = 2 * i + 1;

        if (child + 1 < count && heap[child + 1].position < heap[child].position)
            child++;
        if (child >= count || moved.position <= heap[child].position)
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = moved;
}

static void gather(const struct fw_core *core, const struct fw_cut *cut, uint32_t from,
                   struct sources *heap)
{
    for (size_t i = 0; i < cut->touched.len; i++) {
        uint32_t thread = cut->touched.at[i], len = cut->len[thread];
        const uint32_t *row = fw_row(&core->index->by_thread, thread);
        const uint32_t *first = row + (from ? fw_count_below(row, len, from) : 0);

        if (first < row + len)
            fw_vec_push(heap, ((struct source) { *first, first, row + len }));
    }
    for (size_t i = heap->len / 2; i-- > 0;)
        sift_down(heap->at, heap->len, i);
}

/* Takes from the first source up to the next one's event; false: it is empty or past the end. */
static bool drain(struct source *first, uint32_t until, struct fw_numbers *into)
{
    while (first->next < first->end && *first->next < until)
        fw_vec_push(into, *first->next++);
    if (first->next == first->end)
        return false;
    first->position = *first->next;
    return true;
}

static void merge(const struct fw_core *core, const struct fw_cut *cut, uint32_t from,
                  uint32_t to, struct fw_numbers *into)
{
    struct sources heap = { 0 };

    gather(core, cut, from, &heap);
    while (heap.len && heap.at[0].position < to) {
        uint32_t until = to;

        for (size_t child = 1; child < 3 && child < heap.len; child++)
            if (heap.at[child].position < until)
                until = heap.at[child].position;
        if (!drain(&heap.at[0], until, into)) {
            heap.at[0] = fw_vec_last(&heap);
            heap.len--;
        }
        if (heap.len)
            sift_down(heap.at, heap.len, 0);
    }
    fw_vec_release(&heap);
}

static void scan(const struct fw_core *core, const struct fw_cut *cut, uint32_t from, uint32_t to,
                 struct fw_numbers *into)
{
    const struct fw_event *events = core->trace->events;
    const uint32_t *in_thread = core->index->in_thread;
    uint32_t *at = into->at + into->len;

    for (uint32_t e = from; e < to; e++) {
        *at = e;
        at += in_thread[e] < cut->len[events[e].thread];
    }
    into->len = (size_t)(at - into->at);
}

void fw_merge(const struct fw_core *core, const struct fw_cut *cut, uint32_t from, uint32_t to,
              struct fw_numbers *into)
{
    uint64_t wanted = 0;
    uint32_t end = from;

    for (size_t i = 0; i < cut->touched.len; i++) {
        uint32_t thread = cut->touched.at[i], len = cut->len[thread];
        uint32_t last = len ? fw_event_at(core, thread, len - 1) + 1 : 0;

        wanted += len;
        end = last > end ? last : end;
    }
    end = end < to ? end : to;
    if (from > 0 || wanted * 8 < end) {
        merge(core, cut, from, to, into);
        return;
    }
    fw_vec_reserve(into, into->len + (end - from) + 1);
    scan(core, cut, from, end, into);
}
