/* sem.c - semaphores, also in signal handlers, named and shared ones. */
#include "show.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

static sem_t sem;

static void answers(void)
{
    struct timespec when = soon(CLOCK_REALTIME);
    int value = -1;

    SHOW_ERRNO(sem_init(&sem, 0, 1));
    SHOW_ERRNO(sem_wait(&sem));
    SHOW_ERRNO(sem_trywait(&sem));
    SHOW_ERRNO(sem_timedwait(&sem, &when));
    when = soon(CLOCK_MONOTONIC);
    SHOW_ERRNO(sem_clockwait(&sem, CLOCK_MONOTONIC, &when));
    SHOW_ERRNO(sem_clockwait(&sem, 77, &when));
    when.tv_nsec = -1;
    SHOW_ERRNO(sem_timedwait(&sem, &when));
    SHOW_ERRNO(sem_post(&sem));
    errno = EPERM;
    SHOW_ERRNO(sem_timedwait(&sem, &(struct timespec) { 0, 0 })); /* there is one */
    SHOW(errno);
    SHOW_ERRNO(sem_post(&sem));
    SHOW_ERRNO(sem_getvalue(&sem, &value));
    SHOW(value);
    SHOW_ERRNO(sem_destroy(&sem));
    SHOW_ERRNO(sem_init(&sem, 0, ~0u));
}

static sem_t full, empty;
static int slot;

static void *produce(void *unused)
{
    for (int i = 1; i <= 100; i++) {
        sem_wait(&empty);
        slot = i;
        sem_post(&full);
    }
    return unused;
}

static void queue(void)
{
    pthread_t producer;
    int sum = 0;

    sem_init(&full, 0, 0);
    sem_init(&empty, 0, 1);
    producer = start(produce, NULL);
    for (int i = 0; i < 100; i++) {
        sem_wait(&full);
        sum += slot;
        sem_post(&empty);
    }
    finish(producer);
    SHOW(sum);
}

static sem_t from_handler, may_end;
static atomic_int done;

static void handler(int number)
{
    (void)number;
    sem_post(&from_handler);
}

static void *wait_for_token(void *unused)
{
    int status = sem_wait(&sem);
    long result = status == 0 ? 0 : errno;

    (void)unused;
    done = 1;
    while (sem_wait(&may_end) != 0) /* so that every signal finds it alive */
        ;
    return (void *)result;
}

/* Signals it until it has returned: some arrive while it waits. */
static void interrupted(int flags)
{
    struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
    pthread_t waiter;

    done = 0;
    sem_init(&sem, 0, 0);
    sigaction(SIGUSR1, &action, NULL);
    waiter = start(wait_for_token, NULL);
    for (int i = 0; !done; i++) {
        pthread_kill(waiter, SIGUSR1);
        sem_wait(&from_handler);
        if (flags & SA_RESTART && i == 20)
            sem_post(&sem);
        if (flags & SA_RESTART && i > 20)
            sched_yield();
    }
    sem_post(&may_end);
    SHOW((long)finish(waiter));
}

static void named(void)
{
    char name[64];
    sem_t *other;
    pid_t child;

    snprintf(name, sizeof name, "/foreweave-test-%d", (int)getpid());
    other = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
    SHOW(other != SEM_FAILED);
    sem_unlink(name);
    SHOW_ERRNO(sem_wait(other));
    SHOW_ERRNO(sem_trywait(other));
    fflush(stdout);
    child = fork();
    if (child == 0) {
        sem_post(other);
        _exit(0);
    }
    SHOW_ERRNO(sem_wait(other));
    waitpid(child, NULL, 0);
    SHOW_ERRNO(sem_close(other));
}

int main(void)
{
    answers();
    queue();
    sem_init(&from_handler, 0, 0);
    sem_init(&may_end, 0, 0);
    interrupted(0);
    interrupted(SA_RESTART);
    named();
    return 0;
}
