#!/usr/bin/env bash
# atomrace catches races in the act, and nothing else; noise is where it is wanted; the program is
# not harmed.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
source=$FOREWEAVE_SOURCE/tests/cli/atomrace/shop.cc
"$FOREWEAVE" c++ -Wall -Werror -g -O0 -pthread "$source" -o shop >"$out" 2>"$err" ||
    { complain "it does not build"; head -5 "$err"; finish; }
line=$(grep -n '@balance' "$source" | cut -d: -f1)

caught() { # NOISE ARGUMENTS...: caught within 20 runs
    local noise=$1
    shift
    expect 66 atomrace --noise="$noise" --runs=20 --until-first -- ./shop "$@"
    out_has "data race (observed by overlap)"
    out_has "Certain: at one moment both accesses were next, in two threads"
    silent
}
quiet() { # NOISE STATUS ARGUMENTS...
    local noise=$1 status=$2
    shift 2
    expect "$status" atomrace --noise="$noise" --runs=2 -- ./shop "$@"
    out_has "foreweave: 0 findings in 2 runs, 0 of which caught something; accesses overlapped 0 times"
    silent
}

# What races is caught, and its twin is not.
caught random:100 plain
out_has "'bank::accounts[3].balance' in global 'bank::accounts'"
out_has "created by main thread"
out_lacks "locks held"
out_lacks "Not instrumented"
quiet random:200 0 locked
for how in heap copy fork; do
    caught random:100 "$how"
    quiet random:200 0 "$how" locked
done
quiet random:200 0 ignored
quiet random:200 7 exit

# What libc's functions store, and under a lock not; nor what is read by one that calls the program back, which waits.
"$FOREWEAVE" cc -Wall -Wextra -Werror -g -O0 -pthread "${source%/*}/written.c" -o written >"$out" 2>"$err" ||
    { complain "written.c does not build"; head -5 "$err"; }
for how in $(./written); do
    expect 66 atomrace --noise=var:got:500:50 --runs=20 --until-first -- ./written "$how"
    out_has "'got"
    expect 0 atomrace --noise=var:got:200:50 -- ./written "$how" locked
done
expect 0 atomrace --noise=var:late:500:50 --runs=3 -- ./written inside

# Races that are expected are no findings.
expect 0 atomrace --noise=random:100 --runs=3 -- ./shop expected
out_has "foreweave: 0 findings in 3 runs"

# Handlers that jump, and cancellation anywhere, leave nothing behind that others wait for.
quiet random:300:200 0 jump
"$FOREWEAVE" cc -Wall -Werror -g -O0 -pthread "${source%/*}/cancel.c" -o cancel || complain "cancel.c does not build"
for noise in random:300:200 random:1000:10; do
    expect 0 atomrace -q --noise=$noise -- ./cancel
    out_is 1000
    silent
done

# Who learns from the system that a call is made has what the call was given; who does not wait races.
"$FOREWEAVE" cc -Wall -Werror -g -O0 -pthread "${source%/*}/given.c" -o given || complain "given.c does not build"
mkdir made
for how in mkstemp:path limit:limit terminal:settings; do
    expect 0 atomrace --noise="var:${how#*:}:800:1000" --runs=8 -- ./given "${how%:*}"
    out_has "foreweave: 0 findings in 8 runs"
done
for how in limit:limit terminal:settings; do
    expect 66 atomrace --noise="var:${how#*:}:800:10000" --runs=20 --until-first -- ./given "${how%:*}" early
    out_has "data race (observed by overlap)"
done

# Accesses that the page's protection holds up are not next.
"$FOREWEAVE" cc -Wall -Werror -g -O0 -pthread "${source%/*}/pages.c" -o pages || complain "pages.c does not build"
expect 0 atomrace --noise=random:300:200 --runs=4 -- ./pages snapshot
out_has "foreweave: 0 findings in 4 runs"
expect 66 atomrace --noise=random:300:200 --runs=20 --until-first -- ./pages late
out_has "data race (observed by overlap)"
if ./pages served >native; then
    expect 0 atomrace --noise=random:300:200 --runs=4 -- ./pages served
    out_has "foreweave: 0 findings in 4 runs"
fi

# Who is ended by a signal does not say how often; what was told is counted.
cat >ends.c <<'PROGRAM'
#include <pthread.h>
#include <stdlib.h>
static long shared;
static void *work(void *unused)
{
    for (int i = 0; i < 300; i++)
        shared++;
    return unused;
}
int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    abort();
}
PROGRAM
"$FOREWEAVE" cc -g -O0 -pthread ends.c -o ends || complain "ends.c does not build"
expect 66 atomrace --noise=var:shared:300 --runs=20 --until-first -- ./ends
out_has "; accesses overlapped at least "
out_lacks "at least 0 times"
expect 66 atomrace --noise=var:shared:300 --runs=20 --until-first --format=json -o ends.json -- ./ends
grep -q '"more_overlaps":true' ends.json || complain "the count is taken for all"

# Noise at variables, parts of them, lines.
for noise in var:bank::total:500 var:total:500 'var:accounts[3].balance:500' var:calls:500 \
    var:accounts,total:500:50 "site:shop.cc:$line:300" "site:atomrace/shop.cc:$line:300:50"; do
    caught "$noise" plain
    quiet "$noise" 0 locked
done
caught var:total:500 plain
out_has "bank::total"

# ... and at what a finding is about.
expect 66 atomrace --noise=random:100 --runs=20 --until-first --format=json -o r.json -- ./shop heap
id=$(grep -o '"id":"[^"]*"' r.json | head -1 | cut -d'"' -f4)
caught "finding:r.json:$id" heap
caught "finding:r.json:$id:1000:50" heap

# Of what has no name, both lines are noisy, and there the accesses of the finding alone: each of these two
# threads has another one in its line, and would be at it while the other is where they race.
cat >passed.c <<'END_C'
#include <pthread.h>
#include <stdio.h>
static void *answer(void *argument)
{
    *(int *)argument = 42; /* a pointer is read before, from memory */
    return NULL;
}
int main(void)
{
    int result = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, answer, &result);
    int early = result; /* and here something is written behind */
    pthread_join(thread, NULL);
    return early * result < 0;
}
END_C
"$FOREWEAVE" cc --compiler=clang -g -O0 -pthread passed.c -o passed >"$out" 2>"$err" || complain "passed.c does not build"
cat >passed.json <<'END_JSON'
{"schema":1,"trace":{},"findings":[{"id":"both","analysis":"overlap","kind":"race","guarantee":"sound","events":[
{"index":0,"thread":"T1","op":"w","target":"mem:0x1","site":"passed.c:5"},
{"index":1,"thread":"T0","op":"r","target":"mem:0x1","site":"passed.c:13"}]}],"analyses":[]}
END_JSON
expect 66 atomrace --noise=finding:passed.json:both:1000:30000 --runs=20 --until-first -- ./passed

# Several runs are one report; findings are those of all of them.
expect 66 atomrace --noise=random:100 --runs=3 --format=json -o r.json -- ./shop plain
grep -q '"runs":{"count":3,"with_findings":' r.json || complain "no runs in the result"
[ "$(grep -o '"id":"[^"]*"' r.json | sort | uniq -c | awk '$1 != 2' | wc -l)" = 0 ] ||
    complain "a finding is not once in the findings and once among what was seen"
grep -q '"guarantee":"sound","first":true,"status":"observed"' r.json || complain "not called certain"

# Each has a witness, in the trace that it is of.
for trace in $(grep -o '"trace":"[^"]*"' r.json | cut -d'"' -f4 | sort -u); do
    expect 0 trace verify "$trace" r.json
    out_has ", 0 rejected; 0 findings carry no witness"
    out_lacks "foreweave: 0 witnesses"
done
trace=$(grep -o '"trace":"[^"]*"' r.json | head -1 | cut -d'"' -f4)
sed 's/"witness":\[0,1,/"witness":[1,0,/' r.json >wrong.json
expect 66 trace verify "$trace" wrong.json
expect 66 atomrace --noise=random:100 -q -- ./shop plain
out_lacks "foreweave: "
expect 0 atomrace -q -- ./shop locked
out_is done

# What others say of such a trace is not certain: it holds the overlaps alone.
expect 66 check --analysis=overlap "$trace"
out_has "Certain: at one moment"
expect 66 check --analysis=race "$trace"
out_has "Not proven: of the run nothing is recorded but accesses that overlapped"
expect 66 check --analysis=race --format=json "$trace"
out_has '"guarantee":"heuristic"'
expect 0 trace info "$trace"
out_has "accesses that overlapped"

# A library that is loaded later: it has hooks, and names.
cat >plugin.c <<'PROGRAM'
long plugged;
void bump(void) { plugged++; }
PROGRAM
cat >host.c <<'PROGRAM'
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
static void *work(void *bump)
{
    for (int i = 0; i < 200; i++)
        ((void (*)(void))bump)();
    return NULL;
}
int main(void)
{
    void *library = dlopen("./plugin.so", RTLD_NOW);
    pthread_t one, two;

    if (!library)
        abort();
    pthread_create(&one, NULL, work, dlsym(library, "bump"));
    pthread_create(&two, NULL, work, dlsym(library, "bump"));
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
PROGRAM
"$FOREWEAVE" cc -g -fPIC -shared plugin.c -o plugin.so && "$FOREWEAVE" cc --no-branches -g -pthread host.c -o host ||
    complain "the host does not build"
expect 66 atomrace --noise=var:plugged:500 --module=plugin.so --runs=20 --until-first -- ./host
out_has "global 'plugged'"
out_lacks "Not instrumented"
expect 3 atomrace --noise=var:plugged:500 -- ./host
err_is "foreweave: --noise: there is no global variable 'plugged' in './host' (others are looked into by --module)"

# Without branches recordings are no proofs.
expect 0 record -o host.fwt -- ./host
err_has "branches of code built with --no-branches"

# What cannot be.
usage() { # NOISE MESSAGE
    expect 2 atomrace --noise="$1" -- ./shop
    one_error 2
    err_has "--noise: $2"
}
usage random "the strength is missing (per mille): 'random:50'"
usage random:x "'x' is no strength (per mille): 'random:50'"
usage random:50:x "'50:x' is no strength (per mille): 'random:50'"
usage rnd:5 "'rnd' is no kind of noise: random, var, site or finding"
usage random:1001 "a strength is per mille, 0 to 1000"
usage random:5:99999999 "more than 10000000 microseconds is too long"
usage random:x:5 "random noise has a strength and a time alone"
usage var:5 "a name is missing"
usage var:a,,b:5 "a name is missing"
usage site:shop.cc:4 "the strength is missing (per mille): 'site:shop.cc:4:50'"
usage site:shop.cc,a.c:4:5 "'shop.cc' is not FILE:LINE"
usage finding:r.json "a finding is RESULT.json:ID"
usage finding:r.json:1:x "'x' is no strength or time behind a finding's id"
input() { # NOISE MESSAGE
    expect 3 atomrace --noise="$1" -- ./shop
    one_error
    err_has "$2"
}
input var:totl:5 "--noise: there is no global variable 'totl'; did you mean 'total'?"
input 'var:accounts[8].balance:5' "--noise: there is no global variable 'accounts[8].balance'"
input var:accounts.balance:5 "--noise: there is no global variable 'accounts.balance'"
input site:shop.cc:1:5 "--noise: there is no code at shop.cc:1; the nearest line with code is"
input site:other.c:1:5 "--noise: './shop' was not made from the file of other.c:1"
input finding:none.json:1 "cannot open result 'none.json'"
input "finding:r.json:zzzz" "there is no finding 'zzzz'"
expect 2 atomrace --runs=0 -- ./shop
expect 3 atomrace -- ./none
expect 3 atomrace --module=./none -- ./shop
err_has "--module: cannot read './none'"
expect 3 atomrace -- true
err_is "foreweave: nothing can be caught in 'true': it was not built with 'foreweave cc'"
# No room for a trace (here: no file may grow) is no reason to speak of how it was built.
last="ulimit -f 1; foreweave atomrace -- ./shop"
(ulimit -f 1; exec "$FOREWEAVE" atomrace -- ./shop) >"$out" 2>"$err"
[ $? = 125 ] || complain "the status is another one without room for a trace"
err_has "nothing was caught in './shop'"
err_has "is cut"
err_lacks "was not built"
gcc -pthread -x c++ "$source" -I"$FOREWEAVE_SOURCE/include" -o plain -lstdc++ || complain "not built plainly"
expect 3 atomrace --noise=var:total:5 -- ./plain
err_has "has no debug information to look for names and lines in: build it with -g"
finish
