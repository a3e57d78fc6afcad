#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
static atomic_int x, places[1024];
static atomic_int own[128];
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static char kind;
static int steps;
static void step(long me)
{
    switch (kind) {
    case 'w': places[16 * atomic_fetch_add(&x, 1)] = 1 + (int)me; break;
    case 'i': atomic_fetch_add(&own[16 * me], 1); break;
    case 'r': if (me) (void)atomic_load(&x); else atomic_store(&x, 1); break;
    case 'm': pthread_mutex_lock(&a); pthread_mutex_unlock(&a); break;
    case 'd':
        pthread_mutex_lock(me ? &a : &b); pthread_mutex_lock(me ? &b : &a);
        pthread_mutex_unlock(&a); pthread_mutex_unlock(&b);
    }
}
static void *work(void *me)
{
    for (int i = 0; i < steps; i++)
        step((long)me);
    return NULL;
}
int main(int argc, char **argv)
{
    int threads = atoi(argv[2]);
    pthread_t handles[8];
    kind = argv[1][0];
    steps = atoi(argv[3]);
    for (long i = 0; i < threads; i++)
        pthread_create(&handles[i], NULL, work, (void *)i);
    for (int i = 0; i < threads; i++)
        pthread_join(handles[i], NULL);
    for (int i = 0; i < threads * steps && kind == 'w'; i++)
        putchar('@' + places[16 * i]);
    return argc - 4;
}
