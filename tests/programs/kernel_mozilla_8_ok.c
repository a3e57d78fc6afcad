/*
 * kernel_mozilla_8_ok: the handle is put down before the request is sent.
 *
 * expect: nothing
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

    write_request = &request; /* @A */
    thread = start(on_headers_available, NULL);
    finish(thread);
    printf("%d %d\n", crashed, request.suspended);
    return 0;
}
