/*
 * schedule_read.c - see schedule.h: reading schedules.
 *
 * What a file says is bounded before memory is asked for.
 */
#include "explore/schedule.h"

#include "analysis/findings.h"
#include "base/alloc.h"
#include "base/options.h"
#include "base/words.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 64u

struct reader {
    struct fw_script *schedule;
    bool has_version;
    struct fw_line line;
};

static bool take_words(struct reader *reader, const char *first, const char *second,
                       const char *third)
{
    size_t mark = reader->line.next;

    if (fw_line_take(&reader->line, first) && fw_line_take(&reader->line, second) &&
        fw_line_take(&reader->line, third))
        return true;
    reader->line.next = mark;
    return false;
}

/* --- steps ----------------------------------------------------------------------------------- */

static int read_path(struct reader *reader, uint32_t *path)
{
    const char *text = reader->line.words.at[reader->line.next++].text, *at = text + 1;

    *path = 0;
    if (text[0] != '0')
        return fw_line_complain_of(&reader->line,
                                   "a thread's path begins with 0, the main thread:", text);
    for (unsigned depth = 0; *at; depth++) {
        unsigned long ordinal;
        char *end;

        if (*at != '.' || !isdigit((unsigned char)at[1]) || depth == DEPTH)
            return fw_line_complain_of(&reader->line, "not a thread's path:", text);
        ordinal = strtoul(at + 1, &end, 10);
        if (!ordinal || ordinal > 1000000000)
            return fw_line_complain_of(&reader->line, "not a thread's path:", text);
        *path = fw_script_path(reader->schedule, *path, (uint32_t)ordinal);
        if (reader->schedule->paths.len > FW_SCRIPT_PATHS)
            return fw_line_complain(&reader->line, "too many threads");
        at = end;
    }
    return 0;
}

static int read_line(struct reader *reader, struct fw_anchor *anchor)
{
    const struct fw_line_word *token = fw_line_peek(&reader->line);
    char *end;
    long line;

    if (!token || token->quoted || (token->text[0] != '+' && token->text[0] != '-'))
        return 0;
    line = strtol(token->text, &end, 10);
    if (*end || !isdigit((unsigned char)token->text[1]) || labs(line) > 100000000)
        return fw_line_complain_of(&reader->line, "not a number of lines:", token->text);
    anchor->has_line = true;
    anchor->line = (int32_t)line;
    reader->line.next++;
    return 0;
}

static int read_place(struct reader *reader, struct fw_script_step *step, const char *missing)
{
    struct fw_anchor *anchor = &step->anchor;
    const struct fw_line_word *token = fw_line_peek(&reader->line);

    if (!token || !token->text[0])
        return fw_line_complain(&reader->line, missing);
    anchor->operation = fw_xstrdup(token->text);
    reader->line.next++;
    if (fw_line_take(&reader->line, "in")) {
        token = fw_line_peek(&reader->line);
        if (!token || !token->text[0])
            return fw_line_complain(&reader->line, "'in' needs a function");
        anchor->function = fw_xstrdup(token->text);
        reader->line.next++;
    }
    token = fw_line_peek(&reader->line);
    if (token && token->quoted) {
        anchor->text = fw_xstrdup(token->text);
        reader->line.next++;
    }
    if (read_line(reader, anchor) < 0)
        return -1;
    token = fw_line_peek(&reader->line);
    if (!token || token->quoted || token->text[0] != '#')
        return fw_line_complain(&reader->line, "which one is missing, as #1");
    if (fw_parse_count(token->text + 1, &step->ordinal) < 0 || !step->ordinal)
        return fw_line_complain_of(&reader->line, "which one is counted from #1 on, this is",
                                   token->text);
    reader->line.next++;
    return 0;
}

/* A number of seconds as ns. */
static int read_seconds(struct reader *reader, uint64_t *ns)
{
    const struct fw_line_word *token = fw_line_peek(&reader->line);
    char *end = NULL;
    double seconds = token && !token->quoted ? strtod(token->text, &end) : -1;

    if (!end || end == token->text || *end || !(seconds >= 0 && seconds < 1e9))
        return fw_line_complain(&reader->line, "not a number of seconds");
    *ns = (uint64_t)(seconds * 1e9);
    reader->line.next++;
    return 0;
}

static int read_expiry(struct reader *reader, struct fw_script_step *step)
{
    if (!fw_line_take(&reader->line, "out"))
        return fw_line_complain(&reader->line, "'times' goes on with 'out'");
    if (fw_line_take(&reader->line, "at") &&
        read_place(reader, step, "'at' needs an operation") < 0)
        return -1;
    if (!fw_line_take(&reader->line, "after"))
        return 0;
    if (read_seconds(reader, &step->limit) < 0)
        return -1;
    return fw_line_take(&reader->line, "s")
               ? 0
               : fw_line_complain(&reader->line, "'after' needs seconds, as '0.5 s'");
}

static int read_goal(struct reader *reader, struct fw_script_step *step)
{
    const struct fw_line_word *token;
    uint64_t number;

    if (!fw_line_take(&reader->line, "goal"))
        return 0;
    token = fw_line_peek(&reader->line);
    if (!token || token->quoted || fw_parse_count(token->text, &number) < 0 || !number ||
        number > FW_CONTROL_GOALS)
        return fw_line_complain(&reader->line, "'goal' needs a number from 1 to 16");
    step->goal = (uint16_t)(number - 1);
    reader->line.next++;
    return 0;
}

static int read_step(struct reader *reader)
{
    struct fw_script_step *step;
    uint32_t path;

    if (reader->schedule->steps.len == FW_SCRIPT_STEPS)
        return fw_line_complain(&reader->line, "too many steps");
    if (read_path(reader, &path) < 0)
        return -1;
    step = fw_script_add(reader->schedule, path, FW_UNTIL_WAITS);
    step->file_line = reader->line.number;
    if (fw_line_take(&reader->line, "before")) {
        step->end = FW_UNTIL_BEFORE;
        if (read_place(reader, step, "'before' needs an operation") < 0)
            return -1;
    } else if (fw_line_take(&reader->line, "times")) {
        step->end = FW_UNTIL_EXPIRES;
        if (read_expiry(reader, step) < 0)
            return -1;
    } else if (take_words(reader, "until", "it", "waits")) {
        step->end = FW_UNTIL_WAITS;
    } else if (take_words(reader, "until", "it", "ends")) {
        step->end = FW_UNTIL_ENDS;
    } else if (take_words(reader, "one", "point", "further")) {
        step->end = FW_UNTIL_NEXT;
    } else {
        return fw_line_complain(&reader->line,
                                "a step ends 'before OPERATION ...', 'until it waits', 'until it "
                                "ends' or 'one point further', or is 'times out'");
    }
    return read_goal(reader, step) < 0 ? -1 : fw_line_end(&reader->line);
}

/* --- the rest -------------------------------------------------------------------------------- */

static int read_program(struct reader *reader)
{
    if (reader->schedule->program.len || !fw_line_peek(&reader->line))
        return fw_line_complain(&reader->line, "'program' needs a program, and may be said once");
    for (; fw_line_peek(&reader->line); reader->line.next++)
        fw_vec_push(&reader->schedule->program, fw_xstrdup(fw_line_peek(&reader->line)->text));
    return 0;
}

static int read_build(struct reader *reader)
{
    const struct fw_line_word *token = fw_line_peek(&reader->line);

    if (!token || token->quoted || strspn(token->text, "0123456789abcdef") != strlen(token->text))
        return fw_line_complain(&reader->line, "'build' needs a build id in hexadecimal digits");
    free(reader->schedule->build);
    reader->schedule->build = fw_xstrdup(token->text);
    reader->line.next++;
    return fw_line_end(&reader->line);
}

static int read_command(struct reader *reader, const char *word, char **command)
{
    const struct fw_line_word *token = fw_line_peek(&reader->line);
    char what[64];

    if (!token || !token->quoted) {
        snprintf(what, sizeof what, "'%s' needs a command in quotes", word);
        return fw_line_complain(&reader->line, what);
    }
    free(*command);
    *command = fw_xstrdup(token->text);
    reader->line.next++;
    return fw_line_end(&reader->line);
}

/* 1: it is no line with a command. */
static int read_commands(struct reader *reader)
{
    struct fw_script *schedule = reader->schedule;
    const struct {
        const char *word;
        char **command;
    } known[] = { { "judge", &schedule->judge },
                  { "setup", &schedule->setup },
                  { "drive", &schedule->drive },
                  { "teardown", &schedule->teardown } };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (fw_line_take(&reader->line, known[i].word))
            return read_command(reader, known[i].word, known[i].command);
    return 1;
}

static int read_timeouts(struct reader *reader)
{
    if (fw_line_take(&reader->line, "any"))
        reader->schedule->timeouts = UINT64_MAX;
    else if (read_seconds(reader, &reader->schedule->timeouts) < 0)
        return -1;
    return fw_line_end(&reader->line);
}

static int read_time(struct reader *reader)
{
    if (!fw_line_take(&reader->line, "virtual"))
        return fw_line_complain(&reader->line, "'time' may be 'virtual'");
    reader->schedule->virtual_time = true;
    return fw_line_end(&reader->line);
}

/* Behind the word that says it all there may be details: "stuck: ...", "signal 6 (...)". */
static bool has_details_only(const char *text)
{
    return !*text || *text == ':' || strncmp(text, " (", 2) == 0;
}

static bool is_number(const char *text, const char *word, unsigned least, unsigned most)
{
    size_t length = strlen(word);
    unsigned long number;
    char *end;

    if (strncmp(text, word, length) != 0 || !isdigit((unsigned char)text[length]))
        return false;
    number = strtoul(text + length, &end, 10);
    return number >= least && number <= most && has_details_only(end);
}

/* Is it something that a run can show? */
static bool is_shown(const char *text)
{
    static const char *const ends[] = { "deadlock", "stuck", "hang" };

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (strncmp(text, ends[i], strlen(ends[i])) == 0 &&
            has_details_only(text + strlen(ends[i])))
            return true;
    for (size_t i = 0; i < FW_FINDING_KIND_COUNT; i++)
        if (strcmp(text, fw_finding_kind_names[i]) == 0)
            return true;
    return is_number(text, "exit ", 0, 255) || is_number(text, "signal ", 1, 64) ||
           is_number(text, "driver exit ", 1, 255);
}

/* All words, one blank between them. */
static int read_shows(struct reader *reader)
{
    struct fw_output text;
    int status = 0;

    if (!fw_line_peek(&reader->line))
        return fw_line_complain(&reader->line, "'shows' needs what it shows, as 'exit 1'");
    fw_output_open_memory(&text);
    for (bool first = true; fw_line_peek(&reader->line); first = false) {
        fw_output_text(&text, first ? "" : " ");
        fw_output_text(&text, reader->line.words.at[reader->line.next++].text);
    }
    fw_output_bytes(&text, "", 1);
    if (is_shown(text.buffer))
        fw_script_set_shows(reader->schedule, text.buffer);
    else
        status = fw_line_complain_of(&reader->line,
                                     "'shows' may be 'exit N', 'signal N', 'driver exit N', "
                                     "'deadlock', 'stuck', 'hang' or a kind of finding, not",
                                     text.buffer);
    fw_output_abandon(&text);
    return status;
}

static int read_version(struct reader *reader)
{
    const struct fw_line_word *token;

    if (!fw_line_take(&reader->line, "foreweave") || !fw_line_take(&reader->line, "schedule"))
        return fw_line_complain(&reader->line,
                                "not a schedule: the first line must be 'foreweave schedule 1'");
    token = fw_line_peek(&reader->line);
    if (!token || strcmp(token->text, "1") != 0)
        return fw_line_complain_of(&reader->line,
                                   "a schedule of an unknown version:", token ? token->text : "");
    reader->line.next++;
    reader->has_version = true;
    return fw_line_end(&reader->line);
}

static int read_words(void *context)
{
    struct reader *reader = context;
    const struct fw_line_word *first = fw_line_peek(&reader->line);
    int status;

    if (!first)
        return 0;
    if (!reader->has_version)
        return read_version(reader);
    if (!first->quoted && isdigit((unsigned char)first->text[0]))
        return read_step(reader);
    if (fw_line_take(&reader->line, "program"))
        return read_program(reader);
    if (fw_line_take(&reader->line, "build"))
        return read_build(reader);
    if (fw_line_take(&reader->line, "time"))
        return read_time(reader);
    if (fw_line_take(&reader->line, "timeouts"))
        return read_timeouts(reader);
    if (fw_line_take(&reader->line, "shows"))
        return read_shows(reader);
    status = read_commands(reader);
    if (status <= 0)
        return status;
    return fw_line_complain_of(&reader->line, "not known in a schedule:", first->text);
}

int fw_script_read_memory(struct fw_script *schedule, const char *text, size_t bytes,
                          const char *name, struct fw_error *err)
{
    struct reader *reader = fw_xcalloc(1, sizeof *reader);
    int status;

    fw_script_init(schedule);
    reader->schedule = schedule;
    reader->line.name = name;
    reader->line.err = err;
    reader->line.ordinals = true;
    status = fw_line_each(&reader->line, text, bytes, read_words, reader);
    if (!status && !reader->has_version)
        status = fw_error_set(err, "%s: not a schedule: it is empty", name);
    if (!status && !schedule->steps.len && !schedule->shows && !schedule->judge)
        status = fw_error_set(err, "%s: the schedule has no steps and shows nothing", name);
    fw_line_release(&reader->line);
    free(reader);
    if (status < 0)
        fw_script_release(schedule);
    return status;
}

int fw_script_read(struct fw_script *schedule, const char *path, struct fw_error *err)
{
    char *text, *name;
    size_t bytes;
    int status;

    if (fw_text_read(path, "schedule", &text, &bytes, &name, err) < 0)
        return -1;
    status = fw_script_read_memory(schedule, text, bytes, name, err);
    free(text);
    free(name);
    return status;
}
