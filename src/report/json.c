/*
 * json.c - the report for programs.
 *
 *     {"schema":1,"trace":{...},"findings":[{...}...],"analyses":[{...}...]}
 *
 * A finding: id, analysis, kind, label (where there are kinds within a kind), idiom, deadlock and
 * window (of an iroot), guarantee, first, status, count, variables, events, location, threads (who
 * created them), detail, witness.  An event: index, thread, op, target, site, size (if known),
 * locks (if any are held), stack (if the trace has calls or the source is known; innermost first).
 */
#include "predict/iroot.h"
#include "report/location.h"
#include "report/names.h"
#include "report/recording.h"
#include "report/report.h"
#include "report/stack.h"

#define MAX_FRAMES 256u /* of runaway recursion; "stack_cut" says so */

void fw_report_json_status(struct fw_json *json, const struct fw_read_status *status)
{
    fw_json_number(json, "ignored", status->ignored);
    fw_json_number(json, "reentrant", status->reentrant);
    fw_json_number(json, "dropped", status->dropped);
    if (status->dropped)
        fw_json_text(json, "first_drop", status->first_drop);
    fw_json_bool(json, "cut", status->cut);
    if (status->cut)
        fw_json_text(json, "cut_reason", status->cut_reason);
}

void fw_report_json_trace(struct fw_json *json, const struct fw_report *report)
{
    fw_json_object(json, "trace");
    fw_json_text(json, "name", report->name);
    fw_json_text(json, "format", report->format);
    fw_json_number(json, "events", report->status->events);
    fw_json_number(json, "threads", fw_symbols_count(report->symbols, FW_SPACE_THREAD));
    fw_json_bool(json, "branches", report->has_branches);
    fw_report_json_status(json, report->status);
    if (report->cut && *report->cut)
        fw_json_text(json, "only", report->cut);
    fw_report_recording_json(json, report->recording, report->symbols->places);
    fw_json_end(json);
}

static void write_locks(struct fw_json *json, const struct fw_report *report, uint32_t lock_set)
{
    uint32_t count;
    const uint32_t *locks = fw_contexts_locks(fw_engine_contexts(report->engine), lock_set, &count);

    if (!count)
        return;
    fw_json_array(json, "locks");
    for (uint32_t i = 0; i < count; i++) {
        fw_json_object(json, NULL);
        fw_json_text(json, "name", fw_symbols_name(report->symbols, FW_SPACE_LOCK, locks[i] / 2));
        fw_json_bool(json, "shared", locks[i] & 1);
        fw_json_end(json);
    }
    fw_json_end(json);
}

static void write_frame(struct fw_json *json, const struct fw_report_frame *frame)
{
    char *site = frame->site      ? NULL
                 : frame->at.file ? fw_xasprintf("%s:%u", frame->at.file, frame->at.line)
                                  : fw_xstrdup("");

    fw_json_object(json, NULL);
    fw_json_text(json, "function", frame->function);
    fw_json_text(json, "site", site ? site : frame->site);
    fw_json_end(json);
    free(site);
}

static void write_stack(struct fw_json *json, const struct fw_report *report, uint32_t site,
                        uint32_t stack)
{
    struct fw_report_frames frames = { 0 };
    bool whole = fw_report_stack(&frames, report->symbols, fw_engine_contexts(report->engine), site,
                                 stack, MAX_FRAMES);

    if (frames.len)
        fw_json_array(json, "stack");
    for (size_t i = 0; i < frames.len; i++)
        write_frame(json, &frames.at[i]);
    if (frames.len)
        fw_json_end(json);
    if (!whole)
        fw_json_bool(json, "stack_cut", true);
    fw_vec_release(&frames);
}

/* Who made a thread or a block, and where. */
static void write_origin(struct fw_json *json, const struct fw_report *report,
                         const struct fw_origin *origin)
{
    fw_json_text(json, "by", fw_thread_name(report->symbols, origin->thread));
    fw_json_number(json, "index", origin->index);
    fw_json_text(json, "site", fw_symbols_name(report->symbols, FW_SPACE_SITE, origin->site));
    write_stack(json, report, origin->site, origin->context.stack);
}

/* What and where it is. */
static void write_mark(struct fw_json *json, const struct fw_report *report,
                       const struct fw_mark *mark)
{
    const struct fw_kind_info *info = &fw_kind_info[mark->kind];

    fw_json_number(json, "index", mark->index);
    fw_json_text(json, "thread", fw_thread_name(report->symbols, mark->thread));
    fw_json_text(json, "op", info->std_name);
    if (info->space != FW_SPACE_NONE)
        fw_json_text(json, "target", fw_symbols_name(report->symbols, info->space, mark->target));
    fw_json_text(json, "site", fw_symbols_name(report->symbols, FW_SPACE_SITE, mark->site));
}

static void write_event(struct fw_json *json, const struct fw_report *report,
                        const struct fw_mark *mark)
{
    fw_json_object(json, NULL);
    write_mark(json, report, mark);
    if (mark->size)
        fw_json_number(json, "size", mark->size);
    write_locks(json, report, mark->context.lock_set);
    write_stack(json, report, mark->site, mark->context.stack);
    fw_json_end(json);
}

/* The thread's fork if it is told here: not for the main thread, and once for each. */
static const struct fw_origin *fork_to_tell(const struct fw_report *report,
                                            const struct fw_finding *finding, size_t i)
{
    size_t first = 0;

    while (finding->events.at[first].thread != finding->events.at[i].thread)
        first++;
    return first < i
               ? NULL
               : fw_contexts_fork(fw_engine_contexts(report->engine), finding->events.at[i].thread);
}

/* The threads of a finding that others created, in the order of its events. */
static void write_threads(struct fw_json *json, const struct fw_report *report,
                          const struct fw_finding *finding)
{
    bool any = false;

    for (size_t i = 0; i < finding->events.len; i++) {
        const struct fw_origin *fork = fork_to_tell(report, finding, i);

        if (!fork)
            continue;
        if (!any)
            fw_json_array(json, "threads");
        any = true;
        fw_json_object(json, NULL);
        fw_json_text(json, "thread", fw_thread_name(report->symbols, finding->events.at[i].thread));
        write_origin(json, report, fork);
        fw_json_end(json);
    }
    if (any)
        fw_json_end(json);
}

static void write_global(struct fw_json *json, const struct fw_source_variable *global)
{
    char *site;

    fw_json_text(json, "object", global->object);
    if (global->size)
        fw_json_number(json, "size", global->size);
    if (!global->declared.file)
        return;
    site = fw_xasprintf("%s:%u", global->declared.file, global->declared.line);
    fw_json_text(json, "site", site);
    free(site);
}

/* The memory that the finding's accesses are on, if more than a name is known of it. */
static void write_location(struct fw_json *json, const struct fw_report *report,
                           const struct fw_finding *finding)
{
    uint32_t variable = fw_finding_variable(finding);
    struct fw_location location;

    if (variable == FW_NO_VARIABLE)
        return;
    location = fw_report_location(report->symbols, fw_engine_contexts(report->engine), variable);
    if (location.kind == FW_LOCATION_VARIABLE) /* which the events tell as well */
        return;
    fw_json_object(json, "location");
    fw_json_text(json, "kind", fw_location_kind_names[location.kind]);
    fw_json_text(json, "name", location.name);
    if (location.kind == FW_LOCATION_GLOBAL)
        write_global(json, &location.global);
    if (location.kind == FW_LOCATION_STACK)
        fw_json_text(json, "thread", location.thread);
    if (location.kind == FW_LOCATION_HEAP) {
        fw_json_number(json, "block", location.block);
        fw_json_number(json, "offset", location.offset);
    }
    if (location.origin)
        write_origin(json, report, location.origin);
    fw_json_end(json);
}

static void write_variables(struct fw_json *json, const struct fw_symbols *symbols,
                            const struct fw_finding *finding)
{
    struct fw_names names = { 0 };

    fw_names_of_variables(&names, symbols, finding);
    fw_json_array(json, "variables");
    for (size_t i = 0; i < names.len; i++)
        fw_json_text(json, NULL, names.at[i]);
    fw_json_end(json);
    fw_vec_release(&names);
}

/* What the trace itself shows is sound; that it was not predicted stands in the status. */
static enum fw_guarantee guarantee_of(const struct fw_report *report,
                                      const struct fw_analysis *analysis,
                                      const struct fw_finding *finding)
{
    if (finding->unproven || fw_report_doubted(report, analysis))
        return FW_HEURISTIC;
    return analysis->guarantee == FW_OBSERVED ? FW_SOUND : analysis->guarantee;
}

static void write_claim(struct fw_json *json, const struct fw_finding *finding)
{
    if (strcmp(fw_claim_names[finding->claim], fw_finding_kind_names[finding->kind]) != 0)
        fw_json_text(json, "claim", fw_claim_names[finding->claim]);
}

/* Millions of steps go by one by one. */
static void write_witness(struct fw_json *json, const struct fw_report *report,
                          const struct fw_finding *finding)
{
    struct fw_schedule_walk walk;
    uint32_t position;

    write_claim(json, finding);
    fw_json_array(json, "witness");
    fw_schedule_walk_init(&walk, finding->witness, report->index);
    while (fw_schedule_next(&walk, &position))
        fw_json_next_number(json, fw_trace_index(report->index->trace, position));
    fw_schedule_walk_release(&walk);
    fw_json_end(json);
}

static void write_ranges(struct fw_json *json, const struct fw_beginning *beginning, uint64_t most)
{
    for (size_t i = 0; i < beginning->ranges.len && most; i++) {
        const struct fw_beginning_range *range = &beginning->ranges.at[i];

        for (uint64_t j = 0; j < range->count && most; j++, most--)
            fw_json_next_number(json, range->first + j);
    }
}

/* Of what the trace itself shows: the trace as far as that. */
static void write_beginning(struct fw_json *json, const struct fw_finding *finding)
{
    write_claim(json, finding);
    fw_json_array(json, "witness");
    write_ranges(json, finding->beginning, finding->before);
    if (finding->then)
        write_ranges(json, finding->then, UINT64_MAX);
    for (size_t i = 0; i < finding->events.len && finding->claim == FW_CLAIM_RACE; i++)
        fw_json_next_number(json, finding->events.at[i].index);
    fw_json_end(json);
}

static void write_status(struct fw_json *json, const struct fw_report *report,
                         const struct fw_analysis *analysis, const struct fw_finding *finding)
{
    const struct fw_replay *replay = fw_replays_find(report->replays, finding);
    const char *status = fw_replay_status(replay);

    if (!status)
        status = analysis->observed || finding->observed ? "observed" : "predicted";
    fw_json_text(json, "status", status);
    if (!replay)
        return;
    fw_json_object(json, "replay");
    fw_json_number(json, "confirmed", replay->confirmation.confirmed);
    fw_json_number(json, "runs", replay->confirmation.runs);
    if (!replay->tried)
        fw_json_text(json, "why", replay->why);
    if (replay->confirmation.divergence[0])
        fw_json_text(json, "divergence", replay->confirmation.divergence);
    if (replay->confirmation.harm[0])
        fw_json_text(json, "harm", replay->confirmation.harm);
    if (replay->schedule)
        fw_json_text(json, "schedule", replay->schedule);
    fw_json_end(json);
    fw_json_bool(json, "harmful", replay->confirmation.harmful > 0);
}

static void write_idiom(struct fw_json *json, const struct fw_report *report,
                        const struct fw_finding *finding)
{
    bool waits;

    fw_json_number(json, "idiom", fw_iroot_label_idiom(finding->label, &waits));
    if (waits)
        fw_json_bool(json, "deadlock", true);
    fw_json_number(json, "window", report->window ? report->window : FW_IROOT_WINDOW);
}

void fw_report_json_finding(struct fw_json *json, const struct fw_report *report,
                            const struct fw_analysis *analysis, const struct fw_finding *finding)
{
    fw_json_object(json, NULL);
    fw_json_text(json, "id", finding->id);
    fw_json_text(json, "analysis", analysis->name);
    fw_json_text(json, "kind", fw_finding_kind_names[finding->kind]);
    if (finding->label[0])
        fw_json_text(json, "label", finding->label);
    if (finding->kind == FW_FINDING_IROOT)
        write_idiom(json, report, finding);
    fw_json_text(json, "guarantee", fw_guarantee_names[guarantee_of(report, analysis, finding)]);
    fw_json_bool(json, "first", finding->first);
    write_status(json, report, analysis, finding);
    fw_json_number(json, "count", finding->count);
    write_variables(json, report->symbols, finding);
    fw_json_array(json, "events");
    for (size_t i = 0; i < finding->events.len; i++)
        write_event(json, report, &finding->events.at[i]);
    fw_json_end(json);
    write_location(json, report, finding);
    write_threads(json, report, finding);
    if (finding->detail)
        fw_json_text(json, "detail", finding->detail);
    if (finding->saw_some) {
        fw_json_object(json, "saw");
        write_mark(json, report, &finding->saw);
        fw_json_end(json);
    }
    if (finding->witness)
        write_witness(json, report, finding);
    else if (finding->beginning && guarantee_of(report, analysis, finding) == FW_SOUND)
        write_beginning(json, finding);
    if (report->one_of_several)
        fw_json_text(json, "trace", report->path);
    fw_json_end(json);
}

static void write_findings(struct fw_json *json, const struct fw_report *report)
{
    struct fw_ranking ranking = { 0 };

    fw_json_array(json, "findings");
    fw_replays_rank(report->replays, report->engine, &ranking);
    for (size_t i = 0; i < ranking.len; i++)
        fw_report_json_finding(json, report, ranking.at[i].analysis, ranking.at[i].finding);
    fw_vec_release(&ranking);
    fw_json_end(json);
}

/* What became of the suspects. */
static void write_counts(struct fw_json *json, const struct fw_predict_counts *counts)
{
    fw_json_object(json, "suspects");
    fw_json_number(json, "checked", counts->asked + counts->refuted);
    fw_json_number(json, "proved", counts->proved);
    fw_json_number(json, "undecided", counts->undecided);
    fw_json_number(json, "left", counts->left);
    fw_json_number(json, "not_reached", counts->unreached);
    fw_json_end(json);
}

/* How they were answered; see struct fw_solver_stats. */
static void write_table(struct fw_json *json, const struct fw_predict_counts *counts)
{
    struct fw_report_table table = fw_report_table(counts);

    fw_json_object(json, "stats");
    fw_json_number(json, "possible", table.possible);
    fw_json_number(json, "infeasible_by_cycle", table.infeasible_by_cycle);
    fw_json_number(json, "feasible_without_choice", table.feasible_without_choice);
    fw_json_number(json, "with_choice", table.with_choice);
    fw_json_number(json, "choice_graphs", table.choice_graphs);
    fw_json_real(json, "per_witness", table.per_witness);
    fw_json_end(json);
}

static void write_analyses(struct fw_json *json, const struct fw_report *report)
{
    const struct fw_engine *engine = report->engine;

    fw_json_array(json, "analyses");
    for (size_t i = 0; i < fw_engine_count(engine); i++) {
        const struct fw_outcome *outcome = fw_engine_outcome(engine, i);

        fw_json_object(json, NULL);
        fw_json_text(json, "name", fw_engine_analysis(engine, i)->name);
        fw_json_number(json, "findings", outcome->findings);
        if (outcome->expected)
            fw_json_number(json, "expected", outcome->expected);
        fw_json_bool(json, "complete", outcome->complete);
        if (!outcome->complete)
            fw_json_text(json, "why", outcome->why);
        if (outcome->note[0])
            fw_json_text(json, "note", outcome->note);
        if (outcome->predicted)
            write_counts(json, &outcome->counts);
        if (outcome->predicted && report->stats)
            write_table(json, &outcome->counts);
        fw_json_end(json);
    }
    fw_json_end(json);
}

static void write_order(struct fw_json *json, const struct fw_report *report)
{
    fw_json_object(json, "order");
    fw_json_array(json, "events");
    for (size_t i = 0; i < report->order_count; i++)
        fw_json_number(json, NULL, report->order[i]);
    fw_json_end(json);
    fw_json_text(json, "answer", fw_report_order_answer(report));
    fw_json_end(json);
}

/* What goes for all replays. */
static void write_replays(struct fw_json *json, const struct fw_replays *replays)
{
    fw_json_object(json, "replays");
    fw_json_bool(json, "end_differs", replays->end_differs);
    fw_json_bool(json, "output_differs", replays->output_differs);
    if (replays->input)
        fw_json_text(json, "no_input", replays->input);
    fw_json_end(json);
}

void fw_report_json(const struct fw_report *report, struct fw_output *out)
{
    struct fw_json json = { .out = out };

    fw_json_object(&json, NULL);
    fw_json_number(&json, "schema", 1);
    fw_report_json_trace(&json, report);
    if (report->values)
        fw_json_bool(&json, "values", true);
    if (report->order_count)
        write_order(&json, report);
    write_findings(&json, report);
    write_analyses(&json, report);
    if (report->replays)
        write_replays(&json, report->replays);
    if (report->stats) {
        fw_json_object(&json, "stats");
        fw_json_real(&json, "seconds", report->stats->seconds);
        fw_json_number(&json, "peak_kilobytes", report->stats->peak_kilobytes);
        fw_json_end(&json);
    }
    fw_json_end(&json);
}
