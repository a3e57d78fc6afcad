/*
 * mozilla_state: a state that is meant for its own thread alone is seen by another one, which then
 * waits for something that will not happen.
 *
 * kind: atomicity, race
 */
#include "kernel.h"

enum {
    IDLE,
    BUSY,
    DONE
};

struct {
    int state;
    bool waits;
} shared;

static void transport(void)
{
    shared.state = BUSY;
    hold();
    if (shared.state == BUSY)
        shared.state = DONE;
}

static NOINLINE void listen(void)
{
    shared.waits = shared.state == BUSY;
}

static void listener(void)
{
    meanwhile();
    listen();
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    run_two(transport, listener);
    return verdict(!shared.waits);
}
