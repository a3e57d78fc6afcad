/*
 * prop_guard_words.c - the state of a word (guard/words.h) against the definition: random accesses
 * of some threads to some words, whose dependencies are also worked out from the whole history.
 */
#include "guard/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#define ROUNDS  2000
#define LENGTH  60
#define WORDS   3u
#define THREADS 5u /* so many readers have room */
#define SITES   9u

struct access {
    uintptr_t word;
    uint32_t who;
    bool write;
};

struct history {
    struct access at[LENGTH];
    unsigned len;
};

static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 20) % below;
}

/* --- the definition -------------------------------------------------------------------------- */

/* Nothing between the two rules it out. */
static bool is_immediate(const struct history *history, unsigned p, const struct access *m)
{
    const struct access *before = &history->at[p];

    for (unsigned i = p + 1; i < history->len; i++) {
        const struct access *between = &history->at[i];

        if (between->word != m->word)
            continue;
        if (fw_word_thread(between->who) == fw_word_thread(before->who) ||
            fw_word_thread(between->who) == fw_word_thread(m->who) || between->write ||
            (before->write && m->write))
            return false;
    }
    return true;
}

static unsigned naive_before(const struct history *history, const struct access *m,
                             uint32_t *before)
{
    unsigned count = 0;

    for (unsigned i = 0; i < history->len; i++) {
        const struct access *p = &history->at[i];

        if (p->word == m->word && fw_word_thread(p->who) != fw_word_thread(m->who) &&
            (p->write || m->write) && is_immediate(history, i, m))
            before[count++] = p->who;
    }
    return count;
}

/* The last access of the word, of any thread or of this one; LENGTH: none. */
static unsigned last_of(const struct history *history, const struct access *m, bool own)
{
    unsigned last = LENGTH;

    for (unsigned i = 0; i < history->len; i++)
        if (history->at[i].word == m->word &&
            (!own || fw_word_thread(history->at[i].who) == fw_word_thread(m->who)))
            last = i;
    return last;
}

static unsigned last_write(const struct history *history, const struct access *m)
{
    unsigned last = LENGTH;

    for (unsigned i = 0; i < history->len; i++)
        if (history->at[i].word == m->word && history->at[i].write)
            last = i;
    return last;
}

/* The other thread's write that a read gets, if that has read it as well, and its own has not. */
static uint32_t naive_of(const struct history *history, const struct access *m)
{
    bool read_by[THREADS + 2] = { false };

    for (unsigned i = history->len; !m->write && i-- > 0;) {
        const struct access *before = &history->at[i];

        if (before->word != m->word)
            continue;
        if (!before->write) {
            read_by[fw_word_thread(before->who)] = true;
            continue;
        }
        return fw_word_thread(before->who) != fw_word_thread(m->who) &&
                       read_by[fw_word_thread(before->who)] && !read_by[fw_word_thread(m->who)]
                   ? before->who
                   : 0;
    }
    return 0;
}

/* Of a read: was the last access another's read, and has its thread not accessed since the last
 * write?  (Then it reads what it has read, which is nothing new.)  Of either: nobody before; its
 * own counts last. */
static unsigned naive_also(const struct history *history, const struct access *m, unsigned before)
{
    unsigned any = last_of(history, m, false), own = last_of(history, m, true);
    unsigned write = last_write(history, m);

    if (any == LENGTH)
        return FW_WORD_NOBODY;
    if (m->write)
        return before ? 0 : FW_WORD_SELF;
    if (own != LENGTH && (write == LENGTH || own > write))
        return 0; /* it has read this */
    if (own == any)
        return FW_WORD_SELF;
    return history->at[any].write ? 0 : FW_WORD_READ;
}

/* --- the comparison -------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static void compare(const struct history *history, const struct access *m, unsigned round)
{
    uint64_t cell = atomic_load(fw_word_cell(m->word));
    struct fw_word_seen seen;
    uint32_t wanted[LENGTH];
    unsigned count = naive_before(history, m, wanted);

    if (fw_word_repeats(cell, m->who, m->write)) {
        assert_int_equal(count, 0); /* nothing to judge */
        return;
    }
    fw_word_look(m->word, cell, m->who, m->write, &seen);
    qsort(wanted, count, sizeof *wanted, by_number);
    qsort(seen.before, seen.count, sizeof *seen.before, by_number);
    if (seen.count != count || memcmp(seen.before, wanted, count * sizeof *wanted) != 0)
        fail_msg("round %u, access %u: %u dependencies, not %u", round, history->len, seen.count,
                 count);
    if (seen.also != naive_also(history, m, count))
        fail_msg("round %u, access %u: comes behind %u, not %u", round, history->len, seen.also,
                 naive_also(history, m, count));
    assert_int_equal(seen.of, naive_of(history, m));
    if (fw_word_is_own(cell, m->who))
        assert_int_equal(count, 0); /* so that the quick way is right */
}

static void make(const struct access *m)
{
    _Atomic uint64_t *at = fw_word_cell(m->word);
    uint64_t cell = atomic_load(at);

    if (fw_word_is_own(cell, m->who) && draw(2))
        atomic_store(at, fw_word_own(cell, m->who, m->write)); /* the quick way */
    else
        fw_word_note(m->word, m->who, m->write);
}

static void words_follow_the_definition(void **unused)
{
    (void)unused;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct history history = { .len = 0 };
        uint32_t writes = 1 + draw(9);

        state = round * 0x9e3779b97f4a7c15u + 88172645463325252u;
        fw_words_forget(0x1000, WORDS * 4);
        while (history.len < LENGTH) {
            struct access m = { .word = 0x1000 + draw(WORDS) * 4,
                                .who = fw_word_who(1 + draw(SITES), 1 + draw(THREADS)),
                                .write = draw(10) < writes };

            compare(&history, &m, round);
            make(&m);
            history.at[history.len++] = m;
        }
    }
}

/*
 * Learning watches all sites, the guard those that are shared.  Here the odd ones are watched, in
 * other words, and the even ones come only where no other thread is met: whatever a watched access
 * finds there, learning has seen as well.
 */
#define ELSEWHERE 0x1000u

static bool is_watched(uint32_t who)
{
    return fw_word_site(who) % 2;
}

static bool is_in(uint32_t who, const struct fw_word_seen *seen)
{
    for (unsigned i = 0; i < seen->count; i++)
        if (seen->before[i] == who)
            return true;
    return seen->of == who;
}

/* False: a site that is not watched has met another thread after all. */
static bool sees_the_same(const struct access *m, unsigned round)
{
    uint64_t wide = atomic_load(fw_word_cell(m->word));
    uint64_t narrow = atomic_load(fw_word_cell(m->word + ELSEWHERE));
    struct fw_word_seen all, some;

    fw_word_look(m->word, wide, m->who, m->write, &all);
    if (all.shared && (!is_watched(m->who) || (all.own && !is_watched(all.own))))
        return false;
    for (unsigned i = 0; i < all.others; i++)
        if (!is_watched(all.other[i]))
            return false;
    if (!is_watched(m->who) || fw_word_repeats(narrow, m->who, m->write))
        return true;
    fw_word_look(m->word + ELSEWHERE, narrow, m->who, m->write, &some);
    if (fw_word_repeats(wide, m->who, m->write))
        all.also = 0;
    all.also |= fw_word_unseen(wide, m->who, m->write, is_watched((uint32_t)(wide >> 32)),
                               is_watched((uint32_t)wide));
    if (some.also & ~all.also)
        fail_msg("round %u: comes behind %u, learnt was %u", round, some.also, all.also);
    for (unsigned i = 0; i < some.count; i++)
        if (!is_in(some.before[i], &all))
            fail_msg("round %u: depends on %u, which was not learnt", round, some.before[i]);
    return true;
}

static void what_is_not_watched_is_not_missed(void **unused)
{
    (void)unused;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t writes = 1 + draw(9), threads = 1 + draw(THREADS);

        state = round * 0x9e3779b97f4a7c15u + 88172645463325252u;
        fw_words_forget(0x1000, WORDS * 4);
        fw_words_forget(0x1000 + ELSEWHERE, WORDS * 4);
        for (unsigned i = 0; i < LENGTH; i++) {
            struct access m = { .word = 0x1000 + draw(WORDS) * 4,
                                .who = fw_word_who(1 + draw(SITES), 1 + draw(threads)),
                                .write = draw(10) < writes };

            if (!sees_the_same(&m, round))
                continue;
            make(&m);
            m.word += ELSEWHERE;
            if (is_watched(m.who))
                make(&m);
        }
    }
}

/* Reading does not write any more when threads have taken turns for long. */
static void turns_of_readers_settle(void **unused)
{
    uint64_t cell;

    (void)unused;
    fw_words_forget(0x1000, 4);
    for (unsigned i = 0; i < 3 * FW_WORD_TURNS; i++)
        fw_word_note(0x1000, fw_word_who(7, 1 + i % 2), false);
    cell = atomic_load(fw_word_cell(0x1000));
    for (unsigned i = 0; i < 10; i++) {
        fw_word_note(0x1000, fw_word_who(7, 1 + i % 2), false);
        assert_true(atomic_load(fw_word_cell(0x1000)) == cell);
    }
}

/* Of more readers than there is room for the latest are known. */
static void what_does_not_fit_is_lost(void **unused)
{
    struct fw_word_seen seen;

    (void)unused;
    fw_words_forget(0x1000, 4);
    for (uint32_t thread = 1; thread <= 20; thread++)
        fw_word_note(0x1000, fw_word_who(3, thread), false);
    fw_word_look(0x1000, atomic_load(fw_word_cell(0x1000)), fw_word_who(4, 30), true, &seen);
    assert_int_equal(seen.count, FW_WORD_BEFORE);
    for (unsigned i = 0; i < seen.count; i++)
        assert_int_equal(seen.before[i], fw_word_who(3, 20 - i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_follow_the_definition),
        cmocka_unit_test(what_is_not_watched_is_not_missed),
        cmocka_unit_test(turns_of_readers_settle),
        cmocka_unit_test(what_does_not_fit_is_lost),
    };

    fw_word_cells = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fw_word_cells == MAP_FAILED)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
