/*
 * stdio_buffer_ok: two threads print to one file, which has a lock of its own.
 *
 * expect: nothing
 */
#include "program.h"

FILE *file;

static void *print(void *argument)
{
    fprintf(file, "number %d\n", *(int *)argument); /* @A */
    return NULL;
}

int main(void)
{
    int numbers[2] = { 1, 2 };
    pthread_t one, two;

    file = fopen("/dev/null", "w");
    one = start(print, &numbers[0]);
    two = start(print, &numbers[1]);
    finish(one);
    finish(two);
    printf("%d\n", fclose(file));
    return 0;
}
