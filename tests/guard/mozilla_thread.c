/*
 * mozilla_thread: a thread reads its own handle, which its parent sets when it has been made.
 *
 * kind: order, race
 */
#include "kernel.h"

struct {
    int *handle;
    bool lost;
} shared;

static int handle;

static void parent(void)
{
    hold();
    shared.handle = &handle;
}

static NOINLINE void start(void)
{
    shared.lost = shared.handle == NULL;
}

static void child(void)
{
    meanwhile();
    start();
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    run_two(parent, child);
    return verdict(!shared.lost);
}
