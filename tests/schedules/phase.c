/*
 * phase: two threads lock x before y in the first phase and y before x in the second.
 *
 * bug: nobody waits for the other one to end the first phase
 * fails-as: deadlock
 * depth: 2 (each takes its first lock before the other asks for it, in different phases)
 * preemptions: 1
 * recorded: yes
 */
#include "threads.h"

static pthread_mutex_t x = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t y = PTHREAD_MUTEX_INITIALIZER;
static int work;

static void *both_phases(void *unused)
{
    pthread_mutex_lock(&x);
    pthread_mutex_lock(&y); /* @bug */
    work++;
    pthread_mutex_unlock(&y);
    pthread_mutex_unlock(&x);
    pthread_mutex_lock(&y);
    pthread_mutex_lock(&x); /* @bug */
    work++;
    pthread_mutex_unlock(&x);
    pthread_mutex_unlock(&y);
    return unused;
}

int main(void)
{
    run2(both_phases, both_phases);
    return work == 4 ? 0 : 1;
}
