/*
 * test_strategy_iroot.c - the strategy that seeks an iRoot finds it: on models, for all idioms.
 *
 * A model is some threads with a list of accesses each.  Capital letters are accesses of the iRoot,
 * by their role; small ones are other accesses, 'x' and 'y' of its objects, the rest of objects of
 * their own.
 */
#include "runtime/control_quick.h"
#include "runtime/strategy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define THREADS 3u
#define SITES   128u
#define SEEDS   200u

static struct {
    struct fw_control_head head;
    struct fw_control_site sites[SITES]; /* by letter */
} memory;
struct fw_control_head *fw_control = &memory.head;

uint32_t fw_control_expiring;
const struct fw_thread *fw_control_calm;
static bool is_lazy; /* the strategy is asked only if it does not say that the holder stays ... */
static bool is_quick; /* ... which it is not even asked for at points that are passed quickly */
static uint64_t asked, passed;

/* Who is in the kernel: nobody, unless a test says so. */
static struct fw_thread *in_kernel;

void fw_thread_each(void (*visit)(struct fw_thread *t, void *context), void *context)
{
    if (in_kernel)
        visit(in_kernel, context);
}

/* Who sleeps, and whose time may be over. */
static struct fw_thread *sleeper;

struct fw_thread *fw_expiry_due(void)
{
    return sleeper;
}

/* Which object a role is about, by idiom. */
static const char *const role_objects[] = { "", "xx", "xxx", "xxxx", "xxyy", "xxyy", "xxyy" };

static uint64_t object_of(unsigned idiom, char letter, unsigned thread)
{
    if (letter >= 'A' && letter < 'A' + (int)strlen(role_objects[idiom])) /* others do not matter */
        letter = role_objects[idiom][letter - 'A'];
    return letter == 'x' || letter == 'y' ? (uint64_t)letter * 16
                                          : 4096 + (uint64_t)letter * 16 + thread * 8;
}

static void arrive(struct fw_thread *t, unsigned idiom, char letter)
{
    t->plan.pending = letter != '\0';
    t->plan.site = (uint32_t)letter;
    t->plan.object = letter ? object_of(idiom, letter, t->number) : 0;
    t->plan.all_points++;
    memory.head.point_count++;
}

/* At its point, which was counted already. */
static bool passes(struct fw_thread *t)
{
    bool does;

    t->plan.all_points--;
    memory.head.point_count--;
    does = fw_quick_is_calm(t) &&
           fw_quick_passes(t, memory.sites[t->plan.site].flags / FW_SITE_ROLE(0), t->plan.object);
    t->plan.all_points++;
    memory.head.point_count++;
    passed += does;
    return does;
}

/* Who goes on: as sched.c does it. */
static struct fw_thread *next_of(struct fw_thread *current, struct fw_list *ready)
{
    if (is_quick && current && passes(current))
        return current;
    if (is_lazy && current && fw_control_stays(current)) {
        fw_iroot_alarm();
        fw_control_calm = current;
        return current;
    }
    fw_quick_end();
    asked++;
    return fw_strategy_iroot.pick(current, ready);
}

struct run {
    unsigned idiom;
    const char *threads[THREADS];
    char order[64]; /* letters of x and y and of roles, as they were executed */
};

static void play(struct run *run, unsigned attempt, uint64_t seed)
{
    const struct fw_strategy *strategy = &fw_strategy_iroot;
    struct fw_thread threads[THREADS] = { 0 };
    unsigned done[THREADS] = { 0 };
    struct fw_thread *current = NULL;
    struct fw_list ready;
    char *out = run->order;

    memory.head.idiom = run->idiom;
    memory.head.attempt = attempt;
    memory.head.point_count = 0;
    memory.head.sites_at = offsetof(__typeof__(memory), sites);
    for (char role = 'A'; role <= 'D'; role++)
        memory.sites[(int)role].flags = FW_SITE_ROLE(role - 'A');
    fw_strategy_seed(seed);
    strategy->start();
    fw_list_init(&ready);
    for (unsigned i = 0; i < THREADS && run->threads[i]; i++) {
        threads[i].number = i;
        threads[i].state = FW_STATE_READY;
        fw_list_append(&ready, &threads[i].link);
        strategy->born(&threads[i]);
        arrive(&threads[i], run->idiom, run->threads[i][0]);
    }
    while (current || ready.next != &ready) {
        struct fw_thread *next = next_of(current, &ready);
        char letter;

        assert_non_null(next);
        if (next != current) {
            fw_list_remove(&next->link);
            if (current)
                fw_list_append(&ready, &current->link);
        }
        letter = run->threads[next->number][done[next->number]++];
        if (isupper((unsigned char)letter) || letter == 'x' || letter == 'y')
            *out++ = letter;
        letter = run->threads[next->number][done[next->number]];
        arrive(next, run->idiom, letter);
        current = letter ? next : NULL;
        if (!letter)
            strategy->away(next, FW_TURN_FINISHED);
    }
    *out = '\0';
}

/* In how many of the seeds is this what was executed, anywhere? */
static unsigned count(struct run *run, unsigned attempt, const char *wanted)
{
    unsigned hits = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        play(run, attempt, seed);
        hits += strstr(run->order, wanted) != NULL;
    }
    return hits;
}

static void assert_always(struct run run, const char *wanted)
{
    for (unsigned attempt = 0; attempt < 4; attempt++)
        assert_int_equal(count(&run, attempt, wanted), SEEDS);
}

/* --- tests ----------------------------------------------------------------------------------- */

static void test_every_idiom_comes_about(void **unused)
{
    (void)unused;
    assert_always((struct run){ 1, { "aabA", "Bcc" }, "" }, "AB");
    assert_always((struct run){ 1, { "aabB", "Acc" }, "" }, "AB");
    assert_always((struct run){ 2, { "aAbCa", "acB" }, "" }, "ABC");
    assert_always((struct run){ 3, { "AbDa", "aBcC" }, "" }, "ABCD");
    assert_always((struct run){ 4, { "aAbDa", "aBcCa" }, "" }, "ABCD");
    assert_always((struct run){ 6, { "aAbCa", "aBcDa" }, "" }, "ABCD");
}

static void test_both_threads_stand_between_the_accesses_of_idiom_5(void **unused)
{
    struct run run = { 5, { "aAbDa", "aCcBa" }, "" };

    (void)unused;
    for (unsigned attempt = 0; attempt < 4; attempt++)
        assert_int_equal(count(&run, attempt, "ACBD") + count(&run, attempt, "ACDB"), SEEDS);
}

/* A third thread comes by the same object. */
static void test_others_are_kept_away(void **unused)
{
    (void)unused;
    assert_always((struct run){ 1, { "aaA", "aB", "xxx" }, "" }, "AB");
    assert_always((struct run){ 4, { "aAbDa", "aBcCa", "xaybx" }, "" }, "ABCD");
}

/* Who comes by an access of the iRoot several times may be the one each time. */
static void test_any_of_several_visits_may_count(void **unused)
{
    struct run run = { 1, { "AxAxA", "aaB" }, "" };
    unsigned early, late;

    (void)unused;
    early = count(&run, 0, "AB");
    late = count(&run, 0, "AxAxAB");
    assert_true(early > SEEDS / 2);
    assert_true(late < SEEDS);
}

/* The first access must be made for the second to be reached at all: it is not held for ever. */
static void test_what_cannot_be_does_no_harm(void **unused)
{
    struct run run = { 4, { "aAxBa", "bcd" }, "" };

    (void)unused;
    assert_int_equal(count(&run, 0, "AxB"), SEEDS);
}

/* Somebody stands before the first access, and nobody else can run. */
static bool goes_on_at_once(uint32_t delay)
{
    struct fw_thread first = { .number = 0, .state = FW_STATE_READY };
    struct fw_list ready;

    memory.head.idiom = 1;
    memory.head.attempt = 0;
    memory.head.delay = delay;
    memory.head.sites_at = offsetof(__typeof__(memory), sites);
    memory.sites[(int)'A'].flags = FW_SITE_ROLE(0);
    fw_strategy_iroot.start();
    fw_list_init(&ready);
    fw_list_append(&ready, &first.link);
    fw_strategy_iroot.born(&first);
    arrive(&first, 1, 'A');
    return fw_strategy_iroot.pick(NULL, &ready) == &first;
}

static void test_threads_in_the_kernel_have_the_delay(void **state)
{
    struct fw_thread other = { .number = 1, .state = FW_STATE_OUTSIDE };

    (void)state;
    in_kernel = NULL;
    assert_true(goes_on_at_once(60000)); /* there is nobody to wait for */
    in_kernel = &other;
    assert_false(goes_on_at_once(60000));
    assert_true(goes_on_at_once(0));
    other.state = FW_STATE_BLOCKED; /* only we can wake it */
    assert_true(goes_on_at_once(60000));
    in_kernel = NULL;
}

/* Somebody comes to the first access that often, and threads in the kernel do not come back; are
 * they waited for once more? */
static bool waits_behind(unsigned times)
{
    struct fw_thread first = { .number = 0, .state = FW_STATE_READY };
    struct fw_list ready;

    memory.head.idiom = 1;
    memory.head.attempt = 0;
    memory.head.delay = 0;
    memory.head.sites_at = offsetof(__typeof__(memory), sites);
    memory.sites[(int)'A'].flags = FW_SITE_ROLE(0);
    fw_strategy_iroot.start();
    fw_list_init(&ready);
    fw_list_append(&ready, &first.link);
    fw_strategy_iroot.born(&first);
    for (unsigned i = 0; i < times; i++) {
        arrive(&first, 1, 'A');
        assert_ptr_equal(fw_strategy_iroot.pick(NULL, &ready), &first);
    }
    memory.head.delay = 60000;
    return fw_strategy_iroot.pick(NULL, &ready) == NULL;
}

static void test_who_never_comes_back_is_waited_for_so_often(void **state)
{
    struct fw_thread other = { .number = 1, .state = FW_STATE_OUTSIDE };

    (void)state;
    in_kernel = &other;
    assert_true(waits_behind(20));
    assert_false(waits_behind(500));
    in_kernel = NULL;
}

static void test_who_sleeps_goes_before_who_is_held(void **state)
{
    struct fw_thread other = { .number = 1, .state = FW_STATE_BLOCKED };

    (void)state;
    sleeper = &other;
    assert_false(goes_on_at_once(0)); /* the other one may come to the second access */
    sleeper = NULL;                   /* its time was over before, and nobody had a turn since */
    assert_true(goes_on_at_once(0));
}

/* Two threads come to the iRoot's first access again and again, and nobody to the second. */
static unsigned hand_overs(unsigned points)
{
    const struct fw_strategy *strategy = &fw_strategy_iroot;
    struct fw_thread threads[2] = { { .number = 0 }, { .number = 1 } };
    struct fw_thread *current = &threads[0];
    struct fw_list ready;
    unsigned count = 0;

    memory.head.idiom = 1;
    memory.head.attempt = 0;
    memory.head.point_count = 0;
    strategy->start();
    fw_list_init(&ready);
    fw_list_append(&ready, &threads[1].link);
    for (unsigned i = 0; i < 2; i++) {
        threads[i].state = FW_STATE_READY;
        strategy->born(&threads[i]);
        arrive(&threads[i], 1, 'A');
    }
    for (unsigned i = 0; i < points; i++) {
        struct fw_thread *next = next_of(current, &ready);

        if (next != current) {
            fw_list_remove(&next->link);
            fw_list_append(&ready, &current->link);
            current = next;
            count++;
        }
        arrive(current, 1, current->plan.all_points % 3 ? 'A' : 'x');
    }
    return count;
}

static void test_who_is_held_in_vain_is_held_less_often(void **state)
{
    unsigned few = hand_overs(200), many = hand_overs(200000);

    (void)state;
    assert_true(few > 20);    /* at first it is worth it */
    assert_true(many < 4000); /* and not for ever */
}

/* What a thread does: accesses of all kinds, in an order that the seed draws. */
static void draw_thread(char text[16], uint64_t seed)
{
    static const char letters[] = "aabcxyABCDAB";

    fw_strategy_seed(seed);
    for (unsigned i = 0; i < 15; i++)
        text[i] = letters[fw_strategy_below(sizeof letters - 1)];
    text[15] = '\0';
}

static void assert_like_eagerly(bool quickly)
{
    uint64_t eagerly = 0, lazily = 0;

    passed = 0;
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        char texts[THREADS][16], order[64];
        struct run run = { 1 + (unsigned)(seed % 6), { texts[0], texts[1], texts[2] }, "" };

        for (unsigned i = 0; i < THREADS; i++)
            draw_thread(texts[i], seed * THREADS + i);
        asked = 0;
        play(&run, (unsigned)(seed % 3), seed);
        eagerly += asked;
        strcpy(order, run.order);
        asked = 0;
        is_lazy = true;
        is_quick = quickly;
        play(&run, (unsigned)(seed % 3), seed);
        is_lazy = is_quick = false;
        lazily += asked;
        assert_string_equal(run.order, order);
    }
    assert_true(lazily < eagerly * 9 / 10); /* or it would be for nothing */
    assert_true(!quickly || passed > 0);
}

static void test_who_stays_would_have_been_picked(void **state)
{
    (void)state;
    assert_like_eagerly(false);
}

static void test_who_passes_quickly_would_have_been_picked(void **state)
{
    unsigned eagerly = hand_overs(100000);

    (void)state;
    assert_like_eagerly(true);
    is_lazy = is_quick = true;
    passed = 0;
    assert_int_equal(hand_overs(100000), eagerly);
    is_lazy = is_quick = false;
    assert_true(passed > 50000);
}

static void test_who_comes_is_looked_at(void **state)
{
    struct fw_thread one = { .number = 0, .state = FW_STATE_READY }, two = { .number = 1 };
    struct fw_list ready;

    (void)state;
    memory.head.idiom = 1;
    memory.head.attempt = 0;
    fw_strategy_iroot.start();
    fw_list_init(&ready);
    fw_strategy_iroot.born(&one);
    fw_strategy_iroot.born(&two);
    fw_list_append(&ready, &two.link);
    arrive(&one, 1, 'a');
    arrive(&two, 1, 'a');
    assert_false(fw_control_stays(&one));
    assert_ptr_equal(fw_strategy_iroot.pick(&one, &ready), &one);
    assert_true(fw_control_stays(&one));
    assert_false(fw_control_stays(&two));
    fw_control_came();
    assert_false(fw_control_stays(&one));
    assert_ptr_equal(fw_strategy_iroot.pick(&one, &ready), &one);
    arrive(&one, 1, 'A');
    assert_false(fw_control_stays(&one)); /* it has a part now */
    arrive(&one, 1, 'b');
    assert_true(fw_control_stays(&one));
    fw_control_expiring = 1;
    assert_false(fw_control_stays(&one));
    fw_control_expiring = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_idiom_comes_about),
        cmocka_unit_test(test_both_threads_stand_between_the_accesses_of_idiom_5),
        cmocka_unit_test(test_others_are_kept_away),
        cmocka_unit_test(test_any_of_several_visits_may_count),
        cmocka_unit_test(test_what_cannot_be_does_no_harm),
        cmocka_unit_test(test_threads_in_the_kernel_have_the_delay),
        cmocka_unit_test(test_who_never_comes_back_is_waited_for_so_often),
        cmocka_unit_test(test_who_sleeps_goes_before_who_is_held),
        cmocka_unit_test(test_who_is_held_in_vain_is_held_less_often),
        cmocka_unit_test(test_who_stays_would_have_been_picked),
        cmocka_unit_test(test_who_passes_quickly_would_have_been_picked),
        cmocka_unit_test(test_who_comes_is_looked_at),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
