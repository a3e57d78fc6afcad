/*
 * bench_read.c - how fast, and in how much memory, traces are read.
 *
 *     bench_read [--repeat N] [--decoder] FILE...
 *
 * Each file is read N times from beginning to end by a process of its own, so
 * that its peak memory is its own.  "read" is the whole reader (decoding,
 * names, well-formedness), which is what every command does; "decode", with
 * --decoder, stops before the well-formedness check.  Speed is events for each
 * second of processor time: the best run and the median one.
 */
#include "base/alloc.h"
#include "trace/decoder.h"
#include "trace/reader.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_REPEAT 100u

struct result {
    uint64_t events, bytes;
    double seconds[MAX_REPEAT];
};

static double processor_time(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void die(const struct fw_error *err)
{
    fprintf(stderr, "bench_read: %s\n", err->message);
    exit(1);
}

/* Looks at every event, as an analysis would; the sum keeps the compiler honest. */
static uint64_t look_at(const struct fw_event *events, uint32_t count)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += events[i].kind;
    return sum;
}

static volatile uint64_t sink;

static uint64_t read_all(const char *path)
{
    struct fw_reader *reader;
    struct fw_batch batch;
    struct fw_error err;
    uint64_t events = 0;
    int got;

    if (fw_reader_open(&reader, path, NULL, &err) < 0)
        die(&err);
    while ((got = fw_reader_next(reader, &batch, &err)) > 0) {
        events += batch.count;
        sink += look_at(batch.events, batch.count);
    }
    if (got < 0)
        die(&err);
    fw_reader_close(reader);
    return events;
}

static const struct fw_format *format_of(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot && strcmp(dot, ".fwt") == 0   ? &fw_format_fwt
           : dot && strcmp(dot, ".tid") == 0 ? &fw_format_tiddle
                                             : &fw_format_std;
}

static uint64_t decode_all(const char *path)
{
    const struct fw_format *format = format_of(path);
    struct fw_symbols *symbols = fw_symbols_create();
    struct fw_decoder *decoder;
    struct fw_raw_batch batch;
    struct fw_input input;
    struct fw_error err;
    uint64_t events = 0;
    int got;

    if (fw_input_open(&input, path, &err) < 0)
        die(&err);
    decoder =
        format->create(&(struct fw_decoder_setup) { .input = &input, .symbols = symbols });
    while ((got = format->next(decoder, &batch, &err)) > 0) {
        events += batch.count;
        sink += look_at(batch.events, batch.count);
    }
    if (got < 0)
        die(&err);
    format->destroy(decoder);
    fw_input_close(&input);
    fw_symbols_destroy(symbols);
    return events;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static void print_row(const char *path, const char *what, struct result *result, unsigned repeat)
{
    const char *slash = strrchr(path, '/');
    struct rusage usage;
    double events = (double)result->events;

    getrusage(RUSAGE_SELF, &usage);
    qsort(result->seconds, repeat, sizeof *result->seconds, by_value);
    printf("%-24s %-7s %12" PRIu64 " %10.2f %12.1f %12.1f %10.1f\n", slash ? slash + 1 : path, what,
           result->events, (double)result->bytes / events, events / result->seconds[0] / 1e6,
           events / result->seconds[repeat / 2] / 1e6, (double)usage.ru_maxrss / 1024);
    fflush(stdout);
}

static void measure(const char *path, bool decoder, unsigned repeat)
{
    struct result result = { 0 };
    struct stat st;

    if (stat(path, &st) < 0) {
        perror(path);
        exit(1);
    }
    result.bytes = (uint64_t)st.st_size;
    for (unsigned i = 0; i < repeat; i++) {
        double start = processor_time();

        result.events = decoder ? decode_all(path) : read_all(path);
        result.seconds[i] = processor_time() - start;
    }
    print_row(path, decoder ? "decode" : "read", &result, repeat);
}

static int measure_apart(const char *path, bool decoder, unsigned repeat)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        measure(path, decoder, repeat);
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
    int decoder = 0, option, failed = 0;
    unsigned repeat = 5;
    const struct option table[] = {
        { "repeat", required_argument, NULL, 'n' },
        { "decoder", no_argument, &decoder, 1 },
        { NULL, 0, NULL, 0 },
    };

    while ((option = getopt_long(argc, argv, "n:", table, NULL)) != -1) {
        if (option == 'n')
            repeat = (unsigned)atoi(optarg);
        if (option == '?' || repeat < 1 || repeat > MAX_REPEAT) {
            fputs("usage: bench_read [--repeat N] [--decoder] FILE...\n", stderr);
            return 2;
        }
    }
    printf("%-24s %-7s %12s %10s %12s %12s %10s\n", "file", "", "events", "bytes/ev", "best Mev/s",
           "median Mev/s", "peak MiB");
    fflush(stdout);
    for (int i = optind; i < argc; i++) {
        failed |= measure_apart(argv[i], false, repeat);
        if (decoder)
            failed |= measure_apart(argv[i], true, repeat);
    }
    return failed ? 1 : 0;
}
