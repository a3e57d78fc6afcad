/*
 * io_async.c - input and output that libc makes by threads of its own (POSIX AIO, getaddrinfo_a):
 * neither what these threads store nor what they order is seen.
 */
#include "runtime/intercept.h"

#include <aio.h>
#include <netdb.h>

static void tell_unseen(void)
{
    struct fw_thread *t = fw_enter_again();

    if (t)
        fw_unmodelled("asynchronous input and output");
    fw_done(t);
}

#define ASYNC(name, parameters, call)                                                              \
    FW_EXPORT int name parameters                                                                  \
    {                                                                                              \
        tell_unseen();                                                                             \
        return REAL(name) call;                                                                    \
    }

ASYNC(aio_read, (struct aiocb *request), (request))
ASYNC(aio_read64, (struct aiocb64 *request), (request))
ASYNC(aio_write, (struct aiocb *request), (request))
ASYNC(aio_write64, (struct aiocb64 *request), (request))
ASYNC(aio_fsync, (int how, struct aiocb *request), (how, request))
ASYNC(aio_fsync64, (int how, struct aiocb64 *request), (how, request))
ASYNC(lio_listio,
      (int mode, struct aiocb *const requests[restrict], int count,
       struct sigevent *restrict event),
      (mode, requests, count, event))
ASYNC(lio_listio64,
      (int mode, struct aiocb64 *const requests[restrict], int count,
       struct sigevent *restrict event),
      (mode, requests, count, event))
ASYNC(getaddrinfo_a,
      (int mode, struct gaicb *requests[restrict], int count, struct sigevent *restrict event),
      (mode, requests, count, event))
