/*
 * once: a hand-made "only once", with a plain flag.
 *
 * expect: race A B
 */
#include "program.h"

int table[4];
int made;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE void make(void)
{
    for (int i = 0; i < 4; i++)
        table[i] = i * 10;
}

static void *use(void *unused)
{
    if (!made) { /* @A */
        pthread_mutex_lock(&lock);
        if (!made) {
            make();
            made = 1; /* @B */
        }
        pthread_mutex_unlock(&lock);
    }
    return table[3] == 30 ? unused : table;
}

int main(void)
{
    run2(use, use);
    printf("%d\n", table[3]);
    return 0;
}
