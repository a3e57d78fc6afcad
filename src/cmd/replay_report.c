/* replay_report.c - see replay.h: the results of foreweave replay, as text and as JSON. */
#include "base/alloc.h"
#include "base/json.h"
#include "cmd/replay.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void fw_replay_report_release(struct fw_replay_report *report)
{
    free(report->divergence);
    free(report->difference);
    for (size_t i = 0; i < report->move_count; i++)
        free(report->moves[i]);
    free(report->moves);
}

/* --- text ------------------------------------------------------------------------------------ */

static void print_step_at(const struct fw_replay_report *report, uint32_t step,
                          struct fw_output *out)
{
    unsigned line = report->script->steps.at[step].file_line;

    fw_output_printf(out, "%s:%u: step %u: ", report->file, line, step + 1);
    fw_script_print_step(report->script, step, out);
    fw_output_text(out, "\n");
}

static const char *shows(const struct fw_replay_report *report)
{
    const struct fw_script *script = report->script;

    for (size_t i = 0; !script->shows && i < script->steps.len; i++)
        if (script->steps.at[i].goal != FW_NO_GOAL)
            return "its goals";
    return script->shows ? script->shows : "its steps";
}

static void print_verdict(const struct fw_replay_report *report, struct fw_output *out)
{
    if (report->shown == report->runs)
        fw_output_printf(out, "reproduced: %s", shows(report));
    else if (report->shown)
        fw_output_printf(out, "reproduced in some runs: %s", shows(report));
    else
        fw_output_printf(out, "not reproduced: %s in place of %s", report->end, shows(report));
    if (report->runs > 1)
        fw_output_printf(out, " (%u of %u runs)", report->shown, report->runs);
    fw_output_text(out, "\n");
}

void fw_replay_report_text(const struct fw_replay_report *report, struct fw_output *out)
{
    print_verdict(report, out);
    for (size_t i = 0; i < report->move_count; i++)
        fw_output_printf(out, "%s: %s\n",
                         report->rebuilt ? "this build has other places" : "not as it is written",
                         report->moves[i]);
    if (report->divergence) {
        print_step_at(report, report->diverged, out);
        fw_output_printf(out, "  went otherwise: %s\n", report->divergence);
    }
    if (report->divergence && report->rebuilt)
        fw_output_text(out, "  the program is another build than the one of the schedule\n");
    if (report->difference)
        fw_output_printf(out,
                         "the schedule does not decide everything: two runs of it differ\n  %s\n",
                         report->difference);
    else if (report->compared)
        fw_output_text(out, "two runs of the schedule were the same\n");
}

/* --- JSON ------------------------------------------------------------------------------------ */

static void put_step(struct fw_json *json, const char *key, const struct fw_replay_report *report,
                     uint32_t step)
{
    struct fw_output text;

    fw_output_open_memory(&text);
    fw_script_print_step(report->script, step, &text);
    fw_output_bytes(&text, "", 1);
    fw_json_text(json, key, text.buffer);
    fw_output_abandon(&text);
}

static void put_divergence(struct fw_json *json, const struct fw_replay_report *report)
{
    fw_json_object(json, "divergence");
    fw_json_number(json, "step", report->diverged + 1);
    fw_json_number(json, "line", report->script->steps.at[report->diverged].file_line);
    put_step(json, "text", report, report->diverged);
    fw_json_text(json, "why", report->divergence);
    fw_json_end(json);
}

void fw_replay_report_json(const struct fw_replay_report *report, struct fw_output *out)
{
    struct fw_json json = { .out = out };

    fw_json_object(&json, NULL);
    fw_json_number(&json, "schema", 1);
    fw_json_text(&json, "schedule", report->file);
    fw_json_array(&json, "program");
    for (char *const *at = report->argv; *at; at++)
        fw_json_text(&json, NULL, *at);
    fw_json_end(&json);
    fw_json_text(&json, "shows", shows(report));
    fw_json_number(&json, "steps", report->script->steps.len);
    fw_json_number(&json, "runs", report->runs);
    fw_json_number(&json, "reproduced", report->shown);
    fw_json_text(&json, "end", report->end);
    fw_json_bool(&json, "rebuilt", report->rebuilt);
    fw_json_array(&json, "moved");
    for (size_t i = 0; i < report->move_count; i++)
        fw_json_text(&json, NULL, report->moves[i]);
    fw_json_end(&json);
    if (report->divergence)
        put_divergence(&json, report);
    if (report->compared)
        fw_json_bool(&json, "repeatable", !report->difference);
    if (report->difference)
        fw_json_text(&json, "difference", report->difference);
    fw_json_end(&json);
}

/* --- for the debugger ------------------------------------------------------------------------ */

int fw_replay_show_step(const struct fw_script *script, const char *memory, struct fw_output *out,
                        struct fw_error *err)
{
    struct fw_control_head head;
    int fd = open(memory, O_RDONLY | O_CLOEXEC);
    bool whole = fd >= 0 && pread(fd, &head, sizeof head, 0) == (ssize_t)sizeof head;

    if (fd >= 0)
        close(fd);
    if (!whole || head.magic != FW_CONTROL_MAGIC || head.version != FW_CONTROL_VERSION)
        return fw_error_set(err, "'%s' is no run under control", memory);
    for (uint32_t i = 0; i < script->steps.len; i++) {
        fw_output_text(out, i == head.step_now ? "=> " : "   ");
        fw_script_print_step(script, i, out);
        if (head.diverged == i + 1)
            fw_output_printf(out, "  # went otherwise: %.*s", (int)sizeof head.why, head.why);
        fw_output_text(out, "\n");
    }
    if (head.step_now >= script->steps.len)
        fw_output_text(out, "=> all steps are behind: nobody is preempted any more\n");
    return 0;
}
