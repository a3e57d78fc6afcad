/* record_coverage.c - see record_coverage.h. */
#include "cmd/record_coverage.h"

#include "cmd/cmd.h"
#include "explore/coverage.h"
#include "iroot/observe_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/wait.h>

/* The status is the program's; its processes' are not known. */
static void outcome_of(const struct fw_recorded *recorded, size_t process, char text[32])
{
    if (process)
        snprintf(text, 32, "process %zu", process + 1);
    else if (WIFSIGNALED(recorded->status))
        snprintf(text, 32, "signal %d", WTERMSIG(recorded->status));
    else
        snprintf(text, 32, "exit %d", WEXITSTATUS(recorded->status));
}

static int observe(struct fw_entered *entered, const struct fw_recorded *recorded, size_t process,
                   bool quiet, struct fw_error *err)
{
    const struct fw_observe_options options = { .window = FW_IROOT_WINDOW };
    struct fw_coverage *coverage = fw_coverage_create();
    struct fw_iroot_set *set = fw_iroot_set_create();
    struct fw_memo_names names;
    struct fw_trace *trace;
    char outcome[32];
    struct fw_memo_run run = { .number = process + 1,
                               .strategy = "record",
                               .outcome = outcome,
                               .unjudged = true };
    uint64_t fresh = 0;
    int status = fw_trace_load(&trace, recorded->traces.at[process].path, NULL, err);

    if (status == 0) {
        fw_coverage_locate(coverage, trace);
        fw_observe_trace(trace, fw_coverage_accesses(coverage), set, &options);
        fw_trace_destroy(trace);
        outcome_of(recorded, process, outcome);
        run.exposed_count = fw_iroot_set_count(set);
        run.exposed = run.exposed_count ? fw_iroot_set_get(set, 0) : NULL;
        names = fw_coverage_names(coverage);
        status = fw_memo_record(entered->memo, &names, &run, &fresh, err);
    }
    if (status == 0 && !quiet)
        fw_cmd_error("%zu iRoots exposed, %" PRIu64 " for the first time, in %s; next: foreweave "
                     "coverage show%s", run.exposed_count, fresh, fw_memo_name(entered->memo),
                     entered->option);
    fw_iroot_set_destroy(set);
    fw_coverage_destroy(coverage);
    return status;
}

int fw_record_coverage(struct fw_entered *entered, const struct fw_recorded *recorded, bool quiet,
                       struct fw_error *err)
{
    for (size_t i = 0; i < recorded->traces.len; i++) {
        const struct fw_recorded_trace *trace = &recorded->traces.at[i];

        if (trace->connected && !trace->failed[0] &&
            observe(entered, recorded, i, quiet, err) < 0)
            return -1;
    }
    return 0;
}
