/*
 * main.c - the program: the table of commands, and dispatch.
 *
 * foreweave itself is a command whose children are the commands, so options,
 * help and errors work the same on every level.
 */
#include "base/alloc.h"
#include "base/bug.h"
#include "base/suggest.h"
#include "cmd/cmd.h"
#include "cmd/frame.h"
#include "record/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One row a command, in the order of the help. */
/* clang-format off */
static const struct fw_command *const commands[] = {
    &fw_cmd_cc,
    &fw_cmd_cxx,
    &fw_cmd_run,
    &fw_cmd_record,
    &fw_cmd_check,
    &fw_cmd_explore,
    &fw_cmd_coverage,
    &fw_cmd_replay,
    &fw_cmd_atomrace,
    &fw_cmd_heal,
    &fw_cmd_learn,
    &fw_cmd_guard,
    &fw_cmd_trace,
    &fw_cmd_sections,
    &fw_cmd_tiddle,
    &fw_cmd_list,
    &fw_cmd_doctor,
    &fw_cmd_help,
    &fw_cmd_version,
    NULL,
};
/* clang-format on */

struct root {
    bool version;
};

static const struct fw_option root_options[] = {
    { "version", 0, NULL, "print the version", FW_OPTION(FLAG, struct root, version) },
    { 0 },
};

static const struct fw_example root_examples[] = {
    { "foreweave cc -g hidden.c -o hidden", "build a program with hooks" },
    { "foreweave record -o t.fwt -- ./hidden", "run it and write its trace" },
    { "foreweave check t.fwt", "what could other runs have done?" },
    { "foreweave help trace show", "the manual of a command" },
    { 0 },
};

const struct fw_command fw_cmd_root = {
    .name = "foreweave",
    .summary = "foresee the interleavings that a run did not show",
    .description =
        "Foreweave takes the trace of one run of a multithreaded program, foresees the "
        "interleavings that this run did not show, and proves each bug it reports with a "
        "schedule that a separate verifier accepts.\n\n"
        "Options may also be given in the environment: FOREWEAVE_OPTIONS=key=value:key=value, "
        "where a key is the long name of an option; the command line wins. Unknown keys are "
        "reported. Colour is used on a terminal only, and never if NO_COLOR is set.",
    .options = root_options,
    .options_size = sizeof(struct root),
    .examples = root_examples,
    .children = commands,
    .max_operands = INT_MAX,
};

const struct fw_option fw_no_options[] = { { 0 } };

const struct fw_exit_note fw_default_exits[] = {
    { FW_EXIT_OK, "success" },
    { FW_EXIT_USAGE, "the command line is wrong" },
    { FW_EXIT_INPUT, "an input is missing or malformed" },
    { FW_EXIT_FAILURE, "Foreweave could not do its work, for example write its result" },
    { 0, NULL },
};

static struct fw_path current = { { &fw_cmd_root }, 1 };
static bool called_by_link; /* as foreweave-NAME */

const struct fw_path *fw_current_path(void)
{
    return &current;
}

static const char *join_path(const struct fw_path *path, char joint)
{
    static char text[128];
    size_t used = 0;

    for (int i = 0; i < path->len; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%c", path->at[i]->name, joint);
    FW_ASSERT(used < sizeof text);
    text[used - 1] = '\0';
    return text;
}

const char *fw_path_text(const struct fw_path *path)
{
    return join_path(path, ' ');
}

const char *fw_path_page(const struct fw_path *path)
{
    return join_path(path, '-');
}

int fw_path_descend(struct fw_path *path, const char *name)
{
    const struct fw_command *const *children = fw_path_command(path)->children;
    struct fw_suggestion near = { .word = name };

    for (; children && *children; children++) {
        if (strcmp((*children)->name, name) == 0) {
            FW_ASSERT(path->len < FW_PATH_MAX);
            path->at[path->len++] = *children;
            return 0;
        }
        fw_suggest(&near, (*children)->name);
    }
    if (near.best)
        fw_cmd_usage("'%s' is not a command of %s: did you mean '%s'?", name, fw_path_text(path),
                     near.best);
    else
        fw_cmd_usage("'%s' is not a command of %s", name, fw_path_text(path));
    return -1;
}

void fw_path_walk(const struct fw_path *path, void (*visit)(const struct fw_path *path, void *data),
                  void *data)
{
    const struct fw_command *const *children = fw_path_command(path)->children;

    visit(path, data);
    for (; children && *children; children++) {
        struct fw_path below = *path;

        FW_ASSERT(below.len < FW_PATH_MAX);
        below.at[below.len++] = *children;
        fw_path_walk(&below, visit, data);
    }
}

struct key_search {
    struct fw_suggestion near;
    bool found;
};

static void search_key(const struct fw_path *path, void *data)
{
    struct key_search *search = data;

    for (const struct fw_option *o = fw_command_options(fw_path_command(path)); o->name; o++) {
        search->found |= strcmp(o->name, search->near.word) == 0;
        fw_suggest(&search->near, o->name);
    }
}

/* A key that some other command knows is no mistake. */
static void unknown_key(const char *key)
{
    struct fw_path root = { { &fw_cmd_root }, 1 };
    struct key_search search = { .near = { .word = key } };

    fw_path_walk(&root, search_key, &search);
    if (search.found)
        return;
    if (search.near.best)
        fw_cmd_warning("unknown key '%s' in FOREWEAVE_OPTIONS: did you mean '%s'?", key,
                       search.near.best);
    else
        fw_cmd_warning("unknown key '%s' in FOREWEAVE_OPTIONS", key);
}

static int print_help(enum fw_help_wish wish)
{
    struct fw_output out;
    int status = fw_cmd_output(&out, NULL);

    if (status)
        return status;
    (wish == FW_HELP_SHORT ? fw_help_short : fw_help_manual)(&current, &out);
    return fw_cmd_output_close(&out, FW_EXIT_OK);
}

/* A group without the name of a subcommand: its help, but as an error. */
static int missing_command(void)
{
    struct fw_output out;

    fw_output_open_memory(&out);
    fw_help_short(&current, &out);
    fwrite(out.buffer, 1, out.used, stderr);
    fw_output_abandon(&out);
    return FW_EXIT_USAGE;
}

static int dispatch(int argc, char **argv);

static int run_group(int argc, char **argv)
{
    if (argc == 0)
        return missing_command();
    if (fw_path_descend(&current, argv[0]) < 0)
        return FW_EXIT_USAGE;
    return dispatch(argc - 1, argv + 1);
}

static int check_operands(const struct fw_command *command, int argc, char **argv)
{
    if (argc < command->min_operands)
        return fw_cmd_usage("missing operand: %s %s", fw_path_text(&current), command->operands);
    if (argc > command->max_operands)
        return fw_cmd_usage("unexpected operand '%s'", argv[command->max_operands]);
    return 0;
}

static int run_command(const struct fw_command *command, const void *values,
                       const struct fw_parsed *parsed)
{
    int status = check_operands(command, parsed->count, parsed->operands);

    return status ? status : command->run(values, parsed->count, parsed->operands);
}

static int parse(const struct fw_command *command, void *values, int argc, char **argv,
                 struct fw_parsed *parsed)
{
    const struct fw_option *table = fw_command_options(command);
    unsigned flags = command->children || command->stop_at_operand ? FW_PARSE_STOP_AT_OPERAND : 0;
    const char *environment = getenv("FOREWEAVE_OPTIONS");
    struct fw_error err;

    if (fw_options_parse(table, values, argc, argv, flags, parsed, &err) < 0)
        return fw_cmd_usage("%s", err.message);
    if (parsed->help || command->children || !environment)
        return 0;
    if (fw_options_environment(table, values, environment, unknown_key, parsed, &err) < 0)
        return fw_cmd_usage("in FOREWEAVE_OPTIONS: %s", err.message);
    return 0;
}

/* How many arguments in front are options of ours: --NAME=VALUE, or --NAME and a VALUE. */
static int leading_options(const struct fw_option *table, int argc, char **argv)
{
    int count = 0;

    while (count < argc) {
        const struct fw_option *o = table;
        size_t len = strcspn(argv[count], "=");

        while (o->name && (strncmp(argv[count], "--", 2) != 0 || strlen(o->name) != len - 2 ||
                           strncmp(argv[count] + 2, o->name, len - 2) != 0))
            o++;
        if (!o->name)
            break;
        count += argv[count][len] || !o->argument ? 1 : 2;
    }
    return count < argc ? count : argc;
}

/*
 * A command in whose place another program runs.  A lone -h or --help is ours, unless the command
 * was called by a name of its own (foreweave-cc), which is that of the other program for all users.
 */
static int run_foreign(const struct fw_command *command, void *values, int argc, char **argv)
{
    const struct fw_option *table = fw_command_options(command);
    int own = leading_options(table, argc, argv), status;
    struct fw_parsed parsed;

    if (argc == 1 && !called_by_link && strcmp(argv[0], "-h") == 0)
        return print_help(FW_HELP_SHORT);
    if (argc == 1 && !called_by_link && strcmp(argv[0], "--help") == 0)
        return print_help(FW_HELP_MANUAL);
    status = parse(command, values, own, argv, &parsed);
    if (!status)
        status = command->run(values, argc - own, argv + own);
    fw_options_release(table, values, &parsed);
    return status;
}

static int dispatch_own(const struct fw_command *command, void *values, int argc, char **argv)
{
    struct fw_parsed parsed;
    int status = parse(command, values, argc, argv, &parsed);

    if (!status && parsed.help)
        status = print_help(parsed.help);
    else if (!status && command->children)
        status = run_group(parsed.count, parsed.operands);
    else if (!status)
        status = run_command(command, values, &parsed);
    fw_options_release(fw_command_options(command), values, &parsed);
    return status;
}

static int dispatch(int argc, char **argv)
{
    const struct fw_command *command = fw_path_command(&current);
    size_t size = command->options_size;
    void *values = fw_xcalloc(1, size ? size : 1);
    int status;

    if (command->defaults)
        memcpy(values, command->defaults, size);
    status = (command->foreign ? run_foreign : dispatch_own)(command, values, argc, argv);
    free(values);
    return status;
}

/* foreweave-cc, a link to the program, is foreweave cc. */
static void descend_by_name(const char *path)
{
    static const char prefix[] = "foreweave-";
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return;
    for (const struct fw_command *const *command = commands; *command; command++) {
        if (!(*command)->foreign || strcmp((*command)->name, name + sizeof prefix - 1) != 0)
            continue;
        current.at[current.len++] = *command;
        called_by_link = true;
    }
}

/*
 * A closed standard descriptor must not become that of a trace.  It gets a
 * file that refuses what is asked of it, so that the failure is reported.
 */
static void occupy_standard_descriptors(void)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            exit(FW_EXIT_FAILURE);
}

int main(int argc, char **argv)
{
    occupy_standard_descriptors();
    fw_reader_set_recovery(&fw_spool_recovery);
    signal(SIGPIPE, SIG_DFL); /* a reader that has enough ends us quietly */
    if (argc)
        descend_by_name(argv[0]);
    if (argc > 1 && !called_by_link && strcmp(argv[1], "--version") == 0)
        argv[1] = (char *)fw_cmd_version.name;
    return dispatch(argc ? argc - 1 : 0, argv + (argc > 0));
}
