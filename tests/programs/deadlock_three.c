/*
 * deadlock_three: three threads in a circle; no two of them would be stuck alone.
 *
 * expect: deadlock A B C
 */
#include "program.h"

int value;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t c = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); /* @A */
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *second(void *unused)
{
    step_aside();
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&c); /* @B */
    pthread_mutex_unlock(&c);
    pthread_mutex_unlock(&b);
    return unused;
}

static void *third(void *unused)
{
    step_aside();
    step_aside();
    pthread_mutex_lock(&c);
    pthread_mutex_lock(&a); /* @C */
    value = 3;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&c);
    return unused;
}

int main(void)
{
    pthread_t thread;

    end_when_stuck("3\n");
    thread = start(first, NULL);
    run2(second, third);
    finish(thread);
    printf("%d\n", value);
    return 0;
}
