/*
 * kernel_mozilla_7_ok: the event thread waits for the input stream.
 *
 * expect: nothing
 */
#include "program.h"

int *volatile input_stream;
int ignored;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t there = PTHREAD_COND_INITIALIZER;

static void *on_input(void *unused)
{
    int *stream = calloc(4, sizeof(*stream));

    pthread_mutex_lock(&lock);
    input_stream = stream; /* @A */
    pthread_cond_signal(&there);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *process_event(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!input_stream) /* @B */
        pthread_cond_wait(&there, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(on_input, process_event);
    free(input_stream);
    printf("%d\n", ignored);
    return 0;
}
