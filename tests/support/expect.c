/* expect.c - see expect.h. */
#include "support/expect.h"
#include "support/property.h"

#include "analysis/forecast.h"
#include "base/bug.h"
#include "base/vec.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>

FW_VEC_TYPE(words, char *);

/* --- running ----------------------------------------------------------------------------- */

static void feed(struct fw_engine *engine, const struct fw_trace *trace, uint32_t size)
{
    struct fw_batch whole = fw_trace_batch(trace);

    for (uint32_t from = 0; from < whole.count; from += size) {
        struct fw_batch part = whole;

        part.events += from;
        part.first += from;
        part.count = whole.count - from < size ? whole.count - from : size;
        if (whole.index)
            part.index += from;
        fw_engine_batch(engine, &part);
    }
}

/* Witnesses do not outlive this: only events, variables and labels are asked for. */
static void predict(struct fw_engine *engine, const struct fw_trace *trace,
                    const struct fw_analysis *analysis, const struct fw_analysis_setup *setup)
{
    struct fw_forecast_setup how = { .trace = trace,
                                     .options.pairs_all = setup->pairs_all,
                                     .jobs = 1 };
    struct fw_forecast *forecast = fw_forecast_create(&how, &analysis, 1);

    fw_forecast_run(forecast);
    if (fw_forecast_rejection(forecast))
        FW_BUG("rejected: %s", fw_forecast_rejection(forecast)->reason);
    fw_forecast_report(forecast, engine, NULL);
    fw_forecast_destroy(forecast);
}

struct fw_engine *fw_run_analysis(const struct fw_trace *trace, const struct fw_analysis *analysis,
                                  const struct fw_analysis_setup *setup, uint32_t batch)
{
    struct fw_analysis_setup mine = setup ? *setup : (struct fw_analysis_setup) { 0 };
    struct fw_engine *engine;

    mine.symbols = trace->symbols;
    mine.has_branches = trace->has_branches;
    engine = fw_engine_create(&analysis, 1, &mine);
    feed(engine, trace, batch ? batch : UINT32_MAX - FW_BATCH_EVENTS);
    fw_engine_finish(engine);
    if (analysis->predictor)
        predict(engine, trace, analysis, &mine);
    return engine;
}

/* --- words ------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Takes the words over. */
static char *join_words(struct words *words)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    if (words->len)
        qsort(words->at, words->len, sizeof *words->at, by_text);
    for (size_t i = 0; i < words->len; i++)
        if (i == 0 || strcmp(words->at[i - 1], words->at[i]) != 0)
            fprintf(stream, "%s%s", i ? " " : "", words->at[i]);
    if (!words->len)
        fputs("none", stream);
    fclose(stream);
    for (size_t i = 0; i < words->len; i++)
        free(words->at[i]);
    fw_vec_release(words);
    return text;
}

char *fw_sort_words(const char *text)
{
    struct words words = { 0 };
    char *copy = fw_xstrdup(text), *rest = copy, *word;

    while ((word = strtok_r(rest, " \r\n", &rest)))
        if (strcmp(word, "none") != 0)
            fw_vec_push(&words, fw_xstrdup(word));
    free(copy);
    return join_words(&words);
}

char *fw_events_found(const struct fw_analysis *analysis, const char *text)
{
    struct fw_analysis_setup setup = { .pairs_all = true };
    char why[256], *words, *sorted;
    struct fw_trace *trace = fw_load_text(text, strlen(text), "t.std", false, why, sizeof why);
    struct fw_engine *engine;

    if (!trace)
        return NULL;
    engine = fw_run_analysis(trace, analysis, &setup, 0);
    words = fw_answer_events(trace, engine);
    sorted = fw_sort_words(words);
    free(words);
    fw_engine_destroy(engine);
    fw_trace_destroy(trace);
    return sorted;
}

/* --- answers ----------------------------------------------------------------------------- */

static char *finding_text(const struct fw_finding *finding, bool labelled)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    if (labelled)
        fprintf(stream, "%.*s", (int)strcspn(finding->label, "-"), finding->label);
    for (size_t i = 0; i < finding->events.len; i++)
        fprintf(stream, "%c%" PRIu64, i ? ',' : '(', finding->events.at[i].index);
    fputc(')', stream);
    fclose(stream);
    return text;
}

static char *answer_findings(const struct fw_engine *engine, bool labelled)
{
    const struct fw_findings *findings = fw_engine_findings(engine, 0);
    struct words words = { 0 };

    for (uint64_t i = 0; i < fw_findings_count(findings); i++)
        fw_vec_push(&words, finding_text(fw_findings_get(findings, i), labelled));
    return join_words(&words);
}

char *fw_answer_events(const struct fw_trace *trace, const struct fw_engine *engine)
{
    (void)trace;
    return answer_findings(engine, false);
}

char *fw_answer_labelled(const struct fw_trace *trace, const struct fw_engine *engine)
{
    (void)trace;
    return answer_findings(engine, true);
}

char *fw_answer_variables(const struct fw_trace *trace, const struct fw_engine *engine)
{
    const struct fw_findings *findings = fw_engine_findings(engine, 0);
    struct words words = { 0 };

    for (uint64_t i = 0; i < fw_findings_count(findings); i++) {
        const struct fw_finding *finding = fw_findings_get(findings, i);

        for (size_t v = 0; v < finding->variables.len; v++)
            fw_vec_push(&words, fw_xstrdup(fw_symbols_name(trace->symbols, FW_SPACE_VARIABLE,
                                                           finding->variables.at[v])));
    }
    return join_words(&words);
}

char *fw_answer_serialisable(const struct fw_trace *trace, const struct fw_engine *engine)
{
    (void)trace;
    return fw_xstrdup(fw_findings_count(fw_engine_findings(engine, 0)) ? "not-serialisable"
                                                                       : "serialisable");
}

/* --- the corpus -------------------------------------------------------------------------- */

struct corpus {
    const char *name;
    fw_say *say;
    void *context;
    int checked, failures;
};

/* What the file expects of the analysis, sorted; NULL if it does not say. */
static char *expected(const char *path, const char *name)
{
    char *prefix = fw_xasprintf("# expect %s:", name), *found = NULL, *line = NULL;
    FILE *file = fopen(path, "r");
    size_t size = 0;

    if (!file)
        FW_BUG("cannot open '%s'", path);
    while (!found && getline(&line, &size, file) > 0)
        if (strncmp(line, prefix, strlen(prefix)) == 0)
            found = fw_sort_words(line + strlen(prefix));
    free(line);
    free(prefix);
    fclose(file);
    return found;
}

static void check_file(struct corpus *corpus, const char *path)
{
    char *wanted = expected(path, corpus->name), *got;
    struct fw_trace *trace;
    struct fw_error err = { { 0 } };

    if (!wanted)
        return;
    if (fw_trace_load(&trace, path, NULL, &err) < 0)
        FW_BUG("%s", err.message);
    got = corpus->say(trace, corpus->context);
    corpus->checked++;
    if (strcmp(got, wanted) != 0) {
        printf("%s: %s says %s; expected: %s\n", path, corpus->name, got, wanted);
        corpus->failures++;
    }
    fw_trace_destroy(trace);
    free(got);
    free(wanted);
}

int fw_expect_traces(const char *name, fw_say *say, void *context)
{
    struct corpus corpus = { name, say, context, 0, 0 };
    const char *source = getenv("FOREWEAVE_SOURCE");
    char *folder = fw_xasprintf("%s/tests/traces", source ? source : ".");
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);

    if (count < 0)
        FW_BUG("cannot read '%s'", folder);
    for (int i = 0; i < count; i++) {
        const char *dot = strrchr(entries[i]->d_name, '.');
        char *path = fw_xasprintf("%s/%s", folder, entries[i]->d_name);

        if (dot && (strcmp(dot, ".std") == 0 || strcmp(dot, ".tid") == 0))
            check_file(&corpus, path);
        free(path);
        free(entries[i]);
    }
    free(entries);
    free(folder);
    printf("%s: %d example traces, %d differ\n", name, corpus.checked, corpus.failures);
    return corpus.checked ? corpus.failures : 1;
}

struct asked {
    const struct fw_analysis *analysis;
    const struct fw_analysis_setup *setup;
    fw_answer *answer;
};

static char *say_analysis(const struct fw_trace *trace, void *context)
{
    const struct asked *asked = context;
    struct fw_engine *engine = fw_run_analysis(trace, asked->analysis, asked->setup, 0);
    char *text = asked->answer(trace, engine);

    fw_engine_destroy(engine);
    return text;
}

int fw_expect_corpus(const struct fw_analysis *analysis, const struct fw_analysis_setup *setup,
                     fw_answer *answer)
{
    struct asked asked = { analysis, setup, answer };

    return fw_expect_traces(analysis->name, say_analysis, &asked);
}
