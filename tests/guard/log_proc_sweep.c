/*
 * log_proc_sweep: the pointer to a log is tested and then used; a sweep sets it to NULL between.
 *
 * kind: atomicity, race
 */
#include "kernel.h"

struct log {
    int lines;
};

struct {
    struct log *log;
    bool lost;
} shared;

static NOINLINE void process(void)
{
    struct log *log;

    if (!shared.log)
        return;
    hold();
    log = shared.log;
    if (log)
        log->lines++;
    else
        shared.lost = true;
}

static void sweep(void)
{
    meanwhile();
    shared.log = NULL;
}

int main(int argc, char **argv)
{
    struct log log = { 0 };

    begin(argc, argv);
    shared.log = &log;
    run_two(process, sweep);
    return verdict(!shared.lost);
}
