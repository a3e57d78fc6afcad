/* test_idmap.c - ids by hash, and arrays whose items never move. */
#include "base/idmap.h"
#include "base/stable.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static bool is_twice(const void *key, uint32_t id)
{
    return *(const uint32_t *)key == id * 2;
}

/* Few hashes, so that most of them collide. */
static void what_was_added_is_found(void **state)
{
    struct fw_idmap map = { 0 };
    uint32_t key = 0;

    (void)state;
    assert_int_equal(fw_idmap_find(&map, 0, is_twice, &key), FW_IDMAP_NONE);
    for (uint32_t id = 0; id < 2000; id++)
        fw_idmap_add(&map, id % 37, id);
    for (uint32_t id = 0; id < 2000; id++) {
        key = id * 2;
        assert_int_equal(fw_idmap_find(&map, id % 37, is_twice, &key), id);
        key++;
        assert_int_equal(fw_idmap_find(&map, id % 37, is_twice, &key), FW_IDMAP_NONE);
    }
    assert_int_equal(map.count, 2000);
    fw_idmap_release(&map);
    assert_int_equal(fw_idmap_find(&map, 0, is_twice, &key), FW_IDMAP_NONE);
}

static void items_stay_where_they_are(void **state)
{
    struct fw_stable stable = { .item_size = sizeof(uint64_t) };
    uint64_t *where[1000];

    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        where[i] = fw_stable_add(&stable);
        assert_int_equal(*where[i], 0);
        *where[i] = i;
    }
    for (uint32_t i = 0; i < 1000; i++) {
        assert_ptr_equal(fw_stable_at(&stable, i), where[i]);
        assert_int_equal(*where[i], i);
    }
    assert_int_equal(stable.count, 1000);
    fw_stable_release(&stable);
    assert_int_equal(stable.count, 0);
}

/* Of any length, also longer than all there is so far. */
static void runs_lie_side_by_side(void **state)
{
    struct fw_stable stable = { .item_size = sizeof(uint32_t) };
    uint32_t starts[300];

    (void)state;
    for (uint32_t i = 0; i < 300; i++) {
        uint32_t run = i % 7 == 3 ? 5 * i : i % 5 + 1;
        uint32_t *at;

        starts[i] = fw_stable_add_run(&stable, run);
        at = fw_stable_at(&stable, starts[i]);
        for (uint32_t j = 0; j < run; j++) {
            assert_ptr_equal(fw_stable_at(&stable, starts[i] + j), at + j);
            assert_int_equal(at[j], 0);
            at[j] = i;
        }
    }
    for (uint32_t i = 0; i < 300; i++)
        assert_int_equal(*(uint32_t *)fw_stable_at(&stable, starts[i]), i);
    fw_stable_release(&stable);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_added_is_found),
        cmocka_unit_test(items_stay_where_they_are),
        cmocka_unit_test(runs_lie_side_by_side),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
