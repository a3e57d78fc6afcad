#!/usr/bin/env bash
# A busy machine makes no program hang: the time that a run was ready to run and did not does not count.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

cat >slow.c <<'END_C'
// Two threads that each execute for 60 ms, or for ever.
#include <pthread.h>
#include <time.h>
static volatile int shared;
static int forever;
static double executed(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}
static void *work(void *unused)
{
    volatile long turns;
    do {
        for (turns = 0; turns < 10000; turns++)
            ;
        shared++;
    } while (forever || executed() < 0.06);
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t one, two;
    (void)argv;
    forever = argc > 1;
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
END_C
"$FOREWEAVE" cc -g -w -O1 slow.c -o slow || complain "slow.c does not compile"

# One processor, which seven others use as well.
processor=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
others=()
for _ in 1 2 3 4 5 6 7; do
    taskset -c "$processor" sh -c 'while :; do :; done' &
    others+=($!)
done
trap 'kill "${others[@]}" 2>/dev/null; rm -rf "$scratch"' EXIT
taskset -cp "$processor" $$ >/dev/null

expect 0 explore -q -s random -n 3 --limit=0.6 -- ./slow
out_has '3 runs, 0 failed'
out_lacks 'cut short'
expect 66 explore -q -s random -n 1 --limit=0.3 -- ./slow forever
out_has 'failure 1: hang'
finish
