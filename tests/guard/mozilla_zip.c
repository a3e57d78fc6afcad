/*
 * mozilla_zip: what is to be done once is done by whoever finds that it was not done yet; two find
 * that.
 *
 * kind: atomicity, race
 */
#include "kernel.h"

struct {
    bool at_item;
    int seeks;
} shared;

static NOINLINE void seek_to_item(void)
{
    if (shared.at_item)
        return;
    hold();
    shared.at_item = true;
    shared.seeks++;
}

static void one(void)
{
    seek_to_item();
}

static void other(void)
{
    meanwhile();
    seek_to_item();
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    run_two(one, other);
    return verdict(shared.seeks == 1);
}
