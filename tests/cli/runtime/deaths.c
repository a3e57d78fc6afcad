/* deaths.c - the ways a program ends: the argument says which. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int *volatile nowhere;

static void say(int number)
{
    if (write(1, "handler\n", 8) != 8)
        _exit(number);
}

static void at_end(void)
{
    puts("at exit");
}

static void at_quick(void)
{
    puts("at quick exit");
    fflush(stdout);
}

__attribute__((destructor)) static void destroy(void)
{
    puts("destructor");
}

static void *wait_for_ever(void *context)
{
    for (;;)
        pause();
    return context;
}

static void *spin(void *context)
{
    for (;;)
        __asm__ volatile("pause");
    return context;
}

static void *end_all(void *context)
{
    exit(context ? 9 : 8);
}

static void *short_life(void *context)
{
    puts("last one");
    return context;
}

static void with_threads(const char *how)
{
    pthread_t thread;

    pthread_create(&thread, NULL, wait_for_ever, NULL);
    if (!strcmp(how, "thread-exit")) {
        pthread_create(&thread, NULL, end_all, &thread);
        pause();
    } else if (!strcmp(how, "thread-segv")) {
        *nowhere = 1;
    } else if (!strcmp(how, "join-term")) {
        pthread_create(&thread, NULL, spin, NULL);
        if (fork() == 0) {
            usleep(50000);
            kill(getppid(), SIGTERM);
            _exit(0);
        }
        pthread_join(thread, NULL);
    }
}

static void by_signal(const char *how)
{
    if (!strcmp(how, "segv"))
        *nowhere = 1;
    else if (!strcmp(how, "memset-segv"))
        memset((void *)nowhere, 1, 100);
    else if (!strcmp(how, "abort"))
        abort();
    else if (!strcmp(how, "assert"))
        assert(!"so it is");
    else if (!strcmp(how, "abort-handled"))
        signal(SIGABRT, say), abort();
    else if (!strcmp(how, "abort-ignored"))
        signal(SIGABRT, SIG_IGN), abort();
    else if (!strcmp(how, "free-twice")) {
        char *volatile block = malloc(2000);

        free(block);
        free(block);
    } else if (!strcmp(how, "trap"))
        __asm__ volatile("int3");
    else if (!strcmp(how, "ill"))
        __builtin_trap();
    else
        raise(atoi(how));
}

int main(int count, char **arguments)
{
    const char *how = count > 1 ? arguments[1] : "";

    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    signal(SIGUSR2, SIG_IGN);
    atexit(at_end);
    at_quick_exit(at_quick);
    if (!strcmp(how, "return"))
        return 5;
    if (!strcmp(how, "exit"))
        exit(6);
    if (!strcmp(how, "_exit"))
        _exit(7);
    if (!strcmp(how, "_Exit"))
        _Exit(300);
    if (!strcmp(how, "quick_exit"))
        quick_exit(11);
    if (!strcmp(how, "exit_group"))
        syscall(SYS_exit_group, 12);
    if (!strcmp(how, "pthread_exit")) {
        pthread_t thread;

        pthread_create(&thread, NULL, short_life, NULL);
        pthread_exit(NULL);
    }
    if (!strncmp(how, "thread-", 7) || !strcmp(how, "join-term"))
        with_threads(how);
    by_signal(how);
    puts("still here");
    return 0;
}
