/*
 * early.c - a reader that may come before what it reads was written.
 *
 *   early          the writer has written before the reader starts: right
 *   early late     the writer comes some time after the reader: wrong, unless the reader waits
 *   early soon     the reader takes its time, which it need not: a race, mostly right
 *   early never    nobody writes: wrong, and no waiting helps
 *
 * Neither sleep nor yields order anything; they give the reader the time it needs.  Exit status 1: it was wrong.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define LATE 100000000 /* ns; yields would take as long as whoever else has the processors likes */

static volatile int stream;
static int wrong;
static _Atomic int reader_is_there;

static void *writer(void *mode)
{
    if (strcmp(mode, "late") == 0) {
        while (!atomic_load(&reader_is_there))
            sched_yield();
        nanosleep(&(struct timespec) { 0, LATE }, NULL);
    }
    if (strcmp(mode, "never") != 0)
        stream = 7; /* WRITE */
    return mode;
}

static void *reader(void *mode)
{
    for (int i = 0; strcmp(mode, "soon") == 0 && i < 300; i++)
        sched_yield();
    atomic_store(&reader_is_there, 1);
    wrong = stream == 0; /* READ */
    return mode;
}

int main(int argc, char **argv)
{
    char plain[] = "", *mode = argc > 1 ? argv[1] : plain;
    pthread_t one, two;

    pthread_create(&one, NULL, writer, mode);
    if (!*mode)
        pthread_join(one, NULL);
    pthread_create(&two, NULL, reader, mode);
    pthread_join(two, NULL);
    if (*mode)
        pthread_join(one, NULL);
    puts(wrong ? "wrong" : "right");
    return wrong;
}
