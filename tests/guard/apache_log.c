/*
 * apache_log: two threads append to the buffer of a log; who copies its text before the other has
 * moved the end writes over it.
 *
 * kind: atomicity, race
 */
#include "kernel.h"

#define LINE 8

struct {
    int end;
    char text[4 * LINE];
} shared;

static NOINLINE void append(char letter)
{
    int at = shared.end;

    for (int i = 0; i < LINE; i++)
        shared.text[at + i] = letter;
    hold();
    shared.end = at + LINE;
}

static void one(void)
{
    append('a');
}

static void other(void)
{
    meanwhile();
    append('b');
}

/* Whoever came first. */
static bool is_whole(void)
{
    return shared.end == 2 * LINE && (strncmp(shared.text, "aaaaaaaabbbbbbbb", 2 * LINE) == 0 ||
                                      strncmp(shared.text, "bbbbbbbbaaaaaaaa", 2 * LINE) == 0);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    run_two(one, other);
    return verdict(is_whole());
}
