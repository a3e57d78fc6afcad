/*
 * kernel_aget_2: on an interrupt a thread of its own saves how far the download has come, while the
 * downloading thread goes on.
 *
 * expect: race A C
 * expect: race B D
 */
#include "program.h"

volatile int offset, written;
int saved_offset, saved_written;
sigset_t set;

static void *save_log(void *unused)
{
    int number;

    sigwait(&set, &number);
    saved_offset = offset; /* @C */
    saved_written = written; /* @D */
    return unused;
}

static void *download(void *unused)
{
    offset = 4096; /* @A */
    written = 4096; /* @B */
    return unused;
}

int main(void)
{
    pthread_t saver, downloader;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    saver = start(save_log, NULL);
    downloader = start(download, NULL);
    kill(getpid(), SIGINT);
    finish(saver);
    finish(downloader);
    printf("%d\n", saved_offset >= 0 && saved_written >= 0);
    return 0;
}
