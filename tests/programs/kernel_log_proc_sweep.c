/*
 * kernel_log_proc_sweep: the sweeper takes the log away between another thread's look and its use.
 *
 * expect: race A B
 * expect: race B C
 */
#include "program.h"

int text, crashed;
int *volatile log_text = &text;
pthread_mutex_t output_lock = PTHREAD_MUTEX_INITIALIZER;

static void *sweep(void *unused)
{
    step_aside();
    log_text = NULL; /* @B */
    return unused;
}

static NOINLINE void process(void)
{
    if (log_text != NULL) { /* @A */
        pthread_mutex_lock(&output_lock);
        crashed = log_text == NULL; /* @C */
        pthread_mutex_unlock(&output_lock);
    }
}

int main(void)
{
    pthread_t thread = start(sweep, NULL);

    process();
    finish(thread);
    printf("%d\n", crashed <= 1);
    return 0;
}
