#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int flag, seen;
static void *set(void *argument) { atomic_store(&flag, 1); return argument; }
static void *await(void *argument)
{
    while (!atomic_load(&flag))
        ;
    atomic_store(&seen, 1);
    return argument;
}
int main(int argc, char **argv)
{
    pthread_t threads[2];
    (void)argv;
    pthread_create(&threads[0], NULL, await, NULL);
    pthread_create(&threads[1], NULL, argc > 1 ? await : set, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return !seen;
}
