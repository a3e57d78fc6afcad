#!/usr/bin/env bash
# The campaign that seeks what no run has shown: profiles, attempts, the memo database, inputs.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
# An array of result.json.
list() { grep -o "\"$1\":\[[0-9,]*\]" result.json | head -1 | sed 's/.*\[//; s/\]//'; }
build() { "$FOREWEAVE" cc -g -O1 -pthread "$1.c" -o "$1" ${2:+-D$2} || complain "cannot build $1"; }
cat >lost.c <<'END_C'
#include <pthread.h>
#include <stdlib.h>
static int balance, others;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *deposit(void *unused)
{
#ifdef RIGHT
    pthread_mutex_lock(&lock);
#endif
    int old = balance;
    balance = old + 1;
#ifdef RIGHT
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}
static void *other(void *unused)
{
    pthread_mutex_lock(&lock);
    others++;
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t t[4];
    int more = argc > 1 ? atoi(argv[1]) : 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, deposit, NULL);
    for (int i = 0; i < more; i++)
        pthread_create(&t[2 + i], NULL, other, NULL);
    for (int i = 0; i < 2 + more; i++)
        pthread_join(t[i], NULL);
    return balance != 2;
}
END_C
cp lost.c right.c
build lost && build right RIGHT

# The lost update is found, with a schedule; the right twin shows nothing.
expect 66 explore -q -s iroot --folder=kept -- ./lost
out_has 'failure 1: exit 1'
out_has '  sought idiom ' ' exposed it)'
out_has 'ended because nothing is left to try'
expect 66 replay -q kept/exit-1*.sched
expect 0 explore -q -s iroot --db=right.db -- ./right
out_has ' 0 failed'

# Two builds are known as such.
"$FOREWEAVE" cc -g -O2 -pthread -DRIGHT right.c -o right || complain "cannot build right again"
expect 0 explore -q -s iroot --db=right.db --delay=0 -- ./right
expect 0 coverage show --db=right.db --format=json
out_has '"builds":2'

# Everything that has a witness is exposed.
expect 66 explore -q -s iroot --db=other.db --format=json -o result.json -- ./lost
[ "$(list witnesses)" = "$(list witnesses_exposed)" ] || complain "not all witnesses were exposed"
[ "$(list witnesses)" != 0,0,0,0,0,0 ] || complain "there is no witness"
grep -q '"end":"exhausted","complete":false' result.json || complain "how it ended"

# What fails says which iRoot it was about, here and in the database.
jq -e '.findings[0].sought | .exposed and .run >= 1 and (.accesses | length >= 2)
    and all(.accesses[].place; startswith("lost.c:"))' result.json >/dev/null ||
    complain "what was sought: $(jq -c .findings result.json)"
expect 0 coverage show --db=other.db
out_has '    sought idiom '
expect 0 coverage show --db=other.db --format=json
jq -e '[.programs[0].growth[].failure.sought // empty | .idiom] | length > 0' "$out" >/dev/null ||
    complain "the database does not know what was sought"
expect 0 coverage export --db=other.db --what=growth
out_has ',schedule,sought' '| w lost deposit+'

# Every guess is answered; those that are infeasible at first sight are tried all the same.
# (The stack's atomic operations are fixed in every reordering, and its bug is what happens without.)
bash "$FOREWEAVE_SOURCE/tests/schedules/build.sh" -o . aba_stack >built.txt || complain "cannot build aba_stack"
expect 66 explore -q -s iroot --db=aba.db --format=json -o result.json -- ./aba_stack
jq -e '.hunt | .ruled_out > 0 and .undecided_why == {"spent":0,"repeats":0,"cut":0}
    and (.infeasible | add) >= .ruled_out' result.json >/dev/null || complain "answers: $(jq -c .hunt result.json)"
expect 0 coverage export --db=aba.db --format=json -o aba.json
jq -e '[.programs[].iroots[] | select(.predicted_by | length > 0)]
    | any(.verdict == "infeasible" and .tried > 0) and all(.verdict == "infeasible" or .verdict == "witness")' \
    aba.json >/dev/null || complain "guesses without an answer: $(jq -c '[.programs[].iroots[].verdict]' aba.json)"

# What atomic operations kept from coming about in every recording is guessed, too, and tried.
for name in store_buffer bluetooth; do
    bash "$FOREWEAVE_SOURCE/tests/schedules/build.sh" -o . $name ${name}_ok >built.txt || complain "cannot build $name"
    expect 66 explore -q -s iroot --db=$name.db --format=json -o result.json -- ./$name
    jq -e '[.findings[].sought | select(.exposed and .idiom >= 4)] | length > 0' result.json >/dev/null ||
        complain "$name: not by its iRoot: $(jq -c .findings result.json)"
    expect 0 coverage export --db=$name.db --format=json -o $name.json
    jq -e '[.programs[].iroots[] | select(.predicted_by | length > 0)]
        | all(.verdict == "infeasible" or .verdict == "witness")' $name.json >/dev/null || complain "$name: no answer"
    expect 0 explore -q -s iroot --db=${name}_ok.db -- ./${name}_ok
done
expect 0 explore -q -s iroot --predictor=guess --db=likely.db -- ./store_buffer
out_has ' 0 attempts'

# What the proof cannot decide, since there are more instances than it asks about, the profiler may rule out.
"$FOREWEAVE" cc -g -O1 -pthread -I"$FOREWEAVE_SOURCE/bench/programs" "$FOREWEAVE_SOURCE/bench/programs/prodcons.c" \
    -o prodcons -lm || complain "cannot build prodcons"
expect 0 explore -q -s iroot --idioms=3,4 --profile=1 --db=prodcons.db -- ./prodcons 12 1 3 3
expect 0 coverage export --db=prodcons.db --format=json -o prodcons.json
jq -e '[.programs[].iroots[]] | any(.verdict == "undecided")
    and all(.verdict != "undecided" or (.predicted_by | index("profile")))' prodcons.json >/dev/null ||
    complain "undecided, but not guessed: $(jq -c '[.programs[].iroots[] | select(.verdict == "undecided")] | .[0]' prodcons.json)"

# Who is held at an access lets sleep pass: the thread that is waited for may be the one who sleeps.
cat >late.c <<'END_C'
#include <pthread.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t end = PTHREAD_COND_INITIALIZER;
static int waits, stuck, ended;
static void *wait(void *unused)
{
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec++;
    pthread_mutex_lock(&lock);
    waits = 1;
    while (!stuck && !(RIGHT && ended))
        if (pthread_cond_timedwait(&end, &lock, &limit) != 0)
            stuck = 1;
        else
            break;
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, wait, NULL);
    usleep(5000);
    pthread_mutex_lock(&lock);
    if (waits)
        pthread_cond_signal(&end);
    ended = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return stuck;
}
END_C
build late RIGHT=0
expect 66 explore -q -s iroot --timeouts=short --db=late.db --format=json -o result.json -- ./late
jq -e '[.findings[].sought | select(.exposed)] | length > 0' result.json >/dev/null ||
    complain "not by its iRoot: $(jq -c .findings result.json)"
build late RIGHT=1
expect 0 explore -q -s iroot --timeouts=short --db=right_in_time.db -- ./late

# What is known is not tried again: neither by the same command, nor with another input.
expect 66 explore -q -s iroot -- ./lost
out_has "known failure of this build: exit 1"
out_has '  sought idiom '
out_has '0 attempts'
printf '# inputs\n0\n1\n' >inputs
expect 66 explore -q -s iroot --db=many.db --inputs=inputs --format=json -o result.json -- ./lost
[ "$(grep -o '"program":\["./lost","[01]"\]' result.json | wc -l)" = 2 ] || complain "there are not two inputs"
expect 0 coverage show --db=many.db
out_has lost

# Other strategies write what they expose if they are told to.
expect 66 explore -q -s random -n 50 --db=random.db -- ./lost
expect 0 coverage show --db=random.db
out_has lost

# All runs of all strategies observe alike: also what is done before other threads begin and after they have ended, and
# in the first run.  Memory of one thread exposes nothing, nor does reading alone.
cat >early.c <<'END_C'
#include <pthread.h>
static int handed, given, own, table = 1;
static struct { char first, second; } parts;
static int (*volatile look)(int *);
static int look_at(int *what) { return *what; }
static void *worker(void *unused)
{
    given = handed + parts.first + parts.second + look(&table);
    for (int i = 0; i < 1000; i++)
        ((volatile int *)&given)[0]++;
    return unused;
}
int main(void)
{
    pthread_t t;
    look = look_at;
    own = 1;
    parts.first = 1;
    parts.second = 2;
    handed = 3;
    pthread_create(&t, NULL, worker, NULL);
    own += look(&table);
    pthread_join(t, NULL);
    return given + own == 0;
}
END_C
build early
for strategy in none random pct iroot; do
    rm -f early.db*
    expect 0 explore -q -s $strategy -n 3 --db=early.db -- ./early
    "$FOREWEAVE" coverage export --db=early.db | grep '^early,1,.,exposed' | cut -d, -f7,12-15 | sed 's/ early//g' | sort >early.$strategy
    grep -q 'w main+5#1,early.c:18,r worker' early.$strategy || complain "$strategy: a byte is not observed"
    grep -q 'w main+6#1,early.c:19,r worker' early.$strategy || complain "$strategy: the byte beside it is not observed"
    grep -q 'w main+7#1,early.c:20,r worker' early.$strategy || complain "$strategy: what main hands over is not observed"
    grep -q 'w worker+4#1,early.c:10,r main' early.$strategy || complain "$strategy: what main is given is not observed"
    ! grep -q 'look_at\|main+4' early.$strategy || complain "$strategy: what is only read, or of one thread, is observed"
done

# A word that is written as a whole and read in part is one object: who writes its other part comes behind the reader.
cat >parts.c <<'END_C'
#include <pthread.h>
static volatile union { long whole; struct { int low, high; } half; } word, other;
static void *worker(void *unused)
{
    word.half.high = 2;
    return unused;
}
int main(void)
{
    pthread_t t;
    word.whole = 1;
    other.whole = word.half.low;
    pthread_create(&t, NULL, worker, NULL);
    other.half.high = 0;
    pthread_join(t, NULL);
    return 0;
}
END_C
build parts
expect 0 explore -q -s none -n 1 --db=parts.db -- ./parts
"$FOREWEAVE" coverage export --db=parts.db | grep '^parts,1,.,exposed' | cut -d, -f7,12-15 | sed 's/ parts//g' >parts.exposed
grep -q 'r main+4#1,.*w worker' parts.exposed || complain "a part of a word is not observed"
! grep -q 'main+3\|main+6' parts.exposed || complain "what is of one thread, or was read since, is observed"

# What does not fit is not observed, which is said.
cat >long.c <<'END_C'
#include <pthread.h>
static volatile int x;
static void *worker(void *unused)
{
    for (int i = 0; i < ROUNDS; i++)
        x++;
    return unused;
}
int main(void)
{
    pthread_t t;
    x = 1;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return 0;
}
END_C
for rounds in 2200000 2200; do
    build long ROUNDS=$rounds
    expect 0 explore -q -s none -n 1 -- ./long
    if [ $rounds = 2200 ]; then out_lacks 'too long to be observed'; else out_has '1 run was too long to be observed to the end: iRoots may be missing'; fi
done

# A campaign that is killed loses nothing that it has recorded.
for signal in 1 2 3 4 5; do
    "$FOREWEAVE" explore -q -s iroot --db=killed.db -- ./lost >/dev/null 2>&1 &
    sleep 0.0$signal
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
done
status=0
"$FOREWEAVE" explore -q -s iroot --db=killed.db --format=json -o result.json -- ./lost >/dev/null 2>&1 || status=$?
[ "$status" = 0 ] || [ "$status" = 66 ] || complain "status $status after kill -9"
expect 0 coverage show --db=killed.db

# A run that drifts away from its witness is repaired: the next one follows it up to the last step that matched, and
# from there by places. Every run here goes round fewer times than the one before, so exact steps come too late.
cat >drift.c <<'END_C'
#include <pthread.h>
#include <stdio.h>
static int balance, rounds;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *deposit(void *unused)
{
    int own = 0;
    for (int i = 0; i < rounds; i++) /* fewer in every run */
        own += i % 3 ? 1 : 2;
#ifdef RIGHT
    pthread_mutex_lock(&lock);
#endif
    int old = balance;
    balance = old + (own >= 0);
#ifdef RIGHT
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}
int main(void)
{
    FILE *file = fopen("rounds", "r");
    pthread_t t[2];
    if (!file || fscanf(file, "%d", &rounds) != 1)
        return 2;
    fclose(file);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, deposit, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return balance != 2;
}
END_C
build drift
"$FOREWEAVE" cc -g -O1 -pthread -DRIGHT drift.c -o steady || complain "cannot build steady"
drifts() { # PROGRAM ATTEMPTS OPTION...: the status, and what became of it
    local status=0
    echo 500 >rounds
    rm -f drift.db
    # shellcheck disable=SC2016  # for the shell that runs it
    "$FOREWEAVE" explore -q -s iroot --predictor=proof --idioms=2 --attempts="$2" --db=drift.db "${@:3}" \
        --setup='n=$(cat rounds); echo $((n - 1)) >rounds' -- "./$1" >"$out" 2>"$err" || status=$?
    echo "$status $(jq -c '.hunt | [.attempts, .repairs, .repaired, .exposed]' "$out")"
}
[ "$(drifts drift 1 --format=json)" = '0 [1,0,0,0]' ] || complain "without a repair: $(drifts drift 1 --format=json)"
[ "$(drifts drift 2 --format=json)" = '66 [2,1,1,1]' ] || complain "not repaired: $(drifts drift 2 --format=json)"
drifts drift 2 >/dev/null 2>&1
out_has "1 went on from the last step that a run along a witness had followed, 1 exposed it"
[ "$(drifts steady 2 --format=json)" = '0 [0,0,0,0]' ] || complain "something to repair where nothing is: $(drifts steady 2 --format=json)"
echo 500 >rounds
expect 66 explore -q -s iroot --predictor=proof --idioms=2 --db=same.db -- ./drift
out_lacks "went on from the last step"

# When nothing is left to try and there is a budget, others follow.
expect 66 explore -q -s iroot --db=budget.db -n 30 --format=json -- ./lost
jq -e '.runs.all + .runs.recorded == 30 and .runs.recorded == .hunt.recordings and .end == "runs"' "$out" >/dev/null ||
    complain "not 30 runs: $(jq -c '.runs, .hunt' "$out")"

# With --time draws come first, unless it is said otherwise: then the first runs are profiles.
rm -f budget.db*
expect 66 explore -q -s iroot --db=budget.db --time=60 --until-first --foresee --format=json -- ./lost
jq -e '.runs.recorded >= 4 and .runs.all <= 4 and .hunt.exposed > 0 and .end == "first"' "$out" >/dev/null ||
    complain "nothing was foreseen: $(jq -c '.runs, .hunt, .end' "$out")"
rm -f budget.db*
expect 66 explore -q -s iroot --db=budget.db --time=60 --until-first --format=json -- ./lost
jq -e '.runs.recorded == 0 and .hunt.attempts == 0' "$out" >/dev/null ||
    complain "profiles before draws: $(jq -c '.runs, .hunt' "$out")"
expect 2 explore --foresee -- ./lost
err_has "--foresee is for --strategy=iroot"

# All runs are in the budget, recorded ones too, but for those that repeat a failure for its schedule; the first
# failure ends it, also that of a recorded run.
cat >counted.c <<'END_C'
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static int x;
static void *add(void *unused) { x++; return unused; }
int main(int argc, char **argv)
{
    pthread_t t;
    int count = open("count", O_WRONLY | O_CREAT | O_APPEND, 0666);
    (void)argv;
    pthread_create(&t, NULL, add, NULL);
    x++;
    pthread_join(t, NULL);
    return write(count, "+", 1) != 1 || argc > 1;
}
END_C
build counted
for strategy in iroot predict pct chess; do
    for runs in 1 2 5 12; do
        rm -f count counted.db*
        expect 0 explore -q -s $strategy -n $runs --db=counted.db -- ./counted
        out_lacks "profile failed"
        made=$(wc -c <count)
        [ "$made" = $runs ] || { [ $strategy = chess ] && [ "$made" -lt $runs ]; } ||
            complain "$made runs of $runs were made with $strategy"
    done
done
rm -f count counted.db*
expect 66 explore -q -s iroot --until-first --db=counted.db --format=json -- ./counted fails
jq -e '.runs.all == 1 and .runs.recorded == 1 and .end == "first" and (.findings[0].schedule | length) > 0' "$out" >/dev/null ||
    complain "not the first failure: $(cat "$out")"

# Wrong uses.
expect 2 explore -s iroot --idioms=7 -- ./lost
err_has "'7' is not a number from 1 to 6"
expect 2 explore -s iroot --attempts=0 -- ./lost
expect 2 explore -s iroot --window=0 -- ./lost
expect 2 explore -s iroot --delay=60001 -- ./lost
expect 2 explore -s pct --attempts=3 -- ./lost
err_has "--attempts is for --strategy=iroot"
expect 2 explore --own -- ./lost
err_has "--own is for --strategy=iroot"
expect 2 explore -n 5 --inputs=inputs --folder=kept -- ./lost
expect 3 explore -s iroot --inputs=nothing-there -- ./lost
echo '# nothing' >empty
expect 3 explore -s iroot --inputs=empty -- ./lost
err_has 'there is no input in it'
echo 'not a database, but long enough to be taken for one if nobody looked' >wrong.db
expect 125 explore -q -s iroot --db=wrong.db -- ./lost
finish
