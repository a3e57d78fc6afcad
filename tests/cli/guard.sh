#!/usr/bin/env bash
# learn keeps what passing runs teach, and guard keeps a program to it: what comes too early or in between waits, what
# cannot be avoided is logged and goes on, and whatever is wrong with files, the program still runs.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
for source in examples/early tests/guard/between tests/guard/handed tests/guard/hot tests/guard/often tests/guard/switched; do
    "$FOREWEAVE" cc -Wall -Wextra -Werror -g -O1 -pthread "$FOREWEAVE_SOURCE/$source.c" -o "${source##*/}" >"$out" 2>"$err" ||
        { complain "$source.c does not build"; head -5 "$err"; }
done
fails() { # COMMAND...: at least once of ten times
    last="$*"
    for _ in $(seq 10); do
        "$@" >"$out" 2>"$err" || return 0
    done
    complain "never fails, so that avoiding it means nothing"
}

# --- learning
expect 0 learn --idle=3 -- ./early
out_has 'run  result'
out_has 'passed           2'
err_has "pairs in 'early.constraints' after 4 passing and 0 failing runs"
grep -q '^pset 2 1$' early.constraints || complain "the read was not seen to depend on the write"
grep -q '^pset 1 none$' early.constraints || complain "the write was seen to depend on something"
cp early.constraints first
expect 0 learn -q --idle=2 -- ./early
awk 'NR == FNR { if ($1 != "runs") a[FNR] = $0; next } $1 != "runs" && a[FNR] != $0 { exit 1 }' first early.constraints ||
    complain "learning once more has changed what was known"
grep -q '^runs 6 0$' early.constraints || complain "runs are not added up"
# Two at once: what both have learnt is kept.
"$FOREWEAVE" learn -q --runs=2 --idle=0 -c first -- ./early >"$out" 2>"$err" &
other=$!
expect 0 learn -q --runs=3 --idle=0 -c first -- ./early
wait $other
grep -q '^runs 9 0$' first || complain "of two that learn at once one is lost"
expect 0 learn -q --runs=1 -c first --anew -- ./early
grep -q '^runs 1 0$' first || complain "what is learnt anew keeps what was"
# Where others have the processors passing runs show what is rare otherwise, which is said.
others=()
for _ in $(seq $((4 * $(nproc)))); do
    (while :; do :; done) &
    others+=($!)
done
last='nice -n 5 foreweave learn --runs=3' # else a few ticks might all be its own
nice -n 5 "$FOREWEAVE" learn --runs=3 --idle=0 -c busy.constraints -- ./early >"$out" 2>"$err" || complain "exit status $?, not 0"
err_has 'warning: others had ' '% of the processors while the program ran'
expect 0 learn -q --runs=2 -c busy.constraints -- ./early
err_lacks 'others had'
kill "${others[@]}"
wait "${others[@]}" 2>/dev/null
expect 3 learn -c none.constraints --runs=2 --ok=false -- ./early
err_has "no run of './early' passed: nothing was learnt"
[ ! -e none.constraints ] || complain "failing runs have taught something"
printf 'late\n"never"\n' >inputs
expect 3 learn -c none.constraints --runs=4 --inputs=inputs -- ./early
expect 0 learn --anew -c json.constraints --format=json --idle=1 -o table.json -- ./early
python3 -c "
import json
t = json.load(open('table.json'))
assert t['version'] == 1 and t['runs'][0]['passed'] and t['runs'][0]['new_pairs'] == 2, t
assert t['last_news'] == 1 and sum(t['sizes']) == t['sites'] and t['largest'] == 1, t" || complain "the table as JSON is wrong"
expect 3 learn -- /bin/true
err_has 'has no hooks whose lines are known'

# --- an access that comes too early waits
fails ./early late
for _ in 1 2 3; do
    expect 0 guard -c early.constraints --log=early.log --stall=2000 --budget=100 -- ./early late
    out_is right
    err_has '1 violations: 1 avoided by waiting, 0 by rolling back, 0 not avoided'
done
read_at=$(sed -n '/READ/=' "$FOREWEAVE_SOURCE/examples/early.c")
[ "$(wc -l <early.log)" = 4 ] || complain "the log has not a head and three lines"
python3 -c "
import json
lines = [json.loads(line) for line in open('early.log')]
assert lines[0] == {'foreweave': 'violations', 'version': 1}
for line in lines[1:]:
    assert line['access']['function'] == 'reader' and line['access']['does'] == 'r', line
    assert line['after'] == 'none' and line['done'] == 'stalled' and line['ns'] > 0, line
    assert line['stack'][0].startswith('reader ') and ':$read_at' in line['stack'][0], line" || complain "the log is wrong"
# ... and where nothing is new nothing is done
expect 0 guard -c early.constraints --log=silent.log -- ./early
out_is right
err_has '0 violations'
[ "$(wc -l <silent.log)" = 1 ] || complain "a silent run is logged"
# A line that was cut, by a full disk or a kill, does not spoil what comes behind it; what is no log is not touched.
cp early.log cut.log
printf '{"time":"2026-11-19T20:47:01.5Z","access":{"do' >>cut.log
expect 0 guard -q -c early.constraints --log=cut.log --stall=2000 --budget=100 -- ./early late
python3 -c "import json; assert len([json.loads(line) for line in open('cut.log')]) == 5" || complain "a line that was cut is still there"
cp early.log whole.log
expect 0 guard -q -c early.constraints --log=whole.log -- ./early
cmp early.log whole.log || complain "a whole log has changed"
printf '{"fore' >begun.log
expect 0 guard -q -c early.constraints --log=begun.log -- ./early
cmp silent.log begun.log || complain "a head that was cut is still there"
printf 'notes\nwithout an end' >notes
expect 0 guard -q -c early.constraints --log=notes -- ./early
[ "$(cat notes)" = "$(printf 'notes\nwithout an end')" ] || complain "a file that is no log has changed"
# What a thread finds is what was learnt, also where only its maker has been between.
expect 0 learn -q --idle=2 -- ./handed
expect 0 guard -c handed.constraints -- ./handed
err_has '0 violations'
out_is right
# The source's rule alone looks at what has happened already.
expect 1 guard -c early.constraints --also=ignore -- ./early late

# --- what cannot be avoided goes on
expect 1 guard -c early.constraints --stall=5 -- ./early never
err_has '1 violations: 0 avoided by waiting, 0 by rolling back, 1 not avoided'
fails "$FOREWEAVE" guard -c early.constraints --dry -- ./early late

# --- a lock is given back
expect 0 learn -q --idle=3 -- ./between
fails ./between forced
expect 0 guard -c between.constraints --log=between.log --stall=2000 --budget=100 -- ./between forced
out_is right
err_has '1 violations: 0 avoided by waiting, 1 by rolling back, 0 not avoided'
grep -q '"iroot":"1 w between load_and_run+5#1 | w between leave+6#1"' between.log || complain "the log names no iRoot"
expect 0 guard -c between.constraints -- ./between
err_has '0 violations'
# What was tested since is allowed.
cp between.constraints more.constraints
# What was avoided can be asked of a trace: in this one a thread begins when the other has ended. (rollback.sh has one that can.)
expect 0 record -o between.fwt -- ./between
expect 0 check --avoided=between.log between.fwt
err_has "1 interleavings were avoided according to 'between.log': 0 are in this trace, 0 others can happen, 1 were not found"
expect 0 check --avoided=silent.log between.fwt
err_has "0 interleavings were avoided"
expect 3 check --avoided=between.fwt between.fwt
err_has 'between.fwt:1: not a line of JSON'
expect 2 check --avoided=between.log -a race between.fwt
expect 0 learn --runs=0 -c more.constraints --accept=between.log -- ./between
err_has "'between.log' adds 1 pairs"
# On a busy machine it does not come to it every time.
fails "$FOREWEAVE" guard -c more.constraints -- ./between forced
err_has '1 violations: 0 avoided by waiting, 0 by rolling back, 1 not avoided'
echo '{}' >bad.log
expect 3 learn --runs=0 -c more.constraints --accept=bad.log -- ./between
err_has 'bad.log:1: not a log of violations'

# --- a thread's own read of what it writes next is watched: else the write would seem to depend on others' reads
cat >counter.c <<'END'
#include <pthread.h>
static int number, seen;
static void *look(void *unused) { seen = number; return unused; }
static void *add(void *unused) { number = number + 1; return unused; }
static void run(void *(*what)(void *)) { pthread_t thread; pthread_create(&thread, NULL, what, NULL); pthread_join(thread, NULL); }
int main(void) { run(look); run(add); return number != 1 || seen; }
END
"$FOREWEAVE" cc -g -O1 -pthread counter.c -o counter || complain "counter.c does not build"
expect 0 learn -q --idle=2 -- ./counter
grep -q '^pset .* read$' counter.constraints || complain "the read before the write was not learnt"
expect 0 guard -c counter.constraints -- ./counter
err_has '0 violations'

# --- what is not watched is not seen: who comes behind its own thread's access there finds nobody
cat >inner.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct box { int state, unused; };
static struct box *box;
static int got;
static struct box *make(void) { struct box *new = malloc(sizeof *new); new->state = 0; new->unused = 0; return new; }
static __attribute__((noinline)) void set(void) { box->state = 1; }
static void *take(void *unused) { got += box->state; return unused; }
int main(int argc, char **argv)
{
    pthread_t thread;
    (void)argv;
    box = make();
    set();
    for (int i = 0; argc > 1 && i < 2; i++) {
        if (i)
            set();
        pthread_create(&thread, NULL, take, NULL);
        pthread_join(thread, NULL);
    }
    if (argc == 1)
        take(NULL);
    puts(got == (argc > 1 ? 2 : 1) ? "right" : "wrong");
    free(box);
    return 0;
}
END
"$FOREWEAVE" cc -g -O0 -pthread inner.c -o inner || complain "inner.c does not build"
expect 0 learn -q --idle=2 -- ./inner threads
grep -q '^pset [0-9]* none self [0-9]' inner.constraints || complain "what follows its own thread's access alone is not seen to find nobody"
expect 0 guard -c inner.constraints -- ./inner threads
out_is right
err_has '0 violations'
# ... and a place that one run has passed alone, and another with others, may be passed alone
rm inner.constraints
expect 0 learn -q --runs=1 -- ./inner
grep -q '^own [0-9]* self$' inner.constraints || complain "what places do to their own memory is not kept"
expect 0 learn -q --runs=1 -- ./inner threads
expect 0 guard -c inner.constraints -- ./inner
err_has '0 violations'

# --- memory that another thread has had is new: a stack, and what a thread frees that passes no hook
cat >again.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static __attribute__((noinline)) void put(int *at, int what)
{
    *at = what; /* PUT */
}
static void *use_stack(void *unused) { volatile int mine; put((int *)&mine, 1); return mine ? unused : NULL; }
static void *let_go(void *block) { free(block); return NULL; }
static void run(void *(*what)(void *), void *with)
{
    pthread_t thread;
    pthread_create(&thread, NULL, what, with);
    pthread_join(thread, NULL);
}
int main(void)
{
    for (int i = 0; i < 3; i++) {
        int *block = malloc(100);
        run(use_stack, NULL);
        put(block, i);
        run(let_go, block);
    }
    return 0;
}
END
"$FOREWEAVE" cc -g -O1 -pthread again.c -o again || complain "again.c does not build"
expect 0 learn -q --idle=2 -- ./again
site=$(sed -n 's/^site \([0-9]*\) w .* put .*PUT.*/\1/p' again.constraints)
grep -qx "own $site none" again.constraints || complain "memory is taken for that of its former owner: $(grep "^[a-z]* $site " again.constraints)"

# --- the orders of findings
"$FOREWEAVE" run -q --format=json -o result.json -- ./early soon >/dev/null 2>&1
expect 0 guard --from=result.json -- ./early
err_has '0 violations'
expect 0 guard --from=result.json --stall=2000 --budget=100 -- ./early late
err_has '1 violations: 1 avoided by waiting'
out_is right
# Of a line's accesses one is enough to be waited for: the second one here comes only when what waits has been made.
cat >loop.c <<'END'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static int left = 1, looks;
static void *lead(void *unused)
{
    usleep(10000);
    pthread_mutex_lock(&lock);
    while (left > 0 && ++looks)
        pthread_cond_wait(&done, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}
static void *scan(void *unused)
{
    pthread_mutex_lock(&lock);
    left--;
    pthread_cond_signal(&done);
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, lead, NULL);
    pthread_create(&other, NULL, scan, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return looks == 0;
}
END
"$FOREWEAVE" cc -g -O1 -pthread loop.c -o loop || complain "loop.c does not build"
fails ./loop
cat >loop.json <<END
{"schema":1,"findings":[{"id":"l00p","analysis":"race","kind":"order","status":"confirmed","events":[
 {"index":1,"thread":"T1","op":"r","site":"$PWD/loop.c:$(sed -n '/while/=' loop.c)"},
 {"index":2,"thread":"T2","op":"w","site":"$PWD/loop.c:$(sed -n '/left--/=' loop.c)"}]}]}
END
expect 0 guard --from=loop.json --stall=5000 --budget=100 -- ./loop
err_has '1 violations: 0 avoided by waiting, 1 by rolling back, 0 not avoided'
echo '{"schema":1,"findings":[]}' >empty.json
expect 3 guard --strict --from=empty.json -- ./early
err_has "'empty.json' has no confirmed finding"

# --- what is passed too often is not watched for long, while threads run there
expect 0 learn -q --idle=2 -- ./hot 100
expect 0 guard -c hot.constraints --hot=100000 -- ./hot 5000
out_is right
err_lacks ' 0 places retired'
expect 0 guard -c hot.constraints --hot=0 -- ./hot 500
out_is right
err_has ' 0 places retired'
expect 0 guard -c hot.constraints --hot=100000 --keep-calls -- ./hot 2000
out_is right
err_has ' 0 made nothing'
expect 2 guard -c hot.constraints --hot=1000000001 -- ./hot
# ... also by a service that is started once more with the same file: places are its own, and retired anew
expect 0 guard -c hot.constraints --hot=100000 --prepare=hot.guard -- ./hot
cp "$out" environment
retired() { "$FOREWEAVE" guard --state=hot.guard -- ./hot 2>&1 | sed -n 's/.* \([0-9]*\) places retired.*/\1/p'; }
for _ in 1 2; do
    before=$(retired)
    # shellcheck disable=SC2046
    env $(cat environment) ./hot 5000 >/dev/null
    [ "$(retired)" -gt "$before" ] || complain "places were retired $before times, and not again"
done

# --- the budget: of the last ten seconds, also for who has not run so long (5% of two or three threads: 1 s at least, 1.5 s at most)
expect 0 learn -q --idle=8 --noise=200:300 -- ./often 10
expect 0 guard -c often.constraints --stall=2000 -- ./often 4 late
out_is right
err_has '4 violations: 4 avoided by waiting'
err_lacks 'switched itself off'
expect 1 guard -c often.constraints --stall=2000 -- ./often 40 late
err_has 'it switched itself off (--budget)'
expect 0 guard -c often.constraints --budget=100 --stall=2000 -- ./often 20 late
out_is right

# --- switches
: >off
fails "$FOREWEAVE" guard -c early.constraints --off-file=off -- ./early late
expect 1 guard -c early.constraints --off-file=off -- ./early never
err_has '0 violations'
err_has 'it is off'
rm off

# Off, its calls are nothing; on again, they are as they were, and watch.
expect 0 learn -q --idle=8 -- ./switched
expect 0 guard -c switched.constraints --off-file=off --stall=5000 --budget=100 -- ./switched off
out_is right
err_has '1 violations: 1 avoided by waiting'

# What came before it was switched on again is not known: who finds nothing has not come too early.
expect 0 guard -c handed.constraints --log=switched.log -- ./handed switched switched.log
err_has '0 violations'
out_is right
for said in off on; do
    grep -q "a signal came: the guard is $said" switched.log || complain "the guard was not switched $said"
done

# --- a service: the environment alone
expect 0 guard -c early.constraints --stall=2000 --budget=100 --prepare=early.guard -- ./early
cp "$out" environment
out_has 'FOREWEAVE_OPTIONS=mode=guard:guard='
last='env $(cat environment) ./early late'
# shellcheck disable=SC2046
[ "$(env $(cat environment) ./early late)" = right ] || complain "the service is not guarded"
expect 0 guard --state=early.guard --log=service.log -- ./early
err_has '1 violations: 1 avoided by waiting'
[ "$(wc -l <service.log)" = 2 ] || complain "the service's log is not told"
# Of another program places cannot be told; it can be switched.
expect 3 guard --state=early.guard --log=other.log -- ./handed
err_has "'early.guard' was prepared for another program than './handed', or another build"
[ ! -e other.log ] || complain "a log of another program was written"
expect 0 guard --state=early.guard -- ./handed
err_has "warning: 'early.guard' was prepared for another program than './handed'" '1 violations: 1 avoided by waiting'
expect 0 guard --state=early.guard --switch=off -- ./early
err_has 'it is off'
err_lacks 'another program'
# shellcheck disable=SC2046
fails env $(cat environment) ./early late
expect 0 guard --state=early.guard --switch=on -- ./early
# shellcheck disable=SC2046
[ "$(env $(cat environment) ./early late)" = right ] || complain "it cannot be switched on again"
# ... without the library that guards, which is said; where nothing is asked for nothing is
last='FOREWEAVE_OPTIONS without LD_PRELOAD'
env "$(grep FOREWEAVE_OPTIONS environment)" ./early >"$out" 2>"$err"
out_is right
err_has 'the program runs unguarded: LD_PRELOAD does not name guard/libforeweave_rt.so'
[ "$(wc -l <"$err")" = 1 ] || complain "that is said more than once"
env FOREWEAVE_OPTIONS=mode=off ./early >"$out" 2>"$err"
[ ! -s "$err" ] || complain "something is said where no guard was asked for"
head -c 5000 early.guard >cut.guard
last='a file that was cut'
[ "$(env LD_PRELOAD="$(sed -n 's/^LD_PRELOAD=//p' environment)" FOREWEAVE_OPTIONS=mode=guard:guard=cut.guard ./early 2>"$err")" = right ] ||
    complain "a damaged file keeps the program from running"
err_has "the program runs unguarded: the guard's file is damaged: 'cut.guard'"
expect 3 guard --state=cut.guard -- ./early
err_has "the guard's file 'cut.guard' is damaged"

# --- a program that writes over what it shares with the command does not bring it down
cat >scribble.c <<'END_C'
#include "guard/guard_wire.h"
#include <stdio.h>
#include <string.h>
static volatile int own;
__attribute__((noinline, no_sanitize("thread"))) static int scribble(int argc, char **argv)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    struct fw_guard_head *head;
    char line[512];
    while (fgets(line, sizeof line, maps)) {
        if (!strstr(line, "foreweave-guard") || sscanf(line, "%p", (void **)&head) != 1)
            continue;
        for (uint32_t i = 0; i < 8; i++)
            fw_guard_pairs(head)[i] = FW_GUARD_PAIR(1000000 + i, 2000000) | FW_GUARD_PAIR_NEW;
        if (argc > 1 && *argv[1] == 'o')
            head->pairs_at = head->log_at = (uint64_t)1 << 40;
        head->logged += argc > 1;
    }
    return fclose(maps);
}
int main(int argc, char **argv)
{
    own = own + argc;
    return scribble(argc, argv);
}
END_C
"$FOREWEAVE" cc -g -I"$FOREWEAVE_SOURCE/src" scribble.c -o scribble >"$out" 2>"$err" || complain "scribble.c does not build"
expect 0 learn -q --runs=2 -- ./scribble
expect 125 learn --runs=2 -c other.constraints -- ./scribble offsets
err_has "the program has written over the memory that it shares with 'foreweave learn'"
for what in offsets entries; do
    expect 0 guard -c scribble.constraints --unseen=watch --log=scribble.log -- ./scribble $what
done

# --- bad use: a clear error, and the program runs
expect 0 guard -c between.constraints -- ./early
err_has "the constraints in 'between.constraints' are of 'between', not of 'early'"
err_has "'./early' runs unguarded"
out_is right
expect 3 guard --strict -c between.constraints -- ./early
out_is ''
cp between.constraints kept.constraints
expect 3 learn -c kept.constraints -- ./early
err_has "the constraints in 'kept.constraints' are of 'between', not of 'early'"
cmp -s between.constraints kept.constraints || complain "what was learnt of another program is changed"
expect 3 guard --strict -c early.constraints --log=missing/folder/log -- ./early
out_is ''
expect 0 guard --kind=lifetx -c early.constraints -- ./early
err_has "'early.constraints' has no cutpoints"
sed 's/^site 2/site 9/' early.constraints >corrupt.constraints
expect 0 guard -c corrupt.constraints -- ./early
err_has 'corrupt.constraints:5: sites are numbered from 1 on'
out_is right
sed 's/writer\|reader/& gone/; s/writer gone/"gone"/; s/reader gone/"gone too"/; s/ main / other /' early.constraints >old.constraints
expect 0 guard -c old.constraints -- ./early
err_has "are of another version"
out_is right
expect 0 guard -c missing.constraints -- ./early
err_has "cannot open file of constraints 'missing.constraints'"
out_is right
# Its signals are its own, but those that mean the guard are not: they would end it.
expect 0 guard -c missing.constraints -- grep SigBlk /proc/self/status
out_is "$(grep SigBlk /proc/self/status)"
# shellcheck disable=SC2016
expect 7 guard -c missing.constraints -- sh -c 'kill -USR1 $PPID; kill -USR2 $PPID; exit 7'
# No room for the guard's file, or for its words, in a program that wants to run without.
last='ulimit'
(ulimit -f 1 && "$FOREWEAVE" guard -c early.constraints -- ./early) >"$out" 2>"$err" || complain "exit status $?, not 0"
out_is right
err_has 'file too large' "'./early' runs unguarded"
narrow() { (ulimit -v 300000 && "$FOREWEAVE" guard -c early.constraints "$@" -- ./early) >"$out" 2>"$err"; }
narrow || complain "exit status $?, not 0"
out_is right
err_has 'the program runs unguarded: no address space' "'./early' did not take part: it ran unguarded"
narrow --strict
[ $? = 3 ] || complain "a program that cannot be guarded runs"
out_is ''
err_has 'the program is not run unguarded: no address space'
expect 0 guard -c early.constraints --strict --prepare=strict.guard -- ./early
cp "$out" environment
# shellcheck disable=SC2046
[ "$(env $(cat environment) ./early)" = right ] || complain "a strict service does not run"
env "$(grep FOREWEAVE_OPTIONS environment)" ./early >"$out" 2>"$err"
[ $? = 3 ] || complain "a strict service runs without its library"
out_is ''
: >strict.guard
# shellcheck disable=SC2046
env $(cat environment) ./early >"$out" 2>"$err"
[ $? = 3 ] || complain "a strict service runs with a file that is damaged"
head -n -1 early.constraints >cut.constraints
expect 0 guard -c cut.constraints -- ./early
err_has "cut.constraints: the file was cut: its last line must be 'end'"
err_has "'./early' runs unguarded"
out_is right
cp cut.constraints twice.constraints
expect 3 learn -c twice.constraints -- ./early
cmp -s cut.constraints twice.constraints || complain "a file that was cut is written over"
mkfifo pipe
for option in -c --from; do # nobody writes into it
    expect 0 guard $option pipe -- ./early
    err_has "'pipe': it is not a regular file"
    out_is right
done
expect 3 learn -c pipe -- ./early
expect 0 guard -c - -- ./early </dev/null
err_has "cannot read file of constraints '-': it is not a regular file"
expect 0 guard -c early.constraints --log=pipe -- ./early
err_has "cannot write the log 'pipe'"
out_is right
expect 0 guard -c early.constraints --log=no/such/folder -- ./early
err_has "cannot write the log 'no/such/folder'"
out_is right
expect 2 guard -- ./early
err_has '--constraints or --from is needed'
expect 2 guard -c early.constraints --from=result.json -- ./early
err_has '--constraints and --from exclude each other'
expect 2 guard -c early.constraints --stall=0 -- ./early
expect 2 guard --switch=on -c early.constraints -- ./early

finish
