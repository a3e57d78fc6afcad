/*
 * test_undo.c - what a thread has written is taken back as a whole, the latest first, if nobody
 * else has accessed it since, and else not at all; a stack is as it was when one comes back.
 */
#include "guard/flight.h"
#include "guard/region_jump.h"
#include "guard/transactions.h"
#include "guard/undo.h"
#include "guard/words.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

static struct {
    _Alignas(8) unsigned char bytes[8];
    uint32_t words[8];
    uint64_t wide;
} memory;

static struct fw_undo undo;

static int begin(void **state)
{
    (void)state;
    memset(&memory, 0, sizeof memory);
    undo.count = undo.claims = 0;
    fw_words_forget((uintptr_t)&memory, sizeof memory);
    return 0;
}

/* As a hook does: who writes is known, then what was there is noted; the write is the caller's. */
static bool write_by(uint32_t thread, uint32_t site, void *at, size_t bytes)
{
    uintptr_t address = (uintptr_t)at, word = address & ~(uintptr_t)3;
    uint64_t cells[FW_UNDO_WORDS] = { 0 };

    for (unsigned i = 0; word < address + bytes && i < FW_UNDO_WORDS; i++, word += 4) {
        cells[i] = *fw_word_cell(word);
        fw_word_note(word, fw_word_who(site, thread), true);
    }
    return fw_undo_note(&undo, address, bytes, cells);
}

static bool take_back(uint32_t thread)
{
    if (!fw_undo_claim(&undo, fw_word_owns, thread, FW_WORD_CLAIMED))
        return false;
    fw_undo_write_back(&undo);
    return true;
}

static void everything_is_taken_back(void **state)
{
    (void)state;
    fw_word_note((uintptr_t)&memory.words[1], fw_word_who(9, 2), true);
    memory.words[0] = 1;
    memory.wide = 5;
    assert_true(write_by(1, 3, &memory.words[0], 4));
    memory.words[0] = 2;
    assert_true(write_by(1, 4, &memory.words[1], 4));
    memory.words[1] = 7;
    assert_true(write_by(1, 5, &memory.words[0], 4));
    memory.words[0] = 3;
    assert_true(write_by(1, 6, &memory.wide, 8));
    memory.wide = 6;
    assert_true(take_back(1));
    assert_int_equal(memory.words[0], 1);
    assert_int_equal(memory.words[1], 0);
    assert_int_equal(memory.wide, 5);
    /* what is known is what was known */
    assert_int_equal(*fw_word_cell((uintptr_t)&memory.words[0]), 0);
    assert_int_equal(*fw_word_cell((uintptr_t)&memory.words[1]), fw_word_who(9, 2));
    assert_int_equal(undo.count, 0);
}

static void neighbours_in_a_word_stay(void **state)
{
    (void)state;
    assert_true(write_by(1, 3, &memory.bytes[1], 1));
    memory.bytes[1] = 1;
    memory.bytes[2] = 9; /* somebody's who is not watched */
    assert_true(take_back(1));
    assert_int_equal(memory.bytes[1], 0);
    assert_int_equal(memory.bytes[2], 9);
}

static void what_others_accessed_stays(void **state)
{
    static const bool writes[] = { false, true };

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        begin(NULL);
        assert_true(write_by(1, 3, &memory.words[0], 4));
        memory.words[0] = 2;
        assert_true(write_by(1, 3, &memory.words[1], 4));
        memory.words[1] = 2;
        fw_word_note((uintptr_t)&memory.words[1], fw_word_who(4, 2), writes[i]);
        assert_false(take_back(1));
        assert_int_equal(memory.words[0], 2);
        assert_int_equal(memory.words[1], 2);
        /* nothing is claimed any more */
        assert_int_equal(*fw_word_cell((uintptr_t)&memory.words[0]), fw_word_who(3, 1));
    }
}

static void own_reads_do_not_matter(void **state)
{
    (void)state;
    assert_true(write_by(1, 3, &memory.words[0], 4));
    memory.words[0] = 2;
    fw_word_note((uintptr_t)&memory.words[0], fw_word_who(4, 1), false);
    assert_true(take_back(1));
    assert_int_equal(memory.words[0], 0);
}

static void freed_memory_is_left_alone(void **state)
{
    (void)state;
    assert_true(write_by(1, 3, &memory.words[0], 4));
    memory.words[0] = 2;
    fw_words_forget((uintptr_t)&memory.words[0], 4);
    assert_false(take_back(1));
    assert_int_equal(memory.words[0], 2);
}

static void claimed_words_are_nobodys(void **state)
{
    uintptr_t word = (uintptr_t)&memory.words[0];

    (void)state;
    assert_true(write_by(1, 3, &memory.words[0], 4));
    assert_true(fw_undo_claim(&undo, fw_word_owns, 1, FW_WORD_CLAIMED));
    assert_int_equal(*fw_word_cell(word), FW_WORD_CLAIMED);
    /* who looked before cannot note its access, and nobody else can claim it */
    assert_false(fw_word_note_if(word, fw_word_who(3, 1), fw_word_who(5, 2), false));
    assert_false(fw_word_note_if(word, fw_word_who(3, 1), fw_word_who(5, 2), true));
    assert_false(fw_word_owns(FW_WORD_CLAIMED, 1));
    fw_undo_unclaim(&undo, FW_WORD_CLAIMED);
    assert_int_equal(*fw_word_cell(word), fw_word_who(3, 1));
    assert_true(fw_word_note_if(word, fw_word_who(3, 1), fw_word_who(5, 2), true));
}

static void what_does_not_fit_is_not_noted(void **state)
{
    static unsigned char large[FW_UNDO_BYTES + 1];

    (void)state;
    assert_false(write_by(1, 3, large, sizeof large));
    for (unsigned i = 0; i < FW_UNDO_WRITES; i++)
        assert_true(write_by(1, 3, &memory.words[0], 4));
    assert_false(write_by(1, 3, &memory.words[0], 4));
}

static void transactions_own_what_they_wrote(void **state)
{
    static _Atomic uint64_t cell;

    (void)state;
    assert_int_equal(fw_tx_access(&cell, 64, fw_tx_of(1), true), 0);
    assert_true(fw_tx_owns(cell, fw_tx_of(1)));
    assert_false(fw_tx_owns(cell, fw_tx_of(2)));
    fw_tx_give_up(); /* anybody may have accessed it */
    assert_false(fw_tx_owns(cell, fw_tx_of(1)));
    cell = (uint64_t)FW_TX_CLAIMED << 32;
    assert_int_equal(fw_tx_access(&cell, 64, fw_tx_of(2), false), FW_TX_CLAIMED);
    assert_int_equal(fw_tx_access(&cell, 64, fw_tx_of(2), true), FW_TX_CLAIMED);
}

/* --- accesses that are no plain ones --------------------------------------------------------- */

static void what_others_touched_stays(void **state)
{
    uintptr_t word = (uintptr_t)&memory.words[0];

    (void)state;
    assert_true(fw_word_touch(word, 2)); /* before it was written */
    assert_int_equal(*fw_word_cell(word), 0);
    assert_true(write_by(1, 3, &memory.words[0], 4));
    memory.words[0] = 2;
    assert_true(fw_word_touch(word, 1)); /* by itself */
    assert_true(fw_word_owns(*fw_word_cell(word), 1));
    assert_true(fw_word_touch(word, 2));
    fw_word_note(word, fw_word_who(4, 1), false); /* it stays touched */
    assert_false(take_back(1));
    assert_int_equal(memory.words[0], 2);
    /* who wrote it is known as before, and its next write is its own again */
    assert_int_equal((uint32_t)*fw_word_cell(word) & FW_WORD_WHO, fw_word_who(3, 1));
    fw_word_note(word, fw_word_who(3, 1), true);
    assert_true(fw_word_owns(*fw_word_cell(word), 1));
}

static void claimed_words_are_not_touched(void **state)
{
    (void)state;
    assert_true(write_by(1, 3, &memory.words[0], 4));
    assert_true(fw_undo_claim(&undo, fw_word_owns, 1, FW_WORD_CLAIMED));
    assert_false(fw_word_touch((uintptr_t)&memory.words[0], 2));
    fw_undo_unclaim(&undo, FW_WORD_CLAIMED);
    assert_true(fw_word_touch((uintptr_t)&memory.words[0], 2));
}

/* Two writes of a region, and somebody between: both would be taken back. */
static void what_came_between_two_writes_is_noticed(void **state)
{
    uintptr_t word = (uintptr_t)&memory.words[0];
    uint64_t cells[FW_UNDO_WORDS] = { 0 };

    (void)state;
    fw_word_note(word, fw_word_who(9, 2), true);
    cells[0] = *fw_word_cell(word);
    assert_true(fw_undo_is_own(&undo, word, 4, cells, fw_word_owns, 1)); /* the first */
    assert_true(write_by(1, 3, &memory.words[0], 4));
    cells[0] = *fw_word_cell(word);
    assert_true(fw_undo_is_own(&undo, word, 4, cells, fw_word_owns, 1));
    assert_true(fw_word_touch(word, 2));
    cells[0] = *fw_word_cell(word);
    assert_false(fw_undo_is_own(&undo, word, 4, cells, fw_word_owns, 1));
    assert_false(fw_undo_is_own(&undo, word + 1, 1, cells, fw_word_owns, 1));
    assert_true(fw_undo_is_own(&undo, word + 4, 4, cells, fw_word_owns, 1)); /* another word */
    fw_word_note(word, fw_word_who(4, 2), true);
    cells[0] = *fw_word_cell(word);
    assert_false(fw_undo_is_own(&undo, word, 4, cells, fw_word_owns, 1));
}

static void transactions_lose_what_others_touch(void **state)
{
    _Atomic uint64_t cell = 0;

    (void)state;
    assert_true(fw_tx_touch(&cell, 128, 2));
    assert_int_equal(cell, 0);
    assert_int_equal(fw_tx_access(&cell, 128, fw_tx_of(1), true), 0);
    assert_true(fw_tx_touch(&cell, 128, 1));
    assert_true(fw_tx_owns(cell, fw_tx_of(1)));
    assert_true(fw_tx_touch(&cell, 128, 2));
    assert_false(fw_tx_owns(cell, fw_tx_of(1)));
    assert_int_equal(fw_tx_access(&cell, 128, fw_tx_of(1), false), 0);
    assert_false(fw_tx_owns(cell, fw_tx_of(1)));
    /* it is in others' way as before */
    assert_int_equal(fw_tx_access(&cell, 128, fw_tx_of(3), false), fw_tx_of(1));
    assert_int_equal(fw_tx_access(&cell, 128, fw_tx_of(1), true), 0);
    assert_true(fw_tx_owns(cell, fw_tx_of(1)));
    cell = (uint64_t)FW_TX_CLAIMED << 32;
    assert_false(fw_tx_touch(&cell, 128, 2));
}

/* --- accesses that are still to come --------------------------------------------------------- */

static void *show(void *address)
{
    fw_flight_begin();
    fw_flight_show((uintptr_t)address, 4);
    return NULL; /* without an end: as if it were still there */
}

static void accesses_of_others_are_seen(void **state)
{
    pthread_t thread;

    (void)state;
    fw_flights_on = true;
    fw_flight_begin();
    fw_flight_show((uintptr_t)&memory.words[6], 4);
    assert_false(fw_flight_any((uintptr_t)&memory.words[6], 4)); /* its own */
    assert_int_equal(pthread_create(&thread, NULL, show, &memory.words[4]), 0);
    pthread_join(thread, NULL);
    assert_true(fw_flight_any((uintptr_t)&memory.words[4], 4));
    assert_true(fw_flight_any((uintptr_t)&memory.words[4] + 2, 1));
    assert_false(fw_flight_any((uintptr_t)&memory.words[0], 4));
    assert_int_equal(fw_flight_hide(), (uintptr_t)&memory.words[6]);
    fw_flight_end();
}

static void *show_in_handler(void *address)
{
    struct fw_flight_kept kept;

    show(address);
    kept = fw_flight_handler_begin();
    fw_flight_show((uintptr_t)&memory.words[0], 4);
    fw_flight_hide();
    return fw_flight_any(0, 0) ? NULL : kept.own;
}

static void what_a_handler_interrupted_is_seen(void **state)
{
    struct fw_flight_kept kept;
    pthread_t thread;
    void *own;

    (void)state;
    fw_flights_on = true;
    assert_int_equal(pthread_create(&thread, NULL, show_in_handler, &memory.words[2]), 0);
    pthread_join(thread, &own);
    assert_non_null(own);
    assert_true(fw_flight_any((uintptr_t)&memory.words[2], 4));
    assert_false(fw_flight_any((uintptr_t)&memory.words[0], 4));
    /* and is shown again behind it */
    fw_flight_begin();
    fw_flight_show((uintptr_t)&memory.words[6], 4);
    kept = fw_flight_handler_begin();
    assert_int_equal(fw_flight_hide(), (uintptr_t)&memory.words[6]);
    fw_flight_handler_end(&kept);
    assert_int_equal(fw_flight_hide(), (uintptr_t)&memory.words[6]);
    assert_int_equal(fw_flight_own->interrupted, 0);
    fw_flight_end();
}

/* --- stacks ---------------------------------------------------------------------------------- */

static struct fw_jump jump;

static __attribute__((noinline)) void spoil(volatile unsigned char *bytes, size_t count)
{
    volatile unsigned char more[256];

    for (size_t i = 0; i < count; i++)
        bytes[i] = 0xee;
    for (size_t i = 0; i < sizeof more; i++)
        more[i] = 0xdd;
    fw_jump_back(&jump);
}

static __attribute__((noinline)) unsigned run_again(volatile unsigned *above)
{
    volatile unsigned char bytes[200];
    static volatile unsigned times;
    int how;

    times = 0;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)i;
    how = fw_jump_save(&jump, (uintptr_t)__builtin_dwarf_cfa());
    assert_int_equal(how, times > 0);
    for (size_t i = 0; i < sizeof bytes; i++)
        assert_int_equal(bytes[i], i);
    ++*above; /* lies above the end, and stays */
    if (times++ < 3)
        spoil(bytes, sizeof bytes);
    return times;
}

static void a_stack_is_as_it_was(void **state)
{
    volatile unsigned above = 0;

    (void)state;
#if defined(__SANITIZE_ADDRESS__)
    skip(); /* it keeps a stack of its own */
#endif
    if (!fw_jump_works())
        skip();
    assert_int_equal(run_again(&above), 4);
    assert_int_equal(above, 4);
    assert_int_equal(fw_jump_save(&jump, (uintptr_t)__builtin_dwarf_cfa() + 2 * FW_JUMP_ROOM), -1);
}

/* A program and a thread's stack at the same place of a window: what is forgotten with the stack
 * is not the program's. */
static void stacks_and_programs_are_kept_apart(void **state)
{
    uintptr_t stack = UINT64_C(0x7f1234560000), program = 0x555000000000 | (stack & 0xfffffffff);

    (void)state;
    fw_word_note(program, fw_word_who(1, 1), true);
    fw_word_note(stack, fw_word_who(2, 2), true);
    assert_true(fw_word_owns(atomic_load(fw_word_cell(program)), 1));
    assert_true(fw_word_owns(atomic_load(fw_word_cell(stack)), 2));
    fw_words_forget(stack - 4096, 8192);
    assert_int_equal(atomic_load(fw_word_cell(stack)), 0);
    assert_true(fw_word_owns(atomic_load(fw_word_cell(program)), 1));
    fw_words_forget(program, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(everything_is_taken_back, begin),
        cmocka_unit_test_setup(neighbours_in_a_word_stay, begin),
        cmocka_unit_test_setup(what_others_accessed_stays, begin),
        cmocka_unit_test_setup(own_reads_do_not_matter, begin),
        cmocka_unit_test_setup(freed_memory_is_left_alone, begin),
        cmocka_unit_test_setup(claimed_words_are_nobodys, begin),
        cmocka_unit_test_setup(what_does_not_fit_is_not_noted, begin),
        cmocka_unit_test_setup(what_others_touched_stays, begin),
        cmocka_unit_test_setup(claimed_words_are_not_touched, begin),
        cmocka_unit_test_setup(what_came_between_two_writes_is_noticed, begin),
        cmocka_unit_test(transactions_own_what_they_wrote),
        cmocka_unit_test(transactions_lose_what_others_touch),
        cmocka_unit_test_setup(accesses_of_others_are_seen, begin),
        cmocka_unit_test_setup(what_a_handler_interrupted_is_seen, begin),
        cmocka_unit_test(a_stack_is_as_it_was),
        cmocka_unit_test(stacks_and_programs_are_kept_apart),
    };

    fw_word_cells = mmap(NULL, FW_WORDS_ROOM, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (fw_word_cells == MAP_FAILED)
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
