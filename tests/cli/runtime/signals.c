/* signals.c - handlers, masks and waits; each part prints what POSIX says must come. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t came, depth, deepest, value;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t target;
static int ends[2];
static sigjmp_buf back;

static void count(int number)
{
    (void)number;
    came++;
}

static void details(int number, siginfo_t *info, void *context)
{
    came = info->si_signo == number && context && info->si_pid == getpid();
    value = info->si_value.sival_int;
}

static void nest(int number)
{
    if (++depth > deepest)
        deepest = depth;
    if (depth < 3 && came++ < 6)
        raise(number);
    depth--;
}

static void jump(int number)
{
    siglongjmp(back, number);
}

static void set(int number, void (*handler)(int), int flags)
{
    struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

    sigaction(number, &action, NULL);
}

static void queries(void)
{
    struct sigaction action = { .sa_handler = count, .sa_flags = SA_RESETHAND }, old;

    sigaction(SIGSEGV, NULL, &old);
    printf("default %d %x\n", old.sa_handler == SIG_DFL, old.sa_flags);
    sigaddset(&action.sa_mask, SIGUSR2);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR1, NULL, &old);
    printf("own %d %d %d\n", old.sa_handler == count, (old.sa_flags & SA_RESETHAND) != 0,
           sigismember(&old.sa_mask, SIGUSR2));
    raise(SIGUSR1);
    sigaction(SIGUSR1, NULL, &old);
    printf("reset %d %d\n", came, old.sa_handler == SIG_DFL);
    printf("signal %d", signal(SIGUSR1, count) == SIG_DFL);
    printf(" %d", signal(SIGUSR1, SIG_IGN) == count);
    printf(" %d\n", signal(SIGUSR1, SIG_DFL) == SIG_IGN);
    errno = 0;
    printf("bad %d", signal(9999, count) == SIG_ERR);
    printf(" %d %d", errno == EINVAL, sigaction(SIGKILL, &action, NULL));
    printf(" %d\n", errno == EINVAL);
}

static void flags(void)
{
    struct sigaction action = { .sa_sigaction = details, .sa_flags = SA_SIGINFO };

    came = 0;
    sigaction(SIGUSR1, &action, NULL);
    sigqueue(getpid(), SIGUSR1, (union sigval){ .sival_int = 42 });
    printf("info %d %d\n", came, value);
    came = 0;
    set(SIGUSR1, nest, SA_NODEFER);
    raise(SIGUSR1);
    printf("nodefer %d\n", deepest);
    deepest = depth = came = 0;
    set(SIGUSR1, nest, 0);
    raise(SIGUSR1);
    printf("defer %d\n", deepest);
}

static void masks(void)
{
    sigset_t set_, old, pending;
    int number;

    came = 0;
    set(SIGUSR1, count, 0);
    sigemptyset(&set_);
    sigaddset(&set_, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set_, &old);
    raise(SIGUSR1);
    sigpending(&pending);
    printf("blocked %d %d", came, sigismember(&pending, SIGUSR1));
    sigsuspend(&old);
    printf(" suspended %d", came);
    raise(SIGUSR1);
    sigwait(&set_, &number);
    printf(" waited %d %d", number == SIGUSR1, came);
    number = sigtimedwait(&set_, NULL, &(struct timespec){ 0, 1000000 });
    printf(" timed %d %d\n", number, errno == EAGAIN);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void mistakes(void)
{
    int *volatile nowhere = NULL;

    set(SIGSEGV, jump, 0);
    set(SIGFPE, jump, 0);
    for (int i = 0; i < 3; i++) {
        int number = sigsetjmp(back, 1);

        if (!number)
            memset((void *)nowhere, 1, 4);
        printf("fault %d\n", number == SIGSEGV);
    }
    if (sigsetjmp(back, 1) == 0)
        *nowhere = 1;
    if (sigsetjmp(back, 1) == 0)
        raise(SIGFPE);
    puts("back again");
    set(SIGSEGV, SIG_DFL, 0);
}

static void times(void)
{
    struct itimerval timer = { { 0, 0 }, { 0, 5000 } };
    struct timespec left;
    char byte;
    int result;

    came = 0;
    set(SIGALRM, count, 0);
    setitimer(ITIMER_REAL, &timer, NULL);
    result = nanosleep(&(struct timespec){ 20, 0 }, &left);
    printf("sleep %d %d %d %d\n", result, errno == EINTR, came, left.tv_sec >= 10);
    setitimer(ITIMER_REAL, &timer, NULL);
    result = (int)read(ends[0], &byte, 1);
    printf("read %d %d %d\n", result, errno == EINTR, came);
    setitimer(ITIMER_REAL, &timer, NULL);
    pause();
    printf("pause %d\n", came);
    timer.it_interval.tv_usec = 1000;
    came = 0;
    setitimer(ITIMER_REAL, &timer, NULL);
    for (volatile long i = 0; came < 20; i++)
        free(malloc((size_t)(i % 100 + 1)));
    setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
    puts("busy");
}

static void *feed(void *context)
{
    nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
    pthread_kill(target, SIGUSR2);
    nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
    if (write(ends[1], "x", 1) != 1)
        puts("short");
    return context;
}

static void restart(void)
{
    pthread_t thread;
    char byte = 0;
    int result;

    came = 0;
    set(SIGUSR2, count, SA_RESTART);
    target = pthread_self();
    pthread_create(&thread, NULL, feed, NULL);
    result = (int)read(ends[0], &byte, 1);
    printf("restart %d %c %d\n", result, byte, came);
    pthread_join(thread, NULL);
}

static void *hold_up(void *context)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return context;
}

/* A thread that waits for a lock runs its handler, and goes on waiting. */
static void waiting(void)
{
    pthread_t thread;

    came = 0;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, hold_up, NULL);
    nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
    pthread_kill(thread, SIGUSR2);
    while (!came)
        nanosleep(&(struct timespec){ 0, 100000 }, NULL);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    printf("waiting %d\n", came);
}

int main(void)
{
    if (pipe(ends) != 0)
        return 1;
    queries();
    flags();
    masks();
    mistakes();
    times();
    restart();
    waiting();
    return 0;
}
