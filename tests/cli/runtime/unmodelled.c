/*
 * unmodelled.c - two threads that use `data`, ordered by the means that the first argument names,
 * of which not all is known to the analyses; with "alone" the main thread uses it after the other
 * has ended.  With a second argument they race on `other` as well.
 */
#define _GNU_SOURCE
#include <aio.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *how;
static int data, other, races, set, queue, ends[2] = { -1, -1 };
static sem_t semaphore;

static int is(const char *name)
{
    return !strcmp(how, name);
}

static void *writer(void *context)
{
    struct sembuf up = { 0, 1, 0 };
    struct msgbuf message = { 1, { 0 } };
    struct aiocb request = { .aio_fildes = ends[1], .aio_buf = "x", .aio_nbytes = 1 };
    const struct aiocb *list[1] = { &request };

    if (races)
        other++;
    data = 42;
    if (is("semop"))
        semop(set, &up, 1);
    else if (is("msgsnd"))
        msgsnd(queue, &message, 1, 0);
    else if (is("pairs"))
        write(ends[1], "x", 1);
    else if (is("aio") && aio_write(&request) == 0)
        aio_suspend(list, 1, NULL);
    else
        sem_post(&semaphore);
    return context;
}

static void wait_for_writer(pthread_t thread)
{
    struct sembuf down = { 0, -1, 0 };
    struct msgbuf message;
    int value = 0;
    char byte;

    if (is("semop"))
        semop(set, &down, 1);
    else if (is("msgsnd"))
        msgrcv(queue, &message, 1, 0, 0);
    else if (is("pairs") || is("aio"))
        read(ends[0], &byte, 1);
    else if (is("getvalue"))
        for (; !value; sched_yield())
            sem_getvalue(&semaphore, &value);
    else if (is("trywait"))
        while (sem_trywait(&semaphore))
            sched_yield();
    else if (is("tryjoin"))
        while (pthread_tryjoin_np(thread, NULL))
            sched_yield();
    else
        pthread_join(thread, NULL);
}

int main(int count, char **arguments)
{
    pthread_t thread;

    how = count > 1 ? arguments[1] : "alone";
    races = count > 2;
    set = semget(IPC_PRIVATE, 1, 0600);
    queue = msgget(IPC_PRIVATE, 0600);
    sem_init(&semaphore, 0, 0);
    for (int i = 0; is("pairs") && i < 13000; i++) {
        close(ends[0]);
        close(ends[1]);
        socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    }
    if (is("aio"))
        pipe(ends);
    pthread_create(&thread, NULL, writer, NULL);
    if (races)
        other++;
    wait_for_writer(thread);
    data++;
    if (!is("tryjoin") && !is("alone"))
        pthread_join(thread, NULL);
    semctl(set, 0, IPC_RMID);
    msgctl(queue, IPC_RMID, NULL);
    printf("%d %d\n", data, other);
    return 0;
}
