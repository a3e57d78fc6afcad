/*
 * mysql_relay: which log is read and how far are two variables; a rotation changes both while a
 * reader is between them.
 *
 * kind: atomicity, race, two variables
 */
#include "kernel.h"

struct {
    int log, position;
    int seen_log, seen_position;
} shared = { 1, 100, 0, 0 };

static NOINLINE void next_event(void)
{
    shared.seen_log = shared.log;
    hold();
    shared.seen_position = shared.position;
}

static NOINLINE void rotate(void)
{
    shared.log = 2;
    shared.position = 4;
}

static void writer(void)
{
    meanwhile();
    rotate();
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    run_two(next_event, writer);
    return verdict((shared.seen_log == 1) == (shared.seen_position == 100));
}
