#!/usr/bin/env bash
# foreweave explore: every strategy finds what it can find and nothing else, budgets are exact, results
# depend on the seed alone, and a campaign that was killed goes on.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

cat >lost.c <<'END'
#include <pthread.h>
#include <stdio.h>
static int x;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *argument)
{
    for (int i = 0; i < 2; i++) {
        if (RIGHT)
            pthread_mutex_lock(&lock);
        x = x + 1;
        if (RIGHT)
            pthread_mutex_unlock(&lock);
    }
    return argument;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("x=%d\n", x);
    return STATUS;
}
END
# What happens to one variable in threads of some steps each, or two locks in two orders.
cat >count.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
static atomic_int x, places[1024];
static atomic_int own[128];
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static char kind;
static int steps;
static void step(long me)
{
    switch (kind) {
    case 'w': places[16 * atomic_fetch_add(&x, 1)] = 1 + (int)me; break;
    case 'i': atomic_fetch_add(&own[16 * me], 1); break;
    case 'r': if (me) (void)atomic_load(&x); else atomic_store(&x, 1); break;
    case 'm': pthread_mutex_lock(&a); pthread_mutex_unlock(&a); break;
    case 'd':
        pthread_mutex_lock(me ? &a : &b); pthread_mutex_lock(me ? &b : &a);
        pthread_mutex_unlock(&a); pthread_mutex_unlock(&b);
    }
}
static void *work(void *me)
{
    for (int i = 0; i < steps; i++)
        step((long)me);
    return NULL;
}
int main(int argc, char **argv)
{
    int threads = atoi(argv[2]);
    pthread_t handles[8];
    kind = argv[1][0];
    steps = atoi(argv[3]);
    for (long i = 0; i < threads; i++)
        pthread_create(&handles[i], NULL, work, (void *)i);
    for (int i = 0; i < threads; i++)
        pthread_join(handles[i], NULL);
    for (int i = 0; i < threads * steps && kind == 'w'; i++)
        putchar('@' + places[16 * i]);
    return argc - 4;
}
END
cat >wait.c <<'END'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int flag, seen;
static void *set(void *argument) { atomic_store(&flag, 1); return argument; }
static void *await(void *argument)
{
    while (!atomic_load(&flag))
        ;
    atomic_store(&seen, 1);
    return argument;
}
int main(int argc, char **argv)
{
    pthread_t threads[2];
    (void)argv;
    pthread_create(&threads[0], NULL, await, NULL);
    pthread_create(&threads[1], NULL, argc > 1 ? await : set, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return !seen;
}
END
build() { "$FOREWEAVE" cc -g -O1 "$@" || complain "cannot build: $*"; }
build -O0 -DRIGHT=0 -DSTATUS='x != 4' lost.c -o lost # every access in its line
build -DRIGHT=1 -DSTATUS='x != 4' lost.c -o right
build -DRIGHT=0 -DSTATUS=0 lost.c -o says
build count.c -o count
build wait.c -o wait
gcc -pthread -DRIGHT=0 -DSTATUS=0 lost.c -o plain || complain "cannot build"
gcc -static -pthread -DRIGHT=0 -DSTATUS=0 lost.c -o static || complain "cannot build"

# --- every strategy ------------------------------------------------------------------------------
for strategy in random pct pctlarge delay pos chess; do
    expect 66 explore -s $strategy -n 300 --folder=of-$strategy -- ./lost
    out_has 'failure 1: exit 1, "x='
    out_has "replay: foreweave replay of-$strategy/exit-1-"
    out_has "$strategy, seed 1: "
    for schedule in of-$strategy/*.sched; do
        expect 66 replay --runs=5 "$schedule"
        out_has 'reproduced: exit 1'
    done
    expect 0 explore -s $strategy -n 100 -- ./right
    out_has '0 failed'
done
expect 66 explore -s chess --preemptions=1 -- ./lost
out_has 'all schedules with at most 1 preemption were run'
expect 0 explore -s chess --preemptions=0 -- ./lost
out_has 'all schedules with at most 0 preemptions were run'
expect 66 explore -s chess --preemptions=all -- ./lost
out_has 'all schedules were run'
expect 0 explore -s chess --preemptions=all -- ./right

# --- the search is exhaustive --------------------------------------------------------------------
number() { sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p" "$out" | head -1; }

# Runs to the end without a bound: one for each order of operations that depend on each other.
traces() {
    local wanted=$1 all redundant
    shift
    last="foreweave explore -s chess --preemptions=all -- ./count $*"
    "$FOREWEAVE" explore -q -s chess --preemptions=all --format=json -- ./count "$@" 2>"$err" |
        tr ',{' '\n\n' >"$out"
    all=$(number all) redundant=$(number redundant)
    [ $((all - redundant - 1)) = "$wanted" ] || # the first run is no part of the search
        complain "$((all - redundant - 1)) schedules, not $wanted"
    out_has '"complete":true'
}
traces 2 w 2 1
traces 6 w 2 2
traces 20 w 2 3
traces 6 w 3 1
traces 90 w 3 2
traces 1 i 3 2
traces 4 r 3 1
traces 8 r 4 1
traces 2 m 2 1
traces 6 m 3 1
traces 6 m 2 2
traces 3 d 2 1 # one of them deadlocks

# What can be seen with at most so many preemptions, of two threads of three steps.
for pair in 0:2 1:6 2:14 3:18 4:20; do
    rm -f seen
    expect 0 explore -q -s chess --preemptions=${pair%:*} \
        --ok='{ cat "$FOREWEAVE_OUTPUT"; echo; } >>seen' -- ./count w 2 3
    [ "$(sort -u seen | wc -l)" = ${pair#*:} ] ||
        complain "$(sort -u seen | wc -l) orders with ${pair%:*} preemptions, not ${pair#*:}"
done

# A search whose runs do not follow is not called complete.
cat >strays.c <<'END'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int runs;
static void *work(void *argument)
{
    pthread_mutex_t *which = argument || runs % 2 ? &other : &lock;
    for (int i = 0; i < 1 + runs % 3; i++) {
        pthread_mutex_lock(which);
        pthread_mutex_unlock(which);
    }
    return NULL;
}
int main(void)
{
    pthread_t one, two;
    FILE *file = fopen("runs", "r+");
    if (file && fscanf(file, "%d", &runs) == 1) {
        rewind(file);
        fprintf(file, "%d\n", runs + 1);
        fclose(file);
    }
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, &lock);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
END
build strays.c -o strays
echo 0 >runs
expect 0 explore -q -s chess -n 3000 -- ./strays
out_has 'did not follow the choices'
out_lacks 'preemptions were run'
rm runs
expect 0 explore -q -s chess -n 3000 -- ./strays
out_has 'ended because all schedules with at most 2 preemptions were run'

# --- points --------------------------------------------------------------------------------------
line=$(grep -n 'x = x + 1' lost.c | cut -d: -f1)
for points in shared all add lost.c:$line main,add; do
    expect 66 explore -q -n 200 -s random --points=$points -- ./lost
done
silent
for points in sync main lost.c:1; do
    expect 0 explore -q -n 50 -s random --points=$points -- ./lost
done
err_has "--points: no run came by a point in 'lost.c:1'"
expect 66 explore -q -n 200 -s random -j2 --points=add,ad -- ./lost
err_has "--points: no run came by a point in 'ad'"
err_lacks "'add'"
expect 66 explore -q -n 100 -s random --points=sync -- ./count d 2 1

# --- deadlocks and loops -------------------------------------------------------------------------
expect 66 explore -s random -n 200 --folder=dead -- ./count d 2 1
out_has 'failure 1: deadlock'
expect 66 replay dead/deadlock-*.sched
expect 0 explore -s chess -- ./wait # who spins gives way
# A child is not controlled; that it is in a deadlock is seen all the same.
cat >child.c <<'END'
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static void *work(void *first)
{
    pthread_mutex_lock(first);
    if (CIRCLE)
        pthread_barrier_wait(&both);
    pthread_mutex_lock(first == &a ? &b : &a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return NULL;
}
int main(void)
{
    pthread_t thread;
    if (fork() == 0) {
        pthread_barrier_init(&both, NULL, 2);
        pthread_create(&thread, NULL, work, &a);
        work(CIRCLE ? &b : &a);
        pthread_join(thread, NULL);
        _exit(0);
    }
    wait(NULL);
    return 0;
}
END
build -DCIRCLE=1 child.c -o child
expect 66 explore -q -s random -n 1 --limit=100 -- ./child
out_has 'failure 1: deadlock'
build -DCIRCLE=0 child.c -o child
expect 0 explore -q -s random -n 3 --limit=100 -- ./child
# The run that predict records may be one that never ends: it ends with what is known of it.
cat >circle.c <<'END'
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static void *work(void *order)
{
    pthread_mutex_lock(order ? &a : &b);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(order ? &b : &a);
    return order;
}
int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&thread, NULL, work, &a);
    work(NULL);
    return 0;
}
END
build circle.c -o circle
last='foreweave explore -q -s predict -n 3 --limit=2 -- ./circle'
timeout -s KILL 60 "$FOREWEAVE" explore -q -s predict -n 3 --limit=2 -- ./circle >"$out" 2>"$err"
[ $? = 66 ] || complain "predict does not get over a run that never ends"
out_has 'failure 1: deadlock'
# Who spins for ever has turns without end; what leads there is what is kept.
expect 66 explore -s pct -n 3 --limit=1 --folder=spins -- ./wait forever
out_has 'failure 1: hang'
expect 66 replay --time=1 spins/hang-*.sched
[ "$(wc -l <"$(echo spins/hang-*.sched)")" -lt 20 ] || complain "the schedule has turns of who only spins"
# One that is slow under the strategy is no hang; one that goes on and on where others came to their end is.
cat >spin.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int x;
static volatile int plain;
static int steps, loses, is_plain;
static void *add(void *argument)
{
    for (int i = 0; i < steps; i++)
        if (is_plain)
            plain++;
        else if (loses)
            atomic_store(&x, atomic_load(&x) + 1);
        else
            atomic_fetch_add(&x, 1);
    return argument;
}
int main(int argc, char **argv)
{
    pthread_t threads[2];
    steps = atoi(argv[1]);
    loses = argc > 2;
    is_plain = argc > 3;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    while (!is_plain && atomic_load(&x) != 2 * steps)
        ;
    return 0;
}
END
build spin.c -o spin
expect 0 explore -q -s random -n 1 --limit=200 --folder=slow -- ./spin 500000 # not preempted
expect 124 explore -q -s random -n 2 --limit=0.5 --folder=slow -- ./spin 500000
out_has '1 run was cut short, still on the way after 0.5 s'
out_has '2 runs (1 of them before), 0 failed'
expect 124 explore -q -s random -n 2 --limit=0.5 --folder=slow --format=json -- ./spin 500000
out_has '"known":2,'
out_has '"cut":1,'
expect 0 explore -q -s random -n 2 --limit=200 --folder=slow -- ./spin 500000
out_has '(1 of them before)'
# Nor if the run that came to its end did not know yet which places share memory, and so had few points.
expect 124 explore -q -s random -n 2 --limit=1 -- ./spin 500000 - plain
out_has '1 run was cut short' '2 runs, 0 failed'
expect 66 explore -q -s random -n 4 --until-first --limit=1 -- ./spin 2 loses
out_has 'failure 1: hang'
out_lacks 'cut short'

# --- long runs -----------------------------------------------------------------------------------
# More choices, steps of a witness and threads than a schedule's file may have: it goes on.
cat >long.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turns, whose, after;
static void *take_turns(void *argument)
{
    int me = argument != NULL;
    for (int i = 0; i < turns; i++) {
        pthread_mutex_lock(&lock);
        while (whose != me)
            pthread_cond_wait(&changed, &lock);
        whose = !me;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    after++;
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t one, other;
    turns = atoi(argv[1]);
    for (int i = 0; i < atoi(argv[2]); i++) {
        pthread_create(&one, NULL, take_turns, NULL);
        pthread_create(&other, NULL, take_turns, &lock);
        pthread_join(one, NULL);
        pthread_join(other, NULL);
    }
    return argc - 3;
}
END
build long.c -o long
expect 0 explore -q --limit=200 -s chess -n 5 -- ./count m 2 20000
expect 0 explore -q --limit=200 -s chess --preemptions=0 --format=json -- ./count m 2 450000
out_has '"end":"exhausted","complete":false'
out_has '"partly":'
out_lacks '"partly":0'
expect 0 explore -q --limit=200 -s chess --preemptions=0 --format=json -- ./count m 2 450
out_has '"partly":0,'
out_has '"end":"exhausted","complete":true'
expect 0 explore -q --limit=200 -s predict -n 4 -- ./long 18000 1
expect 0 explore -q --limit=200 -s predict -n 3 -- ./long 0 2200
expect 66 run -q --runs=1 --limit=200 -- ./long 18000 1
err_has 'steps are too many for a file'

# --- budgets -------------------------------------------------------------------------------------
expect 0 explore -q -s random -n 37 -- ./right
out_has 'random, seed 1: 37 runs, 0 failed, in 0 ways; ended because all runs were made'
[ "$(wc -l <"$out")" = 2 ] || complain "more is printed than that and the iRoots"
expect 0 explore -q -s random -n 2 --format=json -- ./right
out_has '"end":"runs","complete":false,"why":"random does not run all schedules'
expect 0 explore -q -s chess -n 2 -- ./right
out_has 'ended because all runs were made: schedules may be left'
expect 0 explore -q -s chess -n 2 --format=json -- ./right
out_has '"end":"runs","complete":false,"why":"all runs were made; schedules may be left'
expect 124 explore -q -s chess --time=0.001 --format=json -- ./right
out_has '"end":"time","complete":false,"why":"the time is over; schedules may be left'
expect 0 explore -q -s chess --format=json -- ./right
out_has '"end":"exhausted","complete":true'
out_lacks '"why"'
expect 66 explore -q -s random --until-first --folder=above/first -- ./lost
out_has 'in 1 run,'
out_has 'ended because a failure was found'
expect 0 explore -q -s random --idle=25 -- ./right
out_has 'ended because nothing new'
expect 124 explore -q -s random --time=0.5 -- ./right
out_has 'ended because the time is over'
expect 66 explore -q -s random --time=4 -- ./lost
out_has 'ended because the time is over'
expect 124 explore -q -s predict --time=0.001 -- ./right # recording and predicting count
out_has 'predict, seed 1: 0 runs'

# So is making a schedule of what was found, which takes longer here than is left.
cat >pauses.c <<'END'
#include <unistd.h>
int main(void)
{
    for (;;)
        pause();
}
END
build pauses.c -o pauses
expect 66 explore -q -s random --time=5.5 --limit=3 -- ./pauses
out_has 'no schedule: there was no time to repeat it'
expect 66 explore -q -s random -n 1 --limit=1 -- ./pauses
out_has 'replay: foreweave replay'

# --- interrupted: at once, also in the middle of a run --------------------------------------------
cat >waits.c <<'END'
#include <unistd.h>
int main(void)
{
    while (access("waits-here", F_OK) == 0)
        usleep(10000);
    return 0;
}
END
build waits.c -o waits
for signal in INT TERM; do
    timeout -s KILL 100 "$FOREWEAVE" explore -q -s random -n 1000000 --limit=1000 --folder=$signal -- ./waits \
        >"$out" 2>"$err" &
    job=$!
    last="kill -$signal of foreweave explore -- ./waits"
    until [ "$(grep -c '^run ' $signal/journal 2>/dev/null)" -ge 10 ] 2>/dev/null; do
        kill -0 $job || { complain "it ended by itself"; break; }
    done
    touch waits-here
    kill -$signal "$(cat "/proc/$job/task/$job/children")"
    wait $job
    [ $? = 124 ] || complain "not 124 when interrupted"
    out_has 'ended because stopped'
    out_has "the same command goes on from here: --folder=$signal"
    rm -f waits-here
done

# --- the same seed is the same campaign ----------------------------------------------------------
one() { "$FOREWEAVE" explore -q --folder="$1" "${@:2}" | sed "s/ $1\// F\//"; }
for strategy in pct pos chess; do
    one a1-$strategy -s $strategy -n 150 -j1 --seed=5 -- ./lost >with1
    one a3-$strategy -s $strategy -n 150 -j3 --seed=5 -- ./lost >with3
    same with1 with3
    cmp -s a1-$strategy/*.sched a3-$strategy/*.sched || complain "schedules differ with more jobs"
done
one b -s random -n 50 --seed=6 -- ./lost >other
one c -s random -n 50 --seed=7 -- ./lost >others
! cmp -s other others || complain "another seed is the same campaign"
expect 0 explore -q -s random -n 5 --format=json -- ./right
out_has '"schema":1'
out_has '"seed":1'
out_has '"findings":[]'

# --- killed, and gone on -------------------------------------------------------------------------
one whole -s random -n 300 --seed=9 -- ./lost >wanted
"$FOREWEAVE" explore -q -s random -n 1000000 --seed=9 --folder=cut -- ./lost >/dev/null 2>&1 &
job=$!
until [ "$(grep -c '^run ' cut/journal 2>/dev/null)" -gt 100 ] 2>/dev/null; do
    kill -0 $job || { complain "it ended by itself"; break; }
done
kill -9 $job
wait $job 2>/dev/null || true
# However far it came: what was written behind the first hundred runs is lost, in the middle of a line.
awk '/^run / { n++ } n > 100 { printf "%s", substr($0, 1, length($0) / 2); exit } { print }' cut/journal >some
mv some cut/journal
rm -f cut/*.sched # one that is missing is made again
one cut -s random -n 300 --seed=9 -- ./lost >got
grep -q 'of them before' got || complain "nothing was remembered"
grep -q 'iRoots exposed by the [0-9]* runs made now, by' got || complain "it does not say what is counted"
sed -i 's/ ([0-9]* of them before)//; s/ by the [0-9]* runs made now//' got
same wanted got
one cut -s random -n 300 --seed=9 -- ./lost >again
grep -q 'iRoots exposed: not counted, as all runs were made before' again ||
    complain "runs that were made before are said to have exposed nothing"
one chess-whole -s chess -- ./count w 3 2 >wanted
one chess-cut -s chess -n 100 -- ./count w 3 2 >/dev/null
one chess-cut -s chess -- ./count w 3 2 >got
grep -q '(100 of them before)' got || complain "the search began anew"
sed -i 's/ ([0-9]* of them before)//; s/ by the [0-9]* runs made now//' got
same wanted got
expect 3 explore -s random -n 300 --seed=8 --folder=cut -- ./lost
err_has 'other options'
one_error

# --- commands that judge -------------------------------------------------------------------------
expect 0 explore -q -s random -n 50 -- ./says
expect 66 explore -q -s random -n 50 --folder=judged --ok='grep -q x=4 "$FOREWEAVE_OUTPUT"' -- ./says
out_has 'failure 1: exit 0, "x='
expect 66 replay judged/*.sched
expect 0 explore -q -s random -n 50 --ok='test $FOREWEAVE_STATUS -le 1' -- ./lost
expect 125 explore -q -n 5 --ok=./no-such-command -- ./lost
err_has 'judge'

# --- bad use -------------------------------------------------------------------------------------
expect 2 explore
expect 2 explore -s nonsense -- ./lost
expect 2 explore --depth=0 -- ./lost
expect 2 explore --jobs=0 -- ./lost
expect 2 explore --runs=0 -- ./lost
expect 2 explore --idle=0 -- ./lost
expect 2 explore --preemptions=few -- ./lost
expect 2 explore --time=soon -- ./lost
expect 3 explore -- ./missing
one_error
expect 0 explore -q -n 3 -- ./plain
err_has 'not built with'
expect 0 explore -q -n 3 -- true # found through PATH
err_has "'true' was not built with"
expect 3 explore -q -n 3 -- ./static
err_has 'cannot be controlled'
one_error
expect 125 explore --folder=plain/no/folder -- ./lost
err_has "cannot make the folder 'plain/no/folder': Not a directory"
one_error
mkdir taken && echo 'something else' >taken/journal
expect 3 explore --folder=taken -- ./lost
one_error

# --- what a run leaves behind ---------------------------------------------------------------------
cat >daemon.c <<'END'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    if (argc > 1 && fork() == 0) {
        if (atoi(argv[1]) > 1) {
            setsid();
            if (fork())
                _exit(0);
        }
        for (;;)
            pause();
    }
    if (argc > 1 && atoi(argv[1]) > 1)
        wait(NULL); /* only the daemon is left */
    return 0;
}
END
build daemon.c -o daemon
for how in 1 2; do
    for jobs in 1 3; do
        expect 0 explore -q -n 20 -j$jobs -- ./daemon $how
        out_has '20 processes outlived the run and were killed'
        for process in /proc/[0-9]*; do
            [ "$(readlink "$process/cwd" 2>/dev/null)" = "$scratch" ] || continue
            [ "$(tr '\0' ' ' <"$process/cmdline" 2>/dev/null)" != "./daemon $how " ] || complain "one is there still"
        done
    done
done
expect 0 explore -q -n 20 -- ./daemon
out_lacks 'outlived'
last='exec foreweave explore, by a shell with a child'
bash -c 'sleep 1000 & echo $! >other; exec "$FOREWEAVE" explore -q -n 3 -- ./daemon 2' >"$out" 2>&1
out_has '3 processes outlived'
kill "$(cat other)" || complain "a child that it had before was killed"
finish
