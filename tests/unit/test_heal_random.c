/*
 * test_heal_random.c - whatever comes, the quick way of healing does what the long one does, and
 * nothing that threads add up in sections is lost.
 */
#include "heal_quickly.h"

#include <pthread.h>
#include <sched.h>

/* --- by chance ------------------------------------------------------------------------------- */

#define RUNS  400u
#define STEPS 120u

static uint64_t random_state;

static unsigned draw(unsigned below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((random_state >> 33) % below);
}

static bool has_mutex;
static unsigned under_mutex; /* locks that were the mutex's, after steps */

/* What others see of it is what it is. */
static void look_at_seat(unsigned i)
{
    const struct fw_hold *hold = &fw_holds.at[i];
    uint64_t state = atomic_load(&fw_holds.seats[i].state);
    uint16_t section =
        hold->entry == FW_HOLD_PLAIN ? UINT16_MAX : (uint16_t)entries[hold->entry].section;

    assert_int_equal((state & FW_HEAL_OVER) != 0, hold->over);
    assert_int_equal((uint16_t)(state >> 32), section);
    assert_true(fw_heal_owns(hold->lock, fw_holds.me));
}

/* What the thread is in, whatever the order: sums of what tells holds apart; and whether its next
 * hook is forced. */
static uint64_t digest(void)
{
    uint64_t all = fw_holds.count + (fw_hot.ticks < 0 ? 1u << 16 : 0);

    for (unsigned i = 0; i < FW_HOLDS; i++) {
        const struct fw_hold *hold = &fw_holds.at[i];
        uint64_t word = hold->lock ? hold->lock->word / 8 : 0;

        if (fw_holds.seats)
            assert_ptr_equal(atomic_load(&fw_holds.seats[i].lock), hold->lock);
        if (!hold->lock)
            continue;
        look_at_seat(i);
        if (hold->entry != FW_HOLD_PLAIN)
            word += hold->links * 0x10001u;
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

    synchronise();
    has_mutex = !has_mutex;
    fw_holds_follow_mutex(&mutex, has_mutex);
}

/* The next access: most sections that begin end with the next one. */
static const struct fw_overlap_access *draw_access(struct fw_overlap_access *access)
{
    static const uintptr_t places[] = { A_ENTRY, A_ENTRY, A_END, A_END, A_OTHER_END, A_EXIT,
                                        NO_READS, NO_READS_END, ELSEWHERE };
    static const unsigned sizes[] = { 8, 8, 8, 4, 1, 16 };
    static unsigned word;
    bool at_end = access->pc == A_ENTRY && draw(8);
    unsigned last = draw(2);

    access->thread = &thread;
    access->pc = at_end ? A_END : places[draw(COUNT(places))];
    if (!at_end) /* word 0 does not allow reads, the last one has no lock */
        word = access->pc == NO_READS ? 0 : draw(access->pc == ELSEWHERE ? 4 : 3);
    access->bytes = sizes[draw(COUNT(sizes))];
    access->address =
        (uintptr_t)&words[word] + (access->bytes < 8 ? last * (8 - access->bytes) : 0);
    if (access->bytes >= 8 && !draw(8)) /* it begins in this word, and goes on in the next */
        access->address += 1 + draw(7);
    access->write = draw(2);
    return access;
}

static void step(struct fw_overlap_access *access)
{
    unsigned what = draw(40);

    if (what <= 1 && fw_hot.top - frames < 5)
        call();
    else if (what <= 3 && fw_hot.top - frames > 2)
        leave();
    else if (what <= 9)
        synchronise();
    else if (what == 10 && !draw(4))
        fw_places_turn++; /* a file was loaded */
    else if (what == 11 && !draw(4))
        ignore(!thread.ignored && draw(2));
    else if (what == 12)
        lock_or_unlock();
    else
        hook(draw_access(access));
}

static void run_once(uint64_t seed, bool by_quick_way, uint64_t *digests)
{
    struct fw_overlap_access access = { 0 };
    void *none = NULL;

    begin(&none);
    quickly = by_quick_way;
    entry_count = seed % 3 ? 1 : 5; /* of those that begin together none is known */
    mark_sites();
    for (unsigned i = 0; i < 3; i++) {
        struct fw_heal_lock *lock = lock_of(i);

        atomic_store(&lock->habit, 0);
        atomic_store(&lock->hint, 0);
        atomic_store(&lock->past, seed % 5 == i ? FW_HEAL_WANTED << 4 : 0); /* some are wanted */
    }
    has_mutex = false;
    ignore(false);
    fw_hot.ticks = seed % 2 ? INT32_MAX : STEPS / 2; /* may run out */
    fw_holds.ticks = 0;
    random_state = seed;
    for (unsigned i = 0; i < STEPS; i++) {
        step(&access);
        digests[i] = digest();
    }
    for (unsigned i = 0; i < FW_HEAL_COUNTS; i++)
        digests[STEPS + i] = counted(i);
    fw_holds_ended();
    fw_heal_locks_forked();
    quickly = false;
}

/* Sections begin anew, end, are left, and single writes come in between. */
static void the_quick_way_does_what_the_long_one_does(void **state)
{
    uint64_t slow[STEPS + FW_HEAL_COUNTS], quick[STEPS + FW_HEAL_COUNTS];

    (void)state;
    fw_heal_alone = true;
    long_ways = 0;
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
    assert_in_range(long_ways, hooks / 4, hooks - hooks / 4); /* both are taken often */
    fw_heal_alone = false;
}

/* --- all at once ----------------------------------------------------------------------------- */

#define THREADS 4u
#define ROUNDS  4000u

static pthread_mutex_t guards[3];
static _Atomic uint64_t added[3];
static _Atomic unsigned long_ways_of_all;

static void add_one(unsigned word)
{
    uint64_t before;

    come(A_ENTRY, word, false);
    before = __atomic_load_n(&words[word], __ATOMIC_RELAXED);
    for (unsigned i = 0; i < 10; i++)
        __builtin_ia32_pause();
    come(A_END, word, true);
    __atomic_store_n(&words[word], before + 1, __ATOMIC_RELAXED);
    atomic_fetch_add(&added[word], 1);
}

static void *add_many(void *seed)
{
    uint32_t random = (uint32_t)(uintptr_t)seed * 2654435761u + 1;

    fw_hot = (struct fw_hot){ .base = frames, .top = frames + 1, .end = frames + COUNT(frames),
                              .ticks = INT32_MAX };
    frames[0].stack = UINTPTR_MAX;
    thread.number = (uint32_t)(uintptr_t)seed;
    call();
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned word;

        random = random * 1664525u + 1013904223u;
        word = (random >> 24) % 3;
        if (random >> 16 & 7) {
            pthread_mutex_lock(&guards[word]);
            fw_holds_locked(&guards[word]);
            add_one(word);
            synchronise();
            fw_holds_unlocks(&guards[word]);
            pthread_mutex_unlock(&guards[word]);
        } else {
            for (unsigned i = random >> 19 & 31; i > 0; i--) /* of one word: it is kept */
                add_one(word);
            synchronise();
            atomic_store(&lock_of(word)->past, 0); /* what was in vain is forgotten */
        }
        if (!(random >> 8 & 63))
            sched_yield();
    }
    atomic_fetch_add(&long_ways_of_all, long_ways);
    fw_holds_ended();
    return NULL;
}

static void nothing_is_lost(void **state)
{
    pthread_t threads[THREADS];
    uint64_t all = 0;

    (void)state;
    memset(words, 0, sizeof words);
    fw_heal_patience(600ull * FW_SECOND, FW_HEAL_LONGEST, &wire.off);
    for (unsigned i = 0; i < 3; i++)
        pthread_mutex_init(&guards[i], NULL);
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_many, (void *)(i + 1)), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(words[i], atomic_load(&added[i]));
        all += words[i];
    }
    assert_in_range(atomic_load(&long_ways_of_all), 1, all); /* of twice as many hooks */
    assert_int_equal(counted(FW_HEAL_LATE), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_quick_way_does_what_the_long_one_does),
        cmocka_unit_test_setup_teardown(nothing_is_lost, begin_quickly, end_quickly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
