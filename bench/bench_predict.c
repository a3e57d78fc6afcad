/*
 * bench_predict.c - where a predictor's time goes.
 *
 *     bench_predict [--jobs N] [--all] [--cap N] [--steps N] [--seconds S] [--idiom N]
 *                   PREDICTOR FILE
 *
 * Loads a trace, prepares it as `foreweave check` does, has the predictor's
 * suspects checked, and prints one line of key=value: seconds of each part and
 * of all by the wall clock, processor seconds of all, what the team counted,
 * how the solver answered, peak memory in MiB.  --all is check's --pairs=all; --steps is
 * the budget of a question; after --seconds the run is stopped.
 */
#include "predict/predict.h"
#include "trace/trace.h"

#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

struct options {
    struct fw_predict_options predict;
    uint64_t steps;
    uint32_t jobs, seconds;
    double start;
    const struct fw_predictor *predictor;
    const char *file;
};

static atomic_bool stop;

static double clock_now(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Seconds since the last call, which is also printed. */
static void lap(const char *name)
{
    static double last;
    double now = clock_now(CLOCK_MONOTONIC);

    if (name)
        printf("%s=%.3f ", name, now - last);
    fflush(stdout);
    last = now;
}

static void *watch(void *seconds)
{
    sleep(*(const uint32_t *)seconds);
    atomic_store(&stop, true);
    return NULL;
}

static void print_counts(struct fw_predictions *predictions)
{
    struct fw_predict_counts c;
    struct rusage usage;

    fw_predictions_get(predictions, NULL, &c);
    getrusage(RUSAGE_SELF, &usage);
    printf("units=%" PRIu64 " asked=%" PRIu64 " proved=%" PRIu64 " undecided=%" PRIu64
           " refuted=%" PRIu64 " left=%" PRIu64 " unreached=%" PRIu64 " rejected=%d ",
           c.units, c.asked, c.proved, c.undecided, c.refuted, c.left, c.unreached,
           fw_predictions_rejection(predictions) != NULL);
    printf("infeasible_at_once=%" PRIu64 " feasible_at_once=%" PRIu64 " infeasible_closed=%" PRIu64
           " feasible_closed=%" PRIu64 " chosen=%" PRIu64 " choices=%" PRIu64 " ",
           c.solver.infeasible_at_once, c.solver.feasible_at_once, c.solver.infeasible_closed,
           c.solver.feasible_closed, c.solver.chosen, c.solver.choices);
    printf("complete=%d peak=%ld\n", !atomic_load(&stop), usage.ru_maxrss / 1024);
}

static void predict(const struct options *o, const struct fw_index *index)
{
    struct fw_core_options core_options = { .values = o->predict.values,
                                            .iroots = o->predictor == &fw_predictor_iroot };
    struct fw_core *core = fw_core_create(index, &core_options);
    struct fw_team_setup setup = { .core = core,
                                   .options = &o->predict,
                                   .budget = { .steps = o->steps, .stop = &stop },
                                   .jobs = o->jobs };
    struct fw_predictions *predictions = fw_predictions_create();
    struct fw_team *team;

    lap("core");
    team = fw_team_create(&setup);
    fw_team_run(team, o->predictor, predictions);
    lap("run");
    printf("wall=%.3f cpu=%.3f ", clock_now(CLOCK_MONOTONIC) - o->start,
           clock_now(CLOCK_PROCESS_CPUTIME_ID));
    print_counts(predictions);
    fw_team_destroy(team);
    fw_predictions_destroy(predictions);
    fw_core_destroy(core);
}

static void usage(void)
{
    fputs("usage: bench_predict [--jobs N] [--all] [--cap N] [--steps N] [--seconds S]\n"
          "           [--idiom N] race|deadlock|atomicity|nondet|iroot FILE\n",
          stderr);
    exit(2);
}

static const struct fw_predictor *predictor_called(const char *name)
{
    const struct fw_predictor *const all[] = { &fw_predictor_race, &fw_predictor_deadlock,
                                               &fw_predictor_atomicity, &fw_predictor_nondet,
                                               &fw_predictor_iroot };

    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    usage();
    return NULL;
}

static void parse(struct options *o, int argc, char **argv)
{
    static const struct option table[] = {
        { "jobs", required_argument, NULL, 'j' },    { "all", no_argument, NULL, 'a' },
        { "cap", required_argument, NULL, 'c' },     { "steps", required_argument, NULL, 's' },
        { "seconds", required_argument, NULL, 't' }, { "idiom", required_argument, NULL, 'i' },
        { NULL, 0, NULL, 0 },
    };
    int option;

    while ((option = getopt_long(argc, argv, "", table, NULL)) != -1) {
        if (option == 'j')
            o->jobs = (uint32_t)atoi(optarg);
        else if (option == 'a')
            o->predict.pairs_all = true;
        else if (option == 'c')
            o->predict.cap = (uint32_t)atoi(optarg);
        else if (option == 'i')
            o->predict.idioms |= 1u << (atoi(optarg) & 7);
        else if (option == 's')
            o->steps = strtoull(optarg, NULL, 10);
        else if (option == 't')
            o->seconds = (uint32_t)atoi(optarg);
        else
            usage();
    }
    if (optind + 2 != argc || !o->jobs)
        usage();
    o->predictor = predictor_called(argv[optind]);
    o->file = argv[optind + 1];
}

int main(int argc, char **argv)
{
    struct options o = { .jobs = 2 };
    struct fw_read_options read_options = { 0 };
    struct fw_trace *trace;
    struct fw_index *index;
    struct fw_error err;
    pthread_t watcher;

    parse(&o, argc, argv);
    o.start = clock_now(CLOCK_MONOTONIC);
    if (o.seconds && pthread_create(&watcher, NULL, watch, &o.seconds) == 0)
        pthread_detach(watcher);
    lap(NULL);
    if (fw_trace_load(&trace, o.file, &read_options, &err) < 0) {
        fprintf(stderr, "bench_predict: %s\n", err.message);
        return 1;
    }
    printf("predictor=%s events=%" PRIu64 " ", o.predictor->name, (uint64_t)trace->count);
    lap("load");
    index = fw_index_create(trace);
    lap("index");
    predict(&o, index);
    fw_index_destroy(index);
    fw_trace_destroy(trace);
    return 0;
}
