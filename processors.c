/* processors ASK COUNT: fails unless all threads see, or have, so many. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static const char *ask;
static int count, failed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t together;
static cpu_set_t set;
static int told(void)
{
    cpu_set_t is;
    CPU_ZERO(&is);
    if (strcmp(ask, "sched") == 0)
        sched_getaffinity(0, sizeof is, &is);
    else if (strcmp(ask, "other") == 0)
        sched_getaffinity(getpid(), sizeof is, &is);
    else if (strcmp(ask, "pthread") == 0)
        pthread_getaffinity_np(pthread_self(), sizeof is, &is);
    else if (strcmp(ask, "call") == 0)
        syscall(SYS_sched_getaffinity, 0, sizeof is, &is);
    else {
        pthread_attr_t attributes;
        pthread_getattr_np(pthread_self(), &attributes);
        pthread_attr_getaffinity_np(&attributes, sizeof is, &is);
        pthread_attr_destroy(&attributes);
    }
    return CPU_COUNT(&is);
}
/* What the kernel has, which nobody comes between. */
static int has(void)
{
    char line[256];
    FILE *file = fopen("/proc/thread-self/status", "r");
    int sum = 0;
    while (fgets(line, sizeof line, file))
        if (strncmp(line, "Cpus_allowed:", 13) == 0)
            for (const char *at = line + 13; *at; at++)
                sum += __builtin_popcount((unsigned)(*at >= 'a' ? *at - 'a' + 10 : *at >= '0' && *at <= '9' ? *at - '0' : 0));
    fclose(file);
    return sum;
}
static int child(void)
{
    if (strcmp(ask, "system") == 0)
        return WEXITSTATUS(system("exit $(nproc)"));
    if (strcmp(ask, "fork") == 0) {
        int status = 0;
        if (fork() == 0)
            _exit(has());
        wait(&status);
        return WEXITSTATUS(status);
    }
    return -1;
}
static void *work(void *first)
{
    int seen;
    pthread_barrier_wait(&together);
    if (first && strcmp(ask, "set") == 0)
        pthread_setaffinity_np(pthread_self(), sizeof set, &set);
    else if (first && strcmp(ask, "setcall") == 0)
        syscall(SYS_sched_setaffinity, 0, sizeof set, &set);
    else if (first && strcmp(ask, "setattr") == 0) {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setaffinity_np(&attributes, sizeof set, &set);
        pthread_attr_destroy(&attributes);
    }
    pthread_barrier_wait(&together);
    seen = ask[0] == 'h' || strncmp(ask, "set", 3) == 0 ? has() : child();
    if (seen < 0)
        seen = told();
    pthread_mutex_lock(&lock);
    if (seen != count) {
        fprintf(stderr, "%s: %d, not %d\n", ask, seen, count);
        failed = 1;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t threads[3];
    ask = argv[1], count = atoi(argv[2]);
    sched_getaffinity(0, sizeof set, &set);
    pthread_barrier_init(&together, NULL, 3);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, i ? NULL : &lock);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return failed + argc - 3;
}
