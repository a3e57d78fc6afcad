/*
 * mozilla_headers: a function that is called back when headers are there expects what the call that
 * began it all stores when it returns.
 *
 * kind: order, race
 */
#include "kernel.h"

struct request {
    int size;
};

struct {
    struct request *request;
    int size;
} shared;

static struct request request = { 5 };

static void async_write(void)
{
    hold();
    shared.request = &request;
}

static NOINLINE void headers_available(void)
{
    struct request *current = shared.request;

    shared.size = current ? current->size : -1;
}

static void network(void)
{
    meanwhile();
    headers_available();
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    run_two(async_write, network);
    return verdict(shared.size == 5);
}
