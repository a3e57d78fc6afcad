/*
 * kernel_apache_1: the buffered log writer is called by several threads without a lock.
 *
 * Each appends its line where the count says and then moves the count.  If both read the same count
 * they also write to the same place, which one run in order does not show.
 *
 * expect: race A C
 * may: race B B
 * may: race C C
 */
#include "program.h"

struct {
    int count;
    char text[256];
} buffer;

static NOINLINE void write_log(const char *line, size_t length)
{
    size_t at;

    at = *(volatile int *)&buffer.count; /* @A */
    memcpy(buffer.text + at, line, length); /* @B */
    *(volatile int *)&buffer.count = at + length; /* @C */
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
    printf("%d\n", buffer.count > 0);
    return 0;
}
