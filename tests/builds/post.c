/* post.c - the program in C: one thread posts the numbers below 100, main adds them up. */
#include "mailbox.h"
#include "tally.h"

#include <pthread.h>
#include <stdio.h>

static void *writer(void *unused)
{
    for (int i = 0; i < 100; i++)
        mailbox_put(i);
    return unused;
}

int main(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, writer, NULL) != 0)
        return 1;
    for (int i = 0; i < 100; i++)
        tally_add(mailbox_take());
    pthread_join(thread, NULL);
    printf("total %d\n", tally_total());
    return 0;
}
