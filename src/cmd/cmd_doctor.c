/*
 * cmd_doctor.c - foreweave doctor: does everything work on this machine?
 *
 * A table of probes, one line each: what was found, and if something is wrong
 * what it means and how to mend it.  Only what the foundation cannot do
 * without makes the command fail.
 */
#include "base/json.h"
#include "cmd/cmd.h"
#include "cmd/doctor.h"
#include "cmd/run.h"
#include "trace/trace.h"
#include "trace/writer.h"

#include <capstone/capstone.h>
#include <cjson/cJSON.h>
#include <elfutils/libdwfl.h>
#include <gnu/libc-version.h>
#include <langinfo.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zstd.h>

struct doctor {
    int format;
};

static const struct fw_option options[] = {
    FW_FORMAT_OPTION(struct doctor, format),
    { 0 },
};

static const char *const level_names[] = { "ok", "warn", "FAIL" };

void fw_doctor_found(struct fw_doctor_result *result, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(result->found, sizeof result->found, fmt, args);
    va_end(args);
}

void fw_doctor_advise(struct fw_doctor_result *result, enum fw_doctor_level level,
                      const char *advice)
{
    result->level = level;
    snprintf(result->advice, sizeof result->advice, "%s", advice);
}

static void probe_kernel(struct fw_doctor_result *result)
{
    struct utsname name;

    if (uname(&name) < 0)
        fw_doctor_found(result, "unknown");
    else
        fw_doctor_found(result, "%s %s on %s", name.sysname, name.release, name.machine);
}

static void probe_cores(struct fw_doctor_result *result)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;

    fw_doctor_found(result, "%d for this process", count);
    if (count == 1)
        fw_doctor_advise(result, FW_DOCTOR_OK,
                         "fine: results do not depend on the number of cores");
}

/* The number behind `key` in a file of the kernel, or 0. */
static uint64_t kernel_number(const char *path, const char *key)
{
    FILE *file = fopen(path, "re");
    unsigned long long value = 0;
    char line[256];

    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), "%llu", &value) == 1)
            break;
    if (file)
        fclose(file);
    return value;
}

#define MEGABYTE (1024u * 1024u)

static void probe_memory(struct fw_doctor_result *result)
{
    uint64_t available = kernel_number("/proc/meminfo", "MemAvailable:") * 1024;
    uint64_t limit = kernel_number("/sys/fs/cgroup/memory.max", "");
    struct rlimit own;

    if (getrlimit(RLIMIT_AS, &own) == 0 && own.rlim_cur != RLIM_INFINITY &&
        (!limit || own.rlim_cur < limit))
        limit = own.rlim_cur;
    if (limit && (!available || limit < available))
        fw_doctor_found(result, "limited to %llu MiB (container or ulimit -v)",
                        (unsigned long long)limit / MEGABYTE);
    else
        fw_doctor_found(result, "%llu MiB available", (unsigned long long)available / MEGABYTE);
    if ((limit && limit < 512u * MEGABYTE) || (available && available < 512u * MEGABYTE))
        fw_doctor_advise(result, FW_DOCTOR_WARN,
                         "enough for streaming; whole traces take 16 bytes or more an event");
}

static void *thread_main(void *data)
{
    *(int *)data = 1;
    return NULL;
}

static void probe_threads(struct fw_doctor_result *result)
{
    pthread_t thread;
    int ran = 0;

    if (pthread_create(&thread, NULL, thread_main, &ran) == 0)
        pthread_join(thread, NULL);
    fw_doctor_found(result, "glibc %s", gnu_get_libc_version());
    if (!ran)
        fw_doctor_advise(result, FW_DOCTOR_FAIL,
                         "cannot create a thread: raise the process limit (ulimit -u)");
}

static void probe_compiler(struct fw_doctor_result *result, const char *compiler,
                           const char *option, const char *advice)
{
    char *const command[] = { (char *)compiler, (char *)option, NULL };
    char version[160];

    if (fw_run_first_line(command, version, sizeof version) == 0) {
        fw_doctor_found(result, "%s", version);
        return;
    }
    fw_doctor_found(result, "not found");
    fw_doctor_advise(result, FW_DOCTOR_WARN, advice);
}

static void probe_gcc(struct fw_doctor_result *result)
{
    probe_compiler(
        result, "gcc", "--version",
        "needed to build programs to be recorded, unless clang is there: apt install gcc");
}

static void probe_clang(struct fw_doctor_result *result)
{
    probe_compiler(result, "clang", "--version",
                   "needed only if gcc is not there, or if you prefer it: apt install clang");
}

static void probe_libraries(struct fw_doctor_result *result)
{
    fw_doctor_found(result, "zstd %s, cJSON %s, libdw %s, capstone %d.%d", ZSTD_versionString(),
                    cJSON_Version(), dwfl_version(NULL), CS_API_MAJOR, CS_API_MINOR);
}

static void probe_temporary(struct fw_doctor_result *result)
{
    const char *dir = getenv("TMPDIR");
    char path[4096];
    int fd;

    dir = dir && *dir ? dir : "/tmp";
    snprintf(path, sizeof path, "%s/foreweave-XXXXXX", dir);
    fd = mkstemp(path);
    fw_doctor_found(result, "%.160s", dir);
    if (fd < 0) {
        fw_doctor_advise(result, FW_DOCTOR_WARN,
                         "cannot write there: set TMPDIR to a directory that you own");
        return;
    }
    close(fd);
    unlink(path);
}

/* A small trace through the binary format and back. */
static int convert_sample(struct fw_error *err)
{
    static const char sample[] = "T0|fork(T1)|a.c:1\nT0|w(x)|a.c:2\nT1|r(x)|b.c:3\n";
    struct fw_trace *text = NULL, *binary = NULL;
    struct fw_writer *writer;
    char *data = NULL;
    size_t size;
    int result = fw_trace_load_memory(&text, sample, strlen(sample), "sample.std", NULL, err);

    if (result < 0)
        return -1;
    result = fw_writer_open_memory(&writer, "fwt", text->symbols, false, err);
    if (result == 0) {
        struct fw_batch batch = fw_trace_batch(text);

        result = fw_writer_batch(writer, &batch, err);
        if (result == 0)
            result = fw_writer_take(writer, &data, &size, err);
        fw_writer_abandon(writer);
    }
    if (result == 0)
        result = fw_trace_load_memory(&binary, data, size, "sample.fwt", NULL, err);
    if (result == 0 && binary->count != text->count)
        result = fw_error_set(err, "events were lost");
    fw_trace_destroy(binary);
    fw_trace_destroy(text);
    free(data);
    return result;
}

static void probe_formats(struct fw_doctor_result *result)
{
    struct fw_error err;

    if (convert_sample(&err) == 0) {
        fw_doctor_found(result, "text and binary written and read back");
        return;
    }
    fw_doctor_found(result, "%.180s", err.message);
    fw_doctor_advise(result, FW_DOCTOR_FAIL,
                     "this build is broken: install it again, and report it");
}

static void probe_rights(struct fw_doctor_result *result)
{
    fw_doctor_found(result, "no root, ptrace, performance counters or change of ASLR needed");
}

static void probe_terminal(struct fw_doctor_result *result)
{
    const char *no = getenv("NO_COLOR");
    bool terminal = isatty(STDOUT_FILENO), utf8;

    setlocale(LC_CTYPE, "");
    utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    fw_doctor_found(result, "%s, %s, %s", terminal ? "a terminal" : "not a terminal",
                    fw_cmd_colour(STDOUT_FILENO) ? "colour"
                    : terminal && no && *no      ? "no colour (NO_COLOR is set)"
                                                 : "no colour",
                    utf8 ? "UTF-8" : "ASCII");
}

static const struct probe {
    const char *name;
    void (*run)(struct fw_doctor_result *result);
} probes[] = {
    { "kernel", probe_kernel },
    { "cores", probe_cores },
    { "memory", probe_memory },
    { "threads", probe_threads },
    { "gcc", probe_gcc },
    { "clang", probe_clang },
    { "runtime", fw_doctor_runtime },
    { "via gcc", fw_doctor_record_gcc },
    { "via clang", fw_doctor_record_clang },
    { "libraries", probe_libraries },
    { "formats", probe_formats },
    { "temporary", probe_temporary },
    { "rights", probe_rights },
    { "output", probe_terminal },
};

#define PROBES (sizeof probes / sizeof *probes)

static void report_json(const struct fw_doctor_result *results, bool works, struct fw_output *out)
{
    struct fw_json json = { .out = out };

    fw_json_object(&json, NULL);
    fw_json_number(&json, "schema", 1);
    fw_json_bool(&json, "works", works);
    fw_json_array(&json, "checks");
    for (size_t i = 0; i < PROBES; i++) {
        fw_json_object(&json, NULL);
        fw_json_text(&json, "name", probes[i].name);
        fw_json_text(&json, "level",
                     results[i].level == FW_DOCTOR_FAIL ? "fail" : level_names[results[i].level]);
        fw_json_text(&json, "found", results[i].found);
        if (results[i].advice[0])
            fw_json_text(&json, "advice", results[i].advice);
        fw_json_end(&json);
    }
    fw_json_end(&json);
    fw_json_end(&json);
}

static void report_text(const struct fw_doctor_result *results, bool works, struct fw_output *out)
{
    fw_output_printf(out, "foreweave %s\n", FOREWEAVE_VERSION);
    for (size_t i = 0; i < PROBES; i++) {
        fw_output_printf(out, "%-4s  %-10s %s\n", level_names[results[i].level], probes[i].name,
                         results[i].found);
        if (results[i].advice[0])
            fw_output_printf(out, "%-17s%s\n", "", results[i].advice);
    }
    fw_output_text(out, works ? "Foreweave works here. Next: foreweave help\n"
                              : "Foreweave does not work here; see FAIL above.\n");
}

static int run(const void *values, int argc, char **argv)
{
    const struct doctor *doctor = values;
    struct fw_doctor_result results[PROBES] = { 0 };
    struct fw_output out;
    bool works = true;
    int status;

    (void)argc;
    (void)argv;
    for (size_t i = 0; i < PROBES; i++) {
        probes[i].run(&results[i]);
        works &= results[i].level != FW_DOCTOR_FAIL;
    }
    status = fw_cmd_output(&out, NULL);
    if (status)
        return status;
    (doctor->format == FW_FORMAT_JSON ? report_json : report_text)(results, works, &out);
    return fw_cmd_output_close(&out, works ? FW_EXIT_OK : FW_EXIT_FAILURE);
}

static const struct fw_exit_note exits[] = {
    { FW_EXIT_OK, "Foreweave works on this machine" },
    { FW_EXIT_USAGE, "the command line is wrong" },
    { FW_EXIT_FAILURE, "it does not; a line says FAIL and why" },
    { 0, NULL },
};

static const struct fw_example examples[] = {
    { "foreweave doctor", "one line for each thing that matters" },
    { 0 },
};

const struct fw_command fw_cmd_doctor = {
    .name = "doctor",
    .summary = "check that this machine has what is needed",
    .description =
        "Looks at the kernel, cores, memory, threads, compilers, libraries, the trace formats, "
        "the temporary directory and the terminal, builds and records a small program with each "
        "compiler that is there, and prints one line for each: ok, warn (not "
        "everybody needs it) or FAIL, with what it means and how to mend it.",
    .options = options,
    .options_size = sizeof(struct doctor),
    .examples = examples,
    .exits = exits,
    .run = run,
};
