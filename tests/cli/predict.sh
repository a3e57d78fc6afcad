#!/usr/bin/env bash
# check by default: sound findings of the whole trace, each with a witness that verify accepts.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
cp "$FOREWEAVE_SOURCE/examples/hidden-race.std" a.std

# The default analyses, in text.
expect 66 check a.std
silent
out_has "WARNING: Foreweave: data race (predicted by race) id bae8a1"
out_has "  Certain: the witness is a schedule that the program can run"
out_has "  This run hid it: T0 (main.c:11) took 'l' before T1 (main.c:4) did"
out_has "  Witness (7 steps, 2 switches)"
out_has "race: 1 finding, complete"
for name in deadlock atomicity nondet; do out_has "$name: 0 findings, complete"; done
for name in race deadlock atomicity nondet; do
    grep -q "^$name .*(default)" < <("$FOREWEAVE" list) || complain "$name is not a default analysis"
done

# In JSON, and verify accepts it; a file that somebody changed is not accepted.
expect 66 check --format=json -o r.json a.std
expect 66 check --format=json a.std
same "$out" r.json
out_has '"kind":"race","guarantee":"sound","first":true,"status":"predicted"'
out_has '"witness":[0,6,7,8,9,10,1]}'
out_has '{"name":"race","findings":1,"complete":true,"suspects":{"checked":1,"proved":1,"undecided":0,"left":0,"not_reached":0}}'
expect 0 trace verify a.std r.json
out_is "foreweave: 1 witness accepted, 0 rejected; 0 findings carry no witness"
sed -i 's/\[0,6,7,8,9,10,1\]/[0,6,7,8,10,1]/' r.json
expect 66 trace verify a.std r.json

# The values at the end, on request; the twin's writes are in order.
printf 'T0|fork(T1)\nT0|w(x)\nT1|w(x)\n' >final.std
expect 0 check -a nondet final.std
expect 66 check -a nondet --final-reads final.std
out_has "WARNING: Foreweave: nondeterministic final value (predicted by nondet)"
out_has "  In this run the last write was the write by T1 (event 2); it can be the write by T0 (event 1) instead, with every read as it was"
expect 66 check -a nondet --final-reads --format=json -o r.json final.std
grep -q '"claim":"final","witness":\[0,2,1\]' r.json || complain "no final value in the result"
expect 0 trace verify final.std r.json
printf 'T0|w(x)\nT0|fork(T1)\nT1|w(x)\n' >final.std
expect 0 check -a nondet --final-reads final.std

# A try that fails is no acquire: T1 gives its read lock back, so T0's section fits in between.
printf 'T0|acq(L)\nT0|w(x)\nT0|rel(L)\nT1|racq(L)\nT2|racq(L)\nT1|tryfail(L)\nT1|w(x)\nT1|rrel(L)\nT1|r(x)\nT2|rrel(L)\n' >try.std
expect 66 check -a atomicity --pairs=all try.std
out_has "atomicity: 1 finding, complete"
printf 'T0|acq(L)\nT0|w(x)\nT0|rel(L)\nT1|racq(L)\nT2|racq(L)\nT1|tryfail(L)\nT1|w(x)\nT1|r(x)\nT1|rrel(L)\nT2|rrel(L)\n' >try.std
expect 0 check -a atomicity --pairs=all try.std

# Every finding of every example, in every mode, has a witness that is accepted.
for trace in "$traces"/*.std "$traces"/*.tid; do
    for options in "" "--pairs=all" "--pairs=all --final-reads --two-variables --third-thread" \
        "--pairs=all --values"; do
        # shellcheck disable=SC2086
        "$FOREWEAVE" check $options --format=json -o r.json "$trace" >"$out" 2>"$err"
        status=$?
        last="foreweave check $options $trace"
        [ $status = 0 ] || [ $status = 66 ] || complain "exit status $status"
        silent
        expect 0 trace verify "$trace" r.json
        out_has " 0 rejected; 0 findings carry no witness"
    done
done

# Streaming and predictive analyses share one reading, and do not disturb each other.
for trace in a.std "$traces/deadlock-three.std" "$traces/atomicity-rwr.std"; do
    expect 66 check --format=json -a race,deadlock,atomicity,nondet "$trace"
    sed 's/.*"findings":\[\(.*\)\],"analyses".*/\1/' "$out" >alone
    expect 66 check --format=json -a race,deadlock,atomicity,nondet,null - --from=std <"$trace"
    sed 's/.*"findings":\[\(.*\)\],"analyses".*/\1/' "$out" >together
    same alone together
done

# Also where contexts are many: stacks and lock sets.
awk 'BEGIN {
    srand(5)
    for (i = 0; i < 400; i++) {
        t = int(rand() * 4); a = int(rand() * 5); b = (a + 1) % 5; x = int(rand() * 9); s = int(rand() * 30)
        printf "T%d|call(f%d)|%d\nT%d|acq(l%d)|%d\n", t, s % 7, s, t, a, s
        if (i % 3) printf "T%d|racq(l%d)|%d\nT%d|w(x%d)|%d\nT%d|rrel(l%d)|%d\n", t, b, s, t, x, s, t, b, s
        printf "T%d|rel(l%d)|%d\nT%d|r(x%d)|%d\nT%d|ret(f%d)|%d\n", t, a, s, t, x, s, t, s % 7, s
    }
}' >contexts.std
expect 66 check --format=json -a race contexts.std
sed 's/.*"findings":\[\(.*\)\],"analyses".*/\1/' "$out" >alone
out_has '"locks":[{"name":'
out_has '"stack":[{"function":'
expect 0 check --format=json -a null contexts.std
expect 66 check --format=json -a null,race contexts.std
sed 's/.*"findings":\[\(.*\)\],"analyses".*/\1/' "$out" >together
same alone together

# Each kind in its own words, beside a twin that stays silent.
expect 66 check "$traces/deadlock-three.std"
out_has "Foreweave: deadlock (predicted by deadlock)"
out_has "  T1 waits for 'b', which T2 holds"
out_has "acq(b)                  2   <- waits"
expect 0 check "$traces/deadlock-three-silent.std"
expect 66 check -a atomicity "$traces/atomicity-rwr.std"
out_has "  T1 can see two values of 'x': T2's write can come between its reads"
expect 66 check -a atomicity "$traces/atomicity-wwr.std"
out_has "  T1 can miss its own write of 'x': T2's write can come before T1 reads it"
expect 66 check -a atomicity "$traces/atomicity-wrw.std"
out_has "  T2 can see a value of 'x' that was not meant for it, between two writes of T1"
expect 66 check -a atomicity "$traces/atomicity-rww.std"
out_has "  T2's write of 'x' can be lost: T1 overwrites it by what it read before"
expect 0 check -a atomicity "$traces/atomicity-rrr-silent.std"
printf 'T1|w(x)|1\nT2|r(x)|2\nT3|w(x)|3\n' >seen.std
expect 66 check -a nondet seen.std
out_has "  In this run it saw the write by T1 at 1 (event 0); it can see no write at all instead"
out_has "Reads that are not determined:"
out_has "  2 of 'x': 3 outcomes: as in this run, no write, 3"
printf 'T1|fork(T2)|1\nT2|w(p)|2\nT1|free(p)|3\n' >freed.std
expect 66 check freed.std
out_has "Foreweave: use after free (predicted by race)"
expect 66 check --format=json freed.std
out_has '"kind":"race","label":"use after free"'
printf 'T1|fork(T2)|1\nT2|w(p)|2\nT1|join(T2)|3\nT1|free(p)|4\n' >joined.std
expect 0 check joined.std

# A long witness is cut in text, and shown whole if wanted; threads without number get no columns.
{
    echo 'T0|fork(T1)|1'
    for ((i = 0; i < 40; i++)); do echo "T0|w(a$i)|2"; done
    printf 'T0|w(x)|3\nT1|w(x)|4\n'
} >long.std
expect 66 check -a race long.std
out_has "  Witness (43 steps, 1 switch): the last 12; --steps=0 shows all"
out_lacks "w(a20)"
expect 66 check -a race --steps=0 long.std
out_has "  Witness (43 steps, 1 switch)"
out_has "      21     20  w(a19)          2"
for ((i = 1; i < 9; i++)); do echo "T0|fork(T$i)|1"; done >many.std
for ((i = 1; i < 9; i++)); do echo "T$i|w(y$i)|2"; echo "T$i|post(s)|3"; done >>many.std
for ((i = 1; i < 9; i++)); do echo "T0|pend(s)|4"; done >>many.std
printf 'T0|w(x)|5\nT8|w(x)|6\n' >>many.std
expect 66 check -a race --steps=0 many.std
out_has "  T8      w(x)  "

# Statistics are there if asked for.
expect 66 check --stats a.std
out_has "stats: race: 1 possible, 0 infeasible by cycle, 1 feasible without choice, 0 with choice, 0 choice graphs explored, 0.00 per witness"
expect 66 check --stats --format=json a.std
out_has '"stats":{"possible":1,"infeasible_by_cycle":0,"feasible_without_choice":1,'
finish
