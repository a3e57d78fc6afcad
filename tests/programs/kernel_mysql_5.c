/*
 * kernel_mysql_5: proc_info is checked and then used; another thread clears it in between.
 *
 * expect: race A B
 * expect: race B C
 * expect: atomicity A B C
 */
#include "program.h"

const char *volatile proc_info = "Sending data";
int crashed;
pthread_mutex_t output_lock = PTHREAD_MUTEX_INITIALIZER;

static void *clear(void *unused)
{
    step_aside();
    proc_info = NULL; /* @B */
    return unused;
}

static NOINLINE void print_thread(void)
{
    if (proc_info) { /* @A */
        pthread_mutex_lock(&output_lock);
        crashed = proc_info == NULL; /* @C */
        pthread_mutex_unlock(&output_lock);
    }
}

int main(void)
{
    pthread_t thread = start(clear, NULL);

    print_thread();
    finish(thread);
    printf("%d\n", crashed <= 1);
    return 0;
}
