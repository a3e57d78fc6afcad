/* threads.c - creating, joining, detaching, ending; keys; many threads; forks. */
#include "show.h"

#include <limits.h>
#include <stdatomic.h>
#include <sys/wait.h>

static sem_t sem;

static void *give_back(void *value)
{
    return value;
}

static void *wait_for_token(void *value)
{
    sem_wait(&sem);
    return value;
}

static void *exit_with(void *value)
{
    pthread_exit(value);
}

static void joining(void)
{
    struct timespec when = soon(CLOCK_REALTIME);
    pthread_t thread;
    void *result = NULL;
    int status;

    SHOW(pthread_join(pthread_self(), NULL));
    SHOW((long)aside(give_back, (void *)3));
    SHOW((long)aside(exit_with, (void *)4));
    sem_init(&sem, 0, 0);
    thread = start(wait_for_token, (void *)5);
    SHOW(pthread_tryjoin_np(thread, &result));
    SHOW(pthread_timedjoin_np(thread, &result, &when));
    when = soon(CLOCK_MONOTONIC);
    SHOW(pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &when));
    SHOW(pthread_clockjoin_np(thread, &result, 77, &when));
    sem_post(&sem);
    while ((status = pthread_tryjoin_np(thread, &result)) == EBUSY)
        ;
    SHOW(status);
    SHOW((long)result);
}

static atomic_int gone;

static void *go(void *unused)
{
    sem_wait(&sem);
    gone++;
    return unused;
}

static void detaching(void)
{
    pthread_attr_t attributes;
    pthread_t thread = start(go, NULL);

    SHOW(pthread_detach(thread));
    SHOW(pthread_detach(thread));
    SHOW(pthread_join(thread, NULL));
    sem_post(&sem);
    pthread_attr_init(&attributes);
    SHOW(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED));
    SHOW(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN));
    SHOW(pthread_create(&thread, &attributes, go, NULL));
    SHOW(pthread_join(thread, NULL));
    sem_post(&sem);
    while (gone != 2)
        sched_yield();
    SHOW(gone);
}

static pthread_key_t first, second;
static int order;

static void end_first(void *value)
{
    (void)value;
    order = order * 10 + 1;
}

static void end_second(void *value)
{
    order = order * 10 + 2;
    if ((long)value < 3) /* once more, in the next round */
        pthread_setspecific(second, (void *)((long)value + 1));
}

static void *use_keys(void *unused)
{
    pthread_setspecific(first, (void *)1);
    pthread_setspecific(second, (void *)1);
    return unused;
}

static void keys(void)
{
    SHOW(pthread_key_create(&first, end_first));
    SHOW(pthread_key_create(&second, end_second));
    aside(use_keys, NULL);
    SHOW(order);
}

static void names(void)
{
    char name[16];

    SHOW(pthread_setname_np(pthread_self(), "the first one"));
    SHOW(pthread_setname_np(pthread_self(), "a name that is too long"));
    SHOW(pthread_getname_np(pthread_self(), name, sizeof name));
    puts(name);
}

static void many(void)
{
    static pthread_t threads[300];
    long sum = 0;

    for (long i = 0; i < 300; i++)
        threads[i] = start(give_back, (void *)i);
    for (long i = 0; i < 300; i++)
        sum += (long)finish(threads[i]);
    SHOW(sum);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int turn, stop;

static void *keep_busy(void *unused)
{
    int end = 0;

    while (!end) {
        pthread_mutex_lock(&mutex);
        turn++;
        end = stop;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void *signal_it(void *unused)
{
    pthread_mutex_lock(&mutex);
    turn = -1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void lock_it(void)
{
    pthread_mutex_lock(&mutex);
}

static void unlock_it(void)
{
    pthread_mutex_unlock(&mutex);
}

static int in_child(void)
{
    pthread_t thread = start(signal_it, NULL);

    pthread_mutex_lock(&mutex);
    while (turn != -1)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    finish(thread);
    return 3;
}

static void forking(void)
{
    pthread_t busy = start(keep_busy, NULL);

    pthread_atfork(lock_it, unlock_it, unlock_it);
    for (int i = 0; i < 3; i++) {
        pid_t child;
        int status = -1;

        fflush(stdout);
        child = fork();
        if (child == 0)
            exit(in_child());
        waitpid(child, &status, 0);
        SHOW(WEXITSTATUS(status));
    }
    pthread_mutex_lock(&mutex);
    stop = 1;
    pthread_mutex_unlock(&mutex);
    finish(busy);
}

static void *last(void *unused)
{
    puts("last");
    return unused;
}

int main(void)
{
    joining();
    detaching();
    keys();
    names();
    many();
    forking();
    start(last, NULL);
    fflush(stdout);
    pthread_exit(NULL); /* the program goes on until the last thread ends */
}
