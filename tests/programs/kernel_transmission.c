/*
 * kernel_transmission: the event thread looks at the bandwidth, which main has yet to set.
 *
 * expect: race A B
 */
#include "program.h"

struct session {
    int *volatile bandwidth;
};
int limit = 10, asserted;

static void *event_thread(void *argument)
{
    struct session *session = argument;

    asserted = session->bandwidth == NULL; /* @A */
    return NULL;
}

int main(void)
{
    struct session *session = calloc(1, sizeof(*session));
    pthread_t thread;

    thread = start(event_thread, session);
    session->bandwidth = &limit; /* @B */
    finish(thread);
    free(session);
    printf("%d\n", asserted <= 1);
    return 0;
}
