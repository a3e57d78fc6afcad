/*
 * kernel_mozilla_7: the event thread looks for the input stream before it is there, and ignores the
 * event.
 *
 * expect: race A B
 */
#include "program.h"

int *volatile input_stream;
int ignored;

static void *on_input(void *unused)
{
    int *stream = calloc(4, sizeof(*stream));

    input_stream = stream; /* @A */
    return unused;
}

static void *process_event(void *unused)
{
    if (!input_stream) /* @B */
        ignored = 1;
    return unused;
}

int main(void)
{
    run2(on_input, process_event);
    free(input_stream);
    printf("%d\n", ignored <= 1);
    return 0;
}
