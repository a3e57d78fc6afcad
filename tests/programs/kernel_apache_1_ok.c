/*
 * kernel_apache_1_ok: the buffered log writer takes a lock.
 *
 * expect: nothing
 */
#include "program.h"

struct {
    int count;
    char text[256];
} buffer;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE void write_log(const char *line, size_t length)
{
    size_t at;

    pthread_mutex_lock(&lock);
    at = *(volatile int *)&buffer.count; /* @A */
    memcpy(buffer.text + at, line, length); /* @B */
    *(volatile int *)&buffer.count = at + length; /* @C */
    pthread_mutex_unlock(&lock);
}

static void *serve(void *argument)
{
    const char *line = argument;

    write_log(line, strlen(line));
    return NULL;
}

int main(void)
{
    char first[] = "GET /index.html 200\n", second[] = "GET /icon.png 404\n";
    pthread_t one = start(serve, first);
    pthread_t two = start(serve, second);

    finish(one);
    finish(two);
    printf("%d\n", buffer.count);
    return 0;
}
