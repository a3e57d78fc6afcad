/* replay_finding.c - see replay_finding.h. */
#include "cmd/replay_finding.h"

#include "base/alloc.h"
#include "base/json.h"
#include "cmd/chosen.h"
#include "cmd/cmd.h"
#include "cmd/loading.h"
#include "explore/leftover.h"
#include "record/launch.h"
#include "trace/trace.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool fw_is_result(const char *path)
{
    FILE *file = fopen(path, "re");
    int first = file ? getc(file) : EOF;

    while (first != EOF && isspace(first))
        first = getc(file);
    if (file)
        fclose(file);
    return first == '{';
}

/* --- the program ----------------------------------------------------------------------------- */

FW_VEC_TYPE(words, char *);

/* One word of a command line as recordings have it: 'it'\''s', or plain.  NULL: there is none. */
static char *next_word(const char **text)
{
    FW_VEC(char) word = { 0 };
    const char *at = *text;
    bool quoted = false;

    while (*at == ' ')
        at++;
    if (!*at)
        return NULL;
    for (; *at && (quoted || *at != ' '); at++) {
        if (*at == '\'')
            quoted = !quoted;
        else if (*at == '\\' && !quoted && at[1])
            fw_vec_push(&word, *++at);
        else
            fw_vec_push(&word, *at);
    }
    fw_vec_push(&word, '\0');
    *text = at;
    return word.at;
}

/* The command line that was recorded.  A program that is not where it says is looked for where it
 * was. */
static char **recorded_program(const struct fw_reader *reader)
{
    const char *command = fw_reader_metadata(reader, "command");
    const char *program = fw_reader_metadata(reader, "program");
    struct words words = { 0 };
    struct fw_error err;
    char *word;

    while (command && (word = next_word(&command)))
        fw_vec_push(&words, word);
    fw_vec_push(&words, NULL);
    if (words.at[0] && program && fw_launch_check(words.at[0], &err) < 0 &&
        strcmp(fw_cmd_base_name(words.at[0]), fw_cmd_base_name(program)) == 0) {
        free(words.at[0]);
        words.at[0] = fw_xstrdup(program);
    }
    return words.at;
}

static bool is_newer(const char *program, const char *trace)
{
    struct stat a, b;

    if (stat(program, &a) < 0 || stat(trace, &b) < 0)
        return false;
    return a.st_mtime > b.st_mtime ||
           (a.st_mtime == b.st_mtime && a.st_mtim.tv_nsec > b.st_mtim.tv_nsec);
}

/* --- the witness ----------------------------------------------------------------------------- */

static int write_schedule(struct fw_finding_replay *replay, const struct fw_moments *moments,
                          const struct fw_shown *shown, struct fw_session *session,
                          const char *path, struct fw_error *err)
{
    struct fw_anchors *anchors = fw_anchors_create();
    struct fw_script script;
    int status = fw_confirm_script(moments, shown, &replay->confirmation, session, anchors, &script,
                                   err);

    if (status == 0) {
        fw_script_set_program(&script, replay->argv);
        fw_script_set_shows(&script, replay->kind);
        script.virtual_time = replay->virtual_time;
        status = fw_script_write(&script, path, err);
    }
    fw_script_release(&script);
    fw_anchors_destroy(anchors);
    return status;
}

/* Has the program run the witness, and keeps how. */
static int show_witness(struct fw_finding_replay *replay, const char *trace,
                        const struct fw_shown *shown, const char *path, struct fw_error *err)
{
    struct fw_session_setup setup = { .argv = replay->argv,
                                      .runtime = replay->runtime,
                                      .limit = replay->limit,
                                      .virtual_time = replay->virtual_time,
                                      .input = replay->input,
                                      .stop = replay->stop };
    struct fw_moments *moments = fw_moments_load(trace, err);
    struct fw_leftover leftover;
    struct fw_session *session;
    struct fw_baseline baseline;
    int status = -1;

    fw_leftover_init(&leftover);
    setup.leftover = &leftover;
    session = moments ? fw_session_create(&setup, err) : NULL;
    if (session && fw_baseline_take(session, &baseline, err) == 0)
        status = fw_confirm(moments, shown, FW_FINDING_TRIES, &baseline, session,
                            &replay->confirmation, err);
    if (status == 0 && replay->confirmation.confirmed) {
        status = write_schedule(replay, moments, shown, session, path, err);
        if (status == 0)
            replay->schedule = fw_xstrdup(path);
    }
    if (session)
        fw_cmd_warn_left(fw_session_left_behind(session));
    fw_session_destroy(session);
    fw_leftover_release(&leftover);
    fw_moments_destroy(moments);
    return status;
}

/* --- all of it ------------------------------------------------------------------------------- */

/* Beside the trace; what the result calls the finding does not lead elsewhere. */
static char *schedule_path(const char *trace, const char *id)
{
    const char *slash = strrchr(trace, '/');
    char *path = fw_xasprintf("%.*s%s.sched", slash ? (int)(slash + 1 - trace) : 0, trace, id);

    for (char *at = path + (slash ? slash + 1 - trace : 0); *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("-_.", *at))
            *at = '_';
    return path;
}

/* The steps of an instance of an idiom are its witness; of the deadlock the last ones wait. */
static void show_iroot(struct fw_shown *shown, const struct fw_trace *trace,
                       const struct fw_witness *witness, uint64_t *events)
{
    if (shown->claim != FW_CLAIM_IROOT)
        return;
    shown->claim = FW_CLAIM_ORDER;
    if (shown->event_count < 4 ||
        !fw_is_class(trace->events[witness->events[0]].kind, FW_CLASS_ACQUIRE) ||
        !fw_is_class(trace->events[witness->events[2]].kind, FW_CLASS_ACQUIRE))
        return;
    shown->claim = FW_CLAIM_DEADLOCK;
    events[0] = events[3];
    shown->event_count = 2;
}

static int use_trace(struct fw_finding_replay *replay, const struct fw_trace *trace,
                     const struct fw_result_finding *finding, bool values, const char *path)
{
    struct fw_shown shown = { .claim = finding->claim, .order_count = finding->witness_count };
    uint64_t *events = fw_xcalloc(finding->event_count + 1, sizeof *events);
    char *schedule = schedule_path(path, finding->id);
    struct fw_result_match match;
    struct fw_witness witness;
    struct fw_error err;
    int status;

    for (size_t i = 0; i < finding->event_count; i++)
        events[shown.event_count++] = finding->events[i].index;
    shown.events = events;
    shown.order = finding->witness;
    fw_result_match_init(&match, trace);
    status = fw_chosen_witness(&match, finding, values, &witness);
    if (!status)
        show_iroot(&shown, trace, &witness, events);
    fw_result_match_release(&match);
    if (!status && show_witness(replay, path, &shown, schedule, &err) < 0)
        status = fw_cmd_fail(FW_EXIT_FAILURE, &err);
    free(events);
    free(schedule);
    return status;
}

static int make_schedule(struct fw_finding_replay *replay, const struct fw_result *result,
                         const struct fw_result_finding *finding, const char *path)
{
    struct fw_read_options reading = { .repair = result->repaired, .symbols = true };
    struct fw_trace *trace = NULL;
    struct fw_reader *reader;
    struct fw_error err;
    int status = fw_cmd_open_trace(&reader, path, &reading);

    if (status)
        return status;
    if (fw_trace_read(&trace, reader, &err) < 0) {
        status = fw_cmd_fail(FW_EXIT_INPUT, &err);
    } else {
        replay->argv = recorded_program(reader);
        if (!replay->argv[0])
            fw_error_set(&err, "'%s' does not say which program was recorded", path);
        if (!replay->argv[0] || fw_launch_check(replay->argv[0], &err) < 0)
            status = fw_cmd_fail(FW_EXIT_INPUT, &err);
    }
    if (!status) {
        replay->newer = is_newer(replay->argv[0], path);
        status = use_trace(replay, trace, finding, result->values, path);
    }
    fw_trace_destroy(trace);
    fw_reader_close(reader);
    return status;
}

static int choose(struct fw_finding_replay *replay, const struct fw_result *result)
{
    const struct fw_result_finding *finding =
        fw_chosen_finding(result, replay->result, replay->id, "replay");
    char *trace = finding ? fw_chosen_trace(result, replay->result, replay->trace) : NULL;
    char *path;
    int status = 0;

    if (!trace)
        return -1;
    replay->name = fw_xstrdup(finding->id);
    replay->kind = fw_xstrdup(finding->kind);
    path = schedule_path(trace, finding->id);
    if (access(path, R_OK) == 0)
        replay->schedule = fw_xstrdup(path);
    else
        status = make_schedule(replay, result, finding, trace);
    free(path);
    free(trace);
    return status ? -1 : 0;
}

int fw_finding_schedule(struct fw_finding_replay *replay)
{
    struct fw_result *result;
    struct fw_error err;
    int status;

    if (fw_result_read(&result, replay->result, &err) < 0) {
        fw_cmd_fail(FW_EXIT_INPUT, &err);
        return -1;
    }
    status = choose(replay, result);
    fw_result_destroy(result);
    return status;
}

/* --- telling --------------------------------------------------------------------------------- */

void fw_finding_text(const struct fw_finding_replay *replay, struct fw_output *out)
{
    fw_output_printf(out, "not reproduced: %s %s (0 of %u runs of its witness)\n", replay->kind,
                     replay->name, replay->confirmation.runs);
    fw_output_printf(out, "  went otherwise: %s\n", replay->confirmation.divergence);
    if (replay->newer)
        fw_output_printf(out, "  '%s' is newer than the trace: record it again\n",
                         replay->argv[0]);
}

void fw_finding_json(const struct fw_finding_replay *replay, struct fw_output *out)
{
    struct fw_json json = { .out = out };

    fw_json_object(&json, NULL);
    fw_json_number(&json, "schema", 1);
    fw_json_text(&json, "finding", replay->name);
    fw_json_array(&json, "program");
    for (char *const *at = replay->argv; *at; at++)
        fw_json_text(&json, NULL, *at);
    fw_json_end(&json);
    fw_json_text(&json, "shows", replay->kind);
    fw_json_number(&json, "runs", replay->confirmation.runs);
    fw_json_number(&json, "reproduced", 0);
    fw_json_bool(&json, "rebuilt", replay->newer);
    fw_json_object(&json, "divergence");
    fw_json_text(&json, "why", replay->confirmation.divergence);
    fw_json_end(&json);
    fw_json_end(&json);
}

void fw_finding_release(struct fw_finding_replay *replay)
{
    for (char **at = replay->argv; at && *at; at++)
        free(*at);
    free(replay->argv);
    free(replay->schedule);
    free(replay->name);
    free(replay->kind);
}
