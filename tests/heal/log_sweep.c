/*
 * log_sweep.c - one thread tests the pointer to the common log and writes through it, while
 * another one takes the log away, sets the pointer to NULL, and puts a new log there: the program
 * dies of a NULL pointer.
 *
 * Source: "LogProcSweep", Jie Yu, "Finding and Tolerating Concurrency Bugs", 2013, tables 3.1, 4.1.
 */
#include "kernel.h"

#define LINES 16

struct log {
    int count;
    int lines[LINES];
};

static struct log logs[2];
static struct log *volatile current = &logs[0];
static long swept;

static NOINLINE void process(int line)
{
    if (current != NULL)
        current->lines[line % LINES] = line;
}

static void work(int rounds)
{
    for (int i = 0; i < rounds; i++)
        process(i);
}

static NOINLINE void detach(void)
{
    current = NULL;
}

static NOINLINE void attach(struct log *log)
{
    current = log;
}

static void sweep(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        detach();
        swept++;
        attach(&logs[i % 2]);
    }
}

int main(int argc, char **argv)
{
    works[0] = works[1] = work;
    works[2] = sweep;
    run_all(argc, argv, 3, 30);
    return verdict(swept == rounds_of_all && current != NULL);
}
