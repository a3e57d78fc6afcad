#!/usr/bin/env bash
# guard --rollback: where waiting cannot help, a thread goes back over what it can undo, and runs it again; what it has
# done meanwhile is as if it had not been done, whatever the program is and however often it happens.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
for name in update disturbed outsiders aget_save mozilla_cache pfscan; do
    "$FOREWEAVE" cc -Wall -Wextra -Werror -g -O1 -pthread "$FOREWEAVE_SOURCE/tests/guard/$name.c" -o "$name" >"$out" 2>"$err" ||
        { complain "$name.c does not build"; head -5 "$err"; }
done
wrong_of() { # COMMAND...: how many of five times it fails
    local count=0
    for _ in 1 2 3 4 5; do
        "$@" >/dev/null 2>&1 || count=$((count + 1))
    done
    echo $count
}

# --- an update that would be lost is made again
expect 0 learn -q --idle=3 -- ./update
last='./update overlap'
[ "$(wrong_of ./update overlap)" -gt 0 ] || complain "never fails, so that avoiding it means nothing"
# What comes first is known from the code alone, so that only the second access is wrong.  On a busy machine the two may miss each other.
for _ in 1 2 3 4 5 6 7 8 9 10; do
    expect 0 guard -c update.constraints --also=ignore --log=update.log --budget=100 -- ./update overlap
    out_is right
    grep -q ' 0 violations' "$err" || break
done
err_has '1 violations: 0 avoided by waiting, 1 by rolling back, 0 not avoided'
python3 -c "
import json
line = json.loads(open('update.log').readlines()[-1])
assert line['access']['function'] == 'add' and line['access']['does'] == 'w', line
assert line['done'] == 'rolled back' and line['tries'] == 1 and line['ns'] > 0, line
assert line['window'] == {'places': 1, 'undone': 0}, line
assert line['stack'][0].startswith('add '), line" || complain "the log is wrong"
last='./update overlap, guarded without roll-backs'
[ "$(wrong_of "$FOREWEAVE" guard -c update.constraints --also=ignore --budget=100 --rollback=off -- ./update overlap)" -gt 0 ] ||
    complain "is right without roll-backs"
expect 0 guard -c update.constraints --also=ignore -- ./update
out_is right
err_has '0 violations'

# --- bugs of two variables: writes are undone, mutexes given back
for name in aget_save mozilla_cache; do
    expect 0 learn -q --kind=lifetx --runs=10 --idle=3 -- "./$name" calm 1
    last="./$name adverse"
    guard=("$FOREWEAVE" guard --kind=lifetx -c "$name.constraints" --budget=100)
    [ "$(wrong_of "${guard[@]}" --rollback=off -- "./$name" adverse 1)" -gt 0 ] || complain "needs no roll-back"
    [ "$(wrong_of "${guard[@]}" --stall=2000 --log="$name.log" -- "./$name" adverse 1)" = 0 ] || complain "is not avoided"
    grep -q '"done":"rolled back".*"window":{' "$name.log" || complain "nothing was rolled back"
    expect 0 guard --kind=lifetx -c "$name.constraints" -- "./$name" calm 1
    err_has ' 0 by rolling back'
done
grep -q '"undone":1' aget_save.log || complain "no write of aget_save was undone"

# --- an order of two threads whose second comes with a mutex, in a function that has shown its frame to others
expect 0 learn -q --runs=20 --idle=20 -- ./pfscan calm 1
expect 0 learn -q --runs=40 --idle=12 --noise=200:300 -- ./pfscan calm 1
last='./pfscan adverse'
guard=("$FOREWEAVE" guard -c pfscan.constraints --budget=100 --stall=2000)
[ "$(wrong_of "${guard[@]}" --rollback=off -- ./pfscan adverse 1)" -gt 0 ] || complain "needs no roll-back"
[ "$(wrong_of "${guard[@]}" --log=pfscan.log -- ./pfscan adverse 1)" = 0 ] || complain "is not avoided"
grep -q '"done":"rolled back"' pfscan.log || complain "nothing was rolled back"
# It was avoided, but another order of a calm run has it.
expect 0 record -o pfscan.fwt -- ./pfscan calm 1
{ head -n 1 pfscan.log; grep '"line":27' pfscan.log; } >early.log # what else was taken for new is not asked about
expect 66 check --avoided=early.log --format=json -o avoided.json pfscan.fwt
err_has "1 interleavings were avoided according to 'early.log': 0 are in this trace, 1 others can happen, 0 were not found"
jq -e '.findings | length == 1 and (.[0].events | map(.site | sub(".*:"; "")) == ["27", "19"])' avoided.json >"$out" || complain "another order was found"
expect 0 trace verify pfscan.fwt avoided.json
# The same from the finding alone: a read that could miss the write which it saw.
"$FOREWEAVE" run -q --format=json -o pfscan.json -- ./pfscan calm 1 >"$out" 2>"$err"
jq '.findings |= map(select(.kind == "nondeterminism" and .status == "confirmed" and .events[0].thread == "T2"))' pfscan.json >read.json
jq -e '.findings[0].saw.site | endswith("pfscan.c:19")' read.json >"$out" || complain "the read's finding does not say what it saw"
[ "$(wrong_of "$FOREWEAVE" guard --from=read.json --budget=100 --stall=2000 -- ./pfscan adverse 1)" = 0 ] || complain "is not avoided by its finding"

# --- random programs end as they can without roll-backs; with the last seed threads wait for words that are being taken back
programs=$FOREWEAVE_SOURCE/tests/cli/rollback/programs.py
random=${FOREWEAVE_SEED:-1}
for how in "gcc -O0 $random" "gcc -O2 $((random + 1))" "clang -O1 $((random + 2))" 'gcc -O2 10977'; do
    read -r compiler level seed <<<"$how"
    echo "random programs: FOREWEAVE_SEED=$seed"
    python3 "$programs" make "$seed" 26 >random.c
    "$FOREWEAVE" cc --compiler="$compiler" -g "$level" -pthread random.c -o random || complain "random programs do not build"
    "$FOREWEAVE" learn -q --anew --runs=3 --idle=1 -- ./random 3 >/dev/null
    # What reads at places that happened not to share anything in learning would not be seen.
    sed -i 's/^own /pset /' random.constraints
    for kind in pset lifetx; do
        expect 0 guard --kind=$kind -c random.constraints --unseen=watch --budget=100 --stall=1 --rollback=5 --force-rollback=300 \
            --noise=20:50 --seed="$seed" -- ./random 15
        [ "$(sed -n 's/.*: \([0-9]*\) regions were run again for no reason/\1/p' "$err")" -gt 1000 ] || complain "little was run again"
        python3 "$programs" check "$seed" 26 <"$out" >ends || { complain "random programs end as they cannot"; head -3 ends; }
    done
done

# --- handlers and copies of the process
expect 0 learn -q --runs=2 --idle=1 -- ./disturbed 50
expect 0 guard -c disturbed.constraints --unseen=watch --budget=100 --stall=1 --force-rollback=200 --hot=0 -- ./disturbed 3000
out_is right
[ "$(sed -n 's/.*: \([0-9]*\) regions were run again for no reason/\1/p' "$err")" -gt 1000 ] || complain "little was run again"

# --- what others have seen without passing a watched place, and what is the caller's, stays as it is
expect 0 learn -q --runs=3 --idle=1 -- ./outsiders 20
for kind in pset lifetx; do
    expect 0 guard --kind=$kind -c outsiders.constraints --unseen=watch --budget=100 --stall=1 --force-rollback=300 --hot=0 -- ./outsiders 300
    out_is 'signals were served'
    [ "$(sed -n 's/.*: \([0-9]*\) regions were run again for no reason/\1/p' "$err")" -gt 500 ] || complain "little was run again"
done

expect 2 guard -c update.constraints --rollback=never -- ./update
err_has '--rollback: 0 to 100 times, or off'
expect 2 guard -c update.constraints --force-rollback=1001 -- ./update


# --- sections of which little was learnt: what is not watched has happened all the same, and no lock may be given back behind it
cat >tally.c <<'END_C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long sum, twin;
static int rounds, torn;
static void *work(void *unused)
{
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&mutex);
        sum++;
        if (sum != ++twin)
            torn = 1;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t threads[4];
    int count = argc > 1 ? atoi(argv[1]) : 1;
    rounds = argc > 2 ? atoi(argv[2]) : 1;
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    puts(torn || sum != (long)count * rounds ? "wrong" : "right");
    return 0;
}
END_C
for level in -O0 -O2; do
    "$FOREWEAVE" cc -g $level -pthread tally.c -o tally || complain "tally does not build"
    rm -f tally.constraints
    expect 0 learn -q --kind=both --runs=2 -- ./tally 1 3
    for kind in pset lifetx; do
        for rollback in 3 off; do
            for _ in 1 2 3 4 5; do
                expect 0 guard -q --kind=$kind --rollback=$rollback --stall=5 -c tally.constraints -- ./tally 4 1000
                out_is right
            done
        done
    done
done

# --- switched off and on all the time: a region whose writes no hook has seen is not gone back over; nor is the command ended by
# a switch that comes when the program has ended
"$FOREWEAVE" guard -q --hot=0 --unseen=watch --force-rollback=300 --budget=100 --stall=1 -c tally.constraints -- ./tally 4 300000 >"$out" 2>"$err" &
command=$!
last="foreweave guard, switched while ./tally runs"
until [ "$(tr '\0' ' ' <"/proc/$command/cmdline" | grep -c 'guard -q')" = 1 ] && pgrep -P $command >/dev/null; do
    kill -0 $command 2>/dev/null || { complain "it ended by itself"; break; }
    sleep 0.01
done
for _ in $(seq 2000); do
    kill -USR1 $command 2>/dev/null || break
    kill -USR2 $command 2>/dev/null || break
    sleep 0.001
done
wait $command || complain "exit status $?, not 0"
out_is right

# --- a file that is prepared anew is another one: who runs with the former keeps it
expect 0 guard --prepare=state -c tally.constraints -- ./tally
exec 5<state
expect 0 guard --prepare=state -c tally.constraints -- ./tally
[ "$(stat -L -c %i /proc/self/fd/5)" != "$(stat -c %i state)" ] || complain "the file of a running program was written anew"
[ "$(($(stat -c '%b * %B' state)))" -ge "$(stat -c %s state)" ] || complain "a full disk would end the program"
exec 5<&-
finish
