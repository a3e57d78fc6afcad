/* explore_report.c - see explore.h. */
#include "base/json.h"
#include "cmd/explore.h"

#include <inttypes.h>

static bool is_complete(const struct fw_campaign_state *state)
{
    return state->end == FW_CAMPAIGN_EXHAUSTED && !state->diverged && !state->cut &&
           !state->partly && !state->returned;
}

static const char *why(const struct fw_explored *explored)
{
    switch (explored->state->end) {
    case FW_CAMPAIGN_TIME:
        return "the time is over";
    case FW_CAMPAIGN_FIRST:
        return "a failure was found";
    case FW_CAMPAIGN_IDLE:
        return "nothing new";
    case FW_CAMPAIGN_EXHAUSTED:
        return is_complete(explored->state) ? "all schedules were run"
                                            : "no schedule is left, but not all were run";
    case FW_CAMPAIGN_STOPPED:
        return "stopped";
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

static void print_failure(const struct fw_failure *failure, size_t number, struct fw_output *out)
{
    char end[64];

    fw_output_printf(out, "failure %zu: %s", number, fw_run_text(&failure->result, end));
    if (failure->message[0])
        fw_output_printf(out, ", \"%s\"", failure->message);
    fw_output_printf(out, "\n  in %" PRIu64 " run%s, first in run %" PRIu64 " (seed %" PRIu64 ")\n",
                     failure->count, failure->count == 1 ? "" : "s", failure->first, failure->seed);
    if (failure->schedule)
        fw_output_printf(out, "  replay: foreweave replay %s\n", failure->schedule);
    if (failure->unkept)
        fw_output_printf(out, "  no schedule: %s\n", failure->unkept);
}

static void print_search(const struct fw_explored *explored, struct fw_output *out)
{
    const struct fw_campaign_state *state = explored->state;

    if (state->redundant)
        fw_output_printf(out, "%" PRIu64 " run%s cut short: others had shown the same\n",
                         state->redundant, state->redundant == 1 ? " was" : "s were");
    if (state->cut)
        fw_output_printf(out,
                         "%" PRIu64 " run%s cut short, still on the way after %g s: "
                         "--limit=SECONDS gives more\n",
                         state->cut, state->cut == 1 ? " was" : "s were",
                         explored->setup->session.limit);
    if (state->left)
        fw_output_printf(out, "%" PRIu64 " process%s outlived the run and %s killed\n", state->left,
                         state->left == 1 ? "" : "es", state->left == 1 ? "was" : "were");
    if (state->diverged)
        fw_output_printf(out,
                         "%" PRIu64 " run%s did not follow the choices: something else than the "
                         "schedule decides what the program does\n",
                         state->diverged, state->diverged == 1 ? "" : "s");
    if (state->partly)
        fw_output_printf(out,
                         "%" PRIu64 " run%s too long to be searched to the end: --points=sync has "
                         "fewer points\n",
                         state->partly, state->partly == 1 ? " was" : "s were");
    if (state->returned)
        fw_output_printf(out,
                         "in %" PRIu64 " run%s threads slept or waited in the kernel: when they go "
                         "on is not searched\n",
                         state->returned, state->returned == 1 ? "" : "s");
}

/* Is there more to do, for who gives it time? */
static bool is_cut_short(const struct fw_campaign_state *state)
{
    return state->end == FW_CAMPAIGN_STOPPED || state->end == FW_CAMPAIGN_TIME;
}

void fw_explored_text(const struct fw_explored *explored, struct fw_output *out)
{
    const struct fw_campaign_state *state = explored->state;

    for (size_t i = 0; i < state->failures.len; i++)
        print_failure(&state->failures.at[i], i + 1, out);
    print_search(explored, out);
    fw_output_text(out, "iRoots exposed, by idiom 1 to 6: ");
    print_coverage(state, out);
    fw_output_text(out, "\n");
    fw_output_printf(out, "%s, seed %" PRIu64 ": %" PRIu64 " run%s", explored->strategy,
                     explored->setup->seed, state->runs, state->runs == 1 ? "" : "s");
    if (state->known)
        fw_output_printf(out, " (%" PRIu64 " of them before)", state->known);
    fw_output_printf(out, ", %" PRIu64 " failed, in %zu way%s; ended because %s\n", state->failing,
                     state->failures.len, state->failures.len == 1 ? "" : "s", why(explored));
    if (is_cut_short(state) && explored->setup->journal)
        fw_output_printf(out, "the same command goes on from here: --folder=%s\n",
                         explored->setup->folder);
}

/* --- JSON ------------------------------------------------------------------------------------ */

static void write_failure(struct fw_json *json, const struct fw_failure *failure, size_t number)
{
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
    if (failure->schedule)
        fw_json_text(json, "schedule", failure->schedule);
    if (failure->unkept)
        fw_json_text(json, "unkept", failure->unkept);
    fw_json_end(json);
}

void fw_explored_json(const struct fw_explored *explored, struct fw_output *out)
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
        write_failure(&json, &state->failures.at[i], i + 1);
    fw_json_end(&json);
    fw_json_object(&json, "runs");
    fw_json_number(&json, "all", state->runs);
    fw_json_number(&json, "known", state->known);
    fw_json_number(&json, "failing", state->failing);
    fw_json_number(&json, "redundant", state->redundant);
    fw_json_number(&json, "diverged", state->diverged);
    fw_json_number(&json, "cut", state->cut);
    fw_json_number(&json, "partly", state->partly);
    fw_json_number(&json, "returned", state->returned);
    fw_json_number(&json, "left", state->left);
    fw_json_number(&json, "points", state->length);
    fw_json_number(&json, "threads", state->threads);
    fw_json_end(&json);
    fw_json_number(&json, "shared", state->shared);
    fw_json_number(&json, "pairs", state->pairs);
    fw_json_array(&json, "iroots");
    for (unsigned i = 1; i <= FW_IDIOMS; i++)
        fw_json_number(&json, NULL, state->exposed[i]);
    fw_json_end(&json);
    fw_json_text(&json, "end", end_word(state->end));
    fw_json_bool(&json, "complete", is_complete(state));
    fw_json_real(&json, "seconds", state->seconds);
    fw_json_end(&json);
}
