/*
 * stack: two threads push onto one stack.
 *
 * bug: only moving the top is locked, not the choice of the place
 * fails-as: assertion
 * depth: 2 (each reads the top before the other moves it)
 * preemptions: 1
 * recorded: yes
 */
#include "threads.h"

enum { SIZE = 4 };

static int stack[SIZE];
static int top;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void push(int value)
{
    stack[top] = value; /* @bug */
    pthread_mutex_lock(&lock);
    top++; /* @bug */
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
