/*
 * test_heal_hold.c - a thread has the lock of a word from the entry of a section until it is seen
 * behind its end, and not when it has left the section in some other way.
 */
#include "atomrace/heal_hold_state.h"
#include "atomrace/heal_log.h"
#include "atomrace/noise.h"
#include "atomrace/overlap.h"
#include "atomrace/region_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/* --- what holds need of the rest of the library ---------------------------------------------- */

__thread struct fw_hot fw_hot;
_Atomic uint16_t fw_watch[FW_WATCH_CELLS];
_Atomic uint8_t fw_region_sites[FW_SITE_CELLS];
_Atomic uint32_t fw_places_turn;
static unsigned forced;

void fw_regions_force(void)
{
    forced++;
}

void fw_noise_dwell(void)
{
}

void fw_overlap_hook(uintptr_t address, unsigned size, bool write, uintptr_t pc)
{
    (void)address;
    (void)size;
    (void)write;
    (void)pc;
}

/* Sections: places are small numbers, which stand for addresses. */
enum {
    A_ENTRY = 1, /* of a: ends at A_END or A_OTHER_END, exits at A_EXIT */
    A_END,
    A_OTHER_END,
    A_EXIT,
    B_ENTRY = A_END, /* of b, which begins where a ends */
    B_END = 5,
    C_ENTRY = A_ENTRY, /* of c, which begins where a begins and ends later */
    C_END = B_END,
    ROUND = 6, /* entry and end of r, a circular one */
    NO_READS = 7, /* entry of n, which allows nothing */
    NO_READS_END,
    ELSEWHERE,
};

static struct fw_regions_entry entries[] = {
    { .place.offset = A_ENTRY, .section = 0, .allow = FW_REGIONS_READS },
    { .place.offset = B_ENTRY, .section = 1, .allow = FW_REGIONS_READS },
    { .place.offset = C_ENTRY, .section = 2, .allow = FW_REGIONS_READS },
    { .place.offset = ROUND, .section = 3, .allow = FW_REGIONS_READS },
    { .place.offset = NO_READS, .section = 4 },
};
static struct fw_regions_end ends[] = {
    { .place.offset = A_END, .entry = 0 },
    { .place.offset = A_OTHER_END, .entry = 0 },
    { .place.offset = B_END, .entry = 1 },
    { .place.offset = C_END, .entry = 2 },
    { .place.offset = ROUND, .entry = 3 },
    { .place.offset = NO_READS_END, .entry = 4 },
};
static struct fw_regions_exit exits[] = { { .place.offset = A_EXIT, .entry = 0 } };
static unsigned entry_count; /* of those above: which sections there are */

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct fw_regions_entry *fw_regions_entry(uint32_t i)
{
    return &entries[i];
}

struct fw_regions_end *fw_regions_end(uint32_t i)
{
    return &ends[i];
}

struct fw_regions_exit *fw_regions_exit(uint32_t i)
{
    return &exits[i];
}

static uintptr_t at(enum fw_place_kind kind, uint32_t i)
{
    return kind == FW_PLACE_ENTRY ? entries[i].place.offset
           : kind == FW_PLACE_END ? ends[i].place.offset
                                  : exits[i].place.offset;
}

uint32_t fw_place_next(enum fw_place_kind kind, uintptr_t pc, uint32_t after)
{
    uint32_t count = kind == FW_PLACE_ENTRY ? entry_count
                     : kind == FW_PLACE_END ? COUNT(ends)
                                            : COUNT(exits);

    for (uint32_t i = after + 1; i < count; i++)
        if (at(kind, i) == pc)
            return i;
    return FW_NO_PLACE;
}

/* --- a thread -------------------------------------------------------------------------------- */

static struct fw_heal_wire wire;
static struct fw_thread thread;
static struct fw_frame frames[16];
static uint64_t words[32];

static void call(void)
{
    *fw_hot.top = (struct fw_frame){ .stack = 0x1000 - 16 * (uintptr_t)(fw_hot.top - frames) };
    fw_hot.top++;
    fw_holds_settle(false);
}

static void leave(void)
{
    fw_hot.top--;
    fw_holds_settle(false);
}

static void visit(uintptr_t pc, unsigned word, bool write)
{
    struct fw_overlap_access access = { &thread, (uintptr_t)&words[word], pc, 8, write };

    fw_holds_settle(true);
    fw_holds_access(&access);
}

static bool held(unsigned word)
{
    struct fw_heal_lock *lock = fw_heal_find((uintptr_t)&words[word]);

    for (unsigned i = 0; lock && fw_holds.seats && i < FW_HEAL_SEATS; i++)
        if (atomic_load(&fw_holds.seats[i].lock) == lock)
            return fw_heal_owns(lock, fw_holds.me);
    return false;
}

static uint64_t counted(enum fw_heal_count what)
{
    uint64_t all = 0;

    for (unsigned i = 0; i < FW_HEAL_SETS; i++)
        all += atomic_load(&wire.counts[i].at[what]);
    return all;
}

static int begin(void **state)
{
    (void)state;
    memset(&wire, 0, sizeof wire);
    wire.budget = 100;
    fw_heal_wire = &wire;
    fw_heal_patience(1000000, FW_HEAL_LONGEST, &wire.off);
    memset(fw_region_sites, 1, sizeof fw_region_sites);
    fw_hot = (struct fw_hot){ .base = frames, .top = frames + 1, .end = frames + COUNT(frames) };
    frames[0].stack = UINTPTR_MAX;
    entry_count = 1;
    call();
    return 0;
}

static int end(void **state)
{
    (void)state;
    fw_holds_ended();
    for (unsigned i = 0; i < COUNT(words); i++)
        assert_false(held(i));
    fw_heal_locks_forked();
    return 0;
}

/* --- sections -------------------------------------------------------------------------------- */

static void until_it_is_seen_behind_the_end(void **state)
{
    (void)state;
    visit(A_ENTRY, 0, false);
    assert_true(held(0));
    assert_int_not_equal(fw_hot.regions, 0);
    assert_int_not_equal(fw_watched((uintptr_t)&words[0]) & FW_WATCH_HEALED, 0);
    visit(ELSEWHERE, 1, true);
    assert_true(held(0));
    forced = 0;
    visit(A_OTHER_END, 0, true);
    assert_true(held(0)); /* the access comes now */
    assert_int_not_equal(forced, 0);
    visit(ELSEWHERE, 1, true);
    assert_false(held(0));
    assert_int_equal(fw_hot.regions, 0);
    assert_int_equal(counted(FW_HEAL_ENTERED), 1);
    assert_int_equal(counted(FW_HEAL_ENDED), 1);
}

static void an_end_is_of_the_same_word(void **state)
{
    (void)state;
    visit(A_ENTRY, 0, false);
    visit(A_END, 1, true);
    visit(ELSEWHERE, 2, true);
    assert_true(held(0));
    assert_false(held(1));
}

static void until_the_function_is_left(void **state)
{
    (void)state;
    visit(A_ENTRY, 0, false);
    call();
    leave();
    assert_true(held(0));
    leave();
    assert_false(held(0));
    assert_int_equal(counted(FW_HEAL_LEFT), 1);
}

/* longjmp, and a call that is as deep as the one that was left. */
static void until_its_frame_is_gone(void **state)
{
    (void)state;
    visit(A_ENTRY, 0, false);
    fw_hot.top--;
    *fw_hot.top = (struct fw_frame){ .stack = 0x500 };
    fw_hot.top++;
    fw_holds_settle(false);
    assert_false(held(0));
}

static void until_an_exit(void **state)
{
    (void)state;
    visit(A_ENTRY, 0, false);
    visit(A_EXIT, 1, false);
    assert_false(held(0));
}

static void not_for_ever(void **state)
{
    (void)state;
    visit(A_ENTRY, 0, false);
    for (unsigned i = 0; i < 900; i++)
        visit(ELSEWHERE, 1, true);
    assert_true(held(0));
    for (unsigned i = 0; i < 200; i++)
        visit(ELSEWHERE, 1, true);
    assert_false(held(0));
    assert_int_equal(counted(FW_HEAL_LONG), 1);
}

static void an_inner_call_ends_its_own(void **state)
{
    (void)state;
    visit(A_ENTRY, 0, false);
    call();
    visit(A_ENTRY, 0, false);
    visit(A_END, 0, true);
    leave();
    assert_true(held(0)); /* the outer one goes on */
    visit(A_END, 0, true);
    leave();
    assert_false(held(0));
    assert_int_equal(counted(FW_HEAL_ENDED), 2);
}

static void what_begins_where_another_ends(void **state)
{
    (void)state;
    entry_count = 2;
    visit(A_ENTRY, 0, false);
    visit(A_END, 0, true);
    visit(ELSEWHERE, 1, true);
    assert_true(held(0));
    visit(B_END, 0, true);
    assert_true(held(0));
    visit(ELSEWHERE, 1, true);
    assert_false(held(0));
    assert_int_equal(counted(FW_HEAL_ENDED), 2);
}

static void what_begins_together_ends_with_the_last(void **state)
{
    (void)state;
    entry_count = 3;
    visit(A_ENTRY, 0, false);
    visit(A_OTHER_END, 0, true);
    visit(ELSEWHERE, 1, true);
    assert_true(held(0));
    visit(C_END, 0, true);
    visit(ELSEWHERE, 1, true);
    assert_false(held(0));
    assert_int_equal(counted(FW_HEAL_ENDED), 2);
}

static void round_and_round(void **state)
{
    (void)state;
    entry_count = 4;
    for (unsigned i = 0; i < 10; i++)
        visit(ROUND, 0, true);
    assert_true(held(0));
    assert_int_equal(counted(FW_HEAL_ENDED), 9);
    leave();
    assert_false(held(0));
}

/* --- other accesses -------------------------------------------------------------------------- */

static void others_take_the_lock_for_themselves(void **state)
{
    (void)state;
    visit(ELSEWHERE, 20, true);
    assert_false(held(20)); /* no section was entered yet */
    visit(A_ENTRY, 20, false);
    visit(A_END, 20, true);
    visit(ELSEWHERE, 20, true);
    assert_true(held(20));
    visit(ELSEWHERE, 21, true);
    assert_false(held(20));
    visit(ELSEWHERE, 20, false); /* reads are allowed */
    assert_false(held(20));
    entry_count = 5;
    visit(NO_READS, 22, false);
    visit(NO_READS_END, 22, false);
    visit(ELSEWHERE, 22, false);
    assert_true(held(22));
    call();
    assert_false(held(22));
}

static void a_range_takes_all_of_its_words(void **state)
{
    struct fw_overlap_access access = { &thread, (uintptr_t)&words[24], ELSEWHERE, 32, true };

    (void)state;
    for (unsigned i = 25; i < 29; i += 2) {
        visit(A_ENTRY, i, false);
        visit(A_END, i, true);
    }
    fw_holds_settle(false);
    fw_holds_access(&access);
    assert_false(held(24));
    assert_true(held(25));
    assert_true(held(27));
}

static void all_are_let_go_before_it_synchronises(void **state)
{
    (void)state;
    visit(A_ENTRY, 0, false);
    visit(A_ENTRY, 1, false);
    visit(A_END, 1, true);
    fw_holds_let_go(&thread);
    assert_false(held(0));
    assert_false(held(1));
    assert_int_equal(counted(FW_HEAL_LET_GO), 1); /* the other was over */
    assert_int_equal(atomic_load(&wire.logged), 1);
}

static void there_is_room_for_some(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 32; i++)
        visit(A_ENTRY, i, false);
    assert_true(held(0));
    assert_true(held(15));
    assert_false(held(31));
    assert_int_equal(counted(FW_HEAL_NO_ROOM), 16);
    visit(ELSEWHERE, 31, true); /* no section */
    assert_int_equal(counted(FW_HEAL_NO_ROOM), 16);
    assert_int_equal(counted(FW_HEAL_ENTERED), 32);
}

static void a_child_holds_nothing(void **state)
{
    (void)state;
    visit(A_ENTRY, 0, false);
    fw_holds_forked();
    assert_false(held(0));
    assert_int_equal(fw_hot.regions, 0);
    visit(A_ENTRY, 0, false);
    assert_true(held(0));
}

/* --- the quick way --------------------------------------------------------------------------- */

#define RUNS  400u
#define STEPS 120u

static uint64_t random_state;

static unsigned draw(unsigned below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((random_state >> 33) % below);
}

/* As a hook that takes the long way. */
static void hook(const struct fw_overlap_access *access, bool quickly)
{
    fw_hot.ticks--;
    if (quickly && fw_hot.ticks >= 0 &&
        fw_holds_quickly(access->address, (unsigned)access->bytes, access->write, access->pc))
        return;
    if (thread.ignored)
        return;
    if (fw_hot.ticks < 0)
        fw_holds_forced();
    fw_holds_settle(true);
    fw_holds_access(access);
}

static bool has_mutex;
static unsigned under_mutex; /* locks that were the mutex's, after steps */

/* What the thread is in, whatever the order: sums of what tells holds apart. */
static uint64_t digest(void)
{
    uint64_t all = fw_holds.count;

    for (unsigned i = 0; i < FW_HOLDS; i++) {
        const struct fw_hold *hold = &fw_holds.at[i];
        uint64_t word = hold->lock ? hold->lock->word / 8 : 0;

        if (!hold->lock)
            continue;
        assert_ptr_equal(atomic_load(&fw_holds.seats[i].lock), hold->lock);
        assert_int_equal((atomic_load(&fw_holds.seats[i].state) & FW_HEAL_OVER) != 0, hold->over);
        assert_true(fw_heal_owns(hold->lock, fw_holds.me));
        all += (word * 31 + hold->entry * 2 + hold->over + 1) * 0x9e3779b97f4a7c15u;
    }
    for (unsigned i = 0; i < 3; i++) {
        struct fw_heal_lock *lock = fw_heal_find((uintptr_t)&words[i]);

        under_mutex += fw_heal_is_mutexs(lock);
        assert_true(held(i) || fw_heal_owner(lock) == 0 || fw_heal_is_kept(lock, fw_holds.id));
    }
    assert_int_equal(fw_hot.regions != 0, fw_holds.count != 0);
    return all;
}

static void ignore(bool ignored)
{
    thread.ignored = ignored ? FW_IGNORE_READS | FW_IGNORE_WRITES : 0;
    fw_holds_forget();
}

static void lock_or_unlock(void)
{
    static int mutex;

    fw_holds_let_go(&thread);
    has_mutex = !has_mutex;
    fw_holds_follow_mutex(&mutex, has_mutex);
}

static void step(bool quickly)
{
    static const uintptr_t places[] = { A_ENTRY, A_ENTRY, A_END, A_END, A_OTHER_END, A_EXIT,
                                        NO_READS, NO_READS_END, ELSEWHERE };
    uintptr_t pc = places[draw(COUNT(places))];
    static const unsigned sizes[] = { 8, 8, 8, 4, 1, 16 };
    unsigned word = draw(3), what = draw(40), bytes = sizes[draw(COUNT(sizes))], last = draw(2);
    struct fw_overlap_access access = { &thread, 0, pc, bytes, draw(2) };

    if (pc == NO_READS)
        word = 0; /* the others allow reads in all runs */
    access.address = (uintptr_t)&words[word] + (bytes < 8 ? last * (8 - bytes) : 0);
    if (what <= 1 && fw_hot.top - frames < 5)
        call();
    else if (what <= 3 && fw_hot.top - frames > 2)
        leave();
    else if (what <= 5)
        fw_holds_let_go(&thread);
    else if (what == 6)
        fw_places_turn++; /* a file was loaded */
    else if (what == 7)
        ignore(!thread.ignored);
    else if (what == 8)
        lock_or_unlock();
    else
        hook(&access, quickly);
}

static void run_once(uint64_t seed, bool quickly, uint64_t *digests)
{
    void *none = NULL;

    begin(&none);
    entry_count = seed % 3 ? 1 : 5; /* of those that begin together none is known */
    memset(fw_region_sites, 0, sizeof fw_region_sites);
    for (unsigned i = 0; i < entry_count; i++)
        fw_region_sites[fw_site_cell(entries[i].place.offset)] = 1;
    fw_region_sites[fw_site_cell(A_EXIT)] = 1;
    for (unsigned i = 0; i < 3; i++) {
        struct fw_heal_lock *lock = fw_heal_find((uintptr_t)&words[i]);

        atomic_store(&lock->habit, 0);
        atomic_store(&lock->hint, 0);
    }
    has_mutex = false;
    ignore(false);
    fw_hot.ticks = seed % 2 ? INT32_MAX : STEPS / 2; /* may run out */
    random_state = seed;
    for (unsigned i = 0; i < STEPS; i++) {
        step(quickly);
        digests[i] = digest();
    }
    for (unsigned i = 0; i < FW_HEAL_COUNTS; i++)
        digests[STEPS + i] = counted(i);
    fw_holds_ended();
    fw_heal_locks_forked();
}

/* Sections begin anew, end, are left, and single writes come in between. */
static void the_quick_way_does_what_the_long_one_does(void **state)
{
    uint64_t slow[STEPS + FW_HEAL_COUNTS], quick[STEPS + FW_HEAL_COUNTS];

    (void)state;
    fw_heal_alone = true;
    for (unsigned i = 0; i < 3; i++) /* in both from the beginning */
        fw_holds_prepare((uintptr_t)&words[i], i == 0);
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        run_once(seed, false, slow);
        run_once(seed, true, quick);
        for (unsigned i = 0; i < COUNT(slow); i++)
            if (slow[i] != quick[i])
                fail_msg("seed %u: step %u differs", (unsigned)seed, i);
    }
    assert_int_not_equal(under_mutex, 0);
    fw_heal_alone = false;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(until_it_is_seen_behind_the_end),
        TEST(an_end_is_of_the_same_word),
        TEST(until_the_function_is_left),
        TEST(until_its_frame_is_gone),
        TEST(until_an_exit),
        TEST(not_for_ever),
        TEST(an_inner_call_ends_its_own),
        TEST(what_begins_where_another_ends),
        TEST(what_begins_together_ends_with_the_last),
        TEST(round_and_round),
        TEST(others_take_the_lock_for_themselves),
        TEST(a_range_takes_all_of_its_words),
        TEST(all_are_let_go_before_it_synchronises),
        TEST(there_is_room_for_some),
        TEST(a_child_holds_nothing),
        TEST(the_quick_way_does_what_the_long_one_does),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
