/*
 * kernel_transmission_ok: main sets the session's bandwidth before it starts the event thread.
 *
 * expect: nothing
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

    session->bandwidth = &limit; /* @B */
    thread = start(event_thread, session);
    finish(thread);
    free(session);
    printf("%d\n", asserted);
    return 0;
}
