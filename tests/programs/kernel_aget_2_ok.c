/*
 * kernel_aget_2_ok: how far the download has come is changed and saved under a lock.
 *
 * expect: nothing
 */
#include "program.h"

volatile int offset, written;
int saved_offset, saved_written;
sigset_t set;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *save_log(void *unused)
{
    int number;

    sigwait(&set, &number);
    pthread_mutex_lock(&lock);
    saved_offset = offset; /* @C */
    saved_written = written; /* @D */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *download(void *unused)
{
    pthread_mutex_lock(&lock);
    offset = 4096; /* @A */
    written = 4096; /* @B */
    pthread_mutex_unlock(&lock);
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
    printf("%d\n", saved_offset == saved_written);
    return 0;
}
