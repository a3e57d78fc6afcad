/* test_tiddle.c - Tiddle text: every operation, shorthand, attribute and error. */
#include "base/alloc.h"
#include "trace/trace.h"
#include "trace/writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct fw_trace *load(const char *text)
{
    struct fw_trace *trace = NULL;
    struct fw_error err = { "" };

    if (fw_trace_load_memory(&trace, text, strlen(text), "x.tid", NULL, &err) < 0)
        fail_msg("%s", err.message);
    return trace;
}

/* The trace as text of that format; the caller frees. */
static char *as_text(const struct fw_trace *trace, const char *format)
{
    struct fw_batch batch = fw_trace_batch(trace);
    struct fw_writer *writer;
    struct fw_error err;
    char *text = NULL;
    size_t size;

    assert_int_equal(
        fw_writer_open_memory(&writer, format, trace->symbols, trace->has_branches, &err), 0);
    if (fw_writer_batch(writer, &batch, &err) < 0 || fw_writer_take(writer, &text, &size, &err) < 0)
        fail_msg("%s", err.message);
    fw_writer_abandon(writer);
    return text;
}

/* Reading `tiddle` and writing it as `format` gives `expected`. */
static void assert_written(const char *tiddle, const char *format, const char *expected)
{
    struct fw_trace *trace = load(tiddle);
    char *text = as_text(trace, format);

    assert_string_equal(text, expected);
    free(text);
    fw_trace_destroy(trace);
}

static void assert_canonical(const char *tiddle)
{
    assert_written(tiddle, "tid", tiddle);
}

static struct fw_error error_of(const char *tiddle)
{
    struct fw_trace *trace = NULL;
    struct fw_error err = { "" };

    assert_int_equal(fw_trace_load_memory(&trace, tiddle, strlen(tiddle), "x.tid", NULL, &err), -1);
    return err;
}

static void assert_error(const char *tiddle, const char *message)
{
    assert_string_equal(error_of(tiddle).message, message);
}

static void every_operation_reads_and_writes_back_the_same(void **state)
{
    (void)state;
    assert_canonical("# branches: yes\n"
                     "rd 1 x\nrd 1 x 0\nwr 1 x 1\nwr 1 x -5\n"
                     "ald 1 a\nast 1 a 3\narmw 1 a 4\nfence 1\n"
                     "acq 1 m\ntryfail 2 m\nrel 1 m\ntryacq 1 m\nrel 1 m\n"
                     "racq 1 l\ntryracq 2 l\nrrel 1 l\nrrel 2 l\n"
                     "acq 1 m\nrel 1 m\nnotify 2 c\nnotifyall 2 c\nwake 1 c\n"
                     "post 1 s\npend 2 s\nbarin 1 b\nbarout 1 b\n"
                     "fork 1 3\njoin 1 3\nbr 1\nbeg 1 a\nend 1 a\n"
                     "call 1 f\nret 1 f\nalloc 1 p\nfree 1 p\n");
}

static void a_line_is_the_same_event_as_in_std(void **state)
{
    (void)state;
    assert_written("rd 1 x 0\nwr 12 x 1\nbeg 1 a\nend 1 a\nfork 1 2\nbr 2\n", "std",
                   "# branches: yes\n"
                   "T1|r(x)||val=0\nT12|w(x)||val=1\nT1|begin(a)\nT1|end(a)\nT1|fork(T2)\n"
                   "T2|br\n");
}

static void names_of_std_are_accepted(void **state)
{
    (void)state;
    assert_written("r 1 x\nw 1 x\nbegin 1 a\nend 1 a\n", "tid",
                   "rd 1 x\nwr 1 x\nbeg 1 a\nend 1 a\n");
}

static void sync_is_four_events(void **state)
{
    (void)state;
    assert_written("sync 1 l @a.c:3\nsync 2 l\n", "tid",
                   "acq 1 l @a.c:3\nrd 1 lVar @a.c:3\nwr 1 lVar @a.c:3\nrel 1 l @a.c:3\n"
                   "acq 2 l\nrd 2 lVar\nwr 2 lVar\nrel 2 l\n");
}

static void attributes_and_site_follow_the_operands(void **state)
{
    (void)state;
    assert_canonical("ast 1 f 1 ord=rel,size=4 @a.c:1\n"
                     "ald 2 f 1 ord=acq,rf=0,size=4 @b.c:2\n"
                     "fence 2 ord=acq_rel\n"
                     "wr 1 x size=8\n"
                     "alloc 1 p size=16 @main at a.c:9\n"
                     "beg 1 @a.c:10\n"
                     "end 1 @a.c:11\n");
    assert_written("rd 1 x val=3\nrd 1 x 3 val=3\nast 1 f ord=release\n", "tid",
                   "rd 1 x 3\nrd 1 x 3\nast 1 f ord=rel\n");
}

static void comments_blanks_and_crlf_do_not_count(void **state)
{
    (void)state;
    assert_written("\r\n# all of it\r\n  \t\n  rd   1\tx  0  # why\r\nwr 1 x @a b.c:3 # so\r\n"
                   "beg 1 # no label\nend 1 #a\n",
                   "tid", "rd 1 x 0\nwr 1 x @a b.c:3\nbeg 1\nend 1\n");
}

static void names_may_contain_punctuation(void **state)
{
    (void)state;
    assert_canonical("rd 1 a.b[3]->c=d,e#f\nwr 1 7\nbeg 1 x=y\nend 1 x=y\nacq 1 @m\n");
}

static void numbers_keep_their_digits(void **state)
{
    (void)state;
    assert_canonical("wr 0 x 9223372036854775807\nwr 01 x -9223372036854775808\n");
}

static void an_empty_trace_stays_empty(void **state)
{
    (void)state;
    assert_canonical("");
    assert_written("# nothing\n", "tid", "");
    assert_canonical("# branches: yes\n");
}

static void misspelt_operations_get_a_suggestion(void **state)
{
    (void)state;
    assert_error("wr 1 x\n\n# c\nraed 1 x\n",
                 "x.tid:4: unknown operation 'raed'; did you mean 'rd'?");
    assert_error("lock 1 m\n", "x.tid:1: unknown operation 'lock'; did you mean 'acq'?");
    assert_error("rdd 1 x\n", "x.tid:1: unknown operation 'rdd'; did you mean 'rd'?");
    assert_error("notifyal 1 c\n",
                 "x.tid:1: unknown operation 'notifyal'; did you mean 'notifyall'?");
    assert_error("snyc 1 l\n", "x.tid:1: unknown operation 'snyc'; did you mean 'sync'?");
    assert_error("frobnicate 1 x\n", "x.tid:1: unknown operation 'frobnicate'");
}

static void missing_operands_are_named(void **state)
{
    (void)state;
    assert_error("rd\n", "x.tid:1: 'rd' needs a thread and a variable");
    assert_error("rd 1\n", "x.tid:1: 'rd' needs a thread and a variable");
    assert_error("rd 1 # x\n", "x.tid:1: 'rd' needs a thread and a variable");
    assert_error("acq 1\n", "x.tid:1: 'acq' needs a thread and a lock");
    assert_error("sync 1\n", "x.tid:1: 'sync' needs a thread and a lock");
    assert_error("fork 1\n", "x.tid:1: 'fork' needs two threads");
    assert_error("br\n", "x.tid:1: 'br' needs a thread");
    assert_error("beg\n", "x.tid:1: 'beg' needs a thread");
    assert_error("post 1\n", "x.tid:1: 'post' needs a thread and a semaphore");
    assert_error("wake 1\n", "x.tid:1: 'wake' needs a thread and a condition");
    assert_error("barin 1\n", "x.tid:1: 'barin' needs a thread and a barrier");
    assert_error("call 1\n", "x.tid:1: 'call' needs a thread and a function");
}

static void wrong_operands_are_shown(void **state)
{
    (void)state;
    assert_error("rd T1 x\n", "x.tid:1: a thread is a number, not 'T1'");
    assert_error("rd -1 x\n", "x.tid:1: a thread is a number, not '-1'");
    assert_error("fork 1 two\n", "x.tid:1: a thread is a number, not 'two'");
    assert_error("rd 1234567890123456789012345678901 x\n",
                 "x.tid:1: thread number '1234567890123456789012345678901' is too long");
    assert_error("wr 1 x many\n", "x.tid:1: value 'many' is not a number");
    assert_error("wr 1 x 9223372036854775808\n",
                 "x.tid:1: value '9223372036854775808' does not fit into 64 bits");
    assert_error("acq 1 m 3\n", "x.tid:1: 'acq' takes no value, but has '3'");
    assert_error("acq 1 m n\n", "x.tid:1: unexpected 'n' behind 'acq'");
    assert_error("br 1 x\n", "x.tid:1: unexpected 'x' behind 'br'");
    assert_error("wr 1 x 1 2\n", "x.tid:1: '2' is out of place: 'wr' takes its operands, then "
                                 "attributes, then a site");
    assert_error("wr 1 x size=4 1\n", "x.tid:1: '1' is out of place: 'wr' takes its operands, then "
                                      "attributes, then a site");
}

static void wrong_attributes_are_shown(void **state)
{
    (void)state;
    assert_error("wr 1 x ord=rel\n", "x.tid:1: 'wr' takes no attribute 'ord'");
    assert_error("wr 1 x rf=0\n", "x.tid:1: 'wr' takes no attribute 'rf'");
    assert_error("acq 1 m size=4\n", "x.tid:1: 'acq' takes no attribute 'size'");
    assert_error("sync 1 m size=4\n", "x.tid:1: 'sync' takes no attribute, but has 'size=4'");
    assert_error("ald 1 x ord=fast\n", "x.tid:1: attribute 'ord' cannot be 'fast'");
    assert_error("wr 1 x colour=red\n", "x.tid:1: unknown attribute 'colour'");
    assert_error("wr 1 x size=4,size=4\n", "x.tid:1: attribute 'size' given twice");
    assert_error("wr 1 x 1 val=2\n", "x.tid:1: two values, 1 and 2");
    assert_error("wr 1 x @\n", "x.tid:1: '@' without a site");
    assert_error("wr 1 x @ # c\n", "x.tid:1: '@' without a site");
}

static void ill_formed_events_are_errors_with_their_line(void **state)
{
    (void)state;
    assert_error("acq 1 m\n\nrel 2 m\n", "x.tid:3: 'rel(m)' by T2, but T1 holds m");
    assert_error("acq 1 l\nsync 2 l\n", "x.tid:2: 'acq(l)' by T2, but T1 holds l");
    assert_error("# branches: no\nbr 1\n", "x.tid:2: 'br' in a trace that says it has no branches");
    assert_error("# branches: maybe\n", "x.tid:1: '# branches:' must say yes or no, not 'maybe'");
}

static void names_of_any_length_up_to_the_limit_are_read(void **state)
{
    char name[4096 + 2], line[2 * 4096];
    const char *expected = "x.tid:1: variable longer than 4096 bytes: 'nnnn";
    struct fw_trace *trace;

    (void)state;
    memset(name, 'n', sizeof name);
    name[4096] = '\0';
    snprintf(line, sizeof line, "rd 1 %s\n", name);
    assert_canonical(line);
    name[4096] = 'n';
    name[4097] = '\0';
    snprintf(line, sizeof line, "rd 1 %s\n", name);
    assert_memory_equal(error_of(line).message, expected, strlen(expected));
    name[4093] = '\0';
    snprintf(line, sizeof line, "sync 1 %s\n", name);
    trace = load(line);
    assert_int_equal(trace->count, 4);
    fw_trace_destroy(trace);
    name[4093] = 'n';
    name[4094] = '\0';
    snprintf(line, sizeof line, "sync 1 %s\n", name);
    assert_error(line, "x.tid:1: lock name is too long for 'sync'");
}

/* Writing STD text as Tiddle fails with this message. */
static void assert_unwritable(const char *std, const char *message)
{
    struct fw_trace *trace = NULL;
    struct fw_writer *writer;
    struct fw_batch batch;
    struct fw_error err = { "" };

    assert_int_equal(fw_trace_load_memory(&trace, std, strlen(std), "x.std", NULL, &err), 0);
    batch = fw_trace_batch(trace);
    assert_int_equal(fw_writer_open_memory(&writer, "tid", trace->symbols, false, &err), 0);
    assert_int_equal(fw_writer_batch(writer, &batch, &err), -1);
    assert_string_equal(err.message, message);
    fw_writer_abandon(writer);
    fw_trace_destroy(trace);
}

static void names_that_tiddle_cannot_carry_are_refused(void **state)
{
    (void)state;
    assert_unwritable("main|r(x)\n",
                      "Tiddle cannot carry the name 'main': threads are numbers (T0, T1, ...)");
    assert_unwritable("T|r(x)\n",
                      "Tiddle cannot carry the name 'T': threads are numbers (T0, T1, ...)");
    assert_unwritable("T1|fork(worker)\n",
                      "Tiddle cannot carry the name 'worker': threads are numbers (T0, T1, ...)");
    assert_unwritable("T1|r(a b)\n", "Tiddle cannot carry the name 'a b': it contains a blank");
    assert_unwritable("T1|r(#a)\n", "Tiddle cannot carry the name '#a': it begins with '#'");
    assert_unwritable("T1|begin(@a)\n",
                      "Tiddle cannot carry the name '@a': a label cannot begin with '@'");
    assert_unwritable("T1|r(x)|a.c #3\n",
                      "Tiddle cannot carry the name 'a.c #3': it contains a blank and '#'");
}

static void under_repair_broken_lines_are_dropped_and_counted(void **state)
{
    const char *text = "wr 1 x\nraed 1 x\nrd 1\nwr 2 x\n";
    struct fw_read_options repair = { .repair = true };
    struct fw_trace *trace = NULL;
    struct fw_error err;

    (void)state;
    assert_int_equal(fw_trace_load_memory(&trace, text, strlen(text), "x.tid", &repair, &err), 0);
    assert_int_equal(trace->count, 2);
    assert_int_equal(trace->status.dropped, 2);
    assert_int_equal(fw_trace_index(trace, 1), 3);
    assert_string_equal(trace->status.first_drop,
                        "x.tid:2: unknown operation 'raed'; did you mean 'rd'?");
    fw_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_reads_and_writes_back_the_same),
        cmocka_unit_test(a_line_is_the_same_event_as_in_std),
        cmocka_unit_test(names_of_std_are_accepted),
        cmocka_unit_test(sync_is_four_events),
        cmocka_unit_test(attributes_and_site_follow_the_operands),
        cmocka_unit_test(comments_blanks_and_crlf_do_not_count),
        cmocka_unit_test(names_may_contain_punctuation),
        cmocka_unit_test(numbers_keep_their_digits),
        cmocka_unit_test(an_empty_trace_stays_empty),
        cmocka_unit_test(misspelt_operations_get_a_suggestion),
        cmocka_unit_test(missing_operands_are_named),
        cmocka_unit_test(wrong_operands_are_shown),
        cmocka_unit_test(wrong_attributes_are_shown),
        cmocka_unit_test(ill_formed_events_are_errors_with_their_line),
        cmocka_unit_test(names_of_any_length_up_to_the_limit_are_read),
        cmocka_unit_test(names_that_tiddle_cannot_carry_are_refused),
        cmocka_unit_test(under_repair_broken_lines_are_dropped_and_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
