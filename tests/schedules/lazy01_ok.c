/*
 * lazy01_ok: two threads add to a sum, a third one looks at it; each does so under the lock.
 *
 * mended: it takes nothing for granted but what the lock gives
 */
#include "threads.h"

static int sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *look(void *unused)
{
    pthread_mutex_lock(&lock);
    assert(sum == 0 || sum == 1 || sum == 2 || sum == 3);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *add_one(void *unused)
{
    pthread_mutex_lock(&lock);
    sum += 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *add_two(void *unused)
{
    pthread_mutex_lock(&lock);
    sum += 2;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run3(look, add_one, add_two);
    return 0;
}
