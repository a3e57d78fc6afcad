/*
 * bench_iroots.c - how fast the iRoots of a trace are found.
 *
 *     bench_iroots FILE...
 *
 * Each file is loaded once; then its iRoots are observed and guessed, those of idiom 1 and all of
 * them.  Times are of the processor, without reading.
 */
#include "base/alloc.h"
#include "iroot/observe_trace.h"
#include "iroot/profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double processor_time(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void print_row(const char *what, const struct fw_trace *trace,
                      const struct fw_iroot_set *set, double seconds)
{
    printf("%-18s %8.3f s  %7.2f million events/s  by idiom", what, seconds,
           trace->count / seconds / 1e6);
    for (unsigned idiom = 1; idiom <= FW_IDIOMS; idiom++)
        printf(" %" PRIu32, fw_iroot_set_of_idiom(set, idiom));
    printf("\n");
}

static void observe(const struct fw_trace *trace, bool simple)
{
    struct fw_observe_options options = { .simple = simple };
    struct fw_iroot_set *set = fw_iroot_set_create();
    struct fw_strtab accesses;
    double start = processor_time();

    fw_strtab_init(&accesses);
    fw_observe_trace(trace, &accesses, set, &options);
    print_row(simple ? "observe, idiom 1" : "observe, all", trace, set, processor_time() - start);
    fw_strtab_release(&accesses);
    fw_iroot_set_destroy(set);
}

static void profile(const struct fw_trace *trace, bool simple)
{
    struct fw_profile_options options = { .simple = simple };
    struct fw_iroot_set *set = fw_iroot_set_create();
    struct fw_strtab accesses;
    double start = processor_time();

    fw_strtab_init(&accesses);
    fw_profile_trace(trace, &accesses, &options, set, NULL);
    print_row(simple ? "profile, idiom 1" : "profile, all", trace, set, processor_time() - start);
    fw_strtab_release(&accesses);
    fw_iroot_set_destroy(set);
}

int main(int argc, char **argv)
{
    struct fw_read_options options = { 0 };

    for (int i = 1; i < argc; i++) {
        struct fw_error err = { { 0 } };
        struct fw_trace *trace;

        if (fw_trace_load(&trace, argv[i], &options, &err) < 0) {
            fprintf(stderr, "bench_iroots: %s\n", err.message);
            return 1;
        }
        printf("%s: %" PRIu32 " events, %" PRIu32 " threads\n", argv[i], trace->count,
               fw_trace_thread_count(trace));
        observe(trace, true);
        observe(trace, false);
        profile(trace, true);
        profile(trace, false);
        fw_trace_destroy(trace);
    }
    return 0;
}
