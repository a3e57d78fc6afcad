/*
 * test_regions.c - atomic sections as the runtime watches them: what is violated, and what ends
 * them.
 */
#include "regions_check.h"

#include <pthread.h>

/* --- single cases ---------------------------------------------------------------------------- */

static void who_comes_between_violates(void **state)
{
    (void)state;
    begin();
    call();
    hook(LOAD, 0);
    assert_int_equal(fw_watched((uintptr_t)&memory[0]), FW_WATCH_SITED + 1);
    hook(PLAIN, 1);
    meet(0, true);
    hook(STORE, 0);
    assert_int_equal(told_count, 1);
    assert_int_equal(told[0].section, 0);
    assert_int_equal(told[0].first, BASE + LOAD);
    assert_int_equal(told[0].by, 2);
    assert_int_equal(told[0].last, BASE + STORE);
    assert_int_equal(file->ends[0].seen, 1);
    assert_int_equal(file->ends[0].violated, 1);
    end();
}

/* In the hook of the end, before its access. */
static void who_comes_while_the_end_is_next_violates(void **state)
{
    struct fw_overlap_access access = { &self, (uintptr_t)&memory[0], BASE + STORE, 8, true,
                                        false };

    (void)state;
    begin();
    call();
    hook(LOAD, 0);
    fw_regions_arrive(&access);
    meet(0, true);
    fw_regions_pass(&access);
    assert_int_equal(told_count, 1);
    end();
}

/* The access of the entry may not have been made. */
static void who_comes_too_early_does_not(void **state)
{
    (void)state;
    begin();
    call();
    hook(LOAD, 0);
    meet(0, true);
    hook(STORE, 0);
    assert_int_equal(told_count, 0);
    assert_int_equal(file->ends[0].seen, 1);
    end();
    /* It was made when the thread has entered a function, called one, or passed a hook. */
    for (unsigned how = 0; how < 3; how++) {
        begin();
        call();
        hook(LOAD, 0);
        if (how == 0) {
            call();
            leave();
        } else if (how == 1) {
            fw_regions_flow(FW_FLOW_CALL);
        } else {
            hook(PLAIN, 5);
        }
        meet(0, true);
        hook(STORE, 0);
        assert_int_equal(told_count, 1);
        end();
    }
}

/* A handler may have called it before the access of the entry. */
static void with_handlers_the_function_itself_must_go_on(void **state)
{
    (void)state;
    begin();
    fw_signals_handled = true;
    call();
    hook(LOAD, 0);
    call();
    hook(PLAIN, 5);
    leave();
    meet(0, true);
    hook(STORE, 0);
    assert_int_equal(told_count, 0);
    hook(LOAD, 1);
    hook(PLAIN, 5);
    meet(1, true);
    hook(STORE, 1);
    assert_int_equal(told_count, 1);
    end();
}

static void what_is_allowed_does_not(void **state)
{
    (void)state;
    begin();
    call();
    hook(LOAD, 0);
    hook(PLAIN, 1);
    meet(0, false);
    meet(1, true);
    meet_at((uintptr_t)&memory[1], 64, true, 2);
    hook(STORE, 0);
    assert_int_equal(told_count, 0);
    assert_int_equal(file->ends[0].seen, 1);
    end();
    /* ... and what is not there is, also as part of a range. */
    begin();
    call();
    hook(LOAD, 0);
    hook(PLAIN, 1);
    meet(0, false);
    hook(USE, 0);
    assert_int_equal(told_count, 1);
    meet_at((uintptr_t)memory, sizeof memory, true, 2);
    hook(STORE, 0);
    assert_int_equal(told_count, 2);
    end();
}

static void it_ends_where_it_can_end_no_more(void **state)
{
    (void)state;
    for (unsigned how = 0; how < 6; how++) {
        begin();
        call();
        hook(LOAD, 0);
        hook(PLAIN, 1);
        meet(0, true);
        if (how == 0) { /* it returns, and is called again from the same place */
            leave();
            call();
        } else if (how == 1) { /* the same, without being told of the return */
            fw_hot.top--;
            call();
        } else if (how == 2) { /* another activation's end */
            call();
        } else if (how == 3) { /* the exit of section 1, whose end comes then */
            hook(OUT, 3);
        } else if (how == 4) {
            fw_regions_freed(memory, 64);
        } else {
            fw_regions_forked();
            for (unsigned i = 0; i < FW_WATCH_CELLS; i++)
                fw_watch[i] = FW_WATCH_SITED; /* fw_sections_forked */
        }
        hook(how == 3 ? USE : STORE, 0);
        assert_int_equal(told_count, 0);
        end();
    }
}

static void circular_ones_go_round(void **state)
{
    (void)state;
    begin();
    call();
    hook(STORE, 0);
    assert_int_equal(file->ends[3].seen, 0);
    hook(STORE, 0);
    hook(STORE, 0);
    assert_int_equal(file->ends[3].seen, 2);
    end();
}

static void recursive_ones_end_as_often_as_they_begin(void **state)
{
    (void)state;
    begin();
    call();
    hook(LOAD, 0);
    call();
    hook(LOAD, 0);
    hook(DEEP, 0);
    leave();
    meet(0, true);
    assert_int_equal(file->ends[4].seen, 0);
    hook(DEEP, 0);
    assert_int_equal(file->ends[4].seen, 1);
    assert_int_equal(told_count, 1);
    assert_int_equal(told[0].section, 3);
    end();
}

/* One region a word: the first one's. */
static void another_thread_has_to_wait_for_its_turn(void **state)
{
    struct fw_region *region = fw_slot_of((uintptr_t)&memory[0] >> 3);
    struct fw_region_view view;

    (void)state;
    begin();
    call();
    assert_true(fw_slot_open(region, &other, (uintptr_t)&memory[0] >> 3, 0));
    assert_true(fw_region_at((uintptr_t)&memory[0], &view));
    assert_int_equal(view.owner, 2);
    hook(LOAD, 0);
    assert_int_equal(fw_hot.regions, 0);
    assert_int_equal(fw_slot_seen(region), 1); /* it was noted there */
    fw_slot_close(region, &self);              /* not its own */
    assert_true(fw_regions_any());
    fw_slot_close(region, &other);
    assert_false(fw_region_at((uintptr_t)&memory[0], &view));
    hook(LOAD, 0);
    assert_int_equal(fw_hot.regions, 3);
    assert_false(fw_region_at((uintptr_t)&memory[0], &view));
    assert_true(fw_region_is_mine((uintptr_t)&memory[0]));
    assert_int_equal(fw_regions_release(), 3);
    end();
}

static void ticks_are_what_they_would_be(void **state)
{
    (void)state;
    begin();
    call();
    hook(LOAD, 0);
    assert_true(fw_hot.ticks < 0);
    assert_true(fw_hot.read_ticks < 0); /* whichever comes next */
    fw_hot.read_ticks--; /* as the hook does */
    hook(USE, 0);
    fw_hot.ticks--;
    hook(STORE, 0);
    hook(DEEP, 0);
    fw_hot.ticks--;
    hook(PLAIN, 0);
    assert_in_range(fw_hot.ticks, 996, 999);
    assert_int_equal(fw_hot.read_ticks, 999);
    end();
}

/* Files move: addresses of one that is gone mean nothing. */
static void places_move_with_their_file(void **state)
{
    (void)state;
    assert_int_equal(fw_place_next(FW_PLACE_END, BASE + USE, FW_NO_PLACE), 1);
    module_base = 2 * BASE;
    fw_regions_module("/proc/self/exe", 2 * BASE);
    assert_int_equal(fw_place_next(FW_PLACE_END, BASE + USE, FW_NO_PLACE), FW_NO_PLACE);
    assert_int_equal(fw_place_next(FW_PLACE_END, 2 * BASE + USE, FW_NO_PLACE), 1);
    module_path = "/bin/sh";
    fw_regions_module("/bin/sh", 2 * BASE);
    assert_int_equal(fw_place_next(FW_PLACE_END, 2 * BASE + USE, FW_NO_PLACE), FW_NO_PLACE);
    module_path = "/proc/self/exe";
    module_base = BASE;
    fw_regions_module("/proc/self/exe", BASE);
    assert_int_equal(fw_place_next(FW_PLACE_END, BASE + USE, FW_NO_PLACE), 1);
    assert_int_equal(fw_place_next(FW_PLACE_END, BASE + USE, 1), FW_NO_PLACE);
}

static void bad_files_are_refused(void **state)
{
    struct fw_regions_head good = file->head;
    struct fw_regions_head *mapped = fw_regions;
    char path[64];
    int fd = memfd_create("bad", 0);

    (void)state;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    for (unsigned i = 0; i < 5; i++) {
        struct fw_regions_head head = good;

        head.magic += i == 0;
        head.bytes += i == 1;
        head.ends_at = i == 2 ? sizeof *file : head.ends_at;
        head.end_count = i == 3 ? UINT32_MAX : head.end_count;
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(pwrite(fd, file, i == 4 ? sizeof head - 1 : sizeof *file, 0),
                         i == 4 ? sizeof head - 1 : sizeof *file);
        assert_true(pwrite(fd, &head, sizeof head - 1, 0) == sizeof head - 1);
        assert_false(fw_regions_open(path));
    }
    assert_false(fw_regions_open("/nowhere"));
    close(fd);
    fw_regions = mapped;
    fw_regions_on = true;
}

/* --- real threads ---------------------------------------------------------------------------- */

#define ROUNDS 20000u

/* Owners and others at once: nothing is left open, nobody waits for ever. */
static void *come_and_go(void *argument)
{
    static _Atomic uint32_t numbers = 10;
    struct fw_frame own[8] = { { 0, 0, UINTPTR_MAX }, { 1, 2, 3 } };
    struct fw_thread thread = { .number = numbers++, .hot = &fw_hot };

    (void)argument;
    fw_hot = (struct fw_hot){ .base = own, .top = own + 2, .end = own + 8 };
    fw_self = &thread;
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct fw_overlap_access access = { &thread, (uintptr_t)&memory[i & 1],
                                            BASE + (i & 2 ? STORE : LOAD), 8, i & 2, false };

        fw_regions_arrive(&access);
        fw_regions_look(&access);
        fw_regions_pass(&access);
        if (i % 7 == 0)
            fw_regions_freed(&memory[0], 8);
    }
    fw_regions_ended();
    return NULL;
}

static void threads_at_once_leave_nothing_behind(void **state)
{
    pthread_t threads[4];

    (void)state;
    begin();
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, NULL), 0);
    for (unsigned i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_true(file->ends[0].seen > 0);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_comes_between_violates),
        cmocka_unit_test(who_comes_while_the_end_is_next_violates),
        cmocka_unit_test(who_comes_too_early_does_not),
        cmocka_unit_test(with_handlers_the_function_itself_must_go_on),
        cmocka_unit_test(what_is_allowed_does_not),
        cmocka_unit_test(it_ends_where_it_can_end_no_more),
        cmocka_unit_test(circular_ones_go_round),
        cmocka_unit_test(recursive_ones_end_as_often_as_they_begin),
        cmocka_unit_test(another_thread_has_to_wait_for_its_turn),
        cmocka_unit_test(ticks_are_what_they_would_be),
        cmocka_unit_test(places_move_with_their_file),
        cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(threads_at_once_leave_nothing_behind),
    };

    return cmocka_run_group_tests(tests, open_file, NULL);
}
