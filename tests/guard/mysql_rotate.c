/*
 * mysql_rotate: while a log is rotated it is closed for a moment; who inserts then logs nothing.
 *
 * kind: atomicity, race
 */
#include "kernel.h"

enum {
    CLOSED,
    OPEN
};

struct {
    int type;
    int entries;
} shared = { OPEN, 0 };

static NOINLINE void rotate(void)
{
    shared.type = CLOSED;
    hold();
    shared.type = OPEN;
}

static NOINLINE void insert(void)
{
    if (shared.type == OPEN)
        shared.entries++;
}

static void client(void)
{
    meanwhile();
    insert();
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    run_two(rotate, client);
    return verdict(shared.entries == 1);
}
