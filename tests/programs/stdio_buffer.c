/*
 * stdio_buffer: two threads print into one buffer.
 *
 * expect: race A A
 * overlap: no, snprintf is not told of
 */
#include "program.h"

char buffer[64];

static void *print(void *argument)
{
    snprintf(buffer, sizeof(buffer), "number %d", *(int *)argument); /* @A */
    return NULL;
}

int main(void)
{
    int numbers[2] = { 1, 2 };
    pthread_t one, two;

    one = start(print, &numbers[0]);
    two = start(print, &numbers[1]);
    finish(one);
    finish(two);
    printf("%.6s\n", buffer);
    return 0;
}
