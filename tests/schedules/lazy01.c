/*
 * lazy01: two threads add to a sum, a third one looks at it; each does so under the lock.
 *
 * bug: the third thread takes for granted that it comes before one of the others
 * fails-as: assertion
 * depth: 2 (it comes after both)
 * preemptions: 0
 * recorded: yes
 */
#include "threads.h"

static int sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *look(void *unused)
{
    pthread_mutex_lock(&lock);
    assert(sum < 3); /* @bug */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *add_one(void *unused)
{
    pthread_mutex_lock(&lock);
    sum += 1; /* @bug */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *add_two(void *unused)
{
    pthread_mutex_lock(&lock);
    sum += 2; /* @bug */
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run3(look, add_one, add_two);
    return 0;
}
