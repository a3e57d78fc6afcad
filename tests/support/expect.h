/*
 * expect.h - runs an analysis over a trace, and over all example traces, and
 * compares its answers with the files' "# expect NAME:" lines.
 *
 *     struct fw_analysis_setup setup = { .pairs_all = true };
 *
 *     assert_int_equal(fw_expect_corpus(&fw_analysis_hb, &setup, fw_answer_events), 0);
 *
 * What the lines mean is in tests/traces/README.md.  The order of items means
 * nothing.
 */
#ifndef FW_TESTS_EXPECT_H
#define FW_TESTS_EXPECT_H

#include "analysis/engine.h"
#include "trace/trace.h"

/*
 * Feeds the whole trace to the analysis, in batches of at most `batch` events
 * (0: one batch), and finishes.  The caller destroys the engine, before the
 * trace.  Of the setup only the options count; NULL: the defaults.
 */
struct fw_engine *fw_run_analysis(const struct fw_trace *trace, const struct fw_analysis *analysis,
                                  const struct fw_analysis_setup *setup, uint32_t batch);

/* What the engine's first analysis found, in the words of an expect line; the caller frees it. */
typedef char *fw_answer(const struct fw_trace *trace, const struct fw_engine *engine);

char *fw_answer_events(const struct fw_trace *trace, const struct fw_engine *engine);
/* The same behind the label, as far as its first '-': "after(1,3,6)". */
char *fw_answer_labelled(const struct fw_trace *trace, const struct fw_engine *engine);
char *fw_answer_variables(const struct fw_trace *trace, const struct fw_engine *engine);
/* "serialisable" if there is no finding. */
char *fw_answer_serialisable(const struct fw_trace *trace, const struct fw_engine *engine);

/* The words in alphabetical order, each once; "none" if there is none.  The caller frees them. */
char *fw_sort_words(const char *text);

/* The events of all findings of an analysis in a trace in the STD format, sorted: "(1,2) (4,5)", or
 * "none"; NULL: it cannot be read.  The caller frees them. */
char *fw_events_found(const struct fw_analysis *analysis, const char *text);

/*
 * The number of example traces whose expectation of this analysis is not met;
 * each is printed.  A corpus in which no file says anything is a failure too.
 */
int fw_expect_corpus(const struct fw_analysis *analysis, const struct fw_analysis_setup *setup,
                     fw_answer *answer);

/* The same for anything that has something to say about a trace; the caller frees what it says. */
typedef char *fw_say(const struct fw_trace *trace, void *context);

int fw_expect_traces(const char *name, fw_say *say, void *context);

#endif
