/*
 * mozilla_stream: an event is dropped if there is no stream yet, and whoever sent it waits for
 * ever.
 *
 * kind: order, race
 */
#include "kernel.h"

struct {
    void *stream;
    bool handled;
} shared;

static int stream;

static void create(void)
{
    hold();
    shared.stream = &stream;
}

static NOINLINE void handle_event(void)
{
    if (shared.stream)
        shared.handled = true;
}

static void events(void)
{
    meanwhile();
    handle_event();
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    run_two(create, events);
    return verdict(shared.handled);
}
