/*
 * lib_counter: the library that dlopen.c and its twin load at run time.
 */
#include <pthread.h>

int hits;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int count(void)
{
    hits++; /* @LIBRARY */
    return 0;
}

int count_locked(void)
{
    pthread_mutex_lock(&lock);
    hits++;
    pthread_mutex_unlock(&lock);
    return 0;
}

int get(void)
{
    return hits;
}
