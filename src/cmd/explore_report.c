/* explore_report.c - see explore.h. */
#include "base/json.h"
#include "cmd/cmd.h"
#include "cmd/explore.h"
#include "cmd/sought.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define WHY 80u /* characters of a reason */

/* What keeps a search from being complete. */
static const struct {
    size_t at; /* in the state: in how many runs */
    const char *why;
} gaps[] = {
    { offsetof(struct fw_campaign_state, diverged), "runs did not follow the choices" },
    { offsetof(struct fw_campaign_state, cut), "runs were cut short" },
    { offsetof(struct fw_campaign_state, partly), "runs were too long to be searched to the end" },
    { offsetof(struct fw_campaign_state, returned), "threads slept or waited in the kernel" },
    { offsetof(struct fw_campaign_state, longer), "waits with long limits were not made time out" },
    { offsetof(struct fw_campaign_state, random), "the program reads random numbers" },
    { offsetof(struct fw_campaign_state, several), "who of several is woken was no choice" },
    { offsetof(struct fw_campaign_state, beyond), "not all memory was told apart" },
    { offsetof(struct fw_campaign_state, at_once),
      "calls of libraries use shared memory in one step" },
};

/* What else does, by the bits of enum fw_control_chance; or what it is complete in spite of, if
 * results do not depend on it. */
static const struct {
    const char *key;  /* in JSON */
    const char *why;  /* it is not complete; NULL: it is, provided that ... */
    const char *told; /* behind "in 3 runs" */
    const char *provided;
} chances[FW_CHANCES] = {
    { "processes", "other processes are not controlled",
      "the program started other processes or became another program: what they do is not "
      "controlled",
      NULL },
    { "signals", "signals come when and to whom no schedule says",
      "signals came from timers or to the whole process, or threads could be cancelled at any "
      "moment: when, and who gets them, is not searched",
      NULL },
    { "mappings", "files or segments were mapped as shared memory",
      "files or segments were mapped as shared memory: what others do to it, or the program at "
      "other addresses, is not searched",
      NULL },
    { "system", "the program asks for what differs from run to run",
      "the program asked for what differs from run to run (processor time, /proc): what it "
      "does then is not searched",
      NULL },
    { "addresses", NULL,
      "threads that ran side by side called malloc or free: results that depend on the addresses "
      "of blocks are not searched",
      "no result depends on the addresses of blocks of memory" },
    { "ids", NULL,
      "the program asked for ids of processes or threads, names of temporary files, times, numbers "
      "or room of files, or ports: results that depend on what they are are not searched",
      "no result depends on ids of processes or threads, names of temporary files, times, numbers "
      "and room of files, or ports" },
};

/* Without a bound, limits that pass one after the other in one thread are not all searched. */
static bool leaves_limits(const struct fw_explored *explored)
{
    return explored->state->limits && explored->setup->strategy == FW_EXPLORE_CHESS &&
           explored->setup->preemptions == FW_ANY_PREEMPTIONS;
}

/* Who waits until some moment reads a clock for that, and that the moment comes is a choice. */
static bool depends_on_clock(const struct fw_campaign_state *state)
{
    return state->clock && !state->limits && !state->longer;
}

static bool has_gap(const struct fw_campaign_state *state, size_t gap)
{
    return *(const uint64_t *)((const char *)state + gaps[gap].at) > 0;
}

/* Was everything run but what would be unfair? */
static bool is_fair(const struct fw_explored *explored)
{
    const struct fw_campaign_state *state = explored->state;

    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++)
        if (has_gap(state, i))
            return false;
    for (size_t i = 0; i < FW_CHANCES; i++)
        if (state->chances[i] && chances[i].why)
            return false;
    return !explored->setup->hunt && state->end == FW_CAMPAIGN_EXHAUSTED && !state->blind &&
           !leaves_limits(explored) && !depends_on_clock(state);
}

static bool is_complete(const struct fw_explored *explored)
{
    return is_fair(explored) && !explored->state->fair;
}

static bool is_bounded(const struct fw_explored *explored)
{
    return explored->setup->strategy == FW_EXPLORE_CHESS &&
           explored->setup->preemptions != FW_ANY_PREEMPTIONS;
}

/* A search that ended before it had run them all. */
static bool leaves_schedules(const struct fw_explored *explored)
{
    return explored->setup->strategy == FW_EXPLORE_CHESS &&
           explored->state->end != FW_CAMPAIGN_EXHAUSTED;
}

static const char *why(const struct fw_explored *explored, char text[WHY])
{
    switch (explored->state->end) {
    case FW_CAMPAIGN_TIME:
        return "the time is over";
    case FW_CAMPAIGN_FIRST:
        return "a failure was found";
    case FW_CAMPAIGN_IDLE:
        return "nothing new";
    case FW_CAMPAIGN_EXHAUSTED:
        if (explored->setup->hunt)
            return "nothing is left to try";
        if (!is_fair(explored))
            return "no schedule is left, but not all were run";
        if (!is_bounded(explored))
            return explored->state->fair ? "all fair schedules were run" : "all schedules were run";
        snprintf(text, WHY, "all %sschedules with at most %" PRIu32 " preemption%s were run",
                 explored->state->fair ? "fair " : "", explored->setup->preemptions,
                 explored->setup->preemptions == 1 ? "" : "s");
        return text;
    case FW_CAMPAIGN_STOPPED:
        return "stopped";
    case FW_CAMPAIGN_BROKEN:
        return "it cannot go on";
    default:
        return "all runs were made";
    }
}

static const char *end_word(enum fw_campaign_end end)
{
    static const char *const words[] = {
        [FW_CAMPAIGN_RUNS] = "runs",           [FW_CAMPAIGN_TIME] = "time",
        [FW_CAMPAIGN_FIRST] = "first",         [FW_CAMPAIGN_IDLE] = "idle",
        [FW_CAMPAIGN_EXHAUSTED] = "exhausted", [FW_CAMPAIGN_STOPPED] = "stopped",
        [FW_CAMPAIGN_BROKEN] = "broken",
    };

    return words[end];
}

/* 3,1,0,0,2,0 */
static void print_coverage(const struct fw_campaign_state *state, struct fw_output *out)
{
    for (unsigned i = 1; i <= FW_IDIOMS; i++)
        fw_output_printf(out, "%s%" PRIu32, i > 1 ? "," : "", state->exposed[i]);
}

void fw_explored_line(const struct fw_explored *explored, struct fw_output *out)
{
    const struct fw_campaign_state *state = explored->state;

    fw_output_printf(out,
                     "strategy=%s seed=%" PRIu64 " runs=%" PRIu64 " failing=%" PRIu64
                     " failures=%zu pairs=%zu points=%" PRIu64 " iroots=",
                     explored->strategy, explored->setup->seed, state->runs, state->failing,
                     state->failures.len, state->pairs, state->length);
    print_coverage(state, out);
    fw_output_text(out, "\n");
}

static void print_failure(const struct fw_explored *explored, size_t number, struct fw_output *out)
{
    const struct fw_failure *failure = &explored->state->failures.at[number - 1];
    char end[64];

    fw_output_printf(out, "failure %zu: %s", number, fw_run_text(&failure->result, end));
    if (failure->message[0])
        fw_output_printf(out, ", \"%s\"", failure->message);
    fw_output_printf(out, "\n  in %" PRIu64 " run%s, first in run %" PRIu64 " (seed %" PRIu64 ")\n",
                     failure->count, failure->count == 1 ? "" : "s", failure->first, failure->seed);
    fw_sought_text(out, failure, explored->setup->coverage);
    if (failure->timeouts)
        fw_output_printf(out, "  a wait times out: %s\n", failure->timeouts);
    if (failure->schedule)
        fw_output_printf(out, "  replay: foreweave replay %s\n", failure->schedule);
    if (failure->unkept)
        fw_output_printf(out, "  no schedule: %s\n", failure->unkept);
}

enum told {
    RUNS,      /* "3 runs ..." */
    RUNS_WERE, /* "3 runs were ..." */
    IN_RUNS,   /* "in 3 runs ..." */
};

static void print_runs(struct fw_output *out, enum told told, uint64_t count, const char *what)
{
    const char *were = count == 1 ? " was" : " were";

    if (count)
        fw_output_printf(out, "%s%" PRIu64 " run%s%s %s\n", told == IN_RUNS ? "in " : "", count,
                         count == 1 ? "" : "s", told == RUNS_WERE ? were : "", what);
}

/* What runs did that no schedule decides, or that is not known. */
static void print_unsearched(const struct fw_campaign_state *state, struct fw_output *out)
{
    for (size_t i = 0; i < FW_CHANCES; i++)
        print_runs(out, IN_RUNS, state->chances[i], chances[i].told);
    print_runs(out, IN_RUNS, state->several,
               "one of several threads that waited was woken: that it is another one is not "
               "searched");
    print_runs(out, IN_RUNS, state->at_once,
               "calls of libraries used shared memory, each in one step: that others come in "
               "between is not searched");
    print_runs(out, IN_RUNS, state->beyond,
               "threads used more memory than is told apart: places that share it may be missing");
    print_runs(out, RUNS_WERE, state->unseen,
               "too long to be observed to the end: iRoots may be missing");
}

static void print_cut(const struct fw_explored *explored, struct fw_output *out)
{
    char what[WHY];

    snprintf(what, sizeof what,
             "cut short, still on the way after %g s: --limit=SECONDS gives more",
             explored->setup->session.limit);
    print_runs(out, RUNS_WERE, explored->state->cut, what);
}

static void print_search(const struct fw_explored *explored, struct fw_output *out)
{
    const struct fw_campaign_state *state = explored->state;

    print_runs(out, RUNS_WERE, state->redundant, "cut short: others had shown the same");
    print_cut(explored, out);
    if (state->left)
        fw_output_printf(out, "%" PRIu64 " process%s outlived the run and %s killed\n", state->left,
                         state->left == 1 ? "" : "es", state->left == 1 ? "was" : "were");
    print_runs(out, RUNS, state->diverged,
               "did not follow the choices: something else than the schedule decides what the "
               "program does");
    print_runs(out, RUNS_WERE, state->partly,
               "too long to be searched to the end: --points=sync has fewer points");
    print_runs(out, IN_RUNS, state->returned,
               "threads slept or waited in the kernel: when they go on is not searched");
    print_runs(out, IN_RUNS, state->longer,
               explored->setup->session.timeouts
                   ? "threads waited with limits that are longer than a second: that they pass is "
                     "not searched (--timeouts=any)"
                   : "threads waited with limits that pass as time does: that they pass is not "
                     "searched (--timeouts=any)");
    print_runs(out, IN_RUNS, state->fair,
               "a thread that tried in vain again and again was held back: what it does if it goes "
               "on is not searched");
    if (state->random || depends_on_clock(state))
        fw_output_printf(out,
                         "the program reads %s: what it does then is not searched\n",
                         !state->random             ? "a clock"
                         : depends_on_clock(state) ? "a clock and random numbers"
                                                   : "random numbers");
    print_unsearched(state, out);
    if (leaves_limits(explored))
        fw_output_text(out, "how limits of waits pass one after the other is searched with a bound "
                            "only (--preemptions=3)\n");
    if (state->blind && state->end == FW_CAMPAIGN_EXHAUSTED)
        fw_output_text(out, "accesses to memory were not seen, and not searched\n");
}

/* A journal does not tell what its runs have exposed. */
static void print_exposed(const struct fw_campaign_state *state, struct fw_output *out)
{
    uint64_t now = state->runs - state->known;

    if (!now && state->known) {
        fw_output_text(out, "iRoots exposed: not counted, as all runs were made before\n");
        return;
    }
    fw_output_text(out, "iRoots exposed");
    if (state->known)
        fw_output_printf(out, " by the %" PRIu64 " run%s made now", now, now == 1 ? "" : "s");
    fw_output_text(out, ", by idiom 1 to 6: ");
    print_coverage(state, out);
    fw_output_text(out, "\n");
}

/* Is there more to do, for who gives it time? */
static bool is_cut_short(const struct fw_campaign_state *state)
{
    return state->end == FW_CAMPAIGN_STOPPED || state->end == FW_CAMPAIGN_TIME;
}

static void write_text(const struct fw_explored *explored, struct fw_output *out)
{
    const struct fw_campaign_state *state = explored->state;
    char text[WHY];

    for (size_t i = 0; i < state->failures.len; i++)
        print_failure(explored, i + 1, out);
    fw_hunted_failures_text(explored->hunted, state, out);
    print_search(explored, out);
    if (explored->setup->hunt) {
        fw_hunted_text(explored->hunted, state, out);
    } else {
        print_exposed(state, out);
    }
    fw_output_printf(out, "%s, seed %" PRIu64 ": %" PRIu64 " run%s", explored->strategy,
                     explored->setup->seed, state->runs, state->runs == 1 ? "" : "s");
    if (state->known)
        fw_output_printf(out, " (%" PRIu64 " of them before)", state->known);
    if (state->recorded)
        fw_output_printf(out, " and %" PRIu64 " recorded one%s", state->recorded,
                         state->recorded == 1 ? "" : "s");
    fw_output_printf(out, ", %" PRIu64 " failed, in %zu way%s; ended because %s%s\n",
                     state->failing, state->failures.len, state->failures.len == 1 ? "" : "s",
                     why(explored, text),
                     leaves_schedules(explored) ? ": schedules may be left" : "");
    if (is_cut_short(state) && explored->setup->journal)
        fw_output_printf(out, "the same command goes on from here: --folder=%s\n",
                         explored->setup->folder);
}

/* --- JSON ------------------------------------------------------------------------------------ */

static void write_failure(struct fw_json *json, const struct fw_explored *explored, size_t number)
{
    const struct fw_failure *failure = &explored->state->failures.at[number - 1];
    static const char *const kinds[] = {
        [FW_RUN_EXITED] = "exit", [FW_RUN_SIGNAL] = "signal", [FW_RUN_DEADLOCK] = "deadlock",
        [FW_RUN_STUCK] = "stuck", [FW_RUN_TIMEOUT] = "hang",
        [FW_RUN_DRIVER] = "driver",
    };

    fw_json_object(json, NULL);
    fw_json_number(json, "id", number);
    fw_json_text(json, "kind", kinds[failure->result.end]);
    if (failure->result.end == FW_RUN_EXITED || failure->result.end == FW_RUN_SIGNAL ||
        failure->result.end == FW_RUN_DRIVER)
        fw_json_number(json, "code", (uint64_t)failure->result.code);
    fw_json_text(json, "text", failure->text);
    fw_json_text(json, "message", failure->message);
    fw_json_text(json, "status", "observed");
    fw_json_number(json, "count", failure->count);
    fw_json_number(json, "run", failure->first);
    fw_json_number(json, "seed", failure->seed);
    fw_sought_json(json, failure, explored->setup->coverage);
    if (failure->timeouts)
        fw_json_text(json, "times_out", failure->timeouts);
    if (failure->schedule)
        fw_json_text(json, "schedule", failure->schedule);
    if (failure->unkept)
        fw_json_text(json, "unkept", failure->unkept);
    fw_json_end(json);
}

/* Adds a reason to those that are there. */
static void add_reason(char *text, size_t room, const char *reason)
{
    size_t used = strlen(text);

    snprintf(text + used, room - used, "%s%s", used ? "; " : "", reason);
}

static void write_provided(struct fw_json *json, const struct fw_campaign_state *state)
{
    fw_json_array(json, "provided");
    for (size_t i = 0; i < FW_CHANCES; i++)
        if (state->chances[i] && chances[i].provided)
            fw_json_text(json, NULL, chances[i].provided);
    fw_json_end(json);
}

/* Why not, or within what it is. */
static void write_why(struct fw_json *json, const struct fw_explored *explored)
{
    const struct fw_campaign_state *state = explored->state;
    char text[1024] = "", part[WHY];

    if (is_complete(explored)) {
        if (is_bounded(explored))
            fw_json_number(json, "preemptions", explored->setup->preemptions);
        write_provided(json, state);
        return;
    }
    if (explored->setup->strategy != FW_EXPLORE_CHESS) {
        snprintf(part, sizeof part, "%s does not run all schedules", explored->strategy);
        add_reason(text, sizeof text, part);
    } else if (leaves_schedules(explored)) {
        add_reason(text, sizeof text, why(explored, part));
        add_reason(text, sizeof text, "schedules may be left");
    }
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++)
        if (has_gap(state, i))
            add_reason(text, sizeof text, gaps[i].why);
    for (size_t i = 0; i < FW_CHANCES; i++)
        if (state->chances[i] && chances[i].why)
            add_reason(text, sizeof text, chances[i].why);
    if (leaves_limits(explored))
        add_reason(text, sizeof text, "limits of waits are searched with a bound only");
    if (state->fair)
        add_reason(text, sizeof text, "threads that tried in vain were held back");
    if (depends_on_clock(state))
        add_reason(text, sizeof text, "the program reads a clock");
    if (state->blind)
        add_reason(text, sizeof text, "accesses to memory were not seen");
    fw_json_text(json, "why", text);
}

static void write_coverage(struct fw_json *json, const char *name,
                           const uint32_t by[FW_IDIOMS + 1])
{
    fw_json_array(json, name);
    for (unsigned i = 1; i <= FW_IDIOMS; i++)
        fw_json_number(json, NULL, by[i]);
    fw_json_end(json);
}

static void write_json(const struct fw_explored *explored, struct fw_output *out)
{
    const struct fw_campaign_state *state = explored->state;
    struct fw_json json = { .out = out };

    fw_json_object(&json, NULL);
    fw_json_number(&json, "schema", 1);
    fw_json_text(&json, "strategy", explored->strategy);
    fw_json_number(&json, "seed", explored->setup->seed);
    fw_json_array(&json, "program");
    for (char *const *word = explored->setup->session.argv; *word; word++)
        fw_json_text(&json, NULL, *word);
    fw_json_end(&json);
    fw_json_array(&json, "findings");
    for (size_t i = 0; i < state->failures.len; i++)
        write_failure(&json, explored, i + 1);
    fw_json_end(&json);
    fw_hunted_failures_json(explored->hunted, state, &json);
    fw_json_object(&json, "runs");
    fw_json_number(&json, "all", state->runs);
    fw_json_number(&json, "recorded", state->recorded);
    fw_json_number(&json, "known", state->known);
    fw_json_number(&json, "failing", state->failing);
    fw_json_number(&json, "redundant", state->redundant);
    fw_json_number(&json, "diverged", state->diverged);
    fw_json_number(&json, "cut", state->cut);
    fw_json_number(&json, "partly", state->partly);
    fw_json_number(&json, "returned", state->returned);
    fw_json_number(&json, "longer", state->longer);
    fw_json_number(&json, "fair", state->fair);
    fw_json_number(&json, "clock", state->clock);
    fw_json_number(&json, "random", state->random);
    for (size_t i = 0; i < FW_CHANCES; i++)
        fw_json_number(&json, chances[i].key, state->chances[i]);
    fw_json_number(&json, "several", state->several);
    fw_json_number(&json, "beyond", state->beyond);
    fw_json_number(&json, "at_once", state->at_once);
    fw_json_number(&json, "unseen", state->unseen);
    fw_json_number(&json, "left", state->left);
    fw_json_number(&json, "points", state->length);
    fw_json_number(&json, "threads", state->threads);
    fw_json_end(&json);
    fw_json_number(&json, "shared", state->shared);
    fw_json_number(&json, "pairs", state->pairs);
    write_coverage(&json, "iroots", state->exposed);
    write_coverage(&json, "iroots_controlled", state->controlled);
    fw_hunted_json(explored->hunted, &json);
    fw_json_text(&json, "end", end_word(state->end));
    fw_json_bool(&json, "complete", is_complete(explored));
    write_why(&json, explored);
    fw_json_real(&json, "seconds", state->seconds);
    fw_json_end(&json);
}

void fw_explored_add(struct fw_explored_document *document, const struct fw_explored *explored)
{
    const struct fw_campaign_setup *setup = explored->setup;
    struct fw_output *out = &document->out;

    if (explored->state->blind)
        fw_cmd_warning("'%s' was not built with 'foreweave cc': threads were switched where they "
                       "synchronise, not where they access memory",
                       setup->session.argv[0]);
    if (document->json && document->inputs && document->count)
        fw_output_text(out, ",");
    document->count++;
    if (document->json) {
        write_json(explored, out);
        return;
    }
    if (document->inputs) {
        fw_output_text(out, "input:");
        for (char *const *word = setup->session.argv; *word; word++) {
            fw_output_text(out, " ");
            fw_output_word(out, *word);
        }
        fw_output_text(out, "\n");
    }
    write_text(explored, out);
}
