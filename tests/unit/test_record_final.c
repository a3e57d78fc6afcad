/*
 * test_record_final.c - raw records become the events that they should become.
 *
 * Records are written by hand; the trace is compared as text.  The module has no code that could
 * be looked at, so no object is known to be fixed, and a branch stands before the first event
 * after every read.
 */
#include "support/raw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define X 0x500000u /* memory of the module "/p", which lies at 0x400000 */
#define L 0x500100u /* a lock there */

/* Two threads, and a module for the names. */
static struct raw begin(void)
{
    struct raw raw = { 0 };

    raw_put_module(&raw, 0x400000, 0x200000, FW_WIRE_MODULE_INSTRUMENTED, "/p");
    raw_put(&raw, FW_WIRE_FORK, 1, 0, 0, 0x400011);
    return raw;
}

static void becomes(struct raw *raw, const char *expected)
{
    char *text = raw_trace_text(raw);

    assert_string_equal(text, expected);
    free(text);
    fw_vec_release(&raw->units);
}

static void access_by_two_threads_is_kept_by_one_dropped(void **state)
{
    struct raw raw = begin();

    (void)state;
    raw_write(&raw, X, 4, 0x400021);
    raw_write(&raw, X + 8, 4, 0x400031);
    raw_switch(&raw, 1);
    raw_write(&raw, X, 4, 0x400041);
    raw_write(&raw, X + 16, 4, 0x400051);
    becomes(&raw, "T0|fork(T1)|/p+0x10 T0|w(/p+0x100000)|/p+0x20|size=4 "
                  "T1|br T1|w(/p+0x100000)|/p+0x40|size=4");
}

static void overlapping_accesses_are_split(void **state)
{
    struct raw raw = begin();

    (void)state;
    raw_write(&raw, X, 8, 0);
    raw_switch(&raw, 1);
    raw_write(&raw, X, 4, 0);
    raw_switch(&raw, 0);
    raw_write(&raw, X + 4, 4, 0); /* T0's own: dropped, but it cuts */
    becomes(&raw, "T0|fork(T1)|/p+0x10 T0|w(/p+0x100000)||size=4 "
                  "T1|br T1|w(/p+0x100000)||size=4");
}

static void block_touched_as_a_whole_is_one_variable(void **state)
{
    struct raw raw = begin();

    (void)state;
    raw_put_more(&raw, FW_WIRE_WRITE_RANGE, X + 3, 2000, 0, 0);
    raw_switch(&raw, 1);
    raw_put_more(&raw, FW_WIRE_READ_RANGE, X + 3, 2000, 0, 0);
    becomes(&raw, "T0|fork(T1)|/p+0x10 T0|w(/p+0x100003)||size=2000 "
                  "T1|br T1|r(/p+0x100003)||size=2000");
}

static void atomics_have_their_order(void **state)
{
    struct raw raw = begin();

    (void)state;
    raw_put(&raw, FW_WIRE_ATOMIC_STORE, X, 4, 3, 0);
    raw_put(&raw, FW_WIRE_FENCE, 0, 0, 4, 0);
    raw_switch(&raw, 1);
    raw_put(&raw, FW_WIRE_ATOMIC_LOAD, X, 4, 2, 0);
    raw_put(&raw, FW_WIRE_ATOMIC_RMW, X, 4, 5, 0);
    becomes(&raw, "T0|fork(T1)|/p+0x10 T0|ast(/p+0x100000)||ord=rel,size=4 T0|fence||ord=acq_rel "
                  "T1|br T1|ald(/p+0x100000)||ord=acq,size=4 T1|br T1|armw(/p+0x100000)||size=4");
}

/* A branch is written only after something was read, and once. */
static void branch_needs_a_read_before_it(void **state)
{
    struct raw raw = begin();

    (void)state;
    raw_put(&raw, FW_WIRE_WRITE, X, 4, FW_WIRE_BRANCH, 0); /* T0 has read nothing */
    raw_read(&raw, X, 4, 0);
    raw_put(&raw, FW_WIRE_WRITE, X + 64, 4, FW_WIRE_BRANCH, 0); /* private: the branch waits */
    raw_write(&raw, X, 4, 0);
    raw_put(&raw, FW_WIRE_WRITE, X, 4, FW_WIRE_BRANCH, 0); /* nothing was read since */
    raw_switch(&raw, 1);
    raw_write(&raw, X, 4, 0);
    raw_put(&raw, FW_WIRE_FINISH, 0, 0, 0, 0);
    becomes(&raw, "T0|fork(T1)|/p+0x10 T0|w(/p+0x100000)||size=4 T0|r(/p+0x100000)||size=4 T0|br "
                  "T0|w(/p+0x100000)||size=4 T0|w(/p+0x100000)||size=4 "
                  "T1|br T1|w(/p+0x100000)||size=4");
}

static void thread_that_branched_ends_with_its_branch(void **state)
{
    struct raw raw = begin();

    (void)state;
    raw_write(&raw, X, 4, 0);
    raw_switch(&raw, 1);
    raw_read(&raw, X, 4, 0);
    raw_put(&raw, FW_WIRE_FINISH, 0, 0, FW_WIRE_BRANCH, 0);
    raw_switch(&raw, 0);
    raw_put(&raw, FW_WIRE_JOIN, 1, 0, 0, 0);
    becomes(&raw, "T0|fork(T1)|/p+0x10 T0|w(/p+0x100000)||size=4 T1|br T1|r(/p+0x100000)||size=4 "
                  "T1|br T0|join(T1)");
}

static void calls_are_kept_where_something_happens_in_them(void **state)
{
    struct raw raw = begin();

    (void)state;
    raw_put(&raw, FW_WIRE_CALL, 0x400100, 0, 0, 0x400021);
    raw_put(&raw, FW_WIRE_CALL, 0x400200, 0, 0, 0x400031); /* nothing happens in it */
    raw_put(&raw, FW_WIRE_RETURN, 1, 0, 0, 0);
    raw_put(&raw, FW_WIRE_CALL, 0x400300, 0, 0, 0x400041);
    raw_put(&raw, FW_WIRE_ACQUIRE, L, 0, 0, 0x400051);
    raw_put(&raw, FW_WIRE_RETURN, 2, 0, 0, 0);
    raw_put(&raw, FW_WIRE_RELEASE, L, 0, 0, 0x400061);
    raw_put(&raw, FW_WIRE_RETURN, 7, 0, 0, 0); /* more than there are */
    becomes(&raw, "T0|fork(T1)|/p+0x10 T0|call(/p+0x100)|/p+0x20 T0|call(/p+0x300)|/p+0x40 "
                  "T0|acq(/p+0x100100)|/p+0x50 T0|ret(/p+0x300) T0|ret(/p+0x100) "
                  "T0|rel(/p+0x100100)|/p+0x60");
}

static void heap_variables_are_allocated_and_freed(void **state)
{
    struct raw raw = begin();

    (void)state;
    for (int i = 0; i < 2; i++) { /* the same address twice: two blocks */
        raw_put_more(&raw, FW_WIRE_ALLOC, 0x10000, 64, 0, 0x400021);
        raw_write(&raw, 0x10008, 4, 0);
        raw_write(&raw, 0x10010, 4, 0); /* private */
        raw_switch(&raw, 1);
        raw_write(&raw, 0x10008, 4, 0);
        raw_switch(&raw, 0);
        raw_put(&raw, FW_WIRE_FREE, 0x10000, 0, 0, 0x400031);
    }
    becomes(&raw,
            "T0|fork(T1)|/p+0x10 T0|alloc(heap:1+0x8)|/p+0x20|size=4 T0|w(heap:1+0x8)||size=4 "
            "T1|br T1|w(heap:1+0x8)||size=4 T0|free(heap:1+0x8)|/p+0x30|size=4 "
            "T0|alloc(heap:2+0x8)|/p+0x20|size=4 T0|w(heap:2+0x8)||size=4 T1|w(heap:2+0x8)||size=4 "
            "T0|free(heap:2+0x8)|/p+0x30|size=4");
}

static void freeing_what_another_thread_wrote_is_sharing(void **state)
{
    struct raw raw = begin();

    (void)state;
    raw_put_more(&raw, FW_WIRE_ALLOC, 0x10000, 8, 0, 0);
    raw_write(&raw, 0x10000, 8, 0);
    raw_switch(&raw, 1);
    raw_put(&raw, FW_WIRE_FREE, 0x10000, 0, 0, 0);
    becomes(&raw, "T0|fork(T1)|/p+0x10 T0|alloc(heap:1)||size=8 T0|w(heap:1)||size=8 "
                  "T1|br T1|free(heap:1)||size=8");
}

static void memory_of_one_thread_after_the_other_is_private(void **state)
{
    struct raw raw = begin();

    (void)state;
    raw_put_more(&raw, FW_WIRE_ALLOC, 0x10000, 8, 0, 0);
    raw_write(&raw, 0x10000, 8, 0);
    raw_put(&raw, FW_WIRE_FREE, 0x10000, 0, 0, 0);
    raw_switch(&raw, 1);
    raw_put_more(&raw, FW_WIRE_ALLOC, 0x10000, 8, 0, 0);
    raw_write(&raw, 0x10000, 8, 0);
    raw_put(&raw, FW_WIRE_FREE, 0x10000, 0, 0, 0);
    becomes(&raw, "T0|fork(T1)|/p+0x10");
}

static void stack_of_a_thread_is_named_by_its_top(void **state)
{
    struct raw raw = begin();

    (void)state;
    raw_switch(&raw, 1);
    raw_put_more(&raw, FW_WIRE_START, 0, 0x70000, 0x1000, 0);
    raw_write(&raw, 0x70ff0, 8, 0);
    raw_switch(&raw, 0);
    raw_write(&raw, 0x70ff0, 8, 0);
    raw_write(&raw, 0x90000, 8, 0);
    raw_switch(&raw, 1);
    raw_write(&raw, 0x90000, 8, 0);
    becomes(&raw, "T0|fork(T1)|/p+0x10 T1|br T1|w(stack:T1-0x10)||size=8 "
                  "T0|w(stack:T1-0x10)||size=8 T0|w(mem:0x90000)||size=8 "
                  "T1|w(mem:0x90000)||size=8");
}

static void wake_names_its_notify_and_pend_its_post(void **state)
{
    struct raw raw = begin();
    uint64_t notify, post;

    (void)state;
    raw_switch(&raw, 1);
    raw_put(&raw, FW_WIRE_ACQUIRE, L, 0, 0, 0);
    raw_put(&raw, FW_WIRE_RELEASE, L, 0, 0, 0);
    raw_switch(&raw, 0);
    notify = raw_put(&raw, FW_WIRE_NOTIFY, L + 64, 0, 0, 0);
    raw_put(&raw, FW_WIRE_NOTIFY, L + 64, 0, 0, 0);
    post = raw_put(&raw, FW_WIRE_POST, L + 128, 0, 0, 0);
    raw_switch(&raw, 1);
    raw_put_more(&raw, FW_WIRE_WAKE, L + 64, notify, 0, 0);
    raw_put(&raw, FW_WIRE_ACQUIRE, L, 0, 0, 0);
    raw_put_more(&raw, FW_WIRE_PEND, L + 128, post, 0, 0);
    becomes(&raw, "T0|fork(T1)|/p+0x10 T1|br T1|acq(/p+0x100100) T1|rel(/p+0x100100) "
                  "T0|notify(/p+0x100140) T0|notify(/p+0x100140) T0|post(/p+0x100180) "
                  "T1|wake(/p+0x100140)||rf=4 T1|acq(/p+0x100100) T1|pend(/p+0x100180)||rf=6");
}

/* Tokens are all the same: a well-formed trace comes out whichever the runtime names. */
static void tokens_that_were_there_may_be_taken_while_posts_wait(void **state)
{
    struct raw raw = begin();
    uint64_t post;

    (void)state;
    raw_put_more(&raw, FW_WIRE_PEND, L, 0, 0, 0);
    post = raw_put(&raw, FW_WIRE_POST, L, 0, 0, 0);
    raw_put_more(&raw, FW_WIRE_PEND, L, 0, 0, 0);
    raw_put_more(&raw, FW_WIRE_PEND, L, post, 0, 0);
    becomes(&raw, "T0|fork(T1)|/p+0x10 T0|pend(/p+0x100100) T0|post(/p+0x100100) "
                  "T0|pend(/p+0x100100)||rf=2 T0|pend(/p+0x100100)");
}

static void wait_that_nobody_ended_has_no_wake(void **state)
{
    struct raw raw = begin();

    (void)state;
    raw_put(&raw, FW_WIRE_ACQUIRE, L, 0, 0, 0);
    raw_put(&raw, FW_WIRE_RELEASE, L, 0, 0, 0);
    raw_put_more(&raw, FW_WIRE_WAKE, L + 64, 0, 0, 0);
    raw_put(&raw, FW_WIRE_ACQUIRE, L, 0, 0, 0);
    becomes(&raw, "T0|fork(T1)|/p+0x10 T0|acq(/p+0x100100) T0|rel(/p+0x100100) "
                  "T0|acq(/p+0x100100)");
}

static void destroyed_lock_is_another_one_afterwards(void **state)
{
    struct raw raw = begin();

    (void)state;
    for (int i = 0; i < 3; i++) {
        raw_put(&raw, FW_WIRE_ACQUIRE, L, 0, 0, 0);
        raw_put(&raw, FW_WIRE_RELEASE, L, 0, 0, 0);
        raw_put(&raw, FW_WIRE_DESTROY, L, 0, 0, 0);
    }
    becomes(&raw, "T0|fork(T1)|/p+0x10 T0|acq(/p+0x100100) T0|rel(/p+0x100100) "
                  "T0|acq(/p+0x100100#2) T0|rel(/p+0x100100#2) T0|acq(/p+0x100100#3) "
                  "T0|rel(/p+0x100100#3)");
}

static void lock_in_a_heap_block_lives_with_it(void **state)
{
    struct raw raw = begin();

    (void)state;
    for (int i = 0; i < 2; i++) {
        raw_put_more(&raw, FW_WIRE_ALLOC, 0x10000, 100000, 0, 0);
        raw_put(&raw, FW_WIRE_ACQUIRE, 0x10010, 0, 0, 0);
        raw_put(&raw, FW_WIRE_RELEASE, 0x10010, 0, 0, 0);
        raw_put(&raw, FW_WIRE_ACQUIRE, 0x10000 + 90000, 0, 0, 0);
        raw_put(&raw, FW_WIRE_RELEASE, 0x10000 + 90000, 0, 0, 0);
        raw_put(&raw, FW_WIRE_FREE, 0x10000, 0, 0, 0);
    }
    becomes(&raw, "T0|fork(T1)|/p+0x10 T0|acq(heap:1+0x10) T0|rel(heap:1+0x10) "
                  "T0|acq(heap:1+0x15f90) T0|rel(heap:1+0x15f90) "
                  "T0|acq(heap:2+0x10) T0|rel(heap:2+0x10) "
                  "T0|acq(heap:2+0x15f90) T0|rel(heap:2+0x15f90)");
}

static void happens_before_is_a_release_and_an_acquire(void **state)
{
    struct raw raw = begin();

    (void)state;
    raw_put(&raw, FW_WIRE_BEFORE, X, 0, 0, 0);
    raw_switch(&raw, 1);
    raw_put(&raw, FW_WIRE_AFTER, X, 0, 0, 0);
    becomes(&raw, "T0|fork(T1)|/p+0x10 T0|armw(hb:/p+0x100000)||ord=rel "
                  "T1|br T1|ald(hb:/p+0x100000)||ord=acq");
}

static void blocks_have_their_labels(void **state)
{
    struct raw raw = begin();

    (void)state;
    raw_put_text(&raw, FW_WIRE_TEXT, 0x400800, "transfer");
    raw_put(&raw, FW_WIRE_BEGIN, 0x400800, 0, 0, 0);
    raw_put(&raw, FW_WIRE_BEGIN, 0, 0, 0, 0);
    raw_put(&raw, FW_WIRE_END, 0, 0, 0, 0);
    raw_put(&raw, FW_WIRE_END, 0, 0, 0, 0);
    raw_put(&raw, FW_WIRE_END, 0, 0, 0, 0); /* of nothing */
    becomes(&raw, "T0|fork(T1)|/p+0x10 T0|begin(transfer) T0|begin T0|end T0|end(transfer)");
}

static void what_would_be_ill_formed_is_dropped(void **state)
{
    struct raw raw = begin();
    uint64_t notify;

    (void)state;
    raw_put(&raw, FW_WIRE_RELEASE, L, 0, 0, 0); /* taken before recording began */
    raw_put(&raw, FW_WIRE_ACQUIRE, L, 0, 0, 0);
    notify = raw_put(&raw, FW_WIRE_NOTIFY_ALL, L + 64, 0, 0, 0);
    raw_switch(&raw, 1);
    raw_put(&raw, FW_WIRE_TRY_FAIL, L, 0, 0, 0);
    raw_put(&raw, FW_WIRE_ACQUIRE, L, 0, 0, 0); /* T0 holds it */
    raw_put_more(&raw, FW_WIRE_WAKE, L + 64, notify, 0, 0); /* and does not wait */
    becomes(&raw, "T0|fork(T1)|/p+0x10 T0|acq(/p+0x100100) T0|notifyall(/p+0x100140) "
                  "T1|br T1|tryfail(/p+0x100100)");
}

static void unloaded_module_takes_its_variables_along(void **state)
{
    struct raw raw = begin();

    (void)state;
    for (int i = 0; i < 2; i++) {
        raw_put_module(&raw, 0x900000, 0x1000, FW_WIRE_MODULE_INSTRUMENTED, i ? "/b" : "/a");
        raw_write(&raw, 0x900010, 4, 0x900101);
        raw_switch(&raw, 1);
        raw_write(&raw, 0x900010, 4, 0x900201);
        raw_switch(&raw, 0);
        raw_put(&raw, FW_WIRE_UNLOAD, 0x900000, 0, 0, 0);
    }
    becomes(&raw, "T0|fork(T1)|/p+0x10 T0|w(/a+0x10)|/a+0x100|size=4 T1|br "
                  "T1|w(/a+0x10)|/a+0x200|size=4 T0|w(/b+0x10)|/b+0x100|size=4 "
                  "T1|w(/b+0x10)|/b+0x200|size=4");
}

/* What an event carries is its own, also where it is the first of its thread and others wait. */
static void sizes_stay_with_their_events(void **state)
{
    struct raw raw = { 0 };
    uint64_t posts[4];

    (void)state;
    raw_put_module(&raw, 0x400000, 0x200000, FW_WIRE_MODULE_INSTRUMENTED, "/p");
    for (unsigned i = 0; i < 4; i++)
        posts[i] = raw_put(&raw, FW_WIRE_POST, L, 0, 0, 0);
    for (unsigned i = 0; i < 3; i++)
        raw_put_more(&raw, FW_WIRE_PEND, L, posts[i], 0, 0);
    raw_write(&raw, X, 4, 0);
    raw_put_more(&raw, FW_WIRE_PEND, L, posts[3], 0, 0);
    raw_switch(&raw, 1);
    raw_put(&raw, FW_WIRE_ATOMIC_STORE, X, 4, 3, 0);
    becomes(&raw, "T0|post(/p+0x100100) T0|post(/p+0x100100) T0|post(/p+0x100100) "
                  "T0|post(/p+0x100100) T0|pend(/p+0x100100)||rf=0 T0|pend(/p+0x100100)||rf=1 "
                  "T0|pend(/p+0x100100)||rf=2 T0|w(/p+0x100000)||size=4 "
                  "T0|pend(/p+0x100100)||rf=3 T1|ast(/p+0x100000)||ord=rel,size=4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_stay_with_their_events),
        cmocka_unit_test(access_by_two_threads_is_kept_by_one_dropped),
        cmocka_unit_test(overlapping_accesses_are_split),
        cmocka_unit_test(block_touched_as_a_whole_is_one_variable),
        cmocka_unit_test(atomics_have_their_order),
        cmocka_unit_test(branch_needs_a_read_before_it),
        cmocka_unit_test(thread_that_branched_ends_with_its_branch),
        cmocka_unit_test(calls_are_kept_where_something_happens_in_them),
        cmocka_unit_test(heap_variables_are_allocated_and_freed),
        cmocka_unit_test(freeing_what_another_thread_wrote_is_sharing),
        cmocka_unit_test(memory_of_one_thread_after_the_other_is_private),
        cmocka_unit_test(stack_of_a_thread_is_named_by_its_top),
        cmocka_unit_test(wake_names_its_notify_and_pend_its_post),
        cmocka_unit_test(tokens_that_were_there_may_be_taken_while_posts_wait),
        cmocka_unit_test(wait_that_nobody_ended_has_no_wake),
        cmocka_unit_test(destroyed_lock_is_another_one_afterwards),
        cmocka_unit_test(lock_in_a_heap_block_lives_with_it),
        cmocka_unit_test(happens_before_is_a_release_and_an_acquire),
        cmocka_unit_test(blocks_have_their_labels),
        cmocka_unit_test(what_would_be_ill_formed_is_dropped),
        cmocka_unit_test(unloaded_module_takes_its_variables_along),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
