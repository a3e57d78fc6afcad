/*
 * refused.c - sections that may synchronise inside, each in its own way, and twins that may not.
 * The comments say what the reason is.
 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long shared;
static _Atomic int counter;
static int (*pointer)(const char *) = puts;
static char text[32] = "text";

/* --- these are refused ----------------------------------------------------------------------- */

static NOINLINE void with_mutex(void)
{
    long seen = shared;
    pthread_mutex_lock(&lock); /* calls pthread_mutex_lock */
    seen += 1;
    pthread_mutex_unlock(&lock);
    shared = seen;
}

static NOINLINE void with_atomic(void)
{
    long seen = shared;
    seen += atomic_fetch_add(&counter, 1); /* has an atomic access */
    shared = seen;
}

static NOINLINE void with_pointer(void)
{
    long seen = shared;
    seen += pointer(text); /* calls what is not known */
    shared = seen;
}

static NOINLINE void with_assembly(void)
{
    static long word;
    long seen = shared;
    __asm__ volatile("lock incq %0" : "+m"(word)); /* has a locked instruction */
    shared = seen + 1;
}

static NOINLINE void with_system_call(void)
{
    long result = 186, seen = shared;
    __asm__ volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory"); /* makes a system call */
    shared = seen + (result > 0);
}

static NOINLINE long deeper(long seen)
{
    usleep(1); /* calls usleep */
    return seen + 1;
}

static NOINLINE long deep(long seen)
{
    return deeper(seen + 1) - 1;
}

static NOINLINE void with_calls(void)
{
    long seen = shared;
    seen = deep(seen);
    shared = seen;
}

/* Only one way to the end. */
static NOINLINE void on_one_branch(void)
{
    long seen = shared;
    if (seen % 2)
        seen += (long)(size_t)getenv("HOME") % 2; /* calls getenv */
    shared = seen + 1;
}

/* --- these are not --------------------------------------------------------------------------- */

static NOINLINE void straight(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    long seen = shared;
    shared = seen + 1; /* assured */
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

static NOINLINE long pure(long seen)
{
    return seen > 100 ? pure(seen - 100) : seen + 1;
}

static NOINLINE void harmless(void)
{
    long seen = shared;
    seen += (long)strlen(text) + (long)memcmp(text, "text", 4);
    seen = pure(seen);
    shared = seen; /* assured */
}

/* What synchronises is on no way to the end. */
static NOINLINE void otherwise(void)
{
    long seen = shared;
    if (seen < 0) {
        pthread_mutex_lock(&lock);
        puts("negative");
        pthread_mutex_unlock(&lock);
        return;
    }
    shared = seen + 1; /* assured */
}

/* Around the loop the section begins anew. */
static NOINLINE void around(void)
{
    for (int i = 0; i < 3; i++) {
        long seen = shared;
        shared = seen + 1; /* assured */
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
}

static void all(void)
{
    with_mutex();
    with_atomic();
    with_pointer();
    with_assembly();
    with_system_call();
    with_calls();
    on_one_branch();
    straight();
    harmless();
    otherwise();
    around();
}

static void *work(void *unused)
{
    all();
    return unused;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, work, NULL);
    all();
    pthread_join(thread, NULL);
    return shared == 0;
}
