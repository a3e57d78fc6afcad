/*
 * operand_sample.c - what test_operand compiles in several ways and looks into.
 *
 * A mark at the end of a line tells about the calls on it, hooks of the instrumentation and others
 * that the runtime knows: "fixed": all of them certainly work on the same thing in every run;
 * "any": none does; "mixed": not all do.  "rarely" allows both, where compilers differ.  Never run.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    int a, b;
};

int x, numbers[10], *pointer;
extern int foreign;
static int hidden_one;
static int *const constant_pointer = &x;
static int *const constant_pointers[] = { &x, &hidden_one, &numbers[2] };
__thread int own;
struct pair pair, pairs[4];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, *mutex_pointer = &mutex;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
sem_t semaphore;
void escape(void *p);
void *run(void *p);

void globals(void)
{
    x = 1; /* fixed */
    foreign = 2; /* fixed */
    numbers[3] = 3; /* fixed */
    pair.b = 4; /* fixed */
    pairs[2].a = 5; /* fixed */
    hidden_one = 6; /* fixed */
    own = 7; /* fixed */
    __atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST); /* fixed */
    __atomic_store_n(&hidden_one, 1, __ATOMIC_RELAXED); /* fixed */
}

void pointers(int *p, int i, struct pair *q)
{
    *p = 1; /* any */
    numbers[i] = 2; /* any */
    q->b = 3; /* any */
    pairs[i].b = 4; /* any */
    *pointer = 5; /* mixed */
    numbers[x] = 6; /* mixed */
    __atomic_fetch_add(p, 1, __ATOMIC_SEQ_CST); /* any */
}

void constants(int i)
{
    *constant_pointer = 1; /* fixed */
    *constant_pointers[2] = 2; /* fixed */
    *constant_pointers[i] = 3; /* any */
}

int stack(void)
{
    int local = 0, many[8];

    escape(&local);
    escape(many);
    local = 1; /* fixed */
    many[3] = 2; /* fixed */
    many[local] = 3; /* rarely */
    return many[2] + local; /* fixed */
}

int aligned(void)
{
    int local[16] __attribute__((aligned(64)));

    escape(local);
    local[5] = 1; /* fixed */
    return local[6]; /* fixed */
}

int sized(int n)
{
    int before = 0, array[n];

    escape(array);
    escape(&before);
    array[0] = 1; /* rarely */
    array[n] = 2; /* rarely */
    return before;
}

void locks(pthread_mutex_t *given)
{
    pthread_mutex_lock(&mutex); /* fixed */
    pthread_mutex_unlock(&mutex); /* fixed */
    pthread_mutex_lock(given); /* any */
    pthread_mutex_unlock(given); /* any */
    pthread_mutex_lock(mutex_pointer); /* mixed */
    pthread_cond_wait(&condition, &mutex); /* fixed */
    pthread_cond_wait(&condition, given); /* any */
    pthread_cond_signal(&condition); /* fixed */
    sem_wait(&semaphore); /* fixed */
    sem_post(&semaphore); /* fixed */
}

void choice(int c, int *p)
{
    int *q = &x, *r = &x;

    if (c)
        q = p;
    escape(NULL);
    *q = 1; /* mixed */
    r = c ? &x : &hidden_one;
    escape(NULL);
    *r = 2; /* mixed */
}

void loop(int n)
{
    int *p = numbers;

    for (int i = 0; i < n; i++) {
        x++; /* fixed */
        *p++ = 1; /* any */
        pair.a += 2; /* fixed */
    }
}

void table(int i, int *p)
{
    switch (i) {
    case 0:
        x = 1; /* fixed */
        /* fall through */
    case 1:
        hidden_one = 2; /* fixed */
        break;
    case 2:
        p = &x;
        break;
    case 3:
        foreign = 3; /* fixed */
        break;
    case 4:
        p = numbers;
        break;
    case 5:
        pair.a = 4; /* fixed */
        break;
    case 6:
        abort();
    case 7:
        p = &pair.b;
        break;
    default:;
    }
    *p = 5; /* any */
    x = 6; /* fixed */
}

/* The way past the table must be seen: p may be the parameter here. */
void table_joins(int i, int *p)
{
    escape(NULL);
    switch (i) {
    case 0:
    case 2:
    case 4:
    case 5:
    case 7:
        p = &x;
        escape(&pair);
        break;
    case 1:
    case 3:
    case 6:
        escape(&x);
        p = &x;
        break;
    default:
        break;
    }
    *p = 5; /* any */
}

void anywhere(int i, int *p)
{
    static void *const labels[] = { &&one, &&two, &&three };

    goto *labels[i];
one:
    p = &x;
two:
    *p = 1; /* any */
three:
    x = 2; /* rarely */
}

int unlikely(int c, int *p)
{
    int *q = &x;

    escape(NULL);
    if (__builtin_expect(c, 0)) {
        escape(q);
        q = p;
        escape(q);
        if (c == 7)
            abort();
    }
    *q = 1; /* mixed */
    return foreign; /* fixed */
}

__attribute__((noinline)) static void indirect(pthread_mutex_t **given)
{
    pthread_mutex_lock(*given); /* rarely */
}

/* What a function of ours is given says nothing about the lock that is taken in the end. */
void through(void)
{
    indirect(&mutex_pointer); /* any */
}

#ifdef __cplusplus
/* What an exception leads to comes back into the function. */
void caught(int *p)
{
    int *q = &x;

    try {
        escape(NULL);
        x = 1; /* fixed */
    } catch (...) {
        q = p;
    }
    escape(NULL);
    *q = 2; /* any */
    x = 3; /* fixed */
}
#endif

void create(pthread_t *thread, void *p)
{
    pthread_create(thread, NULL, run, NULL); /* fixed */
    pthread_create(thread, NULL, run, p); /* any */
}
