#include "common.h"
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_spinlock_t b;
static int right;
static void *f(void *p)
{
    pthread_mutex_lock(&a);
    if (!right) together();
    pthread_spin_lock(&b);
    pthread_spin_unlock(&b);
    pthread_mutex_unlock(&a);
    return p;
}
static void *g(void *p)
{
    if (right)
        return f(p);
    pthread_spin_lock(&b);
    together();
    pthread_mutex_lock(&a);
    return p;
}
static int unused_main(int argc, char **argv)
{
    (void)argv;
    right = argc > 1;
    pthread_spin_init(&b, 0);
    (void)run2;
    return 0;
}
int main(void)
{
    pthread_t x, y;
    (void)unused_main;
    pthread_spin_init(&b, 0);
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&x, NULL, f, NULL);
    pthread_create(&y, NULL, g, NULL);
    while (access("go", F_OK) != 0)
        usleep(1000);
    puts("done");
    return 0;
}
