/*
 * help_man.c - man pages (roff, man(7) macros) from the commands' tables.
 */
#include "cmd/frame.h"

#include <string.h>

/* Text with roff's own characters protected; "\n\n" starts a paragraph. */
static void roff(struct fw_output *out, const char *text)
{
    bool line_start = true;

    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            fw_output_text(out, "\\&");
        line_start = *text == '\n';
        if (strncmp(text, "\n\n", 2) == 0) {
            fw_output_text(out, "\n.PP\n");
            text++;
        } else if (*text == '\\') {
            fw_output_text(out, "\\e");
        } else if (*text == '-') {
            fw_output_text(out, "\\-");
        } else {
            fw_output_bytes(out, text, 1);
        }
    }
}

static void roff_line(struct fw_output *out, const char *text)
{
    roff(out, text);
    fw_output_text(out, "\n");
}

/* A paragraph with a tag: "\-o, \-\-output=FILE" and what it does. */
static void tag_option(const struct fw_option *option, struct fw_output *out)
{
    fw_output_text(out, ".TP\n");
    if (option->letter)
        fw_output_printf(out, "\\fB\\-%c\\fR, ", option->letter);
    fw_output_text(out, "\\fB\\-\\-");
    roff(out, option->name);
    fw_output_text(out, "\\fR");
    if (option->argument) {
        fw_output_text(out, "=\\fI");
        roff(out, option->argument);
        fw_output_text(out, "\\fR");
    }
    fw_output_text(out, "\n");
    roff_line(out, option->help);
    if (option->detail) {
        fw_output_text(out, ".br\n");
        roff_line(out, option->detail);
    }
}

static void section_options(const struct fw_command *command, struct fw_output *out)
{
    const struct fw_option *table = fw_command_options(command);
    const char *group = NULL;

    fw_output_text(out, ".SH OPTIONS\n");
    for (const struct fw_option *o = table; o->name; o++) {
        if (o->group != group)
            fw_output_printf(out, ".SS %s\n", o->group ? o->group : "general");
        group = o->group;
        tag_option(o, out);
    }
    fw_output_text(out, ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\n"
                        "\\-h: one screen of help, \\-\\-help: the manual\n");
}

static void section_synopsis(const struct fw_path *path, struct fw_output *out)
{
    const struct fw_command *command = fw_path_command(path);

    fw_output_text(out, ".SH SYNOPSIS\n\\fB");
    roff(out, fw_path_text(path));
    fw_output_printf(out, "\\fR %s", command->children ? "COMMAND" : "[OPTION...]");
    if (command->operands) {
        fw_output_text(out, " ");
        roff(out, command->operands);
    }
    fw_output_text(out, "\n");
}

static void section_children(const struct fw_path *path, struct fw_output *out)
{
    const struct fw_command *const *child = fw_path_command(path)->children;

    fw_output_text(out, ".SH COMMANDS\n");
    for (; *child; child++) {
        fw_output_printf(out, ".TP\n\\fB%s\\fR\n", (*child)->name);
        roff(out, (*child)->summary);
        fw_output_text(out, "; see \\fB");
        roff(out, fw_path_page(path));
        fw_output_printf(out, "\\-%s\\fR(1)\n", (*child)->name);
    }
}

static void sections_end(const struct fw_command *command, struct fw_output *out)
{
    const struct fw_exit_note *note = command->exits ? command->exits : fw_default_exits;

    if (command->examples)
        fw_output_text(out, ".SH EXAMPLES\n");
    for (const struct fw_example *e = command->examples; e && e->command; e++) {
        fw_output_text(out, ".TP\n\\fB");
        roff(out, e->command);
        fw_output_text(out, "\\fR\n");
        roff_line(out, e->says);
    }
    fw_output_text(out, ".SH EXIT STATUS\n");
    for (; note->meaning; note++) {
        if (note->status < 0)
            fw_output_text(out, ".TP\nother\n");
        else
            fw_output_printf(out, ".TP\n%d\n", note->status);
        roff_line(out, note->meaning);
    }
}

/* "trace" is described in foreweave(1), "trace show" in foreweave-trace(1). */
static void section_see_also(const struct fw_path *path, struct fw_output *out)
{
    struct fw_path parent = *path;

    if (path->len == 1)
        return;
    parent.len--;
    fw_output_text(out, ".SH SEE ALSO\n\\fB");
    roff(out, fw_path_page(&parent));
    fw_output_text(out, "\\fR(1)\n");
}

void fw_help_man_page(const struct fw_path *path, struct fw_output *out)
{
    const struct fw_command *command = fw_path_command(path);

    fw_output_text(out, ".TH \"");
    roff(out, fw_path_page(path));
    fw_output_printf(out, "\" 1 \"\" \"Foreweave %s\" \"Foreweave manual\"\n", FOREWEAVE_VERSION);
    fw_output_text(out, ".SH NAME\n");
    roff(out, fw_path_page(path));
    fw_output_text(out, " \\- ");
    roff_line(out, command->summary);
    section_synopsis(path, out);
    if (command->description) {
        fw_output_text(out, ".SH DESCRIPTION\n");
        roff_line(out, command->description);
    }
    if (command->children)
        section_children(path, out);
    section_options(command, out);
    sections_end(command, out);
    section_see_also(path, out);
}
