/* inputs.c - see inputs.h. */
#include "cmd/inputs.h"

#include "base/alloc.h"
#include "base/words.h"

#include <stdlib.h>

struct reading {
    struct fw_inputs *inputs;
    char **argv;
    struct fw_line *line;
};

/* The command line, and so many more words, which are those behind `first`. */
static char **command_of(const struct fw_inputs *inputs, char **argv, size_t first)
{
    size_t own = 0, more = inputs->words.len - first;
    char **command;

    while (argv[own])
        own++;
    command = fw_xcalloc(own + more + 1, sizeof *command);
    for (size_t i = 0; i < own; i++)
        command[i] = argv[i];
    for (size_t i = 0; i < more; i++)
        command[own + i] = inputs->words.at[first + i];
    return command;
}

static int take_line(void *context)
{
    struct reading *reading = context;
    struct fw_inputs *inputs = reading->inputs;
    size_t first = inputs->words.len;

    for (size_t i = 0; i < reading->line->words.len; i++)
        fw_vec_push(&inputs->words, fw_xstrdup(reading->line->words.at[i].text));
    if (inputs->words.len > first)
        fw_vec_push(&inputs->at, command_of(inputs, reading->argv, first));
    return 0;
}

static int read_file(struct fw_inputs *inputs, const char *file, char **argv, struct fw_error *err)
{
    struct reading reading = { inputs, argv, fw_xcalloc(1, sizeof *reading.line) };
    char *text, *shown;
    size_t bytes;
    int status = fw_text_read(file, "list of inputs", &text, &bytes, &shown, err);

    if (!status) {
        reading.line->name = shown;
        reading.line->err = err;
        status = fw_line_each(reading.line, text, bytes, take_line, &reading);
        if (!status && !inputs->at.len)
            status = fw_error_set(err, "%s: there is no input in it", shown);
        fw_line_release(reading.line);
        free(text);
        free(shown);
    }
    free(reading.line);
    return status;
}

int fw_inputs_read(struct fw_inputs *inputs, const char *file, char **argv, struct fw_error *err)
{
    *inputs = (struct fw_inputs) { 0 };
    if (file)
        return read_file(inputs, file, argv, err);
    fw_vec_push(&inputs->at, command_of(inputs, argv, 0));
    return 0;
}

void fw_inputs_release(struct fw_inputs *inputs)
{
    for (size_t i = 0; i < inputs->at.len; i++)
        free(inputs->at.at[i]);
    for (size_t i = 0; i < inputs->words.len; i++)
        free(inputs->words.at[i]);
    fw_vec_release(&inputs->at);
    fw_vec_release(&inputs->words);
}
