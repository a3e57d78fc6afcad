/*
 * kernel_mozilla_1: a script is loaded in one section and compiled in another; in between another
 * thread clears it.  Everything is locked.
 *
 * expect: atomicity A B C
 */
#include "program.h"

int script = 1, crashed;
int *volatile current_script;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *load_and_compile(void *unused)
{
    int *compiled;

    pthread_mutex_lock(&lock);
    current_script = &script; /* @A */
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    compiled = current_script; /* @C */
    pthread_mutex_unlock(&lock);
    crashed = compiled == NULL;
    return unused;
}

static void *leave_page(void *unused)
{
    pthread_mutex_lock(&lock);
    current_script = NULL; /* @B */
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(load_and_compile, leave_page);
    printf("%d\n", crashed <= 1);
    return 0;
}
