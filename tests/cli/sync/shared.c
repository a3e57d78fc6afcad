/* shared.c - objects that two processes share. */
#include "show.h"

#include <sys/mman.h>
#include <sys/wait.h>

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    pthread_barrier_t barrier;
    pthread_rwlock_t rwlock;
    pthread_spinlock_t spin;
    sem_t sem;
    int here, value;
} * all;

static void init(void)
{
    pthread_mutexattr_t mutex;
    pthread_condattr_t cond;
    pthread_barrierattr_t barrier;
    pthread_rwlockattr_t rwlock;

    pthread_mutexattr_init(&mutex);
    pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
    SHOW(pthread_mutex_init(&all->mutex, &mutex));
    pthread_condattr_init(&cond);
    pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED);
    SHOW(pthread_cond_init(&all->cond, &cond));
    pthread_barrierattr_init(&barrier);
    pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED);
    SHOW(pthread_barrier_init(&all->barrier, &barrier, 3));
    pthread_rwlockattr_init(&rwlock);
    pthread_rwlockattr_setpshared(&rwlock, PTHREAD_PROCESS_SHARED);
    SHOW(pthread_rwlock_init(&all->rwlock, &rwlock));
    SHOW(pthread_spin_init(&all->spin, PTHREAD_PROCESS_SHARED));
    SHOW(sem_init(&all->sem, 1, 0));
}

static void *take_part(void *unused)
{
    pthread_mutex_lock(&all->mutex);
    all->here++;
    while (all->here < 3)
        pthread_cond_wait(&all->cond, &all->mutex);
    pthread_mutex_unlock(&all->mutex);
    sem_post(&all->sem);
    pthread_barrier_wait(&all->barrier);
    for (int i = 0; i < 100; i++) {
        pthread_rwlock_wrlock(&all->rwlock);
        all->value++;
        pthread_rwlock_unlock(&all->rwlock);
        pthread_rwlock_rdlock(&all->rwlock);
        pthread_rwlock_unlock(&all->rwlock);
    }
    pthread_barrier_wait(&all->barrier);
    for (int i = 0; i < 100; i++) {
        pthread_spin_lock(&all->spin);
        all->value++;
        pthread_spin_unlock(&all->spin);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    int ready = 0, status = 0;
    pid_t child;

    all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    init();
    fflush(stdout);
    child = fork();
    if (child == 0) {
        take_part(NULL);
        _exit(7);
    }
    thread = start(take_part, NULL);
    while (!ready) {
        pthread_mutex_lock(&all->mutex);
        ready = all->here == 2;
        pthread_mutex_unlock(&all->mutex);
        sched_yield();
    }
    pthread_mutex_lock(&all->mutex);
    all->here = 3;
    pthread_cond_broadcast(&all->cond);
    pthread_mutex_unlock(&all->mutex);
    SHOW(sem_wait(&all->sem));
    SHOW(sem_wait(&all->sem));
    pthread_barrier_wait(&all->barrier);
    pthread_barrier_wait(&all->barrier);
    finish(thread);
    waitpid(child, &status, 0);
    SHOW(WEXITSTATUS(status));
    SHOW(all->value);
    return 0;
}
