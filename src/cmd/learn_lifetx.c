/* learn_lifetx.c - see learn_lifetx.h. */
#include "cmd/learn_lifetx.h"

#include "base/alloc.h"
#include "cmd/cmd.h"

#include <inttypes.h>
#include <stdlib.h>

struct work {
    const struct fw_lifetx_wish *wish;
    struct fw_constraints *constraints;
    struct fw_lifetx_learning *learning;
    struct fw_lifetx_taught *taught;
};

void fw_lifetx_taught_release(struct fw_lifetx_taught *taught)
{
    fw_vec_release(&taught->runs);
    fw_vec_release(&taught->checked);
}

static void add_run(struct work *work, struct fw_lifetx_run run)
{
    run.cuts = fw_lifetx_cut_count(work->constraints);
    fw_vec_push(&work->taught->runs, run);
}

static void add_news(struct fw_lifetx_news *news, const struct fw_lifetx_news *more)
{
    fw_lifetx_stats_add(&news->stats, &more->stats);
    news->cuts += more->cuts;
    news->claims += more->claims;
    news->nameless += more->nameless;
    news->missing += more->missing;
}

static int learn_given(struct work *work)
{
    for (size_t i = 0; i < work->wish->traces->len; i++) {
        struct fw_lifetx_run run = { .trace = work->wish->traces->at[i], .passed = true };
        struct fw_error err;

        if (fw_lifetx_learn_trace(work->learning, run.trace, &run.news, &err) < 0)
            return fw_cmd_fail(FW_EXIT_INPUT, &err);
        add_run(work, run);
    }
    return 0;
}

static int check_given(struct work *work)
{
    for (size_t i = 0; i < work->wish->checked->len; i++) {
        struct fw_lifetx_run run = { .trace = work->wish->checked->at[i] };
        struct fw_error err;

        if (fw_lifetx_check_trace(work->learning, run.trace, &run.news, &err) < 0)
            return fw_cmd_fail(FW_EXIT_INPUT, &err);
        fw_vec_push(&work->taught->checked, run);
    }
    return 0;
}

/* --- runs ------------------------------------------------------------------------------------ */

struct lesson {
    struct work *work;
    struct fw_lifetx_run run;
};

static int teach(void *context, const char *trace)
{
    struct lesson *lesson = context;
    struct fw_lifetx_news news;
    struct fw_error err;

    if (fw_lifetx_learn_trace(lesson->work->learning, trace, &news, &err) < 0)
        return fw_cmd_fail(FW_EXIT_FAILURE, &err);
    add_news(&lesson->run.news, &news);
    return 0;
}

static int run_once(struct work *work, uint64_t number)
{
    struct lesson lesson = { .work = work };
    int status =
        fw_learn_run(work->wish->runs, number, teach, &lesson, &lesson.run.passed);

    if (status || atomic_load(work->wish->runs->stop))
        return status;
    work->taught->passed += lesson.run.passed;
    add_run(work, lesson.run);
    return 0;
}

static int run_all(struct work *work)
{
    uint64_t idle = 0, enough = work->wish->idle * work->wish->runs->inputs->at.len;
    const atomic_int *stop = work->wish->runs->stop;
    int status = 0;

    for (uint64_t i = 0; i < work->wish->most && !status && !atomic_load(stop); i++) {
        const struct fw_lifetx_run *last;

        status = run_once(work, i);
        if (status || atomic_load(stop))
            break;
        last = &fw_vec_last(&work->taught->runs);
        if (last->passed)
            idle = last->news.cuts || last->news.claims ? 0 : idle + 1;
        if (enough && idle >= enough)
            break;
    }
    return status;
}

/* Of runs that are cut as all are from now on, if there are any. */
static void measure(struct fw_lifetx_taught *taught)
{
    bool settled = false;

    for (size_t i = 0; i < taught->runs.len; i++)
        settled |= taught->runs.at[i].passed && !taught->runs.at[i].news.stats.new_cuts;
    for (size_t i = 0; i < taught->runs.len; i++)
        if (taught->runs.at[i].passed && (!settled || !taught->runs.at[i].news.stats.new_cuts))
            fw_lifetx_stats_add(&taught->stats, &taught->runs.at[i].news.stats);
}

int fw_learn_lifetx(const struct fw_lifetx_wish *wish, struct fw_constraints *constraints,
                    struct fw_lifetx_taught *taught)
{
    struct fw_lifetx_options options = { .trips = (uint32_t)wish->trips,
                                         .system_calls = wish->system_calls };
    struct work work = { wish, constraints, fw_lifetx_learning_create(constraints, &options),
                         taught };
    int status;

    *taught = (struct fw_lifetx_taught) { 0 };
    status = learn_given(&work);
    if (!status)
        status = run_all(&work);
    if (!status)
        status = check_given(&work);
    measure(taught);
    fw_lifetx_learning_destroy(work.learning);
    return status;
}

/* --- the result ------------------------------------------------------------------------------ */

size_t fw_lifetx_last_news(const struct fw_lifetx_taught *taught)
{
    size_t last = 0;

    for (size_t i = 0; i < taught->runs.len; i++)
        if (taught->runs.at[i].news.cuts)
            last = i + 1;
    return last;
}

static void print_spread(const struct fw_lifetx_spread *spread, const char *what,
                         struct fw_output *out)
{
    fw_output_printf(out, "%s: half below %" PRIu64 ", 90%% below %" PRIu64 ", 99%% below %" PRIu64
                          ", at most %" PRIu64 "\n",
                     what, UINT64_C(1) << fw_lifetx_quantile(spread, 500),
                     UINT64_C(1) << fw_lifetx_quantile(spread, 900),
                     UINT64_C(1) << fw_lifetx_quantile(spread, 990), spread->most);
}

void fw_lifetx_print_text(const struct fw_lifetx_taught *taught, struct fw_output *out)
{
    fw_output_text(out, "  run  result     events   broken  new cutpoints  cutpoints\n");
    for (size_t i = 0; i < taught->runs.len; i++) {
        const struct fw_lifetx_run *run = &taught->runs.at[i];

        fw_output_printf(out, "%5zu  %-7s  %8" PRIu64 "  %7" PRIu64 "  %13zu  %9zu%s%s\n", i + 1,
                         run->passed ? "passed" : "failed", run->news.stats.events,
                         run->news.stats.splits, run->news.cuts, run->cuts,
                         run->trace ? "  " : "", run->trace ? run->trace : "");
    }
    for (size_t i = 0; i < taught->checked.len; i++)
        fw_output_printf(out, "%s breaks transactions %" PRIu64 " times in %" PRIu64 " events\n",
                         taught->checked.at[i].trace, taught->checked.at[i].news.stats.splits,
                         taught->checked.at[i].news.stats.events);
    if (!taught->stats.length.count)
        return;
    fw_output_printf(out, "%" PRIu64 " transactions\n", taught->stats.length.count);
    print_spread(&taught->stats.length, "events in a transaction", out);
    print_spread(&taught->stats.touched, "words in a transaction", out);
}

static void spread_json(const struct fw_lifetx_spread *spread, const char *name,
                        struct fw_json *json)
{
    unsigned last = fw_lifetx_quantile(spread, 1000);

    fw_json_object(json, name);
    fw_json_number(json, "count", spread->count);
    fw_json_number(json, "sum", spread->sum);
    fw_json_number(json, "most", spread->most);
    fw_json_array(json, "below_power_of_two");
    for (unsigned i = 0; spread->count && i <= last; i++)
        fw_json_next_number(json, spread->buckets[i]);
    fw_json_end(json);
    fw_json_end(json);
}

void fw_lifetx_print_json(const struct fw_lifetx_taught *taught, struct fw_json *json)
{
    fw_json_array(json, "runs");
    for (size_t i = 0; i < taught->runs.len; i++) {
        const struct fw_lifetx_run *run = &taught->runs.at[i];

        fw_json_object(json, NULL);
        if (run->trace)
            fw_json_text(json, "trace", run->trace);
        fw_json_bool(json, "passed", run->passed);
        fw_json_number(json, "events", run->news.stats.events);
        fw_json_number(json, "broken", run->news.stats.splits);
        fw_json_number(json, "new_cutpoints", run->news.cuts);
        fw_json_number(json, "new_claims", run->news.claims);
        fw_json_number(json, "nameless", run->news.nameless);
        fw_json_number(json, "missing", run->news.missing);
        fw_json_number(json, "cutpoints", run->cuts);
        fw_json_end(json);
    }
    fw_json_end(json);
    fw_json_array(json, "checked");
    for (size_t i = 0; i < taught->checked.len; i++) {
        fw_json_object(json, NULL);
        fw_json_text(json, "trace", taught->checked.at[i].trace);
        fw_json_number(json, "events", taught->checked.at[i].news.stats.events);
        fw_json_number(json, "broken", taught->checked.at[i].news.stats.splits);
        fw_json_end(json);
    }
    fw_json_end(json);
    fw_json_number(json, "last_news", fw_lifetx_last_news(taught));
    spread_json(&taught->stats.length, "events_in_transaction", json);
    spread_json(&taught->stats.touched, "words_in_transaction", json);
}
