#!/usr/bin/env bash
# INT and TERM end commands that run programs at once: in a run that hangs, in one that is recorded, and while
# a command judges. They tell what they have, and nothing that they started goes on.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

cat >waits.c <<'END_C'
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static int x;
static void *work(void *argument)
{
    x++;
    return argument;
}
int main(void)
{
    pthread_t one, two;
    signal(SIGTERM, SIG_IGN);
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    if (access("wait-here", F_OK) == 0 || (getenv("RECORDED_ONCE") && access("once", F_OK) == 0))
        for (close(creat("paused", 0666));;)
            pause();
    close(creat("once", 0666));
    return x != 2;
}
END_C
"$FOREWEAVE" cc -g waits.c -o waits || complain "cannot build"
cat >lost.sched <<'END_S'
foreweave schedule 1
program "./waits"
shows exit 1
0.1 until it ends
END_S

# Is there a process with this word in its command line, in this folder?
there_is() {
    local process
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/cwd" 2>/dev/null)" = "$scratch" ] || continue
        tr '\0' ' ' <"$process/cmdline" 2>/dev/null | grep -q -e "$1" && return 0
    done
    return 1
}

# interrupted [through] SIGNAL STATUS WORD ARGUMENTS...: sends it when the file 'paused' is there, which is made by a process
# with the WORD before it sleeps. Through timeout(1) it comes twice.
interrupted() {
    local signal wanted word job status through=
    [ "$1" != through ] || { through=yes; shift; }
    signal=$1 wanted=$2 word=$3
    shift 3
    rm -f paused
    last="kill -$signal of foreweave $*"
    timeout -s KILL 200 "$FOREWEAVE" "$@" >"$out" 2>"$err" &
    job=$!
    until [ -e paused ]; do
        kill -0 $job 2>/dev/null || { complain "it ended by itself"; break; }
        sleep 0.01
    done
    there_is "$word" || complain "nobody sleeps"
    if [ "$through" ]; then kill -"$signal" $job; else kill -"$signal" "$(cat "/proc/$job/task/$job/children")"; fi
    wait $job
    status=$?
    [ $status = "$wanted" ] || { complain "exit status $status, not $wanted"; head -5 "$err"; }
    ! there_is "$word" || complain "it left something behind"
}

touch wait-here
for signal in INT TERM; do
    interrupted $signal 124 '^./waits' explore -q --limit=1000 -- ./waits
    out_has 'ended because stopped'
    interrupted $signal 124 '^./waits' explore -q -s predict --limit=1000 -- ./waits
    out_has 'ended because stopped'
    interrupted $signal $([ $signal = INT ] && echo 130 || echo 143) '^./waits' \
        replay --time=1000 lost.sched
    err_has 'interrupted after 0 of 1 run'
done
# Twice, to the process and to its group, as timeout(1) does: that is one.
interrupted through INT 124 '^./waits' explore -q --limit=1000 --folder=twice -- ./waits
out_has 'ended because stopped'
out_has 'the same command goes on from here: --folder=twice'
# While it is recorded: what was recorded is all that there is.
interrupted INT 124 '^./waits' run -q --limit=1000 -- ./waits
err_has 'interrupted: not everything was looked at'
rm wait-here

# In the first replay: what was predicted is reported all the same.
rm -f once
RECORDED_ONCE=1 interrupted INT 66 '^./waits' run -q --limit=1000 -- ./waits
out_has 'data race'
out_has 'Not replayed: it was interrupted'
# Left alone it is replayed.
rm -f once
expect 66 run -q -- ./waits
out_has 'Confirmed: '
err_lacks 'interrupted'

# --- commands that judge --------------------------------------------------------------------------
interrupted INT 124 'sleep 977' explore -q -n 5 --ok='touch paused; sleep 977; true' -- ./waits
out_has '0 runs, 0 failed, in 0 ways; ended because stopped'
last='foreweave explore --time=1 --ok="sleep 977"'
timeout -s KILL 200 "$FOREWEAVE" explore -q --time=1 --ok='sleep 977' -- ./waits >"$out" 2>"$err"
[ $? = 124 ] || complain "the time is not kept while a command judges"
out_has 'ended because the time is over'
expect 0 explore -q -n 2 --ok='sleep 0.1' -- ./waits
out_has '2 runs, 0 failed'

# --- runs in which races are caught ---------------------------------------------------------------
# No run follows, and what was caught is told. With one run the signals are for the program.
touch wait-here
for signal in INT TERM; do
    interrupted $signal 124 '^./waits' atomrace --runs=1000 -- ./waits
    err_has 'interrupted: run 1 of 1000 was the last'
    out_has 'Not everything was looked at: it was interrupted'
    out_has 'foreweave: 0 findings in 1 run'
done
rm wait-here
cat >races.c <<'END_C'
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static int x;
static pthread_barrier_t both;
static void *work(void *argument)
{
    pthread_barrier_wait(&both);
    for (int i = 0; i < 100; i++)
        x++;
    return argument;
}
int main(int count, char **words)
{
    pthread_t one, two;
    int runs = open("runs", O_WRONLY | O_APPEND | O_CREAT, 0666);
    if (write(runs, "", 1) != 1)
        return 2;
    pthread_barrier_init(&both, NULL, count > 1 ? 1 : 2);
    if (count > 1)
        return work(words) == NULL;
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    return pthread_join(two, NULL);
}
END_C
"$FOREWEAVE" cc -g races.c -o races || complain "cannot build"
last='kill -INT of foreweave atomrace --runs=100000 -- ./races'
: >runs
"$FOREWEAVE" atomrace --noise=random:500:100 --runs=100000 -- ./races >"$out" 2>"$err" &
job=$!
until [ "$(wc -c <runs)" -gt 20 ]; do
    kill -0 $job 2>/dev/null || { complain "it ended by itself"; break; }
    sleep 0.01
done
kill -INT $job
wait $job
[ $? = 66 ] || complain "not 66 when interrupted with findings"
out_has 'data race (observed by overlap)'
out_has 'Not everything was looked at: it was interrupted'
err_has 'of 100000 was the last'
asks="./races alone; trap 'exit 7' TERM; kill \$PPID; while :; do sleep 0.1; done"
expect 7 atomrace -- sh -c "$asks"
err_lacks 'interrupted'
expect 124 atomrace --runs=5 -- sh -c "$asks"
err_has 'interrupted: run 1 of 5 was the last'
finish
