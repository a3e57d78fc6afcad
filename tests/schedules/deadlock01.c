/*
 * deadlock01: two threads take two locks.
 *
 * bug: two threads take two locks in opposite orders
 * fails-as: deadlock
 * depth: 2 (each takes its first lock before the other asks for it)
 * preemptions: 1
 * recorded: yes
 */
#include "threads.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *forward(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); /* @bug */
    value++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *backward(void *unused)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); /* @bug */
    value++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void)
{
    run2(forward, backward);
    return value == 2 ? 0 : 1;
}
