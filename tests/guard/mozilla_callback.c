/*
 * mozilla_callback: a callback is to come after its caller has noted that it waits; one that comes
 * sooner wakes nobody, and the caller waits for ever.
 *
 * kind: order, race
 */
#include "kernel.h"

struct {
    bool pending;
    bool done;
    bool missed;
} shared;

static void caller(void)
{
    hold();
    shared.pending = true;
}

static NOINLINE void callback(void)
{
    if (shared.pending)
        shared.done = true;
    else
        shared.missed = true;
}

static void driver(void)
{
    meanwhile();
    callback();
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    run_two(caller, driver);
    return verdict(shared.done && !shared.missed);
}
