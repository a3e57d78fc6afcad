/*
 * io_queue.c - POSIX message queues: who sends comes before who receives later.
 */
#include "runtime/channel.h"
#include "runtime/effect.h"
#include "runtime/intercept.h"

#include <mqueue.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* A queue is a file of its own kind, and its descriptor is one; 0: it is none. */
static unsigned find_queue(mqd_t queue)
{
    struct stat about;

    if (fw_syscall(SYS_fstat, queue, (long)&about, 0, 0, 0, 0) < 0)
        return 0;
    if (!fw_channel_known(FW_KEY_QUEUE, about.st_dev, about.st_ino))
        fw_channel_changed(); /* until now it was a file */
    return fw_channel_of(FW_KEY_QUEUE, about.st_dev, about.st_ino);
}

#define SEND(call)                                                                                 \
    struct fw_thread *t = fw_enter_effect(FW_ON_FD(queue));                                        \
    unsigned channel;                                                                              \
    bool waits;                                                                                    \
    int result;                                                                                    \
                                                                                                   \
    if (!t)                                                                                        \
        return call;                                                                               \
    fw_reads_given(t, message, bytes, FW_PC);                                                      \
    waits = fw_fd_waits(queue, POLLOUT);                                                           \
    channel = find_queue(queue);                                                                   \
    fw_channel_writing(t, channel, waits, FW_PC);                                                  \
    FW_PASS(t, waits, result = call);                                                              \
    fw_channel_wrote(t, channel, result, 0, FW_PC);                                                \
    if (result != 0)                                                                               \
        fw_effect_failed(t);                                                                       \
    fw_done(t);                                                                                    \
    return result

FW_EXPORT int mq_send(mqd_t queue, const char *message, size_t bytes, unsigned priority)
{
    SEND(REAL(mq_send)(queue, message, bytes, priority));
}

FW_EXPORT int mq_timedsend(mqd_t queue, const char *message, size_t bytes, unsigned priority,
                           const struct timespec *deadline)
{
    SEND(REAL(mq_timedsend)(queue, message, bytes, priority, deadline));
}

#define RECEIVE(call)                                                                              \
    struct fw_thread *t = fw_enter_effect(FW_ON_FD(queue));                                        \
    unsigned channel;                                                                              \
    ssize_t got;                                                                                   \
    bool waits;                                                                                    \
                                                                                                   \
    if (!t)                                                                                        \
        return call;                                                                               \
    waits = fw_fd_waits(queue, POLLIN);                                                            \
    channel = find_queue(queue);                                                                   \
    fw_channel_reading(t, channel, waits, FW_PC);                                                  \
    FW_PASS(t, waits, got = call);                                                                 \
    fw_channel_read(t, channel, got, FW_PC);                                                       \
    if (got < 0)                                                                                   \
        fw_effect_failed(t);                                                                       \
    if (got >= 0) {                                                                                \
        fw_writes(t, message, (size_t)got, FW_PC);                                                 \
        if (priority)                                                                              \
            fw_writes(t, priority, sizeof *priority, FW_PC);                                       \
    }                                                                                              \
    fw_done(t);                                                                                    \
    return got

FW_EXPORT ssize_t mq_receive(mqd_t queue, char *message, size_t room, unsigned *priority)
{
    RECEIVE(REAL(mq_receive)(queue, message, room, priority));
}

FW_EXPORT ssize_t mq_timedreceive(mqd_t queue, char *restrict message, size_t room,
                                  unsigned *restrict priority,
                                  const struct timespec *restrict deadline)
{
    RECEIVE(REAL(mq_timedreceive)(queue, message, room, priority, deadline));
}

FW_EXPORT int mq_notify(mqd_t queue, const struct sigevent *event)
{
    struct fw_thread *t = event ? fw_enter() : NULL;

    if (t)
        fw_unmodelled("notices of message queues");
    fw_done(t);
    return REAL(mq_notify)(queue, event);
}
