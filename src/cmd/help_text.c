/*
 * help_text.c - -h (one screen) and --help (the manual), from the commands' tables.
 */
#include "cmd/frame.h"

#include <stdio.h>
#include <string.h>

#define WIDTH         80u
#define OPTION_COLUMN 26u

/* Words of text from column `at`, later lines from column `indent`; ends the last line. */
static void wrap(struct fw_output *out, const char *text, size_t at, size_t indent)
{
    size_t column = at;

    while (*text) {
        size_t len = strcspn(text, " \n");

        if (column > indent && column + 1 + len > WIDTH) {
            fw_output_printf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > at || column > indent) {
            fw_output_text(out, " ");
            column++;
        }
        fw_output_bytes(out, text, len);
        column += len;
        text += len;
        if (strncmp(text, "\n\n", 2) == 0) {
            fw_output_printf(out, "\n\n%*s", (int)indent, "");
            column = indent;
            at = indent;
        }
        text += strspn(text, " \n");
    }
    fw_output_text(out, "\n");
}

/* "  -o, --output=FILE" */
static size_t option_name(const struct fw_option *option, char *text, size_t size)
{
    char letter[8] = "    ";

    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    return (size_t)snprintf(text, size, "  %s--%s%s%s", letter, option->name,
                            option->argument ? "=" : "", option->argument ? option->argument : "");
}

static void print_row(struct fw_output *out, const char *name, const char *help)
{
    size_t len = strlen(name);

    fw_output_text(out, name);
    if (len + 2 > OPTION_COLUMN) {
        fw_output_text(out, "\n");
        len = 0;
    }
    fw_output_printf(out, "%*s", (int)(OPTION_COLUMN - len), "");
    wrap(out, help, OPTION_COLUMN, OPTION_COLUMN);
}

static void print_synopsis(const struct fw_path *path, struct fw_output *out)
{
    const struct fw_command *command = fw_path_command(path);

    fw_output_text(out, fw_path_text(path));
    fw_output_text(out, command->children ? " COMMAND" : " [OPTION...]");
    if (command->operands)
        fw_output_printf(out, " %s", command->operands);
    fw_output_text(out, "\n");
}

/* With `all` also those that few need; without, they are named in one line. */
static void print_children(const struct fw_command *command, bool all, struct fw_output *out)
{
    char rare[512] = "";
    size_t used = 0;

    for (const struct fw_command *const *child = command->children; *child; child++) {
        char name[64];

        snprintf(name, sizeof name, "  %s", (*child)->name);
        if (all || !(*child)->rare)
            print_row(out, name, (*child)->summary);
        else if (used < sizeof rare)
            used += (size_t)snprintf(rare + used, sizeof rare - used, "%s%s", used ? ", " : "",
                                     (*child)->name);
    }
    if (used)
        print_row(out, "  and:", rare);
}

/* Options that few need, by name. */
static void print_rare(const struct fw_option *table, struct fw_output *out)
{
    char names[512] = "";
    size_t used = 0;

    for (const struct fw_option *o = table; o->name; o++)
        if (o->rare && used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s--%s", used ? " " : "",
                                     o->name);
    if (used)
        print_row(out, "  and, see --help:", names);
}

void fw_help_short(const struct fw_path *path, struct fw_output *out)
{
    const struct fw_command *command = fw_path_command(path);
    char name[128];

    fw_output_text(out, "usage: ");
    print_synopsis(path, out);
    wrap(out, command->summary, 0, 0);
    if (command->children) {
        fw_output_text(out, "\nCommands:\n");
        print_children(command, false, out);
    }
    fw_output_text(out, "\nOptions:\n");
    for (const struct fw_option *o = fw_command_options(command); o->name; o++) {
        if (o->rare)
            continue;
        option_name(o, name, sizeof name);
        print_row(out, name, o->help);
    }
    print_rare(fw_command_options(command), out);
    print_row(out, "  -h, --help", "-h: this screen, --help: the manual");
}

static bool same_group(const struct fw_option *a, const struct fw_option *b)
{
    return a->group == b->group || (a->group && b->group && strcmp(a->group, b->group) == 0);
}

static void manual_option(const struct fw_option *option, struct fw_output *out)
{
    char name[128];

    option_name(option, name, sizeof name);
    fw_output_printf(out, "  %s\n            ", name);
    wrap(out, option->help, 12, 12);
    if (option->detail) {
        fw_output_text(out, "            ");
        wrap(out, option->detail, 12, 12);
    }
}

static void manual_options(const struct fw_command *command, struct fw_output *out)
{
    const struct fw_option *table = fw_command_options(command);

    fw_output_text(out, "\nOPTIONS\n");
    for (const struct fw_option *o = table; o->name; o++) {
        bool starts = o == table ? o->group != NULL : !same_group(o, o - 1);

        if (starts)
            fw_output_printf(out, "%s  %s:\n", o == table ? "" : "\n",
                             o->group ? o->group : "general");
        manual_option(o, out);
    }
    fw_output_text(out,
                   "    -h, --help\n            -h: one screen of help, --help: this manual\n");
}

static void manual_end(const struct fw_command *command, struct fw_output *out)
{
    const struct fw_exit_note *note = command->exits ? command->exits : fw_default_exits;

    if (command->examples)
        fw_output_text(out, "\nEXAMPLES\n");
    for (const struct fw_example *e = command->examples; e && e->command; e++)
        fw_output_printf(out, "    %s\n            %s\n", e->command, e->says);
    fw_output_text(out, "\nEXIT STATUS\n");
    for (; note->meaning && note->status >= 0; note++)
        fw_output_printf(out, "    %-7d %s\n", note->status, note->meaning);
    if (note->meaning)
        fw_output_printf(out, "    %-7s %s\n", "other", note->meaning);
}

void fw_help_manual(const struct fw_path *path, struct fw_output *out)
{
    const struct fw_command *command = fw_path_command(path);

    fw_output_printf(out, "NAME\n    %s - %s\n\nSYNOPSIS\n    ", fw_path_text(path),
                     command->summary);
    print_synopsis(path, out);
    if (command->description) {
        fw_output_text(out, "\nDESCRIPTION\n    ");
        wrap(out, command->description, 4, 4);
    }
    if (command->children) {
        fw_output_text(out, "\nCOMMANDS\n");
        print_children(command, true, out);
    }
    manual_options(command, out);
    manual_end(command, out);
}
