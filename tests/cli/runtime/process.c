/* process.c - fork, vfork, spawn and exec; children go on without harm. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int shared, stop;

static void prepare(void)
{
    printf("prepare ");
}

static void in_parent(void)
{
    printf("parent\n");
}

static void in_child(void)
{
    printf("child\n");
}

static void *work(void *context)
{
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        pthread_mutex_lock(&mutex);
        shared++;
        pthread_mutex_unlock(&mutex);
    }
    return context;
}

static void *child_work(void *context)
{
    pthread_mutex_lock(&mutex);
    (*(int *)context)++;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static int wait_for(pid_t child)
{
    int status = -1;

    if (waitpid(child, &status, 0) != child)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* The child has threads of its own. */
static void forks(void)
{
    pid_t child;

    fflush(stdout);
    pthread_mutex_lock(&mutex);
    child = fork();
    pthread_mutex_unlock(&mutex);
    if (child == 0) {
        pthread_t threads[2];
        int sum = 0;

        for (int i = 0; i < 2; i++)
            pthread_create(&threads[i], NULL, child_work, &sum);
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
        printf("sum %d\n", sum);
        exit(21);
    }
    printf("status %d\n", wait_for(child));
}

static void executes(void)
{
    char *const list[] = { "sh", "-c", "echo executed $X; exit 4", NULL };
    char *const environment[] = { "X=y", NULL };
    pid_t child;
    FILE *stream;
    char line[32] = "";

    fflush(stdout);
    child = vfork();
    if (child == 0) {
        execv("/bin/sh", list);
        _exit(99);
    }
    printf("vfork %d\n", wait_for(child));
    fflush(stdout);
    child = fork();
    if (child == 0) {
        execl("/nowhere", "nowhere", NULL);
        printf("failed %d\n", errno == ENOENT);
        fflush(stdout);
        execle("/bin/sh", "sh", "-c", "echo again $X; exit 5", NULL, environment);
        _exit(98);
    }
    printf("exec %d\n", wait_for(child));
    fflush(stdout);
    posix_spawn(&child, "/bin/sh", NULL, NULL, list, environ);
    printf("spawn %d\n", wait_for(child));
    fflush(stdout);
    printf("system %d\n", WEXITSTATUS(system("exit 6")));
    stream = popen("echo from the pipe", "r");
    printf("%s", fgets(line, sizeof line, stream));
    printf("pclose %d\n", pclose(stream));
}

int main(int count, char **arguments)
{
    pthread_t threads[2];

    if (count > 1)
        return atoi(arguments[1]);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    pthread_atfork(prepare, in_parent, in_child);
    forks();
    executes();
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    fflush(stdout);
    execl("/proc/self/exe", arguments[0], "17", NULL);
    return 1;
}
