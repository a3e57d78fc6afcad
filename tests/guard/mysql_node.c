/*
 * mysql_node: a node asks which of them leads before that was said, and takes the lead itself.
 *
 * kind: order, race
 */
#include "kernel.h"

#define OWN 0

struct {
    int leader;
    bool leads;
} shared;

static void configure(void)
{
    hold();
    shared.leader = 7;
}

static NOINLINE bool asks(void)
{
    return shared.leader == OWN;
}

static void node(void)
{
    meanwhile();
    shared.leads = asks();
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    run_two(configure, node);
    return verdict(!shared.leads);
}
