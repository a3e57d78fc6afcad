/*
 * race_read: read(2) fills a buffer that another thread is looking at.
 *
 * expect: race A B
 * overlap: no, read is not told of
 */
#include "program.h"

char buffer[16];
int ends[2];

static void *receive(void *unused)
{
    ssize_t got = read(ends[0], buffer, 8); /* @A */

    return got == 8 ? unused : buffer;
}

static void *look(void *unused)
{
    return buffer[4] == 'x' ? buffer : unused; /* @B */
}

int main(void)
{
    if (pipe(ends) != 0 || write(ends[1], "abcdefgh", 8) != 8)
        return 1;
    run2(receive, look);
    printf("%.8s\n", buffer);
    return 0;
}
