/*
 * kernel_mozilla_8: the answer's headers come before the call that sends the request has returned,
 * and with it the request's handle.
 *
 * expect: race A B
 */
#include "program.h"

struct request {
    int suspended;
};
struct request request;
struct request *volatile write_request;
int crashed;

static void *on_headers_available(void *unused)
{
    struct request *found = write_request; /* @B */

    if (found)
        found->suspended = 1;
    else
        crashed = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;

    thread = start(on_headers_available, NULL);
    write_request = &request; /* @A */
    finish(thread);
    printf("%d\n", crashed <= 1);
    return 0;
}
