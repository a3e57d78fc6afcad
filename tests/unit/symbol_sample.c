/*
 * symbol_sample.c - what test_symbol and test_places compile and look into.  Never run.
 */
#include <pthread.h>

struct account {
    int id;
    long balance;
    pthread_mutex_t lock;
    int tags[2][3];
};

int x;
static int twin;
struct account accounts[4];
union number {
    int whole;
    float part;
} number;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int *twin_of_other(void);

static inline __attribute__((always_inline)) void inner(int by)
{
    x += by; /* line of inner */
}

__attribute__((noinline)) void one(void)
{
    static int calls;

    inner(1); /* line of one */
    calls++;
}

__attribute__((noinline)) void two(void)
{
    static int calls;

    inner(2); /* line of two */
    calls += 2;
}

int main(void)
{
    one();
    two();
    accounts[x].balance = number.whole;
    return twin + *twin_of_other();
}
