/*
 * cmd_heal.c - foreweave heal: runs a program and keeps its threads out of each other's atomic
 * sections.
 */
#include "base/alloc.h"
#include "cmd/cmd.h"
#include "cmd/heal_report.h"
#include "cmd/loading.h"
#include "cmd/noise.h"
#include "cmd/places.h"
#include "record/launch.h"
#include "sections/assurance.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

struct heal {
    const char *sections;
    int how; /* enum fw_heal_how */
    bool unsafe;
    struct fw_words traces;
    uint64_t wait, sleep, budget;
    const char *off_file, *log;
    const char *noise;
    struct fw_words modules;
    uint64_t seed;
    bool quiet;
};

static const struct heal defaults = { .wait = 100, .sleep = 200, .budget = 5, .seed = 1 };

static const char *const hows[] = { "dry", "lock", "yield", "sleep", "priority", NULL };

static const struct fw_option options[] = {
    { "sections", 0, "FILE", "the atomic sections (docs/sections.md)",
      FW_OPTION(FILE, struct heal, sections) },
    { "how", 0, "HOW", "lock, yield, sleep or priority; otherwise a dry run",
      FW_OPTION(CHOICE, struct heal, how), .choices = hows,
      .detail = "lock: nobody comes between the accesses of a section; only sections that cannot "
                "synchronise inside are locked, the others are named with the reason. "
                "yield: a thread yields before a section, so that it has a whole slice of time for "
                "it, and threads that meet an open section yield to it. sleep: those sleep "
                "(--sleep). priority: a thread runs at a higher priority within a section, where "
                "the system allows that. The last three make failures rarer only, and change "
                "nothing but the scheduling. dry, the default: nothing is done; what would be is "
                "counted." },
    { "trace", 0, "FILE,...", "recordings that show what sections do inside",
      FW_OPTION(LIST, struct heal, traces),
      .detail = "Sections in which a thread synchronised there are not locked either." },
    { "unsafe", 0, NULL, "lock sections that may synchronise inside as well",
      FW_OPTION(FLAG, struct heal, unsafe),
      .detail = "Locks are kept while the thread synchronises. Whoever would close a circle of "
                "threads that wait for each other, for sections or mutexes, has the section's lock "
                "released at once." },
    { "wait", 0, "MS", "wait for a thread in a section so long at most (100)",
      FW_OPTION(COUNT, struct heal, wait),
      .detail = "Then its lock is taken from the thread that is in it; from one that runs, or "
                "would if there were a processor for it, after ten times as long. In a queue each "
                "of those before has so long." },
    { "sleep", 0, "USEC", "with --how=sleep: so long (200)", FW_OPTION(COUNT, struct heal, sleep) },
    { "budget", 0, "PERCENT", "switch off when threads wait longer (5)",
      FW_OPTION(COUNT, struct heal, budget),
      .detail = "Of the time of the threads that came to sections, once they have waited for a "
                "tenth of a second altogether, for locks or in yields and sleeps, or for "
                "the system to change their priority. Waiting for a thread that --noise keeps up "
                "does not count. 100: never." },
    { "off-file", 0, "FILE", "switch off when FILE is there",
      FW_OPTION(FILE, struct heal, off_file),
      .detail = "SIGUSR1 to this command does the same. Locks are let go at once, and the program "
                "goes on unhealed." },
    { "log", 0, "FILE", "write what is done to FILE, a line each",
      FW_OPTION(FILE, struct heal, log) },
    { "noise", 0, "KIND:STRENGTH[:USEC]", "make failures likely, as in 'atomrace'",
      FW_OPTION(TEXT, struct heal, noise) },
    { "module", 0, "FILE,...", "also look for sections and names in FILE",
      FW_OPTION(LIST, struct heal, modules) },
    { "seed", 0, "N", "which accesses noise is made at (1)", FW_OPTION(COUNT, struct heal, seed) },
    { "quiet", 'q', NULL, "say nothing but errors", FW_OPTION(FLAG, struct heal, quiet) },
    { 0 },
};

struct work {
    const struct heal *options;
    char **argv;
    char *program; /* its file */
    struct fw_words files;
    char *noise; /* for the runtime */
    struct fw_places places;
    struct fw_sections sections;
    struct fw_placements placements;
    char **reasons; /* against locks, by section */
    unsigned refused; /* sections that have one */
    struct fw_regions_file regions;
    struct fw_heal_run run;
    struct fw_heal_log log;
    const char **names; /* of sections */
};

/* --- which sections -------------------------------------------------------------------------- */

static int find_reasons(struct work *work)
{
    const struct heal *given = work->options;
    struct fw_error err;

    for (size_t i = 0; i < work->placements.len; i++) {
        const struct fw_placement *placement = &work->placements.at[i];
        struct fw_assurance *assurance = fw_assurance_open(placement->path, &err);

        if (!assurance)
            return fw_cmd_fail(FW_EXIT_INPUT, &err);
        fw_assurance_placed(assurance, placement, work->reasons);
        fw_assurance_close(assurance);
        for (size_t k = 0; k < given->traces.len; k++)
            if (fw_assurance_trace(given->traces.at[k], placement, work->reasons, &err) < 0)
                return fw_cmd_fail(FW_EXIT_INPUT, &err);
    }
    return 0;
}

/* With locks: those that can be. */
static int choose_sections(struct work *work, int placed)
{
    const struct heal *given = work->options;
    size_t count = work->sections.at.len;
    bool *left_out = fw_xcalloc(count + 1, sizeof *left_out);
    struct fw_error err;
    int status = 0;

    work->reasons = fw_xcalloc(count + 1, sizeof *work->reasons);
    if (given->how == FW_HEAL_LOCK && !given->unsafe)
        status = find_reasons(work);
    for (size_t i = 0; i < count; i++)
        work->refused += left_out[i] = work->reasons[i] != NULL;
    if (!status && (!given->quiet || work->refused == (unsigned)placed))
        fw_heal_tell_refused(&work->sections, work->reasons);
    if (!status && work->refused == (unsigned)placed) {
        fw_cmd_error("no section of '%s' can be healed in '%s'%s", given->sections,
                     work->argv[0], work->refused ? " by locks" : "");
        status = FW_EXIT_INPUT;
    }
    if (!status && fw_regions_file_make(&work->regions, &work->sections, &work->placements,
                                        left_out, &err) < 0)
        status = fw_cmd_fail(FW_EXIT_FAILURE, &err);
    free(left_out);
    return status;
}

static int find_sections(struct work *work)
{
    const struct heal *given = work->options;
    struct fw_error err;
    int placed;

    if (fw_sections_read(&work->sections, given->sections, &err) < 0) {
        fw_sections_init(&work->sections);
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    }
    placed = fw_regions_place(&work->sections, work->files.at, work->files.len, given->quiet,
                              &work->placements);
    if (placed < 0)
        return FW_EXIT_INPUT;
    work->names = fw_xcalloc(work->sections.at.len + 1, sizeof *work->names);
    for (size_t i = 0; i < work->sections.at.len; i++)
        work->names[i] = work->sections.at.at[i].name;
    return choose_sections(work, placed);
}

/* --- running --------------------------------------------------------------------------------- */

static int find_noise(struct work *work)
{
    struct fw_noise_wish wish;
    struct fw_error err;
    int status = 0;

    if (fw_noise_wish(&wish, work->options->noise, &err) < 0)
        status = fw_cmd_usage("--noise: %s", err.message);
    else
        work->noise = fw_noise_options(&wish, work->files.at, work->files.len, &status);
    fw_noise_release(&wish);
    return status;
}

/* Words of global variables that are locked. */
static void add_word(struct fw_heal_wire *wire, const struct fw_placement *placement,
                     uint64_t address, bool reads_wait)
{
    if (!address || wire->word_count == FW_HEAL_WORDS)
        return;
    wire->words[wire->word_count++] = (struct fw_heal_word){ .device = placement->device,
                                                             .inode = placement->inode,
                                                             .offset = address,
                                                             .reads_wait = reads_wait };
}

static bool reads_are_allowed(const struct fw_atomic_section *section)
{
    for (size_t i = 0; i < section->ends.len; i++)
        if (!(section->ends.at[i].allow & FW_ALLOW_READS))
            return false;
    return true;
}

static void find_words(struct work *work, const struct fw_placement *placement)
{
    for (size_t i = 0; i < placement->placed.len; i++) {
        const struct fw_placed *placed = &placement->placed.at[i];

        if (placed->role == FW_PLACE_ENTRY && !work->reasons[placed->section])
            add_word(work->run.wire, placement, placed->address,
                     !reads_are_allowed(&work->sections.at.at[placed->section]));
    }
}

static void fill_wire(struct work *work)
{
    const struct heal *given = work->options;
    struct fw_heal_wire *wire = work->run.wire;

    wire->how = (uint32_t)given->how;
    wire->unsafe = given->unsafe;
    wire->watch = given->noise != NULL;
    wire->bound = given->wait * 1000000u;
    wire->sleep = given->sleep * 1000u;
    wire->budget = (uint32_t)given->budget;
    for (size_t i = 0; given->how == FW_HEAL_LOCK && i < work->placements.len; i++)
        find_words(work, &work->placements.at[i]);
}

/* As fw_heal_open sees it. */
static bool is_healed_alone(const struct fw_heal_wire *wire)
{
    return wire->how == FW_HEAL_LOCK && !wire->watch;
}

/* As a shell would say it. */
static int exit_status(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int run_program(struct work *work)
{
    struct fw_heal_names names = { work->names, work->sections.at.len };
    struct fw_error err;
    char *more;
    int status = 0, got;

    if (fw_places_find(&work->places, &err) < 0 || fw_heal_wire_make(&work->run, &err) < 0 ||
        fw_heal_log_open(&work->log, work->options->log, names, &err) < 0)
        return fw_cmd_fail(FW_EXIT_FAILURE, &err);
    fill_wire(work);
    more = fw_xasprintf("sections=%s:seed=%" PRIu64 ":noise=%s", work->regions.path,
                        work->options->seed, work->noise);
    work->run.argv = work->argv;
    work->run.runtime = is_healed_alone(work->run.wire) ? work->places.heal : work->places.atomrace;
    work->run.options = more;
    work->run.off_file = work->options->off_file;
    work->run.log = &work->log;
    got = fw_heal_run(&work->run, &status, &err);
    free(more);
    if (got < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    if (!work->options->quiet)
        fw_heal_tell_counts(work->run.wire, &work->regions, work->refused);
    return exit_status(status);
}

static void work_release(struct work *work)
{
    fw_heal_wire_release(&work->run);
    fw_regions_file_release(&work->regions);
    fw_placements_release(&work->placements);
    for (size_t i = 0; work->reasons && i < work->sections.at.len; i++)
        free(work->reasons[i]);
    free(work->reasons);
    free(work->names);
    fw_sections_release(&work->sections);
    fw_places_release(&work->places);
    fw_vec_release(&work->files);
    free(work->program);
    free(work->noise);
}

static int check_options(const struct heal *given)
{
    if (!given->sections)
        return fw_cmd_usage("--sections is needed: 'foreweave sections find' makes such a file");
    if (given->unsafe && given->how != FW_HEAL_LOCK)
        return fw_cmd_usage("--unsafe is for --how=lock");
    if (given->wait < 1 || given->wait > 10000)
        return fw_cmd_usage("--wait: 1 to 10000 milliseconds");
    if (given->sleep > 1000000)
        return fw_cmd_usage("--sleep: at most 1000000 microseconds");
    if (given->budget < 1 || given->budget > 100)
        return fw_cmd_usage("--budget: 1 to 100 percent");
    return 0;
}

static int run(const void *values, int argc, char **argv)
{
    struct work work = { .options = values, .argv = argv, .regions.fd = -1, .run.wire_fd = -1 };
    struct fw_error err;
    int status = check_options(values);

    (void)argc;
    if (status)
        return status;
    fw_signals_hold(SIGUSR1); /* the switch, from the beginning */
    if (fw_launch_check(argv[0], &err) < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    work.program = fw_launch_path(argv[0]);
    fw_sections_init(&work.sections);
    status = fw_cmd_files(&work.files, work.program, &work.options->modules);
    if (!status)
        status = find_noise(&work);
    if (!status)
        status = find_sections(&work);
    if (!status)
        status = run_program(&work);
    if (fw_heal_log_close(&work.log, &err) < 0)
        fw_cmd_error("%s", err.message);
    work_release(&work);
    return status;
}

static const struct fw_example examples[] = {
    { "foreweave heal --sections=till.sections -- ./till", "what would be done?" },
    { "foreweave heal --sections=till.sections --how=lock --log=heal.log -- ./till",
      "do it, and tell" },
    { "foreweave heal --sections=till.sections --how=sleep --noise=var:balance:50 -- ./till",
      "how well does it work?" },
    { 0 },
};

static const struct fw_exit_note exits[] = {
    { 0, "to 255: the program's own status" },
    { FW_EXIT_USAGE, "the command line is wrong" },
    { FW_EXIT_INPUT, "the program cannot be run, or the sections cannot be read, or nothing of "
                     "them can be healed" },
    { FW_EXIT_FAILURE, "Foreweave could not do its work" },
    { 0, NULL },
};

const struct fw_command fw_cmd_heal = {
    .name = "heal",
    .summary = "run a program and keep its atomic sections atomic",
    .operands = "[--] PROGRAM [ARGUMENT...]",
    .description =
        "Runs PROGRAM, which was built with 'foreweave cc' or 'foreweave c++', in parallel and at "
        "nearly the speed that its hooks allow, and keeps other threads from accessing a variable "
        "while one is in an atomic section over it: between a test and its use, between a load and "
        "its store. The bug stays in the program; its failures do not show, or less often. Which "
        "sections there are is said by a file that 'foreweave sections' makes.\n\n"
        "Nothing is changed without --how: that is a dry run, which counts. Every action is "
        "counted, and logged with --log. SIGUSR1 to this command or the file of --off-file switch "
        "healing off while the program runs, and it switches itself off when it costs more than "
        "--budget. What the program does is never waited for without end (--wait).",
    .options = options,
    .options_size = sizeof(struct heal),
    .defaults = &defaults,
    .min_operands = 1,
    .max_operands = INT_MAX,
    .examples = examples,
    .exits = exits,
    .run = run,
    .stop_at_operand = true,
};
