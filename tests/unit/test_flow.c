/* test_flow.c - who answers whom: by name, in any order, also far back. */
#include "order/flow.h"
#include "base/output.h"
#include "base/vec.h"
#include "support/property.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* What a slot holds: how many events, the first and the last of them. */
struct slot {
    uint64_t count, first, last;
};

/* An analysis that only looks at what comes into the present event. */
struct watcher {
    FW_VEC(struct slot) slots;
    struct slot present;  /* only the event itself */
    struct slot received; /* what came into it */
    uint64_t most;        /* slots in use at a time */
};

static struct slot *slot_at(struct watcher *watcher, uint32_t slot)
{
    fw_vec_extend(&watcher->slots, slot + (size_t)1);
    if (watcher->slots.len > watcher->most)
        watcher->most = watcher->slots.len;
    return &watcher->slots.at[slot];
}

static void add(struct slot *to, struct slot what)
{
    if (!to->count || what.first < to->first)
        to->first = what.first;
    if (what.last > to->last)
        to->last = what.last;
    to->count += what.count;
}

static void put(struct watcher *watcher, uint32_t slot, struct slot what, bool keep)
{
    struct slot *to = slot_at(watcher, slot);

    if (!keep)
        *to = (struct slot) { 0 };
    if (what.count)
        add(to, what);
}

static void receive(void *me, uint32_t slot)
{
    struct watcher *watcher = me;

    if (slot_at(watcher, slot)->count)
        add(&watcher->received, *slot_at(watcher, slot));
}

static void send(void *me, uint32_t slot, bool keep)
{
    struct watcher *watcher = me;

    put(watcher, slot, watcher->present, keep);
}

static void copy(void *me, uint32_t from, uint32_t to, bool keep)
{
    struct watcher *watcher = me;

    put(watcher, to, *slot_at(watcher, from), keep);
}

static void clear(void *me, uint32_t slot)
{
    *slot_at(me, slot) = (struct slot) { 0 };
}

static const struct fw_flow_ops ops = { receive, send, copy, clear };

/* Runs the flow over the trace; gives what each event received, and frees the text. */
static struct slot *run(struct fw_output *text, uint64_t *most)
{
    char why[256];
    struct fw_trace *trace =
        fw_load_text(text->buffer, text->used, "a.std", false, why, sizeof why);
    struct fw_batch batch;
    struct watcher watcher = { .most = 0 };
    struct fw_flow *flow = fw_flow_create();
    struct slot *received;

    assert_non_null(trace);
    batch = (struct fw_batch) { .events = trace->events,
                                .attrs = trace->attrs,
                                .count = trace->count };
    received = fw_xcalloc(trace->count + (size_t)1, sizeof *received);
    for (uint32_t i = 0; i < trace->count; i++) {
        watcher.present = (struct slot) { 1, i, i };
        watcher.received = (struct slot) { 0 };
        fw_flow_receive(flow, &batch, i, &ops, &watcher);
        received[i] = watcher.received;
        fw_flow_send(flow, &batch, i, &ops, &watcher);
    }
    if (most)
        *most = watcher.most;
    fw_flow_destroy(flow);
    fw_vec_release(&watcher.slots);
    fw_trace_destroy(trace);
    fw_output_abandon(text);
    return received;
}

static void assert_received(const struct slot *received, uint64_t only)
{
    assert_int_equal(received->count, 1);
    assert_int_equal(received->first, only);
}

static void posts_are_answered_oldest_first_or_by_name(void **state)
{
    struct fw_output text;
    struct slot *received;

    (void)state;
    fw_output_open_memory(&text);
    fw_output_printf(&text, "T1|post(s)|1\nT1|post(s)|1\nT1|post(s)|1\nT1|post(s)|1\n"
                            "T2|pend(s)|2|rf=1\nT2|pend(s)|2\nT2|pend(s)|2\nT1|post(s)|1\n"
                            "T2|pend(s)|2|rf=7\nT2|pend(s)|2\nT2|pend(s)|2\n");
    received = run(&text, NULL);
    assert_received(&received[4], 1);
    assert_received(&received[5], 0);
    assert_received(&received[6], 2);
    assert_received(&received[8], 7);
    assert_received(&received[9], 3);
    assert_int_equal(received[10].count, 0); /* an initial token */
    free(received);
}

static void a_stack_of_posts_is_answered_from_its_top(void **state)
{
    enum { POSTS = 300000 };
    struct fw_output text;
    struct slot *received;

    (void)state;
    fw_output_open_memory(&text);
    for (int i = 0; i < POSTS; i++)
        fw_output_printf(&text, "T1|post(s)|1\n");
    for (int i = POSTS - 1; i >= 0; i--)
        fw_output_printf(&text, "T2|pend(s)|2|rf=%d\n", i);
    received = run(&text, NULL);
    for (int i = 0; i < POSTS; i++)
        assert_received(&received[POSTS + i], (uint64_t)(POSTS - 1 - i));
    free(received);
}

static void answered_posts_leave_their_slots(void **state)
{
    struct fw_output text;
    uint64_t most;

    (void)state;
    fw_output_open_memory(&text);
    fw_output_printf(&text, "T1|post(s)|1\n"); /* never answered */
    for (int i = 1; i < 20001; i += 2)
        fw_output_printf(&text, "T1|post(s)|1\nT2|pend(s)|2|rf=%d\n", i);
    free(run(&text, &most));
    assert_int_equal(most, 2);
}

/* T0 has released a lock once, so it could answer every notify. */
static void a_wake_finds_its_notify_far_back(void **state)
{
    enum { NOTIFIES = 150000 };
    struct fw_output text;
    struct slot *received;
    uint64_t most;

    (void)state;
    fw_output_open_memory(&text);
    fw_output_printf(&text, "T0|acq(m)|1\nT0|rel(m)|2\n");
    for (int i = 0; i < NOTIFIES; i++)
        fw_output_printf(&text, "T1|notify(c)|3\n");
    fw_output_printf(&text, "T0|wake(c)|4|rf=%d\nT0|wake(c)|4\n", NOTIFIES - 60000);
    fw_output_printf(&text, "T0|wake(c)|4|rf=2\n");
    received = run(&text, &most);
    assert_received(&received[NOTIFIES + 2], NOTIFIES - 60000);
    assert_received(&received[NOTIFIES + 3], NOTIFIES + 1);
    assert_int_equal(received[NOTIFIES + 4].first, 2); /* with the other old ones */
    assert_true(received[NOTIFIES + 4].last < NOTIFIES - 60000);
    assert_in_range(most, 1 << 16, (1 << 17) + 2);
    free(received);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(posts_are_answered_oldest_first_or_by_name),
        cmocka_unit_test(a_stack_of_posts_is_answered_from_its_top),
        cmocka_unit_test(answered_posts_leave_their_slots),
        cmocka_unit_test(a_wake_finds_its_notify_far_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
