/*
 * test_corpus.c - every example trace under tests/traces means what it says.
 *
 * The oracle's races, deadlocks, atomicity violations and nondeterministic
 * reads must be those of the file's "# expect" lines, the witness of each must
 * satisfy the oracle's judge and the verifier, and writing the trace in every
 * format and reading it back must change nothing.
 */
#include "support/convert.h"
#include "support/oracle.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define TRACES FOREWEAVE_SOURCE_DIR "/tests/traces"

/* Words, sorted when they are compared: the order of items means nothing. */
FW_VEC_TYPE(words, char *);

static const struct expectation {
    const char *name;
    enum fw_claim claim;
} expectations[] = {
    { "race", FW_CLAIM_RACE },
    { "deadlock", FW_CLAIM_DEADLOCK },
    { "atomicity", FW_CLAIM_ATOMICITY },
    { "nondet", FW_CLAIM_NONDETERMINISM },
};

static int failures;

static void complain(const char *file, const char *what, const char *detail)
{
    print_error("%s: %s%s\n", file, what, detail);
    failures++;
}

static void release_words(struct words *words)
{
    for (size_t i = 0; i < words->len; i++)
        free(words->at[i]);
    fw_vec_release(words);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The sorted words, with blanks between; "none" if there is none.  Releases them. */
static char *join_words(struct words *words)
{
    char *text;

    if (!words->len)
        return fw_xstrdup("none");
    qsort(words->at, words->len, sizeof *words->at, by_text);
    text = fw_xstrdup(words->at[0]);
    for (size_t i = 1; i < words->len; i++) {
        char *longer = fw_xasprintf("%s %s", text, words->at[i]);

        free(text);
        text = longer;
    }
    release_words(words);
    return text;
}

/* What the file expects of the analysis, sorted; NULL if it does not say. */
static char *expected(const char *path, const char *name)
{
    char *prefix = fw_xasprintf("# expect %s:", name), *found = NULL, *line = NULL;
    FILE *file = fopen(path, "r");
    size_t size = 0;

    assert_non_null(file);
    while (!found && getline(&line, &size, file) > 0) {
        struct words words = { 0 };
        char *word;

        if (strncmp(line, prefix, strlen(prefix)) != 0)
            continue;
        for (word = strtok(line + strlen(prefix), " \r\n"); word; word = strtok(NULL, " \r\n"))
            if (strcmp(word, "none") != 0)
                fw_vec_push(&words, fw_xstrdup(word));
        found = join_words(&words);
    }
    free(line);
    free(prefix);
    fclose(file);
    return found;
}

/* "(2,9)", or "5:3" and "5:-" for nondeterminism, with the indices that users see. */
static char *finding_text(const struct fw_trace *trace, const struct fw_oracle_finding *finding)
{
    unsigned long long first = fw_trace_index(trace, finding->events[0]), second;
    char *text;

    if (finding->claim == FW_CLAIM_NONDETERMINISM) {
        if (finding->event_count == 1)
            return fw_xasprintf("%llu:-", first);
        second = fw_trace_index(trace, finding->events[1]);
        return fw_xasprintf("%llu:%llu", first, second);
    }
    text = fw_xasprintf("(%llu", first);
    for (uint32_t i = 1; i < finding->event_count; i++) {
        unsigned long long index = fw_trace_index(trace, finding->events[i]);
        char *longer = fw_xasprintf("%s,%llu", text, index);

        free(text);
        text = longer;
    }
    first = strlen(text);
    text = fw_xrealloc(text, first + 2, 1);
    memcpy(text + first, ")", 2);
    return text;
}

static void check_witness(const char *name, const struct fw_oracle *oracle,
                          struct fw_verifier *verifier, const struct fw_oracle_finding *finding,
                          const char *text)
{
    struct fw_witness witness = fw_oracle_witness(finding);
    struct fw_verdict verdict = fw_verify(verifier, &witness);

    if (!fw_oracle_judge(oracle, &witness))
        complain(name, "the oracle rejects its own witness of ", text);
    if (!verdict.accepted) {
        complain(name, "the verifier rejects the witness of ", text);
        complain(name, "because ", verdict.reason);
    }
}

static void check_expectation(const char *path, const struct fw_trace *trace,
                              struct fw_oracle *oracle, struct fw_verifier *verifier,
                              const struct expectation *expectation)
{
    struct fw_oracle_findings findings = { 0 };
    char *wanted = expected(path, expectation->name), *got;
    struct words words = { 0 };

    fw_oracle_find(oracle, expectation->claim, false, &findings);
    for (size_t i = 0; i < findings.len; i++) {
        char *text = finding_text(trace, &findings.at[i]);

        check_witness(path, oracle, verifier, &findings.at[i], text);
        fw_vec_push(&words, text);
    }
    got = join_words(&words);
    if (!wanted) {
        complain(path, "no expectation for ", expectation->name);
    } else if (strcmp(wanted, got) != 0) {
        complain(path, expectation->name, ":");
        complain(path, "  expected ", wanted);
        complain(path, "  found    ", got);
    }
    free(wanted);
    free(got);
    fw_oracle_findings_release(&findings);
}

static struct fw_trace *load(const char *path)
{
    struct fw_error err = { { 0 } };
    struct fw_trace *trace = NULL;

    if (fw_trace_load(&trace, path, NULL, &err) < 0)
        complain(path, "", err.message);
    return trace;
}

static void check_answers(const char *path)
{
    struct fw_trace *trace = load(path);
    struct fw_verifier *verifier;
    struct fw_oracle *oracle;

    if (!trace)
        return;
    oracle = fw_oracle_create(trace);
    verifier = fw_verifier_create(trace);
    if (fw_oracle_explore(oracle, FW_ORACLE_STATES) < 0)
        complain(path, "too large for the oracle", "");
    for (size_t i = 0; fw_oracle_state_count(oracle) && i < 4; i++)
        check_expectation(path, trace, oracle, verifier, &expectations[i]);
    fw_verifier_destroy(verifier);
    fw_oracle_destroy(oracle);
    fw_trace_destroy(trace);
}

/* Tiddle's threads are numbers; everything else it can express. */
static bool tiddle_can(const struct fw_trace *trace)
{
    for (uint32_t t = 0; t < fw_trace_thread_count(trace); t++) {
        const char *name = fw_thread_name(trace->symbols, t);

        if (name[0] != 'T' || !name[1] || strspn(name + 1, "0123456789") != strlen(name + 1))
            return false;
    }
    return true;
}

static void check_format(const char *path, const struct fw_trace *trace, const char *format)
{
    struct fw_file text = { 0 }, other = { 0 }, again = { 0 };
    struct fw_trace *copy = NULL;
    char why[1200] = "";

    if (fw_file_write(&text, trace, "std", why, sizeof why) < 0 ||
        fw_file_write(&other, trace, format, why, sizeof why) < 0)
        complain(path, "", why);
    else if (!(copy = fw_file_load(&other, format, why, sizeof why)))
        complain(path, "", why);
    else if (fw_file_write(&again, copy, "std", why, sizeof why) < 0)
        complain(path, "", why);
    else if (!fw_file_equal(&text, &again))
        complain(path, "changes on the way through ", format);
    fw_trace_destroy(copy);
    fw_file_release(&text);
    fw_file_release(&other);
    fw_file_release(&again);
}

static void check_formats(const char *path)
{
    struct fw_trace *trace = load(path);

    if (!trace)
        return;
    check_format(path, trace, "std");
    check_format(path, trace, "fwt");
    if (tiddle_can(trace))
        check_format(path, trace, "tid");
    fw_trace_destroy(trace);
}

static void for_each_trace(void (*check)(const char *path))
{
    DIR *folder = opendir(TRACES);
    struct dirent *entry;
    int count = 0;

    failures = 0;
    assert_non_null(folder);
    while ((entry = readdir(folder))) {
        const char *dot = strrchr(entry->d_name, '.');
        char *path;

        if (!dot || (strcmp(dot, ".std") != 0 && strcmp(dot, ".tid") != 0))
            continue;
        path = fw_xasprintf("%s/%s", TRACES, entry->d_name);
        check(path);
        free(path);
        count++;
    }
    closedir(folder);
    print_message("%d traces, %d complaints\n", count, failures);
    assert_true(count > 0);
    assert_int_equal(failures, 0);
}

static void oracle_finds_what_every_file_expects(void **state)
{
    (void)state;
    for_each_trace(check_answers);
}

static void every_format_keeps_every_trace(void **state)
{
    (void)state;
    for_each_trace(check_formats);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oracle_finds_what_every_file_expects),
        cmocka_unit_test(every_format_keeps_every_trace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
