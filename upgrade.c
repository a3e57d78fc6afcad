#include "common.h"
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int right;
static void *f(void *p)
{
    pthread_rwlock_rdlock(&l);
    together();
    if (right) pthread_rwlock_unlock(&l);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    if (!right) pthread_rwlock_unlock(&l);
    return p;
}
static void *g(void *p)
{
    pthread_mutex_lock(&m);
    together();
    pthread_rwlock_wrlock(&l);
    pthread_rwlock_unlock(&l);
    pthread_mutex_unlock(&m);
    return p;
}
int main(int argc, char **argv) { (void)argv; right = argc > 1; run2(f, g); return 0; }
