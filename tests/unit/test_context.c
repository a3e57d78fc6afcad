/* test_context.c - the locks held and the stack at every event. */
#include "analysis/context.h"
#include "base/vec.h"
#include "support/generate.h"
#include "trace/index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static struct fw_trace *load(const char *text, size_t size)
{
    struct fw_trace *trace;
    struct fw_error err;

    if (fw_trace_load_memory(&trace, text, size, "a.std", NULL, &err) < 0)
        fail_msg("%s", err.message);
    return trace;
}

/* "a b/f g": the locks of the event (a ' behind shared ones), then the stack, innermost last. */
static const char *describe(const struct fw_contexts *contexts, const struct fw_symbols *symbols,
                            struct fw_context context)
{
    static char text[256];
    const char *frames[16];
    uint32_t count, depth = 0;
    const uint32_t *locks = fw_contexts_locks(contexts, context.lock_set, &count);

    text[0] = '\0';
    for (uint32_t i = 0; i < count; i++)
        sprintf(text + strlen(text), "%s%s%s", i ? " " : "",
                fw_symbols_name(symbols, FW_SPACE_LOCK, locks[i] / 2), locks[i] & 1 ? "'" : "");
    strcat(text, "/");
    for (uint32_t at = context.stack; at; at = fw_contexts_frame(contexts, at)->caller)
        frames[depth++] =
            fw_symbols_name(symbols, FW_SPACE_FUNCTION, fw_contexts_frame(contexts, at)->function);
    while (depth-- > 0)
        sprintf(text + strlen(text), "%s ", frames[depth]);
    return text;
}

/* Lines of a trace, each with what must be true just before its event. */
static void expect_contexts(const char *const rows[][2])
{
    struct fw_contexts *contexts = fw_contexts_create();
    const struct fw_context *got;
    struct fw_trace *trace;
    struct fw_batch batch;
    char text[2048] = "";

    for (size_t i = 0; rows[i][0]; i++)
        sprintf(text + strlen(text), "%s\n", rows[i][0]);
    trace = load(text, strlen(text));
    batch = fw_trace_batch(trace);
    got = fw_contexts_batch(contexts, &batch);
    for (size_t i = 0; rows[i][0]; i++)
        assert_string_equal(describe(contexts, trace->symbols, got[i]), rows[i][1]);
    fw_contexts_destroy(contexts);
    fw_trace_destroy(trace);
}

static void locks_are_held_from_behind_the_acquire_to_the_release(void **state)
{
    static const char *const rows[][2] = {
        { "T1|acq(l)|1", "/" },
        { "T1|acq(m)|2", "l/" },
        { "T2|w(x)|3", "/" },
        { "T1|w(x)|4", "l m/" },
        { "T1|rel(m)|5", "l m/" },
        { "T1|rel(l)|6", "l/" },
        { "T2|tryacq(l)|7", "/" },
        { "T1|tryfail(l)|8", "/" },
        { "T2|racq(m)|9", "l/" },
        { "T1|tryracq(m)|10", "/" },
        { "T2|r(x)|11", "l m'/" },
        { "T1|r(x)|12", "m'/" },
        { "T2|rrel(m)|13", "l m'/" },
        { "T2|r(x)|14", "l/" },
        { "T1|rrel(m)|15", "m'/" },
        { "T1|r(x)|16", "/" },
        { NULL, NULL },
    };

    (void)state;
    expect_contexts(rows);
}

static void locks_may_be_released_in_any_order(void **state)
{
    static const char *const rows[][2] = {
        { "T1|acq(a)|1", "/" },
        { "T1|acq(b)|2", "a/" },
        { "T1|acq(c)|3", "a b/" },
        { "T1|rel(a)|4", "a b c/" },
        { "T1|w(x)|5", "b c/" },
        { "T1|acq(a)|6", "b c/" },
        { "T1|rel(b)|7", "a b c/" },
        { "T1|rel(a)|8", "a c/" },
        { "T1|rel(c)|9", "c/" },
        { "T1|w(x)|10", "/" },
        { NULL, NULL },
    };

    (void)state;
    expect_contexts(rows);
}

static void stacks_follow_calls_and_returns(void **state)
{
    static const char *const rows[][2] = {
        { "T1|call(main)|1", "/" },
        { "T1|call(f)|2", "/main " },
        { "T2|w(x)|3", "/" },
        { "T1|w(x)|4", "/main f " },
        { "T1|call(f)|5", "/main f " },
        { "T1|ret(f)|6", "/main f f " },
        { "T1|ret(f)|7", "/main f " },
        { "T1|w(x)|8", "/main " },
        { "T1|ret(main)|9", "/main " },
        { "T1|w(x)|10", "/" },
        { NULL, NULL },
    };

    (void)state;
    expect_contexts(rows);
}

static void a_return_closes_the_innermost_call_of_its_function(void **state)
{
    static const char *const rows[][2] = {
        { "T1|ret(f)|1", "/" },
        { "T1|call(main)|2", "/" },
        { "T1|call(f)|3", "/main " },
        { "T1|call(g)|4", "/main f " },
        { "T1|call(h)|5", "/main f g " },
        { "T1|ret(k)|6", "/main f g h " },
        { "T1|ret(f)|7", "/main f g h " },
        { "T1|w(x)|8", "/main " },
        { NULL, NULL },
    };

    (void)state;
    expect_contexts(rows);
}

static void equal_sets_and_stacks_share_an_id(void **state)
{
    static const char text[] = "T1|acq(a)|1\nT1|acq(b)|2\nT1|call(f)|9\nT1|w(x)|3\nT1|rel(a)|4\n"
                               "T1|rel(b)|5\nT2|acq(b)|6\nT2|acq(a)|7\nT2|call(f)|9\nT2|w(x)|8\n";
    struct fw_contexts *contexts = fw_contexts_create();
    struct fw_trace *trace = load(text, sizeof text - 1);
    struct fw_batch batch = fw_trace_batch(trace);
    const struct fw_context *got = fw_contexts_batch(contexts, &batch);

    (void)state;
    assert_int_equal(got[3].lock_set, got[9].lock_set);
    assert_int_equal(got[3].stack, got[9].stack);
    assert_int_not_equal(got[3].lock_set, 0);
    assert_int_not_equal(got[3].stack, 0);
    assert_int_equal(got[0].lock_set, 0);
    assert_int_equal(got[0].stack, 0);
    fw_contexts_destroy(contexts);
    fw_trace_destroy(trace);
}

static void expect_same_locks(const struct fw_contexts *contexts, struct fw_context context,
                              const struct fw_index *index, uint32_t at)
{
    uint32_t count, set = index->lock_set[at];
    const uint32_t *locks = fw_contexts_locks(contexts, context.lock_set, &count);

    assert_int_equal(count, fw_row_count(&index->lock_sets, set));
    if (count)
        assert_memory_equal(locks, fw_row(&index->lock_sets, set), count * sizeof *locks);
}

/* In batches of any size; the index of whole traces is the reference. */
static void contexts_agree_with_the_index(void **state)
{
    struct fw_generated generated = { 0 };

    (void)state;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        struct fw_contexts *contexts = fw_contexts_create();
        const struct fw_context *got = NULL;
        struct fw_trace *trace;
        struct fw_index *index;
        uint32_t size = 1 + seed % 7;

        fw_generate(&generated, fw_generate_profile(seed % 2 ? "long" : "shared"), seed);
        trace = load(generated.text, generated.size);
        index = fw_index_create(trace);
        for (uint32_t i = 0; i < trace->count; i++) {
            struct fw_batch part = {
                .events = trace->events + i, .attrs = trace->attrs, .first = i, .count = size
            };

            part.count = size < trace->count - i ? size : trace->count - i;
            if (i % size == 0)
                got = fw_contexts_batch(contexts, &part);
            expect_same_locks(contexts, got[i % size], index, i);
        }
        fw_index_destroy(index);
        fw_trace_destroy(trace);
        fw_contexts_destroy(contexts);
    }
    fw_generated_release(&generated);
}

/* --- many locks -------------------------------------------------------------------------- */

/* Threads that take and leave locks at random, and what they hold. */
struct crowd {
    struct fw_contexts *contexts;
    uint64_t seed;
    uint32_t locks; /* each thread may hold any: contexts do not mind two holders */
    FW_VEC(unsigned char) held[2];
};

static struct crowd crowd_of(uint32_t locks)
{
    struct crowd crowd = { .contexts = fw_contexts_create(), .seed = 1, .locks = locks };

    for (size_t i = 0; i < 2; i++)
        fw_vec_extend(&crowd.held[i], locks);
    return crowd;
}

static void crowd_release(struct crowd *crowd)
{
    for (size_t i = 0; i < 2; i++)
        fw_vec_release(&crowd->held[i]);
    fw_contexts_destroy(crowd->contexts);
}

static uint32_t random_below(struct crowd *crowd, uint32_t end)
{
    crowd->seed = crowd->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(crowd->seed >> 33) % end;
}

/* The thread takes the lock, or leaves it if it holds it; the set that it had before. */
static uint32_t toggle(struct crowd *crowd, uint32_t thread, uint32_t lock)
{
    unsigned char *held = &crowd->held[thread].at[lock];
    struct fw_event event = { .thread = thread,
                              .target = lock,
                              .kind = *held ? FW_RELEASE : FW_ACQUIRE };

    *held = !*held;
    return fw_contexts_batch(crowd->contexts, &(struct fw_batch) { .events = &event, .count = 1 })
        ->lock_set;
}

static uint32_t set_of(struct crowd *crowd, uint32_t thread)
{
    struct fw_event event = { .thread = thread, .kind = FW_READ };

    return fw_contexts_batch(crowd->contexts, &(struct fw_batch) { .events = &event, .count = 1 })
        ->lock_set;
}

static void expect_held(const struct crowd *crowd, uint32_t set, const unsigned char *held)
{
    uint32_t count, found = 0;
    const uint32_t *keys = fw_contexts_locks(crowd->contexts, set, &count);

    for (uint32_t lock = 0; lock < crowd->locks; lock++)
        if (held[lock]) {
            assert_true(found < count);
            assert_int_equal(keys[found++], lock * 2);
        }
    assert_int_equal(found, count);
}

static uint32_t mask_of(const struct crowd *crowd, uint32_t thread)
{
    uint32_t mask = 0;

    for (uint32_t lock = 0; lock < crowd->locks; lock++)
        mask |= (uint32_t)crowd->held[thread].at[lock] << lock;
    return mask;
}

/* Every set of eight locks comes up many times, by different ways. */
static void sets_share_an_id_if_and_only_if_they_are_equal(void **state)
{
    struct crowd crowd = crowd_of(8);
    uint32_t set_of_mask[256] = { 0 }, mask_of_set[256] = { 0 }, known = 1;

    (void)state;
    for (uint32_t i = 0; i < 100000; i++) {
        uint32_t thread = random_below(&crowd, 2), mask = mask_of(&crowd, thread);
        uint32_t set = toggle(&crowd, thread, random_below(&crowd, crowd.locks));

        assert_true(set < 256);
        if (mask && !set_of_mask[mask]) {
            assert_int_equal(mask_of_set[set], 0);
            set_of_mask[mask] = set;
            mask_of_set[set] = mask;
            known++;
        }
        assert_int_equal(set, set_of_mask[mask]);
    }
    assert_int_equal(known, 256);
    crowd_release(&crowd);
}

/* What was handed out stays readable: all sets are looked into at the end, some before. */
static void large_sets_have_the_locks_held(void **state)
{
    enum {
        LOCKS = 150,
        STEPS = 6000
    };
    struct crowd crowd = crowd_of(LOCKS);
    unsigned char(*held)[LOCKS] = fw_xcalloc(STEPS, sizeof *held);
    uint32_t sets[STEPS];

    (void)state;
    for (uint32_t i = 0; i < STEPS; i++) {
        uint32_t thread = random_below(&crowd, 2);

        memcpy(held[i], crowd.held[thread].at, LOCKS);
        sets[i] = toggle(&crowd, thread, random_below(&crowd, LOCKS));
        if (random_below(&crowd, 50) == 0)
            expect_held(&crowd, sets[i], held[i]);
    }
    for (uint32_t i = 0; i < STEPS; i++)
        expect_held(&crowd, sets[i], held[i]);
    free(held);
    crowd_release(&crowd);
}

static void equal_large_sets_share_an_id_in_whatever_order_they_are_made(void **state)
{
    enum {
        LOCKS = 500
    };
    struct crowd crowd = crowd_of(LOCKS);
    uint32_t suffixes[LOCKS + 1], count;

    (void)state;
    for (uint32_t i = 0; i < LOCKS; i++)
        toggle(&crowd, 0, i);
    for (uint32_t i = 0; i < LOCKS; i++)
        suffixes[i] = toggle(&crowd, 0, i);
    suffixes[LOCKS] = set_of(&crowd, 0);
    for (uint32_t i = LOCKS; i > 0; i--)
        assert_int_equal(toggle(&crowd, 1, i - 1), suffixes[i]);
    assert_int_equal(set_of(&crowd, 1), suffixes[0]);
    assert_int_equal(suffixes[LOCKS], 0);
    for (uint32_t i = 0; i <= LOCKS; i++) {
        fw_contexts_locks(crowd.contexts, suffixes[i], &count);
        assert_int_equal(count, LOCKS - i);
    }
    crowd_release(&crowd);
}

static long peak_kib(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* A few hundred bytes for each lock; the sets in full would be 4 MB, with all prefixes 1 GB. */
static void memory_does_not_grow_with_the_size_of_sets(void **state)
{
    enum {
        LOCKS = 1000,
        PAIRS = 20000
    };
    struct crowd crowd = crowd_of(LOCKS + PAIRS);
    long before = peak_kib();

    (void)state;
    for (uint32_t i = 0; i < LOCKS; i++)
        toggle(&crowd, 0, i);
    for (uint32_t i = 0; i < PAIRS; i++) { /* in full: 80 MB */
        toggle(&crowd, 0, LOCKS + i);
        toggle(&crowd, 0, LOCKS + i);
    }
    for (uint32_t i = 0; i < LOCKS; i++)
        toggle(&crowd, 0, i);
    assert_int_equal(set_of(&crowd, 0), 0);
    assert_true(peak_kib() - before < 30 * 1024);
    crowd_release(&crowd);
}

static void an_empty_batch_is_fine(void **state)
{
    struct fw_contexts *contexts = fw_contexts_create();

    (void)state;
    fw_contexts_batch(contexts, &(struct fw_batch) { 0 });
    fw_contexts_destroy(contexts);
    fw_contexts_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locks_are_held_from_behind_the_acquire_to_the_release),
        cmocka_unit_test(locks_may_be_released_in_any_order),
        cmocka_unit_test(stacks_follow_calls_and_returns),
        cmocka_unit_test(a_return_closes_the_innermost_call_of_its_function),
        cmocka_unit_test(equal_sets_and_stacks_share_an_id),
        cmocka_unit_test(contexts_agree_with_the_index),
        cmocka_unit_test(sets_share_an_id_if_and_only_if_they_are_equal),
        cmocka_unit_test(large_sets_have_the_locks_held),
        cmocka_unit_test(equal_large_sets_share_an_id_in_whatever_order_they_are_made),
        cmocka_unit_test(memory_does_not_grow_with_the_size_of_sets),
        cmocka_unit_test(an_empty_batch_is_fine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
