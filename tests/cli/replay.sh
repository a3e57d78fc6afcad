#!/usr/bin/env bash
# A schedule makes a program fail, in every build; what goes otherwise is named.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
sources=$FOREWEAVE_SOURCE/tests/cli/replay
compiler=

build() { # NAME SOURCE FLAGS...
    local name=$1 source=$2 wrapper=cc
    shift 2
    case $source in *.cc) wrapper=c++ ;; esac
    "$FOREWEAVE" $wrapper ${compiler:+--compiler=$compiler} -g -pthread "$source" "$@" -o "$name" || complain "cannot build $name"
}

# Lines in front, in every function and in the middle of nowhere; the text of the others stays.
with_lines() { sed -e '/^{/a \    int more = 1; (void)more;\n' -e '/^#include/i \\n' "$1"; }

cat >lost.sched <<'EOF'
foreweave schedule 1
program "./lost"
shows exit 1
0 until it waits
0.1 before write in deposit "balance = old + amount;" +3 #1 goal 1
0.2 until it ends
EOF
cat >deadlock.sched <<'EOF'
foreweave schedule 1
program "./deadlock"
shows deadlock
0 until it waits
0.1 before pthread_mutex_lock in one "std::lock_guard<std::mutex> b(second);" +3 #1
0.2 until it waits
EOF
cat >order.sched <<'EOF'
foreweave schedule 1
program "./order"
shows signal 6
0 before write in prepare "config = made;" +5 #1
0.1 until it ends
EOF

# --- every build fails as the schedule says, every time; the twin never does ---
for name in lost deadlock order; do
    source=$(ls "$sources/$name".c*)
    with_lines "$source" >"more-${source##*/}"
    build $name "$source" -O0
    expect 66 replay --runs=20 --near=0 $name.sched
    out_is "reproduced: $(sed -n 's/^shows //p' $name.sched) (20 of 20 runs)"
    silent
    for level in -O1 -O2 -O3; do
        build $name$level "$source" $level
        expect 66 replay --runs=5 $name.sched -- ./$name$level
        out_has "(5 of 5 runs)"
    done
    build $name-more "more-${source##*/}" -O1
    expect 66 replay --runs=5 $name.sched -- ./$name-more
    out_has "(5 of 5 runs)"
    build $name-ok "$source" -O1 -DOK
    expect 0 replay $name.sched -- ./$name-ok
    out_has "not reproduced: exit 0 in place of"
    if command -v clang >/dev/null && command -v clang++ >/dev/null; then
        compiler=clang
        case $source in *.cc) compiler=clang++ ;; esac
        build $name-clang "$source" -O1
        compiler=
        expect 66 replay --runs=5 $name.sched -- ./$name-clang
        out_has "(5 of 5 runs)"
    fi
done

# --- who waits for a signal is not dead ---
build alarm "$sources/alarm.c" -O1
sed 's/^shows.*/shows deadlock/; s/^0.1 before.*/0.1 until it waits/; s/^0.2.*/0.2 until it waits/' \
    lost.sched >alarm.sched
expect 0 replay --near=0 --runs=3 alarm.sched -- ./alarm
out_has "not reproduced: exit 0 in place of deadlock"

# --- what goes otherwise is named: the step, what the thread did, where ---
sed 's/#1 goal/#9 goal/' lost.sched >late.sched
expect 0 replay --near=0 late.sched
out_has "not reproduced: exit 0 in place of exit 1"
out_has "late.sched:5: step 2: 0.1 before write in deposit \"balance = old + amount;\" +3 #9 goal 1"
out_has "went otherwise: the thread ended before it came there; its latest point: write in deposit at"
out_has "two runs of the schedule were the same"
expect 66 replay late.sched
out_has 'not as it is written: step 2 ends before write in deposit "balance = old + amount;" #3'
sed '2a build 00ff' late.sched >rebuilt.sched
expect 66 replay rebuilt.sched
out_has 'this build has other places: step 2 ends before write in deposit "balance = old + amount;" #3'
sed 's/^0.2 until.*/0.7 until it ends/' lost.sched >nobody.sched
expect 0 replay --near=0 nobody.sched
out_has "nobody.sched:6: step 3: 0.7 until it ends"
out_has "there is no such thread yet"
printf '0.1 until it ends\n0.1 until it waits\n' | cat lost.sched - >longer.sched
expect 66 replay --near=0 longer.sched
out_has "longer.sched:8: step 5: 0.1 until it waits"
out_has "the thread has ended already"

# --- another build is said to be one ---
id=$(printf '0%.0s' {1..16})
sed "s/^shows/build $id\n&/; s/#1 goal/#9 goal/" lost.sched >built.sched
expect 0 replay --near=0 built.sched
out_has "the program is another build than the one of the schedule"
expect 0 replay --near=0 late.sched
out_lacks "another build"

# --- time has a say, or not ---
printf 'foreweave schedule 1\nshows exit 1\n0 until it waits\n0.1 until it ends\n' >chance.sched
build chance "$sources/chance.c" -O1
expect 0 replay --near=0 chance.sched -- ./chance
out_has "the schedule does not decide everything: two runs of it differ"
out_has "work at $sources/chance.c:"
build chance-ok "$sources/chance.c" -O1 -DOK
expect 0 replay --near=0 chance.sched -- ./chance-ok
out_lacks "does not decide"
out_has "two runs of the schedule were the same"
expect 66 replay --twice lost.sched
out_has "two runs of the schedule were the same"

# --- what is printed ---
expect 66 replay -q lost.sched
out_is ""
expect 66 replay --show lost.sched
out_has "3"
expect 66 replay --format=json --runs=2 lost.sched
for part in '"schema":1' '"schedule":"lost.sched"' '"program":["./lost"]' '"shows":"exit 1"' \
    '"steps":3' '"runs":2' '"reproduced":2' '"end":"exit 1"' '"moved":[]'; do
    out_has "$part"
done
expect 0 replay --format=json --near=0 late.sched
out_has '"divergence":{"step":2,"line":5,"text":"0.1 before write in deposit'
out_has '"repeatable":true'
expect 66 replay -o report lost.sched
grep -q '^reproduced: exit 1$' report || complain "no report in the file"

# --- what cannot be tried is neither good nor bad ---
printf 'foreweave schedule 1\n0 until it sleeps\n' >bad.sched
expect 125 replay bad.sched
one_error
err_has "bad.sched:2: a step ends"
expect 125 replay nowhere.sched
one_error
err_has "cannot open schedule 'nowhere.sched': no such file"
expect 125 replay lost.sched -- ./nowhere
one_error
err_has "cannot run './nowhere'"
printf 'int main(void){return 1;}' >plain.c
gcc -static plain.c -o static && {
    expect 125 replay lost.sched -- ./static
    one_error
    err_has "could not be controlled"
}
expect 125 replay chance.sched
err_has "'chance.sched' does not name its program"
expect 2 replay --runs=0 lost.sched

# --- arguments: those of the schedule, or others ---
printf '#include <stdlib.h>\nint main(int c, char **v){return c > 1 ? atoi(v[1]) : 9;}' >args.c
build args args.c
printf 'foreweave schedule 1\nprogram "./args" "5"\nshows exit 5\n' >args.sched
expect 66 replay args.sched
expect 0 replay args.sched -- ./args 6
out_has "not reproduced: exit 6 in place of exit 5"
expect 0 replay args.sched -- ./args
out_has "exit 9"

# --- time passes, or not ---
printf '#include <unistd.h>\nint main(void){sleep(1000); return 1;}' >sleep.c
build sleep sleep.c
printf 'foreweave schedule 1\nprogram "./sleep"\ntime virtual\nshows exit 1\n' >sleep.sched
expect 66 replay sleep.sched
sed -i /virtual/d sleep.sched
expect 0 replay --near=0 --time=1 sleep.sched
out_has "not reproduced: hang in place of exit 1"
expect 66 replay --virtual-time sleep.sched

# --- a command judges, if there is one ---
judged() { sed "s/^shows.*/judge \"$1\"\nshows exit 1/" lost.sched >judged.sched; }
judged 'grep -q 6 \$FOREWEAVE_OUTPUT'
expect 66 replay judged.sched
judged 'grep -q 3 \$FOREWEAVE_OUTPUT'
expect 0 replay --near=0 judged.sched
expect 0 replay --near=0 --show judged.sched
out_has "3"

# --- a finding of a result: its witness is run, and becomes a schedule beside the trace ---
build once "$sources/once.c" -O0
build once-O2 "$sources/once.c" -O2
build once-ok "$sources/once.c" -O1 -DOK
race_of() { grep -o '"id":"[^"]*","analysis":"race"' "$1" | head -1 | cut -d'"' -f4; }
expect 66 run -q --format=json --keep=kept -o run.json -- ./once
id=$(race_of run.json)
expect 66 replay --runs=5 run.json "$id"
out_is "reproduced: race (5 of 5 runs)"
mkdir "it's"
cp once "it's/once"
expect 0 record -q --positions -o "it's/t.fwt" -- "./it's/once" 'two words' ''
expect 66 check --format=json -o found.json "it's/t.fwt"
[ "$(ls "it's")" = "$(printf 'once\nt.fwt')" ] || complain "check leaves schedules"
id=$(race_of found.json)
expect 66 replay --runs=5 found.json "$id"
out_is "reproduced: race (5 of 5 runs)"
silent
grep -qxF "program \"./it's/once\" \"two words\" \"\"" "it's/$id.sched" || complain "not the arguments that were recorded"
expect 66 replay found.json "$id" -- ./once-O2
expect 0 replay found.json "$id" -- ./once-ok
rm "it's/$id.sched"
cp found.json elsewhere.json
sed -i "s|\"name\":\"[^\"]*\"|\"name\":\"nowhere.fwt\"|" elsewhere.json
expect 66 replay --trace="it's/t.fwt" --format=json elsewhere.json "${id:0:4}"
out_has '"reproduced":1'
rm "it's/$id.sched"

# --- ... unless the program cannot do that any more ---
cp once-ok "it's/once"
expect 0 replay found.json "$id"
out_has "not reproduced: race $id (0 of 2 runs of its witness)"
out_has "  went otherwise: "
out_has "'./it's/once' is newer than the trace: record it again"
expect 0 replay --format=json found.json "$id"
out_has "\"finding\":\"$id\""
out_has '"reproduced":0,"rebuilt":true,"divergence":{"why":"'
[ ! -e "it's/$id.sched" ] || complain "a schedule of nothing"
rm "it's/once"
expect 125 replay found.json "$id"
one_error
err_has "it's/once': no such file"
expect 2 replay found.json
err_has "'found.json' is a result: which of its findings?"
expect 125 replay found.json zzz
one_error
err_has "found.json: there is no finding 'zzz' among its"
expect 125 replay elsewhere.json "$id"
err_has "the trace that it is about, 'nowhere.fwt', is not here: add --trace=FILE"
expect 0 record -q --positions -o other.fwt -- ./args 0
expect 125 replay --trace=other.fwt found.json "$id"
one_error
err_has "finding '$id' is not about 'other.fwt'"
expect 0 record -q -o plain.fwt -- ./once
expect 66 check --format=json -o plain.json plain.fwt
expect 125 replay plain.json "$id"
one_error
err_has "'plain.fwt' was recorded without --positions"
expect 66 check --analysis=lockset --format=json -o lockset.json plain.fwt
expect 125 replay lockset.json "$(grep -o '"id":"[^"]*"' lockset.json | head -1 | cut -d'"' -f4)"
err_has "has no witness to replay"
sed 's/"id":"/"id":"..\/..\//' plain.json >led.json
expect 125 replay led.json "../../$id"

# --- in gdb ---
if command -v gdb >/dev/null; then
    last="foreweave replay --gdb lost.sched"
    mkdir "$scratch/for gdb"
    printf 'foreweave-schedule\nthread\ncontinue\nquit\n' |
        TMPDIR="$scratch/for gdb" timeout 300 "$FOREWEAVE" replay --gdb lost.sched >"$out" 2>"$err" || complain "gdb failed"
    out_has '=> 0.1 before write in deposit "balance = old + amount;" +3 #1 goal 1'
    out_has "balance = old + amount;"
    out_has "Current thread is 2"
    out_has "exited with code 01"
    [ -z "$(ls "$scratch/for gdb")" ] || complain "gdb's commands were left behind"
    printf 'foreweave schedule 1\nprogram "./missing"\nshows exit 1\n0 until it ends\n' >gone.sched
    TMPDIR="$scratch/for gdb" expect 125 replay --gdb gone.sched
    [ -z "$(ls "$scratch/for gdb")" ] || complain "gdb's commands were left behind where there is no program"
    TMPDIR=$scratch/nowhere expect 125 replay --gdb lost.sched
    err_has "cannot make a file in '$scratch/nowhere'"
    # A schedule that names nothing but that a wait times out.
    cat >limit.c <<'END_C'
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
static sem_t sem;
static void *post(void *unused)
{
    sem_post(&sem);
    return unused;
}
int main(void)
{
    struct timespec when;
    pthread_t thread;
    int late;
    pthread_create(&thread, NULL, post, NULL);
    clock_gettime(CLOCK_REALTIME, &when);
    when.tv_nsec = 999999999;
    late = sem_timedwait(&sem, &when) != 0;
    pthread_join(thread, NULL);
    return late;
}
END_C
    "$FOREWEAVE" cc -g -O0 -pthread limit.c -o limit || complain "cannot build limit"
    printf 'foreweave schedule 1\nprogram "./limit"\ntimeouts 1\nshows exit 1\n0 times out\n' >limit.sched
    expect 66 replay limit.sched
    last="foreweave replay --gdb limit.sched"
    printf 'bt\nthread\ncontinue\nquit\n' |
        timeout 300 "$FOREWEAVE" replay --gdb limit.sched >"$out" 2>"$err" || complain "gdb failed"
    out_has "SIGTRAP"
    out_has "late = sem_timedwait"
    out_has "exited with code 01"
fi
# What is asked for is that the steps are followed, if nothing else is said.
printf 'foreweave schedule 1\nprogram "./lost"\n0 until it waits\n' >steps.sched
expect 66 replay steps.sched
out_has "reproduced: its steps"
expect 125 replay --at=lost.sched lost.sched
err_has "is no run under control"
# --- what cannot be told is neither good nor bad ---
sed 's/^shows.*/shows deadlok/' lost.sched >typo.sched
expect 125 replay typo.sched
err_has "typo.sched:3: 'shows' may be"
one_error
gcc -pthread "$sources/lost.c" -o lost-plain || complain "cannot build"
for program in ./lost-plain /bin/true; do
    expect 125 replay lost.sched -- $program
    err_has "'$program' was not built with 'foreweave cc'"
    one_error
done
# Nor is another program that happens to end as the schedule says; a script that runs the right one is.
expect 125 replay lost.sched -- sh -c 'exit 1'
err_has "'sh' was not built with 'foreweave cc'"
one_error
printf '#!/bin/sh\n./lost\nexit $?\n' >script
chmod +x script
expect 66 replay lost.sched -- ./script
out_has "reproduced: exit 1"
# Where the steps name calls alone, a program without hooks can follow them.
g++ -g -O1 -pthread "$sources/deadlock.cc" -o deadlock-plain || complain "cannot build"
expect 66 replay --runs=5 deadlock.sched -- ./deadlock-plain
out_has "reproduced: deadlock (5 of 5 runs)"
# A place of another program is not one that has moved.
sed 's/deposit/increase/g' "$sources/lost.c" >increase.c
build increase increase.c -O0
expect 0 replay lost.sched -- ./increase
out_has "not reproduced: exit 0 in place of exit 1"
out_lacks "this build has other places"
out_lacks "not as it is written"
# --- from any folder: the program is looked for where the schedule is, and above it ---
mkdir -p kept/deep elsewhere
cp lost.sched kept/deep/
for folder in elsewhere kept kept/deep /; do
    (cd $folder && expect 66 replay "$scratch/kept/deep/lost.sched" && out_has "reproduced: exit 1" && exit $failures) ||
        complain "not found from $folder"
done
sed 's/^program.*/program ".\/nowhere"/' lost.sched >kept/nowhere.sched
expect 125 replay kept/nowhere.sched
err_has "cannot run './nowhere'"
expect 125 replay kept
err_is "foreweave: 'kept' is a folder, not a schedule"
# --- whatever `run` confirms is shown by its schedule, and by the result; on other memory it is not ---
kind() { # A B OTHER: what to do in place of B that is about other memory
    local id
    rm -rf kept kept.json
    build kinds "$sources/kinds.c" -O1 -w "-DA=$1" "-DB=$2"
    expect 66 run -q --keep=kept -a race --format=json -o kept.json -- ./kinds
    id=$(ls kept | sed -n 's/\.sched$//p')
    [ "$(wc -w <<<"$id")" = 1 ] || { complain "$1, $2: schedules of '$id'"; return; }
    expect 66 replay --runs=3 kept/$id.sched
    out_is "reproduced: race (3 of 3 runs)"
    cp kept/$id.sched kinds.sched
    rm kept/$id.sched
    expect 66 replay --runs=3 kept.json $id
    out_is "reproduced: race (3 of 3 runs)"
    [ -n "${3:-}" ] || return
    build kinds-other "$sources/kinds.c" -O1 -w "-DA=$1" "-DB=$3"
    expect 0 replay --near=0 kinds.sched -- ./kinds-other
    out_has "not reproduced: exit 0 in place of race"
}
kind "shared->plain++" "shared->plain++" "other.plain++"
kind "sink = shared->plain" "free(shared)" "free(spare)"
kind "free(mine)" "shared->text[20] = 1" "other.text[20] = 1"
kind "atomic_fetch_add(&shared->counter, 1)" "((char *)shared)[2] = 1" "((char *)shared)[4] = 1"
kind "atomic_fetch_add(&shared->counter, 1)" "free(shared)" "free(spare)"
kind "memset(shared->text, 1, 32)" "shared->text[20] = 2"
kind "memset(shared->text, 1, 32)" "memcpy(other.text, shared->text, 32)"
kind "memset(shared->text, 1, 32)" "free(shared)"
kind "shared->text[20] = 2" "shared = realloc(shared, 5000)"

# --- who has ended is gone before others go on, joined or not; but nobody is waited for who waits for them ---
cat >leaving.sched <<'EOF'
foreweave schedule 1
program "./leaving"
shows exit 3
0 before read in main "int seen = gone;" #1
0.1 until it ends
EOF
for flags in -O0 -O2 -DDETACHED; do
    build leaving "$sources/leaving.c" $flags
    expect 66 replay --runs=10 leaving.sched
    out_is "reproduced: exit 3 (10 of 10 runs)"
done
build leaving "$sources/leaving.c" -DWAITS
expect 0 replay --near=0 leaving.sched
out_has "not reproduced: exit 0 in place of exit 3"

# --- a thread that is stopped too soon, and then does nothing more, is also tried later ---
cat >later.sched <<'EOF'
foreweave schedule 1
program "./later"
shows exit 1
0 before write in main "ready = 1;" #1
0.1 before load in worker "if (stop)" #5
0 until it waits
EOF
build later "$sources/later.c" -O1
expect 66 replay --runs=5 later.sched
out_has "reproduced: exit 1 (5 of 5 runs)"
out_has 'step 2 ends before load in worker "if (stop)" #13'
expect 0 replay --near=0 later.sched
build later-ok "$sources/later.c" -O1 -DOK
expect 0 replay later.sched -- ./later-ok
out_has "not reproduced: exit 0 in place of exit 1"

# --- turns that the failure does not need are left out, though others then do more or less ---
# (what is left when none of them can be left out alone is tried as two of them; so it holds in other builds)
build jobs "$sources/jobs.c" -O1
build jobs-0 "$sources/jobs.c" -O0
for strategy in pct random pctlarge; do
    for seed in 1 2; do
        expect 66 explore -q -s $strategy --seed=$seed --runs=3000 --until-first --folder=jobs-$strategy-$seed -- ./jobs
        for kept in "jobs-$strategy-$seed"/*.sched; do
            turns=$(grep -cE ' before | times out' "$kept")
            [ "$turns" -le 3 ] || complain "$strategy, seed $seed: $turns preemptions"
            expect 66 replay --runs=5 "$kept"
            out_has "(5 of 5 runs)"
            expect 66 replay --runs=5 "$kept" -- ./jobs-0
            out_has "(5 of 5 runs)"
        done
    done
done

finish
