/*
 * kernel_log_proc_sweep_ok: the sweeper takes the log away under the lock of its users.
 *
 * expect: nothing
 */
#include "program.h"

int text, crashed;
int *volatile log_text = &text;
pthread_mutex_t output_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *sweep(void *unused)
{
    step_aside();
    pthread_mutex_lock(&lock);
    log_text = NULL; /* @B */
    pthread_mutex_unlock(&lock);
    return unused;
}

static NOINLINE void process(void)
{
    pthread_mutex_lock(&lock);
    if (log_text != NULL) { /* @A */
        pthread_mutex_lock(&output_lock);
        crashed = log_text == NULL; /* @C */
        pthread_mutex_unlock(&output_lock);
    }
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_t thread = start(sweep, NULL);

    process();
    finish(thread);
    printf("%d\n", crashed);
    return 0;
}
