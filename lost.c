#include <pthread.h>
#include <stdio.h>
static int x;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *argument)
{
    for (int i = 0; i < 2; i++) {
        if (RIGHT)
            pthread_mutex_lock(&lock);
        x = x + 1;
        if (RIGHT)
            pthread_mutex_unlock(&lock);
    }
    return argument;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("x=%d\n", x);
    return STATUS;
}
