/*
 * test_sections.c - open sections are met by who conflicts with them and by nobody else; noise is
 * made as often as it is wanted, and where.
 */
#include "atomrace/hits.h"
#include "atomrace/noise.h"
#include "atomrace/targets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* What the sections need of the rest of the library. */
__thread struct fw_hot fw_hot;
static _Atomic unsigned hits;

void fw_hit(const struct fw_overlap_access *first, const struct fw_overlap_access *second)
{
    assert_true(first->thread != second->thread && (first->write || second->write));
    hits++;
}

static struct fw_thread threads[3] = { { .number = 0 }, { .number = 1 }, { .number = 2 } };
static uint64_t memory[64];

static struct fw_overlap_access access_of(unsigned thread, size_t offset, size_t bytes, bool write)
{
    return (struct fw_overlap_access) { &threads[thread], (uintptr_t)memory + offset, 0x1000, bytes,
                                        write, false };
}

/* How often one that opens is met by one that looks. */
static unsigned met(struct fw_overlap_access open, struct fw_overlap_access look)
{
    struct fw_section *section = fw_section_open(&open);

    assert_non_null(section);
    assert_int_not_equal(fw_watched(open.address), 0);
    hits = 0;
    fw_sections_look(&look);
    fw_section_close(section);
    assert_int_equal(fw_watched(open.address), 0);
    return hits;
}

static void who_conflicts_is_met(void **state)
{
    (void)state;
    assert_int_equal(met(access_of(1, 8, 8, true), access_of(2, 8, 8, true)), 1);
    assert_int_equal(met(access_of(1, 8, 4, true), access_of(2, 8, 4, false)), 1);
    assert_int_equal(met(access_of(1, 8, 4, false), access_of(2, 8, 8, true)), 1);
    assert_int_equal(met(access_of(1, 15, 1, false), access_of(2, 8, 8, true)), 1);
    assert_int_equal(met(access_of(1, 0, 256, true), access_of(2, 255, 1, false)), 1);
}

static void who_does_not_is_not(void **state)
{
    struct fw_overlap_access look = access_of(2, 8, 8, true);

    (void)state;
    assert_int_equal(met(access_of(1, 8, 8, false), access_of(2, 8, 8, false)), 0);
    assert_int_equal(met(access_of(2, 8, 8, true), access_of(2, 8, 8, true)), 0);
    assert_int_equal(met(access_of(1, 0, 8, true), look), 0);
    assert_int_equal(met(access_of(1, 16, 8, true), look), 0);
    assert_int_equal(met(access_of(1, 12, 4, true), access_of(2, 8, 4, true)), 0);
    hits = 0;
    fw_sections_look(&look); /* all are closed */
    assert_int_equal(hits, 0);
    assert_false(fw_sections_any());
}

static void there_is_room_for_many_and_no_more(void **state)
{
    struct fw_section *open[64];
    struct fw_overlap_access access = access_of(1, 0, 4, true), other = access_of(2, 0, 4, false);

    (void)state;
    for (unsigned i = 0; i < 64; i++)
        assert_non_null(open[i] = fw_section_open(&access));
    assert_null(fw_section_open(&access));
    hits = 0;
    fw_sections_look(&other);
    assert_int_equal(hits, 64);
    for (unsigned i = 0; i < 64; i++)
        fw_section_close(open[i]);
    assert_false(fw_sections_any());
    assert_non_null(open[0] = fw_section_open(&access));
    fw_sections_forked();
    assert_false(fw_sections_any());
    assert_int_equal(fw_watched(access.address), 0);
}

#define ROUNDS 2000u

static pthread_barrier_t barrier;

static void *open_at_once(void *thread)
{
    struct fw_overlap_access access = access_of(*(unsigned *)thread, 24, 8, true);

    for (unsigned i = 0; i < ROUNDS; i++) {
        struct fw_section *section;

        pthread_barrier_wait(&barrier);
        section = fw_section_open(&access);
        fw_sections_look(&access);
        pthread_barrier_wait(&barrier); /* both are open until here */
        fw_section_close(section);
    }
    return NULL;
}

static void of_two_that_open_at_once_one_sees_the_other(void **state)
{
    unsigned numbers[2] = { 1, 2 };
    pthread_t other;

    (void)state;
    hits = 0;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&other, NULL, open_at_once, &numbers[1]);
    open_at_once(&numbers[0]);
    pthread_join(other, NULL);
    pthread_barrier_destroy(&barrier);
    assert_true(hits >= ROUNDS);
}

/* --- noise ----------------------------------------------------------------------------------- */

#define ACCESSES 200000u

/* How many of so many accesses noise is wanted at, as hooks ask; *hash: which. */
static unsigned wanted(const struct fw_noise *noise, unsigned thread,
                       const struct fw_overlap_access *access, uint64_t *hash)
{
    unsigned count = 0;

    fw_noise_begin(noise);
    fw_noise_thread(&threads[thread]);
    *hash = 0;
    for (unsigned i = 0; i < ACCESSES; i++)
        if ((--*(access->write ? &fw_hot.ticks : &fw_hot.read_ticks) < 0 ||
             fw_watched(access->address)) &&
            fw_noise_wants(access)) {
            count++;
            *hash = *hash * 31 + i;
        }
    return count;
}

static void noise_is_as_strong_as_it_is_wanted(void **state)
{
    static const uint32_t strengths[] = { 1, 10, 50, 99, 100, 333, 500, 999, 1000 };
    struct fw_overlap_access access = access_of(1, 0, 8, true);
    uint64_t hash;

    (void)state;
    for (size_t i = 0; i < sizeof strengths / sizeof *strengths; i++) {
        struct fw_noise noise = { .seed = 1, .strength = strengths[i], .everywhere = true };
        double all = ACCESSES / 1000.0 * strengths[i];
        unsigned count;

        access.write = i % 2; /* both have counters of their own */
        count = wanted(&noise, 1, &access, &hash);
        assert_true(count > all * 0.8 && count < all * 1.2);
    }
}

static void without_noise_sections_are_rare(void **state)
{
    struct fw_overlap_access access = access_of(1, 0, 8, true);
    struct fw_noise none = { .seed = 1, .everywhere = true };
    uint64_t hash;
    unsigned count = wanted(&none, 1, &access, &hash);

    (void)state;
    assert_true(count > ACCESSES / 16384 && count < ACCESSES / 1024);
}

static void decisions_come_from_the_seed_and_the_thread(void **state)
{
    struct fw_overlap_access access = access_of(1, 0, 8, true);
    struct fw_noise noise = { .seed = 7, .strength = 50, .everywhere = true };
    uint64_t first, again, other_thread, other_seed;

    (void)state;
    wanted(&noise, 1, &access, &first);
    wanted(&noise, 1, &access, &again);
    wanted(&noise, 2, &access, &other_thread);
    noise.seed = 8;
    wanted(&noise, 1, &access, &other_seed);
    assert_true(first == again && first != other_thread && first != other_seed);
}

/* Targets stay: these come last. */
static void noise_is_where_it_is_wanted(void **state)
{
    struct fw_overlap_access at = access_of(1, 80, 8, true), beside = access_of(1, 88, 8, true);
    struct fw_noise noise = { .seed = 1, .strength = 500 };
    char text[256];
    struct stat self;
    uint64_t hash;

    (void)state;
    assert_int_equal(stat("/proc/self/exe", &self), 0);
    snprintf(text, sizeof text, "v%lx.%lx.%lx.%lx,c%lx.%lx.2000.2010", self.st_dev, self.st_ino,
             (unsigned long)at.address - 0x1000, (unsigned long)at.address - 0x1000 + 8,
             self.st_dev, self.st_ino);
    assert_true(fw_targets_parse(text, strlen(text)));
    fw_targets_module("/no/such/file", 0x1000);
    assert_int_equal(wanted(&noise, 1, &at, &hash), 0);
    fw_targets_module("/proc/self/exe", 0x1000);
    assert_in_range(wanted(&noise, 1, &at, &hash), ACCESSES * 0.4, ACCESSES * 0.6);
    assert_int_equal(wanted(&noise, 1, &beside, &hash), 0);
    assert_true(fw_noise_has_target(at.address - 100, 101));
    beside.pc = 0x3001; /* returns behind a call in the range */
    assert_in_range(wanted(&noise, 1, &beside, &hash), ACCESSES * 0.4, ACCESSES * 0.6);
    beside.pc = 0x3011;
    assert_int_equal(wanted(&noise, 1, &beside, &hash), 0);
    noise.prefer = true;
    assert_in_range(wanted(&noise, 1, &at, &hash), ACCESSES * 0.4, ACCESSES * 0.6);
    assert_in_range(wanted(&noise, 1, &beside, &hash), ACCESSES * 0.005, ACCESSES * 0.02);
}

static void targets_that_are_none_are_not_taken(void **state)
{
    static const char *const bad[] = { "", "x1.2.3.4", "v1.2.3", "v1.2.3.", "v.2.3.4", "v1,2,3,4" };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(fw_targets_parse(bad[i], strlen(bad[i])));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_conflicts_is_met),
        cmocka_unit_test(who_does_not_is_not),
        cmocka_unit_test(there_is_room_for_many_and_no_more),
        cmocka_unit_test(of_two_that_open_at_once_one_sees_the_other),
        cmocka_unit_test(noise_is_as_strong_as_it_is_wanted),
        cmocka_unit_test(without_noise_sections_are_rare),
        cmocka_unit_test(decisions_come_from_the_seed_and_the_thread),
        cmocka_unit_test(noise_is_where_it_is_wanted),
        cmocka_unit_test(targets_that_are_none_are_not_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
