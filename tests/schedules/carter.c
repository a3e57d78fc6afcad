/*
 * carter: two groups share a room; the first of a group to enter takes its key, the last one to
 * leave gives it back.
 *
 * bug: one lock guards both groups' counts, and is held while waiting for the key: who has it
 * cannot leave
 * fails-as: deadlock
 * depth: 2 (one has the key before the other asks for it, who has the lock before the first leaves)
 * preemptions: 1
 * recorded: yes
 */
#include "threads.h"

struct group {
    pthread_mutex_t *guard;
    int inside;
};

static pthread_mutex_t key = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t one_lock = PTHREAD_MUTEX_INITIALIZER;
static struct group one = { &one_lock, 0 };
static struct group two = { &one_lock, 0 };

static void *visit(void *argument)
{
    struct group *group = argument;

    pthread_mutex_lock(group->guard); /* @bug */
    group->inside++;
    if (group->inside == 1)
        pthread_mutex_lock(&key); /* @bug */
    pthread_mutex_unlock(group->guard);

    pthread_mutex_lock(group->guard); /* @bug */
    group->inside--;
    if (group->inside == 0)
        pthread_mutex_unlock(&key);
    pthread_mutex_unlock(group->guard);
    return NULL;
}

int main(void)
{
    pthread_t first = start(visit, &one);
    pthread_t second = start(visit, &two);

    finish(first);
    finish(second);
    return 0;
}
