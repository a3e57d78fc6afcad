/*
 * pipe_writers_ok: three threads each write a cell and then into one pipe; who has read all of it
 * comes after all of them, not only after the last.
 *
 * expect: nothing
 */
#include "program.h"

int ends[2], cells[3];

static void *writer(void *context)
{
    int *cell = context;

    *cell = 1; /* @A */
    if (write(ends[1], "x", 1) != 1)
        abort();
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
    printf("%d\n", sum);
    return 0;
}
