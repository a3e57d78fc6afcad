/*
 * pipe_writers: three threads each write into one pipe and then a cell; who has read all of it
 * comes after what they wrote before.
 *
 * expect: race A B
 */
#include "program.h"

int ends[2], cells[3];

static void *writer(void *context)
{
    int *cell = context;

    if (write(ends[1], "x", 1) != 1)
        abort();
    *cell = 1; /* @A */
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    char bytes[3];
    int sum = 0;

    if (pipe(ends) != 0)
        return 1;
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, writer, &cells[i]);
    usleep(20000);
    for (int got = 0; got < 3;)
        got += (int)read(ends[0], bytes, sizeof bytes);
    for (int i = 0; i < 3; i++)
        sum += cells[i]; /* @B */
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", sum <= 3);
    return 0;
}
