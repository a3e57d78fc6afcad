/*
 * aget_save: a download is interrupted: how much there is and how far each part has come are
 * saved one after the other, while a part goes on.
 *
 * kind: atomicity, race, two variables
 */
#include "kernel.h"

struct {
    int total, part;
    int saved_total, saved_part;
} shared;

static NOINLINE void download(int bytes)
{
    shared.part += bytes;
    shared.total += bytes;
}

static void download_part(void)
{
    meanwhile();
    download(100);
}

static NOINLINE void save_log(void)
{
    shared.saved_total = shared.total;
    hold();
    shared.saved_part = shared.part;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    run_two(save_log, download_part);
    return verdict(shared.saved_total == shared.saved_part);
}
