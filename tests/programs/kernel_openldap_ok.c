/*
 * kernel_openldap_ok: the cache gives the entry's lock back before it takes its list's lock.
 *
 * expect: nothing
 */
#include "program.h"

pthread_mutex_t lru_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t c_rwlock = PTHREAD_RWLOCK_INITIALIZER;
int entries, used;

static void *add(void *unused)
{
    pthread_mutex_lock(&lru_mutex);
    pthread_rwlock_wrlock(&c_rwlock); /* @A */
    entries++;
    pthread_rwlock_unlock(&c_rwlock);
    pthread_mutex_unlock(&lru_mutex);
    return unused;
}

static void *look_up(void *unused)
{
    int found;

    step_aside();
    pthread_rwlock_rdlock(&c_rwlock);
    found = entries;
    pthread_rwlock_unlock(&c_rwlock);
    pthread_mutex_lock(&lru_mutex); /* @B */
    used += found >= 0;
    pthread_mutex_unlock(&lru_mutex);
    return unused;
}

int main(void)
{
    run2(add, look_up);
    printf("%d %d\n", entries, used);
    return 0;
}
