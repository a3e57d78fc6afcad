/*
 * text_state_ok: a result is handed over by a text under a lock, written and compared by functions
 * that compilers like to expand.
 *
 * expect: nothing
 */
#include "program.h"

char state[16] = "idle";
int result;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    result = 42; /* @A */
    pthread_mutex_lock(&lock);
    strcpy(state, "ready");
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *wait_for_it(void *unused)
{
    int ready = 0;

    while (!ready) {
        pthread_mutex_lock(&lock);
        ready = !strcmp(state, "ready");
        pthread_mutex_unlock(&lock);
        sched_yield();
    }
    result++; /* @B */
    return unused;
}

int main(void)
{
    run2(work, wait_for_it);
    printf("%d\n", result);
    return 0;
}
