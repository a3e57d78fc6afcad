/*
 * text_state: the result is looked at once before the text says that it is there.
 *
 * expect: race A C
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
    int ready = 0, early = result; /* @C */

    while (!ready) {
        pthread_mutex_lock(&lock);
        ready = !strcmp(state, "ready");
        pthread_mutex_unlock(&lock);
        sched_yield();
    }
    result += early < 0; /* @B */
    return unused;
}

int main(void)
{
    run2(work, wait_for_it);
    printf("%d\n", result);
    return 0;
}
