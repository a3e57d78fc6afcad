/*
 * string_buffer: how long another buffer is, is asked under its lock, and its text is copied under
 * its lock; in between it is cut.
 *
 * kind: atomicity, two variables
 */
#include "kernel.h"

struct {
    pthread_mutex_t lock;
    int length;
    char text[16];
    bool overrun;
} shared = { PTHREAD_MUTEX_INITIALIZER, 8, "abcdefgh", false };

static NOINLINE int length(void)
{
    int result;

    pthread_mutex_lock(&shared.lock);
    result = shared.length;
    pthread_mutex_unlock(&shared.lock);
    return result;
}

static NOINLINE bool copy(char *to, int count)
{
    bool whole = true;

    pthread_mutex_lock(&shared.lock);
    for (int i = 0; i < count; i++) {
        to[i] = shared.text[i];
        whole = whole && to[i] != '\0';
    }
    pthread_mutex_unlock(&shared.lock);
    return whole;
}

static void append(void)
{
    char to[16];
    int count = length();

    hold();
    shared.overrun = !copy(to, count);
}

static NOINLINE void cut(void)
{
    pthread_mutex_lock(&shared.lock);
    shared.length = 0;
    for (int i = 0; i < 8; i++)
        shared.text[i] = '\0';
    pthread_mutex_unlock(&shared.lock);
}

static void erase(void)
{
    meanwhile();
    cut();
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    run_two(append, erase);
    return verdict(!shared.overrun);
}
