/*
 * stack_ok: two threads push onto one stack.
 *
 * mended: all of push is locked
 */
#include "threads.h"

enum { SIZE = 4 };

static int stack[SIZE];
static int top;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void push(int value)
{
    pthread_mutex_lock(&lock);
    stack[top] = value;
    top++;
    pthread_mutex_unlock(&lock);
}

static void *push_one(void *unused)
{
    push(1);
    return unused;
}

static void *push_two(void *unused)
{
    push(2);
    return unused;
}

int main(void)
{
    run2(push_one, push_two);
    assert(top == 2);
    assert(stack[0] + stack[1] == 3);
    return 0;
}
