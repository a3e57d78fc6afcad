/*
 * server: the same, counting under a lock.
 *
 * expect: nothing
 */
#include "program.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#define CLIENTS  3
#define REQUESTS 4

int served;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sockaddr_in address = { .sin_family = AF_INET };
static int listener;

static void count(void)
{
    pthread_mutex_lock(&lock);
    served++;
    pthread_mutex_unlock(&lock);
}

static void *serve(void *argument)
{
    int fd = (int)(intptr_t)argument;
    char request[16];
    ssize_t got;

    while ((got = read(fd, request, sizeof request)) > 0) {
        count();
        if (write(fd, request, (size_t)got) != got)
            abort();
    }
    close(fd);
    return NULL;
}

static void *listen_to_all(void *unused)
{
    pthread_t workers[CLIENTS];

    for (int i = 0; i < CLIENTS; i++)
        pthread_create(&workers[i], NULL, serve, (void *)(intptr_t)accept(listener, NULL, NULL));
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(workers[i], NULL);
    return unused;
}

static void *ask(void *unused)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    char request[] = "request", answer[16];

    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0)
        abort();
    for (int i = 0; i < REQUESTS; i++) {
        if (write(fd, request, sizeof request) != sizeof request ||
            read(fd, answer, sizeof answer) != sizeof request || strcmp(answer, request) != 0)
            abort();
    }
    close(fd);
    return unused;
}

int main(void)
{
    pthread_t server, clients[CLIENTS];
    socklen_t length = sizeof address;

    listener = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, CLIENTS) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        return 2;
    pthread_create(&server, NULL, listen_to_all, NULL);
    for (int i = 0; i < CLIENTS; i++)
        pthread_create(&clients[i], NULL, ask, NULL);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(clients[i], NULL);
    pthread_join(server, NULL);
    printf("%s\n", served > 0 && served <= CLIENTS * REQUESTS ? "served" : "lost");
    return 0;
}
