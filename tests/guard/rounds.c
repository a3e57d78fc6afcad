/*
 * rounds.c - two threads that take turns under a lock, in a loop or call by call: nothing is wrong
 * with it.  What they do is atomic in each round, not over all of them.
 *
 *   ./rounds loop|calls
 *   ./rounds made          a thread reads what its maker wrote, which waits for it
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS 40

static struct {
    pthread_mutex_t lock;
    pthread_cond_t turned;
    int turn, sum;
} shared = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0 };

static __attribute__((noinline)) void round_of(int self)
{
    pthread_mutex_lock(&shared.lock);
    while (shared.turn % 2 != self)
        pthread_cond_wait(&shared.turned, &shared.lock);
    shared.sum += self + 1;
    shared.turn++;
    pthread_cond_broadcast(&shared.turned);
    pthread_mutex_unlock(&shared.lock);
}

static void *loop(void *self)
{
    for (int i = 0; i < ROUNDS; i++)
        round_of(self != NULL);
    return NULL;
}

static void *calls(void *self)
{
    round_of(self != NULL);
    round_of(self != NULL);
    round_of(self != NULL);
    round_of(self != NULL);
    return NULL;
}

static int done;

static void *look(void *unused)
{
    void *right = shared.sum == 7 ? &shared : NULL;

    (void)unused;
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
    return right;
}

static int made(void)
{
    void *right = NULL;
    pthread_t thread;

    shared.sum = 7;
    if (pthread_create(&thread, NULL, look, NULL) != 0)
        return 2;
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
        sched_yield();
    pthread_join(thread, &right);
    puts(right ? "right" : "wrong");
    return !right;
}

int main(int argc, char **argv)
{
    void *(*run)(void *) = argc > 1 && strcmp(argv[1], "calls") == 0 ? calls : loop;
    pthread_t threads[2];
    int right = run == calls ? 4 * 3 : ROUNDS * 3;

    if (argc > 1 && strcmp(argv[1], "made") == 0)
        return made();
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, run, i ? &shared : NULL) != 0)
            return 2;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    puts(shared.sum == right ? "right" : "wrong");
    return shared.sum != right;
}
