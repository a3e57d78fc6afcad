/*
 * sweep.c - processes have logs, which are written to if they are there; a sweeper takes them away.
 * Nothing keeps it from doing so between the look and the use (after LogProcSweep in Mozilla).
 *
 * Exits with 0 if no log was used that was gone.
 */
#include <pthread.h>
#include <stdlib.h>

#define WRITERS 2
#define LOGS    24

struct log {
    long lines;
};

static struct log logs[LOGS];
static struct log *volatile current[LOGS];
static long gone; /* logs that were used when they were gone */
/* For a display: nobody minds. */
static long written, last_log, turns, sum, flips, parity, speed, pulse, trend;

static void note_line(int log, long width)
{
    written++;
    sum += width;
    trend = (trend + sum) / 2;
    flips += log != last_log;
    last_log = log;
}

static void note_turn(int log)
{
    turns = turns + 1;
    if (parity != (turns & 1))
        parity = turns & 1;
    speed = (speed + log) / 2;
    pulse = speed ^ pulse;
}

static void write_line(int log)
{
    if (current[log]) {                   /* @bug */
        struct log *to = current[log];

        if (!to) {
            gone = 1;
            return;
        }
        to->lines++;
    }
}

static void *write_lines(void *argument)
{
    long who = (long)argument;

    for (int log = 0; log < LOGS; log++) {
        write_line(log);
        note_line(log, log * who);
        note_turn(log);
    }
    return NULL;
}

static void *sweep(void *argument)
{
    for (int log = 0; log < LOGS; log += 6) {
        current[log] = NULL;
        note_line(log, 0);
        note_turn(log);
        note_turn(log + 1);
    }
    return argument;
}

int main(void)
{
    pthread_t threads[WRITERS + 1];

    for (int i = 0; i < LOGS; i++)
        current[i] = &logs[i];
    for (long i = 0; i < WRITERS; i++)
        if (pthread_create(&threads[i], NULL, write_lines, (void *)i) != 0)
            abort();
    if (pthread_create(&threads[WRITERS], NULL, sweep, NULL) != 0)
        abort();
    for (int i = 0; i <= WRITERS; i++)
        pthread_join(threads[i], NULL);
    return gone != 0;
}
