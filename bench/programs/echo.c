/*
 * echo.c - a server and its clients, connected by TCP on this machine: an acceptor, workers that
 * send back what they get, clients that compare.  echo [CLIENTS [REQUESTS]], by default 10 and 40.
 *
 * The queue of connections and the table of messages are under locks, the count of answers is
 * atomic.  Four variables of the statistics are under nothing: `requests`, `connections`,
 * `longest` and `latest`.  Nothing that is printed depends on them.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define WORKERS 4
#define MESSAGE 64
#define KINDS   16
#define WAITING 256

/* --- statistics: the races -------------------------------------------------------------------- */

long requests;
int connections;
size_t longest;
char latest[8];

static void note_connection(int by)
{
    connections += by;
}

static void note_request(const char *text, size_t length)
{
    requests++;
    if (length > longest)
        longest = length;
    memcpy(latest, text, sizeof latest - 1);
}

/* --- what is shared rightly ------------------------------------------------------------------- */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t some;
    int descriptors[WAITING];
    unsigned first, count;
    int closed;
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER, .some = PTHREAD_COND_INITIALIZER };

static struct {
    pthread_mutex_t lock;
    long counts[KINDS];
} kinds = { .lock = PTHREAD_MUTEX_INITIALIZER };

static atomic_long answers;
static struct sockaddr_in address;
static int listening, clients = 10, each = 40;

static void put(int descriptor)
{
    pthread_mutex_lock(&queue.lock);
    queue.descriptors[(queue.first + queue.count++) % WAITING] = descriptor;
    pthread_cond_signal(&queue.some);
    pthread_mutex_unlock(&queue.lock);
}

/* -1: no more will come. */
static int take(void)
{
    int descriptor = -1;

    pthread_mutex_lock(&queue.lock);
    while (!queue.count && !queue.closed)
        pthread_cond_wait(&queue.some, &queue.lock);
    if (queue.count) {
        descriptor = queue.descriptors[queue.first];
        queue.first = (queue.first + 1) % WAITING;
        queue.count--;
    }
    pthread_mutex_unlock(&queue.lock);
    return descriptor;
}

/* --- the server ------------------------------------------------------------------------------- */

static int read_message(int descriptor, char *text)
{
    size_t have = 0;

    while (have < MESSAGE) {
        ssize_t got = read(descriptor, text + have, MESSAGE - have);

        if (got <= 0)
            return 0;
        have += (size_t)got;
    }
    return 1;
}

static void serve(int descriptor)
{
    char text[MESSAGE];

    note_connection(1);
    while (read_message(descriptor, text)) {
        size_t length = strnlen(text, MESSAGE);

        note_request(text, length);
        pthread_mutex_lock(&kinds.lock);
        kinds.counts[length % KINDS]++;
        pthread_mutex_unlock(&kinds.lock);
        if (write(descriptor, text, MESSAGE) != MESSAGE)
            break;
    }
    note_connection(-1);
    close(descriptor);
}

static void *worker(void *unused)
{
    for (int descriptor; (descriptor = take()) >= 0;)
        serve(descriptor);
    return unused;
}

static void *acceptor(void *unused)
{
    for (int i = 0; i < clients; i++) {
        int descriptor = accept(listening, NULL, NULL);

        if (descriptor < 0) {
            perror("accept");
            exit(1);
        }
        put(descriptor);
    }
    pthread_mutex_lock(&queue.lock);
    queue.closed = 1;
    pthread_cond_broadcast(&queue.some);
    pthread_mutex_unlock(&queue.lock);
    return unused;
}

/* --- the clients ------------------------------------------------------------------------------ */

static void *client(void *number)
{
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    char sent[MESSAGE], got[MESSAGE];

    if (descriptor < 0 || connect(descriptor, (struct sockaddr *)&address, sizeof address)) {
        perror("connect");
        exit(1);
    }
    for (int i = 0; i < each; i++) {
        memset(sent, 0, sizeof sent);
        snprintf(sent, sizeof sent, "request %d of client %d %.*s", i, (int)(long)number,
                 i % KINDS, "................");
        if (write(descriptor, sent, MESSAGE) != MESSAGE || !read_message(descriptor, got))
            break;
        if (!memcmp(sent, got, MESSAGE))
            atomic_fetch_add(&answers, 1);
    }
    close(descriptor);
    return NULL;
}

static void listen_somewhere(void)
{
    socklen_t size = sizeof address;

    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listening = socket(AF_INET, SOCK_STREAM, 0);
    if (listening < 0 || bind(listening, (struct sockaddr *)&address, sizeof address) ||
        listen(listening, WAITING) || getsockname(listening, (struct sockaddr *)&address, &size)) {
        perror("listen");
        exit(1);
    }
}

int main(int count, char **arguments)
{
    pthread_t server, workers[WORKERS], *others;

    if (count > 1)
        clients = atoi(arguments[1]);
    if (count > 2)
        each = atoi(arguments[2]);
    if (clients < 1 || clients > WAITING || each < 0 || !(others = calloc((size_t)clients, sizeof *others)))
        return 2;
    listen_somewhere();
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, worker, NULL);
    pthread_create(&server, NULL, acceptor, NULL);
    for (int i = 0; i < clients; i++)
        pthread_create(&others[i], NULL, client, (void *)(long)i);
    for (int i = 0; i < clients; i++)
        pthread_join(others[i], NULL);
    pthread_join(server, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    printf("%ld answers\n", atomic_load(&answers));
    free(others);
    return atomic_load(&answers) != (long)clients * each;
}
