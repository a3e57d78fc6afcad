/*
 * lean.c - two threads that add up a table again and again, in a function that does nothing else,
 * and now and then a sum that they share.  C and C++; WIDE: words of 16 bytes.
 *
 *   lean [ROUNDS]
 *
 * Exit status 1: the sum is wrong.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define WORDS 64

#ifdef WIDE
typedef int word __attribute__((vector_size(16)));
#define VALUE(word) (word)[0]
#else
typedef int word;
#define VALUE(word) (word)
#endif

static volatile word table[WORDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum, rounds = 2000;

static __attribute__((noinline)) long total(void)
{
    long own = 0;

    for (int k = 0; k < 10 * WORDS; k++) {
        word one = table[k % WORDS];

        own += VALUE(one);
    }
    return own;
}

static void *add(void *unused)
{
    for (long i = 0; i < rounds; i++) {
        long own = total();

        pthread_mutex_lock(&lock);
        sum += own;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t one, two;

    if (argc > 1)
        rounds = atol(argv[1]);
    for (int i = 0; i < WORDS; i++) {
        word one = { i };

        table[i] = one;
    }
    pthread_create(&one, NULL, add, NULL);
    pthread_create(&two, NULL, add, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    puts(sum == 2 * rounds * 10 * (WORDS * (WORDS - 1) / 2) ? "right" : "wrong");
    return sum != 2 * rounds * 10 * (WORDS * (WORDS - 1) / 2);
}
