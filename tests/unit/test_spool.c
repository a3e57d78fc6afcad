/*
 * test_spool.c - recordings survive being cut, and damage is told, not trusted.
 */
#include "record/recover.h"
#include "record/ring.h"
#include "record/units.h"
#include "support/random.h"
#include "support/raw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static struct raw sample(unsigned accesses)
{
    struct raw raw = { 0 };

    raw_put_module(&raw, 0x400000, 0x200000, FW_WIRE_MODULE_INSTRUMENTED, "/p");
    raw_put(&raw, FW_WIRE_FORK, 1, 0, 0, 0x400011);
    for (unsigned i = 0; i < accesses; i++) {
        raw_switch(&raw, i % 2);
        raw_write(&raw, 0x500000 + i / 2 * 8, 8, 0x400021 + i % 2);
    }
    return raw;
}

static struct fw_trace *load(const unsigned char *bytes, size_t size)
{
    struct fw_trace *trace;
    struct fw_error err;

    fw_reader_set_recovery(&fw_spool_recovery);
    if (fw_trace_load_memory(&trace, bytes, size, "t.fwt", NULL, &err) < 0)
        fail_msg("%s", err.message);
    return trace;
}

/* Every record comes back. */
static void packed_records_come_back(void **state)
{
    struct fw_packer *packer = fw_packer_create();
    struct fw_packed packed = { 0 };
    struct fw_units back = { 0 };
    struct fw_random random;
    struct fw_error err;

    (void)state;
    fw_random_init(&random, 7);
    for (int round = 0; round < 300; round++) {
        struct raw raw = { 0 };
        unsigned count = fw_random_below(&random, 300);

        for (unsigned i = 0; i < count; i++) {
            enum fw_wire_kind kind = fw_random_between(&random, 1, FW_WIRE_KIND_COUNT - 1);
            uint64_t pc = fw_random_below(&random, 20);

            if (fw_unit_has_text(kind) && kind != FW_WIRE_MODULE)
                raw_put_text(&raw, kind, 1, &"the quick brown fox jumps"[pc]);
            else if (kind == FW_WIRE_MODULE)
                raw_put_module(&raw, 1, 2, 3, &"over the lazy dog and"[pc]);
            else if (fw_wire_more(&(struct fw_wire_unit) { (uint64_t)kind << 48, 0 }))
                raw_put_more(&raw, kind, fw_random_next(&random) >> 16, fw_random_next(&random),
                             fw_random_next(&random), pc);
            else
                raw_put(&raw, kind, fw_random_next(&random) >> 16, 8, (unsigned)pc, pc);
        }
        fw_pack(packer, raw.units.at, raw.units.len, &packed);
        assert_int_equal(fw_unpack(packed.at, packed.len, raw.units.len, &back, &err), 0);
        if (raw.units.len)
            assert_memory_equal(back.at, raw.units.at, raw.units.len * sizeof *back.at);
        fw_vec_release(&raw.units);
    }
    fw_packer_destroy(packer);
    fw_vec_release(&packed);
    fw_vec_release(&back);
}

static void whole_recording_is_not_cut(void **state)
{
    struct raw raw = sample(100);
    size_t size;
    unsigned char *bytes = raw_spool_bytes(&raw, 20, true, &size);
    struct fw_trace *trace = load(bytes, size);

    (void)state;
    assert_false(trace->status.cut);
    assert_int_equal(trace->count, 102); /* fork, accesses, T1's branch at its start */
    fw_trace_destroy(trace);
    free(bytes);
    fw_vec_release(&raw.units);
}

/* Cut anywhere, it is a trace, cut, that never becomes shorter as the file grows. */
static void recording_cut_at_any_byte_is_readable(void **state)
{
    struct raw raw = sample(60);
    size_t size;
    unsigned char *bytes = raw_spool_bytes(&raw, 16, true, &size);
    uint32_t most = 0;

    (void)state;
    for (size_t len = 3; len < size; len++) {
        unsigned char *cut = malloc(len); /* so that a sanitizer sees every step beyond */
        struct fw_trace *trace;

        memcpy(cut, bytes, len);
        trace = load(cut, len);
        assert_true(trace->status.cut);
        assert_true(trace->count >= most);
        most = trace->count;
        fw_trace_destroy(trace);
        free(cut);
    }
    assert_int_equal(most, 62);
    free(bytes);
    fw_vec_release(&raw.units);
}

/* A damaged block ends what can be read; nothing crashes. */
static void damage_at_any_byte_is_survived(void **state)
{
    struct raw raw = sample(30);
    size_t size;
    unsigned char *bytes = raw_spool_bytes(&raw, 16, true, &size);

    (void)state;
    fw_reader_set_recovery(&fw_spool_recovery);
    for (size_t at = 8; at < size; at++) {
        struct fw_trace *trace;
        struct fw_error err = { { 0 } };

        bytes[at] ^= 0x41;
        if (fw_trace_load_memory(&trace, bytes, size, "t.fwt", NULL, &err) == 0) {
            assert_true(trace->status.cut);
            fw_trace_destroy(trace);
        } else {
            assert_true(at < 16); /* the header */
            assert_string_not_equal(err.message, "");
        }
        bytes[at] ^= 0x41;
    }
    free(bytes);
    fw_vec_release(&raw.units);
}

/* What a program may do to the memory it shares with us. */
static void damaged_ring_is_noticed(void **state)
{
    struct fw_wire_unit *to = calloc(FW_PACK_UNITS, sizeof *to);
    struct fw_random random;
    struct fw_error err;

    (void)state;
    fw_random_init(&random, 3);
    for (int round = 0; round < 2000; round++) {
        struct fw_ring ring;
        int fd;

        assert_int_equal(fw_ring_create(&ring, 4096, &fd, &err), 0);
        for (uint64_t i = 0; i < 4096; i++)
            ((unsigned char *)ring.units)[i] = (unsigned char)fw_random_next(&random);
        atomic_store(&ring.shared->head, round % 3 ? fw_random_next(&random) : 4096);
        for (int i = 0; i < 300; i++)
            if (!fw_ring_take(&ring, to))
                break;
        assert_true(ring.damaged);
        assert_int_equal(fw_ring_take(&ring, to), 0);
        fw_ring_destroy(&ring);
        close(fd);
    }
    free(to);
}

static void ring_gives_whole_records_around_its_end(void **state)
{
    struct fw_wire_unit *to = calloc(FW_PACK_UNITS, sizeof *to);
    struct fw_ring ring;
    struct fw_error err;
    uint64_t head = 0, written = 0, seen = 0;
    int fd;

    (void)state;
    assert_int_equal(fw_ring_create(&ring, 4096, &fd, &err), 0);
    for (int round = 0; round < 1000; round++) {
        for (int i = 0; i < 33; i++) { /* three units each: 1584 bytes a round */
            struct fw_wire_unit record[3] = {
                { (uint64_t)FW_WIRE_NAME << 48 | 1, (uint64_t)20 << 48 },
                { written, 1 },
                { 2, 3 },
            };

            for (int k = 0; k < 3; k++, head += 16)
                memcpy((unsigned char *)ring.units + (head & 4095), &record[k], 16);
            written++;
        }
        atomic_store(&ring.shared->head, head);
        for (size_t n = fw_ring_take(&ring, to), at = 0; at < n; at += 3)
            assert_int_equal(to[at + 1].a, seen++);
    }
    assert_int_equal(seen, written);
    assert_false(ring.damaged);
    fw_ring_destroy(&ring);
    close(fd);
    free(to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_records_come_back),
        cmocka_unit_test(whole_recording_is_not_cut),
        cmocka_unit_test(recording_cut_at_any_byte_is_readable),
        cmocka_unit_test(damage_at_any_byte_is_survived),
        cmocka_unit_test(damaged_ring_is_noticed),
        cmocka_unit_test(ring_gives_whole_records_around_its_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
