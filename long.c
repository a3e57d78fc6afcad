#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turns, whose, after;
static void *take_turns(void *argument)
{
    int me = argument != NULL;
    for (int i = 0; i < turns; i++) {
        pthread_mutex_lock(&lock);
        while (whose != me)
            pthread_cond_wait(&changed, &lock);
        whose = !me;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    after++;
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t one, other;
    turns = atoi(argv[1]);
    for (int i = 0; i < atoi(argv[2]); i++) {
        pthread_create(&one, NULL, take_turns, NULL);
        pthread_create(&other, NULL, take_turns, &lock);
        pthread_join(one, NULL);
        pthread_join(other, NULL);
    }
    return argc - 3;
}
