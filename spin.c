#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int x;
static int steps, loses;
static void *add(void *argument)
{
    for (int i = 0; i < steps; i++)
        if (loses)
            atomic_store(&x, atomic_load(&x) + 1);
        else
            atomic_fetch_add(&x, 1);
    return argument;
}
int main(int argc, char **argv)
{
    pthread_t threads[2];
    steps = atoi(argv[1]);
    loses = argc > 2;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    while (atomic_load(&x) != 2 * steps)
        ;
    return 0;
}
