/*
 * prop_tiddle_program.c - programs generated from random traces execute them.
 *
 * Each trace becomes a program that executes it and, in the same program,
 * traces that are equivalent to it.  The C compiler must not warn; the program
 * must end, find every value it asserts, and have executed the events in the
 * order of the traces.  Compiling takes most of the time, so by default there
 * are few traces: FOREWEAVE_COUNT=1000 for a campaign.
 */
#include "support/property.h"

#include "base/alloc.h"
#include "base/vec.h"
#include "tiddle/compile.h"
#include "tiddle/enumerate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ORDERS 6u

static char scratch[64];

struct orders {
    uint32_t count; /* events of the trace */
    uint32_t found;
    uint32_t skip; /* orders to pass over, so that they are not all alike */
    FW_VEC(uint32_t) steps;
};

static bool keep(void *data, const uint32_t *order)
{
    struct orders *orders = data;
    size_t before = orders->steps.len;

    if (orders->found && orders->skip) {
        orders->skip--;
        return true;
    }
    orders->skip = 50 * orders->found;
    fw_vec_extend(&orders->steps, before + orders->count);
    memcpy(orders->steps.at + before, order, orders->count * sizeof *order);
    return ++orders->found < ORDERS;
}

static bool run(const char *command, char *why, size_t why_size)
{
    int status = system(command);

    if (status == 0)
        return true;
    snprintf(why, why_size, "status %d of: %s", status, command);
    return false;
}

static bool build_and_run(const struct fw_output *program, char *why, size_t why_size)
{
    char path[128], command[512];
    struct fw_output out;
    struct fw_error err;

    snprintf(path, sizeof path, "%s/program.c", scratch);
    if (fw_output_open(&out, path, &err) < 0) {
        snprintf(why, why_size, "%.150s", err.message);
        return false;
    }
    fw_output_bytes(&out, program->buffer, program->used);
    if (fw_output_close(&out, &err) < 0) {
        snprintf(why, why_size, "%.150s", err.message);
        return false;
    }
    snprintf(command, sizeof command,
             "cc -std=c11 -O0 -Wall -Wextra -Werror -pthread %s -o %s/program", path, scratch);
    if (!run(command, why, why_size))
        return false;
    snprintf(command, sizeof command, "timeout 60 %s/program --runs 20 >/dev/null", scratch);
    return run(command, why, why_size);
}

/* Some traces have no program; the reason must be one of those that the manual gives. */
static bool is_known_refusal(const char *message)
{
    return strstr(message, "has freed the variable") || strstr(message, "for the second time") ||
           strstr(message, "takes a read-write lock that its thread holds");
}

static bool check_program(const struct fw_trace *trace, const struct orders *orders, char *why,
                          size_t why_size)
{
    struct fw_tiddle_options options = { .source = "random.std",
                                         .orders = orders->steps.at,
                                         .order_count = orders->found };
    struct fw_output program;
    struct fw_error err;
    bool good;

    fw_output_open_memory(&program);
    if (fw_tiddle_compile(trace, &options, &program, &err) == 0) {
        good = build_and_run(&program, why, why_size);
    } else {
        good = is_known_refusal(err.message);
        snprintf(why, why_size, "%.150s", err.message);
    }
    fw_output_abandon(&program);
    return good;
}

/*
 * The generator makes values up.  What a read cannot have read is taken away, the rest is
 * asserted by the program.
 */
static void keep_possible_values(struct fw_trace *trace, const struct fw_index *index)
{
    for (uint32_t i = 0; i < trace->count; i++) {
        struct fw_attr *attr = &trace->attrs[trace->events[i].attr];
        uint32_t writer = index->partner[i];
        struct fw_attr *written;

        if (!fw_is_read(trace->events[i].kind) || fw_is_write(trace->events[i].kind) ||
            !(attr->has & FW_ATTR_VALUE))
            continue;
        written = writer == FW_NO_EVENT ? NULL : &trace->attrs[trace->events[writer].attr];
        if (written ? !(written->has & FW_ATTR_VALUE) || written->value != attr->value
                    : attr->value != 0)
            attr->has &= ~(uint32_t)FW_ATTR_VALUE;
    }
}

static bool program_executes_the_trace(const struct fw_sample *sample, char *why, size_t why_size)
{
    struct fw_trace *trace = fw_load_sample(sample, why, why_size);
    struct orders as_is = { 0 }, several = { 0 };
    struct fw_index *index;
    struct fw_depend *depend;
    bool good;

    if (!trace)
        return false;
    several.count = trace->count;
    index = fw_index_create(trace);
    keep_possible_values(trace, index);
    depend = fw_depend_create(index, false);
    fw_enumerate(index, depend, keep, &several);
    good = check_program(trace, &as_is, why, why_size) &&
           (several.found == 1 || check_program(trace, &several, why, why_size));
    fw_vec_release(&several.steps);
    fw_depend_destroy(depend);
    fw_index_destroy(index);
    fw_trace_destroy(trace);
    return good;
}

int main(void)
{
    static const char *const profiles[] = { "everything", "waits",  "barriers", "semaphores",
                                            "waits",      "shared", "forks",    "heap",
                                            "atomics",    "blocks", "two",      NULL };
    const char *tmp = getenv("TMPDIR");
    char command[128];
    int status;

    snprintf(scratch, sizeof scratch, "%.30s/foreweave-test.XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(scratch)) {
        perror(scratch);
        return 1;
    }
    status = fw_property_run("prop_tiddle_program", profiles, 33, program_executes_the_trace);
    snprintf(command, sizeof command, "rm -rf %s", scratch);
    return system(command) == 0 ? status : 1;
}
