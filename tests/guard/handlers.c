/*
 * handlers.c - threads whose work is called by code without hooks (qsort), or that wait until a
 * file is ready: nothing is wrong with them.
 *
 *   ./handlers called      two threads sort, and count what they compare under a lock
 *   ./handlers ready       one asks for an answer and waits for it in poll, the other answers
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NUMBERS 40

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int compared, asked, answered;
static int pipes[2][2];

static int compare(const void *a, const void *b)
{
    pthread_mutex_lock(&lock);
    compared++;
    pthread_mutex_unlock(&lock);
    return *(const int *)a - *(const int *)b;
}

static void *sort(void *unused)
{
    int numbers[NUMBERS];

    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = i * 7 % NUMBERS;
    qsort(numbers, NUMBERS, sizeof *numbers, compare);
    return unused;
}

/* False: there will be none any more. */
static int await(int fd, char *byte)
{
    struct pollfd ready = { .fd = fd, .events = POLLIN };

    return poll(&ready, 1, -1) == 1 && read(fd, byte, 1) == 1;
}

static void *answer(void *unused)
{
    char byte;

    while (await(pipes[0][0], &byte)) {
        answered = asked + 1;
        if (write(pipes[1][1], &byte, 1) != 1)
            break;
    }
    return unused;
}

static int ask(void)
{
    int right = 1;

    for (int i = 0; i < 4; i++) {
        char byte = 1;

        asked = answered + i;
        if (write(pipes[0][1], &byte, 1) != 1 || !await(pipes[1][0], &byte))
            return 0;
        right &= answered == asked + 1;
    }
    close(pipes[0][1]);
    return right;
}

int main(int argc, char **argv)
{
    int ready = argc > 1 && strcmp(argv[1], "ready") == 0, right = 1;
    pthread_t threads[2];

    if (pipe(pipes[0]) != 0 || pipe(pipes[1]) != 0)
        return 2;
    for (int i = 0; i < 2 - ready; i++)
        if (pthread_create(&threads[i], NULL, ready ? answer : sort, NULL) != 0)
            return 2;
    right = !ready || ask();
    for (int i = 0; i < 2 - ready; i++)
        pthread_join(threads[i], NULL);
    puts(right ? "right" : "wrong");
    return !right;
}
