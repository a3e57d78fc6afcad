/* recording.c - see recording.h. */
#include "report/recording.h"

#include "record/waiting.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>

#define MOST_NAMES   6u
#define MOST_WAITING 20u

static void put_clean(struct fw_output *out, const char *text)
{
    for (; *text; text++)
        fw_output_bytes(out, (unsigned char)*text < ' ' || *text == 0x7f ? "?" : text, 1);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* --- for programs ---------------------------------------------------------------------------- */

static void json_text(struct fw_json *json, const char *key, const char *text)
{
    if (text)
        fw_json_text(json, key, text);
}

static void json_number(struct fw_json *json, const char *key, const char *text)
{
    if (text)
        fw_json_number(json, key, strtoull(text, NULL, 10));
}

static void json_lines(struct fw_json *json, const char *key, const struct fw_lines *lines)
{
    fw_json_array(json, key);
    for (size_t i = 0; i < lines->len; i++)
        fw_json_text(json, NULL, lines->at[i]);
    fw_json_end(json);
}

/* What a thread waited for, in words; the caller frees it. */
static char *waiting_text(const char *line, struct fw_places *places)
{
    struct fw_waiting waiting;
    char *copy = fw_xstrdup(line);
    char *text = fw_waiting_parse(copy, &waiting) ? fw_waiting_text(&waiting, places) : NULL;

    if (!text)
        return copy;
    free(copy);
    return text;
}

static void json_waiting(struct fw_json *json, const struct fw_lines *lines,
                         struct fw_places *places)
{
    fw_json_array(json, "waiting");
    for (size_t i = 0; i < lines->len; i++) {
        char *text = waiting_text(lines->at[i], places);

        fw_json_text(json, NULL, text);
        free(text);
    }
    fw_json_end(json);
}

void fw_report_recording_json(struct fw_json *json, const struct fw_recording *recording,
                              struct fw_places *places)
{
    if (!recording || !recording->known)
        return;
    fw_json_object(json, "recording");
    json_text(json, "command", recording->command);
    json_text(json, "program", recording->program);
    json_text(json, "process", recording->process);
    json_number(json, "exit", recording->exit);
    json_number(json, "signal", recording->signal);
    json_text(json, "exec", recording->exec);
    json_number(json, "seed", recording->seed);
    json_number(json, "quantum", recording->quantum);
    fw_json_bool(json, "accesses", recording->accesses);
    json_lines(json, "uninstrumented", &recording->plain);
    json_lines(json, "uninstrumented_system", &recording->system);
    json_lines(json, "unmodelled", &recording->unmodelled);
    json_lines(json, "unhooked", &recording->unhooked);
    json_lines(json, "inexact", &recording->inexact);
    json_lines(json, "partial", &recording->partial);
    json_lines(json, "off", &recording->off);
    json_lines(json, "notes", &recording->notes);
    json_waiting(json, &recording->waiting, places);
    json_lines(json, "thread_names", &recording->thread_names);
    json_number(json, "dropped", recording->dropped);
    json_text(json, "first_drop", recording->first_drop);
    json_text(json, "damage", recording->damage);
    fw_json_number(json, "expected_variables", recording->expected_count);
    fw_json_number(json, "unseen_variables", recording->unseen_count);
    fw_json_end(json);
}

/* --- for people ------------------------------------------------------------------------------ */

/* The first few lines, without folders, and how many more. */
static void put_list(struct fw_output *out, const struct fw_lines *lines, bool paths)
{
    for (size_t i = 0; i < lines->len && i < MOST_NAMES; i++) {
        fw_output_text(out, i ? ", " : "");
        put_clean(out, paths ? base_name(lines->at[i]) : lines->at[i]);
    }
    if (lines->len > MOST_NAMES)
        fw_output_printf(out, " and %zu more", lines->len - MOST_NAMES);
}

static void put_end(struct fw_output *out, const struct fw_recording *recording, const char *before)
{
    const char *name = recording->signal ? sigdescr_np(atoi(recording->signal)) : NULL;

    if (recording->signal)
        fw_output_printf(out, "%sended by signal %s%s%s%s", before, recording->signal,
                         name ? " (" : "", name ? name : "", name ? ")" : "");
    else if (recording->exec)
        fw_output_printf(out, "%sreplaced by another program", before);
    else if (recording->exit)
        fw_output_printf(out, "%sexit status %s", before, recording->exit);
}

static void row_list(struct fw_output *out, int width, const char *label,
                     const struct fw_lines *lines, bool paths)
{
    if (!lines->len)
        return;
    fw_output_printf(out, "  %-*s ", width, label);
    put_list(out, lines, paths);
    fw_output_text(out, "\n");
}

void fw_report_recording_rows(struct fw_output *out, const struct fw_recording *recording,
                              int width)
{
    if (!recording->known)
        return;
    fw_output_printf(out, "  %-*s ", width, "recorded");
    put_clean(out, recording->command    ? recording->command
                   : recording->program ? recording->program
                                        : "a program");
    put_end(out, recording, ", ");
    fw_output_text(out, "\n");
    if (!recording->accesses)
        fw_output_printf(out, "  %-*s %s\n", width, "accesses",
                         "not seen: nothing was built with 'foreweave cc'");
    row_list(out, width, "not instrumented", &recording->plain, true);
    row_list(out, width, "system libraries", &recording->system, true);
    row_list(out, width, "not modelled", &recording->unmodelled, false);
    row_list(out, width, "order not exact", &recording->inexact, false);
    row_list(out, width, "recorded alone", &recording->partial, false);
    row_list(out, width, "stopped early", &recording->off, false);
    if (recording->dropped)
        fw_output_printf(out, "  %-*s %s events that did not fit\n", width, "left out",
                         recording->dropped);
    if (recording->expected.len)
        fw_output_printf(out, "  %-*s on %" PRIu64 " variables\n", width, "races expected",
                         recording->expected_count);
    if (recording->unseen.len)
        fw_output_printf(out, "  %-*s %" PRIu64 " variables\n", width, "written unseen",
                         recording->unseen_count);
}

void fw_report_recording_doubt(struct fw_output *out, const struct fw_recording *recording)
{
    if (recording->inexact.len) {
        fw_output_text(out, "the order of events is not exact in this recording");
    } else if (recording->unmodelled.len) {
        fw_output_text(out, "the run used synchronisation that is not modelled: ");
        put_list(out, &recording->unmodelled, false);
    } else if (recording->unhooked.len) {
        fw_output_text(out, "clang's code has accesses without hooks: ");
        put_list(out, &recording->unhooked, false);
    } else if (recording->partial.len) {
        fw_output_text(out, "of the run nothing is recorded but ");
        put_list(out, &recording->partial, false);
    } else {
        fw_output_text(out, "accesses that repeat others are not recorded");
    }
}

static void note_list(struct fw_output *out, const char *before, const struct fw_lines *lines,
                      bool paths, const char *after)
{
    if (!lines->len)
        return;
    fw_output_text(out, before);
    put_list(out, lines, paths);
    fw_output_printf(out, "%s\n", after);
}

static void note_waiting(struct fw_output *out, const struct fw_lines *lines,
                         struct fw_places *places)
{
    if (lines->len)
        fw_output_text(out, "At the end all threads waited, and none was left to wake one:\n");
    for (size_t i = 0; i < lines->len && i < MOST_WAITING; i++) {
        char *text = waiting_text(lines->at[i], places);

        fw_output_text(out, "  ");
        put_clean(out, text);
        fw_output_text(out, "\n");
        free(text);
    }
    if (lines->len > MOST_WAITING)
        fw_output_printf(out, "  and %zu more\n", lines->len - MOST_WAITING);
}

void fw_report_recording_notes(struct fw_output *out, const struct fw_recording *recording,
                               struct fw_places *places)
{
    if (!recording || !recording->known)
        return;
    if (recording->signal) {
        fw_output_text(out, "The program was ");
        put_end(out, recording, "");
        fw_output_text(out, "\n");
    }
    note_waiting(out, &recording->waiting, places);
    if (!recording->accesses)
        fw_output_text(out, "Memory accesses were not seen: nothing in the program was built with "
                            "'foreweave cc'\n");
    note_list(out, "Not instrumented (their accesses were not seen): ", &recording->plain, true,
              "");
    note_list(out, "Synchronisation that is not modelled was used, so nothing is called certain: ",
              &recording->unmodelled, false, "");
    note_list(out, "clang has put no hooks at some accesses, so nothing is called certain: ",
              &recording->unhooked, false, "");
    note_list(out, "The order of events is not exact, so nothing is called certain: ",
              &recording->inexact, false, "");
    note_list(out, "Recording stopped before the program did: ", &recording->off, false, "");
    if (recording->dropped)
        fw_output_printf(out, "The recorder left out %s event%s that did not fit, the first "
                              "because: ",
                         recording->dropped, strcmp(recording->dropped, "1") == 0 ? "" : "s");
    if (recording->dropped) {
        put_clean(out, recording->first_drop ? recording->first_drop : "it is not told");
        fw_output_text(out, "\n");
    }
}
