/*
 * mysql_info: what a thread is doing is a text that is tested and then printed; it is taken away in
 * between.
 *
 * kind: atomicity, race
 */
#include "kernel.h"

struct {
    const char *info;
    bool lost;
    char first;
} shared = { "reading", false, 0 };

static NOINLINE void print_thread(void)
{
    const char *info;

    if (!shared.info)
        return;
    hold();
    info = shared.info;
    if (info)
        shared.first = *info;
    else
        shared.lost = true;
}

static NOINLINE void end_command(void)
{
    shared.info = NULL;
}

static void command(void)
{
    meanwhile();
    end_command();
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    run_two(print_thread, command);
    return verdict(!shared.lost);
}
