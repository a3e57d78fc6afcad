/*
 * handlers.c - threads whose work is called by code without hooks (qsort), that wait until a file
 * is ready, or go on with something else for long behind an unlock: nothing is wrong with them.
 *
 *   ./handlers called      two threads sort, and count what they compare under a lock
 *   ./handlers ready       one asks for an answer and waits for it in poll, the other answers
 *   ./handlers lingers     one has counted, and is busy until the other one has counted as well
 *   ./handlers blocked     one has looked, and comes to a lock that the other one has, who counts
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
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

static int turn;

static void count(void)
{
    pthread_mutex_lock(&lock);
    compared++;
    pthread_mutex_unlock(&lock);
}

static void await_turn(int wanted)
{
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != wanted)
        sched_yield();
}

static void *first(void *unused)
{
    count();
    __atomic_store_n(&turn, 1, __ATOMIC_RELEASE);
    await_turn(2);
    return unused;
}

static void *second(void *unused)
{
    await_turn(1);
    count();
    __atomic_store_n(&turn, 2, __ATOMIC_RELEASE);
    return unused;
}

static void *looker(void *unused)
{
    await_turn(1);
    asked = compared;
    __atomic_store_n(&turn, 2, __ATOMIC_RELEASE);
    count();
    return unused;
}

static void *counter(void *unused)
{
    pthread_mutex_lock(&lock);
    __atomic_store_n(&turn, 1, __ATOMIC_RELEASE);
    await_turn(2);
    compared++;
    pthread_mutex_unlock(&lock);
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
    const char *how = argc > 1 ? argv[1] : "called";
    int ready = strcmp(how, "ready") == 0, lingers = strcmp(how, "lingers") == 0;
    int blocked = strcmp(how, "blocked") == 0, right = 1;
    void *(*const runs[2])(void *) = { lingers   ? first
                                       : blocked ? looker
                                       : ready   ? answer
                                                 : sort,
                                       lingers   ? second
                                       : blocked ? counter
                                                 : sort };
    pthread_t threads[2];

    if (pipe(pipes[0]) != 0 || pipe(pipes[1]) != 0)
        return 2;
    for (int i = 0; i < 2 - ready; i++)
        if (pthread_create(&threads[i], NULL, runs[i], NULL) != 0)
            return 2;
    right = !ready || ask();
    for (int i = 0; i < 2 - ready; i++)
        pthread_join(threads[i], NULL);
    puts(right ? "right" : "wrong");
    return !right;
}
