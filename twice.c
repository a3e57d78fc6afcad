#define _GNU_SOURCE
#include "common.h"
pthread_mutex_t a;
int main(int argc, char **argv)
{
    pthread_mutexattr_t kind;
    (void)argv;
    (void)run2;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, argc > 1 ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
    pthread_mutex_init(&a, &kind);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&a);
    return 0;
}
