/*
 * bench_active.c - what a controlled run costs, in processor time of the program.
 *
 *     bench_active RUNTIME PROGRAM [ARGUMENT...]
 *
 * Prints six times, in seconds: nobody is preempted and nothing observed; the same observed; what
 * the controller takes to find the iRoots of that run; an iRoot is sought, and only its sites are
 * points, first in a thin run and then in one that sees every access; the same with all sites that
 * share memory.  The iRoot is one of idiom 1 between the first two sites that were seen to share
 * memory.  A run that does not end well is an error.
 */
#include "base/alloc.h"
#include "explore/watcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define LIMIT 300 /* seconds */

static double of_program(void)
{
    struct rusage usage;

    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static double of_controller(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void run(struct fw_session *session, struct fw_run_order order)
{
    double before = of_program();
    struct fw_run_result result;
    struct fw_error err;

    order.flags |= FW_CONTROL_FROZEN;
    order.seed = 1;
    if (fw_session_run(session, &order, &result, &err) < 0) {
        fprintf(stderr, "bench_active: %s\n", err.message);
        exit(1);
    }
    if (result.end != FW_RUN_EXITED || result.code) {
        fprintf(stderr, "bench_active: a run ended with %d, %d\n", result.end, result.code);
        exit(1);
    }
    printf("%.3f ", of_program() - before);
}

static uint32_t number(void *context, const char *module, uint64_t offset, enum fw_iroot_does does)
{
    (void)context, (void)module;
    return (uint32_t)offset * FW_DOES_COUNT + does;
}

static void look(struct fw_session *session)
{
    struct fw_observe_options options = { 0 };
    struct fw_watcher *watcher = fw_watcher_create(session, &options, number, NULL);
    double start = of_controller();

    fw_watcher_look(watcher);
    printf("%.3f ", of_controller() - start);
    fw_watcher_destroy(watcher);
}

/* The first two that were found get roles; all of those that were found become points. */
static void watch(struct fw_session *session, bool all)
{
    unsigned roles = 0;

    for (uint32_t i = 0; i < fw_session_head(session)->site_count; i++) {
        struct fw_control_site *site = fw_session_site(session, i);

        if (!(site->flags & FW_SITE_FOUND))
            continue;
        if (roles < 2)
            site->flags |= FW_SITE_ROLE(roles) | FW_SITE_WATCHED;
        if (roles++ < 2 || all)
            site->flags |= FW_SITE_SHARED;
    }
}

int main(int argc, char **argv)
{
    struct fw_session_setup setup = { .argv = argv + 2, .limit = LIMIT };
    struct fw_run_order order = { .strategy = FW_STRATEGY_NONE };
    struct fw_session *session;
    struct fw_error err;

    if (argc < 3)
        return 2;
    setup.runtime = argv[1];
    session = fw_session_create(&setup, &err);
    if (!session) {
        fprintf(stderr, "bench_active: %s\n", err.message);
        return 1;
    }
    run(session, order);
    order.flags = FW_CONTROL_OBSERVE;
    run(session, order);
    look(session);
    order.strategy = FW_STRATEGY_IROOT;
    order.idiom = 1;
    watch(session, false);
    order.flags = FW_CONTROL_THIN;
    run(session, order);
    order.flags = FW_CONTROL_OBSERVE;
    run(session, order);
    watch(session, true);
    run(session, order);
    printf("\n");
    fw_session_destroy(session);
    return 0;
}
