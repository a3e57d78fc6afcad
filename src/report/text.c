/*
 * text.c - the report for people.
 *
 *     ==================
 *     WARNING: Foreweave: data race (observed by hb) id 3f2a9c
 *       Write of size 4 at counter.c:14 in add by thread T2 (locks held: none; event 40)
 *         #0 add counter.c:14
 *         #1 worker counter.c:31
 *       Read of size 4 at counter.c:20 in get by main thread (locks held: M1; event 52)
 *       Location is global 'hits' of size 4 (counter.c:5)
 *       Thread T2 created by main thread at counter.c:40 in main
 *         #0 main counter.c:40
 *       Certain: it is the first finding of hb
 *       Witness (7 steps, 2 switches) ...      of sound ones: see witness.h
 *     SUMMARY: Foreweave: data race counter.c:14 in add
 *     ==================
 *
 * then a line for each analysis, the next command to type, and always a last
 * line with the number of findings.
 */
#include "report/location.h"
#include "report/names.h"
#include "report/outcomes.h"
#include "report/recording.h"
#include "report/text_state.h"
#include "report/witness.h"

#include <inttypes.h>
#include <string.h>

#define RULE      "=================="
#define MAX_NAMES 8u
#define NEAR      40u /* events: so many are shown whole by the next command */

static const char *const kind_words[FW_FINDING_KIND_COUNT] = {
    [FW_FINDING_RACE] = "data race",
    [FW_FINDING_DEADLOCK] = "deadlock",
    [FW_FINDING_ATOMICITY] = "atomicity violation",
    [FW_FINDING_NONDETERMINISM] = "nondeterministic read",
    [FW_FINDING_ORDER] = "feasible order",
    [FW_FINDING_IROOT] = "interleaving",
};

static const char *const op_words[FW_KIND_COUNT] = {
    [FW_READ] = "Read",
    [FW_WRITE] = "Write",
    [FW_ATOMIC_LOAD] = "Atomic load",
    [FW_ATOMIC_STORE] = "Atomic store",
    [FW_ATOMIC_RMW] = "Atomic read-modify-write",
    [FW_FENCE] = "Fence",
    [FW_ACQUIRE] = "Acquire of",
    [FW_RELEASE] = "Release of",
    [FW_TRY_ACQUIRE] = "Successful try to acquire",
    [FW_TRY_FAIL] = "Failed try to acquire",
    [FW_SHARED_ACQUIRE] = "Shared acquire of",
    [FW_SHARED_RELEASE] = "Shared release of",
    [FW_TRY_SHARED_ACQUIRE] = "Successful try for shared acquire of",
    [FW_NOTIFY] = "Notify on",
    [FW_NOTIFY_ALL] = "Notify all on",
    [FW_WAKE] = "Wake-up on",
    [FW_POST] = "Post to",
    [FW_PEND] = "Pend on",
    [FW_BARRIER_IN] = "Arrival at barrier",
    [FW_BARRIER_OUT] = "Departure from barrier",
    [FW_FORK] = "Fork of thread",
    [FW_JOIN] = "Join of thread",
    [FW_BRANCH] = "Branch",
    [FW_BEGIN] = "Begin of block",
    [FW_END] = "End of block",
    [FW_CALL] = "Call of",
    [FW_RETURN] = "Return from",
    [FW_ALLOC] = "Allocation of",
    [FW_FREE] = "Free",
    [FW_REQUEST] = "Wait for",
    [FW_SHARED_REQUEST] = "Wait for shared",
    [FW_RELOCK] = "Wait of its holder for",
};

/* --- words ------------------------------------------------------------------------------- */

static void put_strong(struct fw_text *text, const char *words)
{
    fw_output_printf(text->out, "%s%s%s", text->colour ? "\033[1;31m" : "", words,
                     text->colour ? "\033[0m" : "");
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* --- an event ---------------------------------------------------------------------------- */

static bool is_access(const struct fw_mark *mark)
{
    return fw_is_class(mark->kind, FW_CLASS_CONFLICT);
}

/* "Write of size 4 to 'x'": the target unless the site and a line of its own tell it. */
static void put_operation(struct fw_text *text, const struct fw_mark *mark, bool with_target)
{
    enum fw_space space = fw_kind_info[mark->kind].space;

    fw_output_text(text->out, op_words[mark->kind]);
    if (mark->size)
        fw_output_printf(text->out, " of size %u", mark->size);
    if (!with_target || space == FW_SPACE_NONE ||
        !*fw_symbols_name(text->symbols, space, mark->target))
        return;
    if (is_access(mark))
        fw_output_text(text->out, fw_is_write(mark->kind) ? " to" : " of");
    fw_output_text(text->out, " '");
    fw_text_symbol(text, space, mark->target);
    fw_output_text(text->out, "'");
}

/* Nothing where nothing is known of locks. */
static void put_locks(struct fw_text *text, const struct fw_mark *mark)
{
    uint32_t count;
    const uint32_t *locks = fw_contexts_locks(text->contexts, mark->context.lock_set, &count);

    if (text->report->recording && text->report->recording->partial.len)
        return;
    fw_output_text(text->out, count ? "locks held: " : "locks held: none");
    for (uint32_t i = 0; i < count; i++) {
        fw_output_text(text->out, i ? ", " : "");
        fw_text_symbol(text, FW_SPACE_LOCK, locks[i] / 2);
        fw_output_text(text->out, locks[i] & 1 ? " (shared)" : "");
    }
    fw_output_text(text->out, "; ");
}

static void put_event(struct fw_text *text, const struct fw_mark *mark, bool told)
{
    fw_output_text(text->out, "  ");
    put_operation(text, mark, !told || !mark->site || !is_access(mark));
    fw_text_place(text, mark->site, mark->context.stack);
    fw_text_by_thread(text, mark->thread);
    fw_output_text(text->out, " (");
    put_locks(text, mark);
    fw_output_printf(text->out, "event %" PRIu64 ")\n", mark->index);
    fw_text_stack(text, mark->site, mark->context.stack);
}

/* --- a finding --------------------------------------------------------------------------- */

/* All names but `here`, which was told already; NULL: none was. */
static void put_other_names(struct fw_text *text, const struct fw_names *names, const char *here)
{
    size_t others = names->len, shown = 0;

    for (size_t i = 0; i < names->len; i++)
        others -= names->at[i] == here;
    if (others && here)
        fw_output_printf(text->out, "  The same sites on %zu other variable%s:", others,
                         plural(others));
    else if (others)
        fw_output_text(text->out, "  On");
    for (size_t i = 0; i < names->len && shown < MAX_NAMES; i++) {
        if (names->at[i] == here)
            continue;
        fw_output_text(text->out, shown++ ? ", '" : " '");
        fw_text_name(text, names->at[i]);
        fw_output_text(text->out, "'");
    }
    if (others)
        fw_output_text(text->out, others > MAX_NAMES ? " ...\n" : "\n");
}

static void put_variables(struct fw_text *text, const struct fw_finding *finding, uint32_t variable)
{
    const char *here = NULL;
    struct fw_names names = { 0 };

    if (variable != FW_NO_VARIABLE) {
        here = fw_symbols_name(text->symbols, FW_SPACE_VARIABLE, variable);
        fw_text_location(text, variable);
    }
    fw_names_of_variables(&names, text->symbols, finding);
    put_other_names(text, &names, here);
    fw_vec_release(&names);
}

static void put_detail(struct fw_text *text, const char *detail)
{
    while (detail && *detail) {
        size_t len = strcspn(detail, "\n");
        char *line = fw_xstrndup(detail, len);

        fw_output_text(text->out, "  ");
        fw_text_name(text, line);
        fw_output_text(text->out, "\n");
        free(line);
        detail += len + (detail[len] == '\n');
    }
}

/* What the guarantee means for this finding, in one sentence. */
static void put_claim(struct fw_text *text, const struct fw_analysis *analysis,
                      const struct fw_finding *finding)
{
    struct fw_output *out = text->out;
    bool first = finding->first;
    const char *claim = finding->unproven                ? finding->unproven
                        : first && analysis->first_claim ? analysis->first_claim
                                                         : analysis->claim;

    if (fw_report_doubted(text->report, analysis)) {
        fw_output_text(out, "  Not proven: ");
        fw_report_recording_doubt(out, text->report->recording);
        fw_output_text(out, "\n");
        return;
    }
    if (claim) {
        fw_output_printf(out, "  %s\n", claim);
        return;
    }
    switch (finding->observed ? FW_OBSERVED : analysis->guarantee) {
    case FW_SOUND:
        fw_output_text(out, "  Certain: the witness is a schedule that the program can run\n");
        break;
    case FW_FIRST:
        fw_output_printf(out,
                         first ? "  Certain: it is the first finding of %s\n"
                               : "  Certain only if no earlier finding of %s is real\n",
                         analysis->name);
        break;
    case FW_OBSERVED:
        fw_output_text(out, "  Certain: the trace itself shows it\n");
        break;
    default:
        fw_output_printf(out, "  Not proven: %s can raise false alarms\n", analysis->name);
        break;
    }
}

static void put_kind(struct fw_text *text, const struct fw_finding *finding)
{
    if (strcmp(finding->label, "use after free") == 0) { /* says it all */
        fw_output_text(text->out, finding->label);
        return;
    }
    if (strcmp(finding->label, "final value") == 0) {
        fw_output_text(text->out, "nondeterministic final value");
        return;
    }
    fw_output_text(text->out, kind_words[finding->kind]);
    if (finding->label[0]) {
        fw_output_text(text->out, ", ");
        fw_text_name(text, finding->label);
    }
}

static void put_summary(struct fw_text *text, const struct fw_finding *finding)
{
    const struct fw_mark *mark = &finding->events.at[0];
    enum fw_space space = fw_kind_info[mark->kind].space;

    fw_output_text(text->out, "SUMMARY: Foreweave: ");
    put_kind(text, finding);
    if (mark->site) {
        fw_output_text(text->out, " ");
        fw_text_symbol(text, FW_SPACE_SITE, mark->site);
    } else if (space != FW_SPACE_NONE) {
        fw_output_text(text->out, " on ");
        fw_text_symbol(text, space, mark->target);
    }
    fw_report_stack(&text->frames, text->symbols, text->contexts, mark->site, mark->context.stack,
                    FW_TEXT_FRAMES);
    fw_text_in_function(text, mark->site);
    fw_output_text(text->out, "\n");
}

/* What happened when the program was made to run it. */
static void put_replay(struct fw_text *text, const struct fw_replay *replay)
{
    const struct fw_confirmation *c = replay ? &replay->confirmation : NULL;

    if (!replay)
        return;
    if (!replay->tried)
        fw_output_printf(text->out, "  Not replayed: %s\n", replay->why);
    else if (!c->confirmed)
        fw_output_printf(text->out, "  Not reproduced in %u run%s: %s\n", c->runs, plural(c->runs),
                         c->divergence);
    else
        fw_output_printf(text->out, "  Confirmed: the program ran it in %u of %u runs\n",
                         c->confirmed, c->runs);
    if (replay->tried && c->confirmed && c->harmful)
        fw_output_printf(text->out, "  Harmful: then it ended otherwise than usual: %s\n", c->harm);
    if (replay->schedule) {
        fw_output_text(text->out, "  Replay it: foreweave replay ");
        fw_output_word(text->out, replay->schedule);
        fw_output_text(text->out, "\n");
    }
}

static void put_finding(struct fw_text *text, const struct fw_analysis *analysis,
                        const struct fw_finding *finding)
{
    const struct fw_replay *replay = fw_replays_find(text->report->replays, finding);
    const char *status = fw_replay_status(replay);
    uint32_t variable = fw_finding_variable(finding);

    fw_output_text(text->out, RULE "\n");
    put_strong(text, finding->kind == FW_FINDING_ORDER   ? "ANSWER: Foreweave: "
                     : finding->kind == FW_FINDING_IROOT ? "UNTESTED: Foreweave: "
                                                         : "WARNING: Foreweave: ");
    put_kind(text, finding);
    fw_output_printf(text->out, " (%s by %s%s) id %s\n",
                     analysis->observed || finding->observed ? "observed" : "predicted",
                     analysis->name,
                     !status                         ? ""
                     : !replay->confirmation.confirmed ? ", not reproduced"
                     : replay->confirmation.harmful    ? ", confirmed, harmful"
                                                       : ", confirmed",
                     finding->id);
    for (size_t i = 0; i < finding->events.len; i++)
        put_event(text, &finding->events.at[i], variable != FW_NO_VARIABLE);
    put_variables(text, finding, variable);
    fw_text_threads(text, finding);
    if (finding->count > 1)
        fw_output_printf(text->out, "  Found %" PRIu64 " times; this is the earliest\n",
                         finding->count);
    put_detail(text, finding->detail);
    put_claim(text, analysis, finding);
    put_replay(text, replay);
    if (finding->witness)
        fw_report_witness(text->out, text->report->index, finding, text->report->steps);
    put_summary(text, finding);
    fw_output_text(text->out, RULE "\n");
}

void fw_report_text_finding(const struct fw_report *report, const struct fw_analysis *analysis,
                            const struct fw_finding *finding, bool colour, struct fw_output *out)
{
    struct fw_text text = {
        report, report->symbols, fw_engine_contexts(report->engine), out, colour, { 0 }
    };

    put_finding(&text, analysis, finding);
    fw_vec_release(&text.frames);
}

/* --- the end ----------------------------------------------------------------------------- */

static void put_outcome(struct fw_text *text, const struct fw_analysis *analysis,
                        const struct fw_outcome *outcome)
{
    fw_output_printf(text->out, "%s: %" PRIu64 " finding%s, %s%s", analysis->name,
                     outcome->findings, plural(outcome->findings),
                     outcome->complete ? "complete" : "not complete: ", outcome->why);
    if (outcome->expected)
        fw_output_printf(text->out, ", %" PRIu64 " expected", outcome->expected);
    fw_output_printf(text->out, "%s%s%s\n", outcome->note[0] ? " (" : "", outcome->note,
                     outcome->note[0] ? ")" : "");
}

/* How suspects were answered. */
static void put_table(struct fw_text *text, const struct fw_analysis *analysis,
                      const struct fw_predict_counts *counts)
{
    struct fw_report_table table = fw_report_table(counts);

    fw_output_printf(text->out,
                     "stats: %s: %" PRIu64 " possible, %" PRIu64 " infeasible by cycle, %" PRIu64
                     " feasible without choice, %" PRIu64 " with choice, %" PRIu64
                     " choice graphs explored, %.2f per witness\n",
                     analysis->name, table.possible, table.infeasible_by_cycle,
                     table.feasible_without_choice, table.with_choice, table.choice_graphs,
                     table.per_witness);
}

static void put_order(struct fw_text *text)
{
    const struct fw_report *report = text->report;

    fw_output_text(text->out, "The order");
    for (size_t i = 0; i < report->order_count; i++)
        fw_output_printf(text->out, "%s %" PRIu64, i ? "," : "", report->order[i]);
    fw_output_printf(text->out, " is %s\n", fw_report_order_answer(report));
}

static void put_trace_notes(struct fw_text *text)
{
    const struct fw_read_status *status = text->report->status;

    if (status->cut) {
        fw_output_text(text->out, "The trace is cut (");
        fw_text_name(text, status->cut_reason);
        fw_output_text(text->out, "): it was analysed to its last complete block\n");
    }
    if (status->dropped)
        fw_output_printf(text->out,
                         "The trace is ill-formed: %" PRIu64 " event%s dropped before analysis\n",
                         status->dropped, plural(status->dropped));
}

static void put_replay_notes(struct fw_text *text)
{
    const struct fw_replays *replays = text->report->replays;

    if (replays && replays->end_differs)
        fw_output_text(text->out, "The program does not always exit alike, also where nothing is "
                                  "preempted: another exit status is not called harmful\n");
    else if (replays && replays->output_differs)
        fw_output_text(text->out, "The program does not always print the same, also where nothing "
                                  "is preempted: other output is not called harmful\n");
    if (replays && replays->input)
        fw_output_printf(text->out, "Replays had no input: %s\n", replays->input);
}

static const struct fw_finding *earliest_finding(const struct fw_engine *engine)
{
    for (size_t i = 0; i < fw_engine_count(engine); i++)
        if (fw_findings_count(fw_engine_findings(engine, i)))
            return fw_findings_get(fw_engine_findings(engine, i), 0);
    return NULL;
}

/* The events of the first finding, with what lies between if that is not too much. */
static void put_next(struct fw_text *text)
{
    const struct fw_finding *finding = earliest_finding(text->report->engine);
    uint64_t low = UINT64_MAX, high = 0;

    if (!finding)
        return;
    for (size_t i = 0; i < finding->events.len; i++) {
        uint64_t index = finding->events.at[i].index;

        low = index < low ? index : low;
        high = index > high ? index : high;
    }
    fw_output_printf(text->out, "Next: foreweave trace show %s", text->report->reading_options);
    if (high - low <= NEAR)
        fw_output_printf(text->out, "--range=%" PRIu64 "-%" PRIu64 " ", low, high);
    for (size_t i = 0; high - low > NEAR && i < finding->events.len; i++)
        fw_output_printf(text->out, "%s%" PRIu64 "%s",
                         i ? "," : "--events=", finding->events.at[i].index,
                         i + 1 < finding->events.len ? "" : " ");
    fw_output_word(text->out, text->report->path ? text->report->path : "TRACE");
    fw_output_text(text->out, "\n");
}

static void put_last_line(struct fw_text *text)
{
    uint64_t events = text->report->status->events, findings = fw_report_findings(text->report);
    uint32_t threads = fw_symbols_count(text->symbols, FW_SPACE_THREAD);

    fw_output_printf(text->out,
                     "foreweave: %" PRIu64 " finding%s in %" PRIu64 " event%s of %u thread%s\n",
                     findings, plural(findings), events, plural(events), threads, plural(threads));
}

void fw_report_text_notes(const struct fw_report *report, struct fw_output *out)
{
    struct fw_text text = {
        report, report->symbols, fw_engine_contexts(report->engine), out, false, { 0 }
    };

    put_trace_notes(&text);
    fw_report_recording_notes(out, report->recording, report->symbols->places);
    fw_vec_release(&text.frames);
}

void fw_report_text(const struct fw_report *report, bool colour, struct fw_output *out)
{
    const struct fw_engine *engine = report->engine;
    const struct fw_report_stats *stats = report->stats;
    struct fw_text text = {
        report, report->symbols, fw_engine_contexts(engine), out, colour, { 0 }
    };
    struct fw_ranking ranking = { 0 };

    fw_replays_rank(report->replays, engine, &ranking);
    for (size_t i = 0; i < ranking.len; i++)
        put_finding(&text, ranking.at[i].analysis, ranking.at[i].finding);
    fw_vec_release(&ranking);
    for (size_t i = 0; i < fw_engine_count(engine); i++)
        fw_report_outcomes(out, report->symbols, fw_engine_findings(engine, i));
    put_trace_notes(&text);
    put_replay_notes(&text);
    fw_report_recording_notes(out, report->recording, report->symbols->places);
    for (size_t i = 0; i < fw_engine_count(engine); i++)
        put_outcome(&text, fw_engine_analysis(engine, i), fw_engine_outcome(engine, i));
    if (report->order_count)
        put_order(&text);
    for (size_t i = 0; stats && i < fw_engine_count(engine); i++)
        if (fw_engine_outcome(engine, i)->predicted)
            put_table(&text, fw_engine_analysis(engine, i), &fw_engine_outcome(engine, i)->counts);
    if (stats)
        fw_output_printf(out, "stats: %.3f s, %.0f events/s, peak memory %" PRIu64 " KiB\n",
                         stats->seconds,
                         stats->seconds > 0 ? (double)report->status->events / stats->seconds : 0,
                         stats->peak_kilobytes);
    put_next(&text);
    put_last_line(&text);
    fw_vec_release(&text.frames);
}
