/* learning.c - see learning.h. */
#include "guard/learning.h"
#include "guard/guard.h"
#include "runtime/futex.h"

/* What one access has to teach; word 0: nothing. */
struct lesson {
    uintptr_t word;
    uint32_t writer; /* of the word, as it must still be when this is believed */
    uint32_t site;
    uint8_t marks;
    unsigned count;
    uint32_t before[FW_WORD_BEFORE]; /* sites */
};

static __thread struct lesson kept;

static void mark(uint32_t site, uint8_t how)
{
    _Atomic uint8_t *at = &fw_guard_sites(fw_guard)[site];

    /* relaxed: marks, read when the program has ended */
    if (~atomic_load_explicit(at, memory_order_relaxed) & how)
        atomic_fetch_or_explicit(at, how, memory_order_relaxed);
}

static bool is_known(uint32_t site, uint32_t before)
{
    const _Atomic uint64_t *at = fw_guard_pair_at(fw_guard, FW_GUARD_PAIR(site, before));

    return at && atomic_load_explicit(at, memory_order_relaxed);
}

/* Its own thread has written the word since only if nobody else had: it took the quick way, which
 * is for words that it accessed last. */
static bool is_believed(const struct lesson *lesson)
{
    /* relaxed: words.h */
    uint32_t writer =
        (uint32_t)atomic_load_explicit(fw_word_cell(lesson->word), memory_order_relaxed);

    return writer == lesson->writer || fw_word_thread(writer) == fw_guard_self;
}

void fw_guard_learnt(void)
{
    struct lesson lesson = kept;

    if (!lesson.word)
        return;
    kept.word = 0;
    if (!is_believed(&lesson))
        return;
    mark(lesson.site, lesson.marks);
    for (unsigned i = 0; i < lesson.count; i++)
        if (!fw_guard_pair_add(fw_guard, FW_GUARD_PAIR(lesson.site, lesson.before[i]),
                               FW_GUARD_PAIR_NEW))
            atomic_fetch_add(&fw_guard->counts[FW_GUARD_LOST], 1);
}

/* That memory is shared is certain.  Its own thread's read of what it writes now is a part of that:
 * if it were not watched, the write would seem to depend on what others read before. */
static void learn_shared(const struct fw_word_seen *seen, uint32_t site)
{
    if (seen->shared && seen->own)
        mark(fw_word_site(seen->own), FW_GUARD_SHARED);
    mark(site, FW_GUARD_SEEN | (seen->shared ? FW_GUARD_SHARED : 0));
    for (unsigned i = 0; i < seen->others; i++)
        mark(fw_word_site(seen->other[i]), FW_GUARD_SHARED);
}

void fw_guard_learn(uintptr_t word, uint64_t cell, uint32_t who, bool write,
                    const struct fw_word_seen *seen)
{
    uint32_t site = fw_word_site(who);
    struct lesson lesson = { .word = word, .writer = write ? who : (uint32_t)cell, .site = site };
    unsigned marks;

    fw_guard_learnt();
    learn_shared(seen, site);
    fw_word_note(word, who, write);
    marks = seen->also << FW_GUARD_ALSO | fw_guard_unseen(cell, who, write);
    lesson.marks = (uint8_t)(marks & ~fw_guard_sites(fw_guard)[site]);
    for (unsigned i = 0; i < seen->count; i++)
        if (!is_known(site, fw_word_site(seen->before[i])))
            lesson.before[lesson.count++] = fw_word_site(seen->before[i]);
    if (seen->of && !is_known(site, fw_word_site(seen->of)))
        lesson.before[lesson.count++] = fw_word_site(seen->of); /* then there is no other */
    if (!lesson.marks && !lesson.count)
        return;
    kept = lesson;
}

void fw_guard_dwell(void)
{
    static __thread uint64_t state;
    struct timespec nap = { 0, 0 };

    if (!state)
        state = (fw_guard->seed + fw_guard_self) * 0x9e3779b97f4a7c15u | 1;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    if (state % 1000 >= fw_guard->noise)
        return;
    nap.tv_nsec = (long)(state / 1000 % (fw_guard->noise_most + 1));
    fw_call(SYS_nanosleep, &nap, 0, 0, 0);
}
