#!/usr/bin/env bash
# Programs that switch between contexts run as always, and nothing is called certain of them.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

cat >fibers.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <ucontext.h>
static __thread ucontext_t caller, fiber;
static __thread int rounds;
static char stacks[2][65536];
static int shared;
static void work(void)
{
    for (int i = 0; i < 5; i++) {
        rounds++;
        swapcontext(&fiber, &caller);
    }
    setcontext(&caller);
}
static void *switch_over(void *stack)
{
    getcontext(&fiber);
    fiber.uc_stack.ss_sp = stack;
    fiber.uc_stack.ss_size = sizeof stacks[0];
    makecontext(&fiber, work, 0);
    for (int i = 0; i < 6; i++)
        swapcontext(&caller, &fiber);
    return NULL;
}
static void *count(void *stack)
{
    if (SWITCH)
        switch_over(stack);
    else
        rounds = 5;
    if (RACE)
        shared++;
    return rounds == 5 ? stack : NULL;
}
int main(void)
{
    pthread_t threads[2];
    void *result;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, count, stacks[i]);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], &result);
        puts(result == stacks[i] ? "well" : "?");
    }
    return 0;
}
C
for switch in 0 1; do
    for race in 0 1; do
        "$FOREWEAVE" cc -g -O1 -DSWITCH=$switch -DRACE=$race fibers.c -o fibers -pthread ||
            complain "cannot build"
        expect 0 record -o t.fwt -- ./fibers
        out_is "well
well"
        case $switch in
        0) err_lacks "not modelled" ;;
        1) err_has "not modelled: fibers;" ;;
        esac
        expect $((race * 66)) check --analysis=race t.fwt
        case $race$switch in
        10) out_has "Certain: " ;;
        11) out_lacks "Certain: "; out_has "not modelled: fibers" ;;
        esac
    done
done
finish
