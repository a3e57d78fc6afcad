#!/usr/bin/env bash
# check --analysis=iroot: what was not tested but can be, with witnesses that verify accepts.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
traces=$FOREWEAVE_SOURCE/tests/traces

# Not among the default analyses.
expect 66 check "$traces/iroot-2.std"
out_lacks "by iroot"
expect 0 list
out_has "iroot        sound      interleavings that the run did not test but could have"

# In text: what can follow what, and the witness.
expect 66 check -a iroot "$traces/iroot-2.std"
silent
out_has "UNTESTED: Foreweave: interleaving, idiom 2 r>w>w (predicted by iroot)"
out_has "  It can be that T1 reads x at 1, next T2 writes x at 3, next T1 writes x at 2"
out_has "  Certain: the witness is a schedule that the program can run"
out_has "iroot: 4 findings, complete"
expect 0 check -a iroot "$traces/iroot-1-silent.std"
out_has "iroot: 0 findings, complete"

# In JSON, and verify accepts it; a file that somebody changed is not accepted.
expect 66 check -a iroot --format=json -o r.json "$traces/iroot-2.std"
grep -q '"kind":"iroot","label":"idiom 2 r>w>w","idiom":2,"window":100,"guarantee":"sound"' r.json ||
    complain "no idiom in the result"
expect 0 trace verify "$traces/iroot-2.std" r.json
out_is "foreweave: 4 witnesses accepted, 0 rejected; 0 findings carry no witness"
sed 's/"witness":\[0,2,1\]/"witness":[0,1,2]/' r.json >changed.json
expect 66 trace verify "$traces/iroot-2.std" changed.json
out_has "iroot: event 1, 'w(x)' by T1 comes between event 0, 'r(x)' and event 2, 'w(x)'"

# The deadlock of idiom 5: its threads wait.
expect 66 check -a iroot --idioms=5 "$traces/iroot-5-deadlock.std"
out_has "UNTESTED: Foreweave: interleaving, idiom 5w lock>lock (predicted by iroot)"
out_has "  T1 can hold a and wait for b while T2 holds b and waits for a"
out_has "              1  acq(b)          2  <- waits"
expect 66 check -a iroot --idioms=5 --format=json -o r.json "$traces/iroot-5-deadlock.std"
grep -q '"idiom":5,"deadlock":true,"window":100' r.json || complain "no deadlock in the result"
expect 0 trace verify "$traces/iroot-5-deadlock.std" r.json
expect 0 check -a iroot --idioms=5 "$traces/iroot-5-deadlock-silent.std"

# Which idioms, and how far apart.
expect 66 check -a iroot --idioms=1 "$traces/iroot-2.std"
out_has "iroot: 3 findings, complete"
expect 66 check -a iroot --idioms=2,3 "$traces/iroot-2.std"
out_has "iroot: 1 finding, complete"
expect 2 check -a iroot --idioms=7 "$traces/iroot-2.std"
err_has "--idioms: '7' is no idiom; they are numbered from 1 to 6"
expect 2 check -a iroot --window=0 "$traces/iroot-2.std"
expect 2 check -a iroot --cap=0 "$traces/iroot-2.std"
err_has "--cap and --window must be at least 1"
expect 2 check -a race --idioms=2 "$traces/iroot-2.std"
err_has "--idioms is for --analysis=iroot"
printf 'T1|r(x)|1\nT1|w(z)|0\nT1|w(x)|2\nT2|w(x)|3\n' >apart.std
expect 66 check -a iroot --idioms=2 --window=2 --format=json -o r.json apart.std
expect 0 trace verify apart.std r.json
sed 's/"window":2/"window":1/' r.json >changed.json
expect 66 trace verify apart.std changed.json
out_has "is 2 accesses behind event 0, 'r(x)', more than 1"
sed 's/"window":2/"window":-1/' r.json >changed.json
expect 3 trace verify apart.std changed.json
err_has "'window' is not a number of accesses"
expect 0 check -a iroot --idioms=2 --window=1 apart.std

# The same for any number of jobs, and a cap that leaves something says so.
for jobs in 1 3; do
    expect 66 check -a iroot --jobs=$jobs --format=json -o "j$jobs.json" "$traces/iroot-4.std"
done
same j1.json j3.json
printf 'T1|w(y)|1\nT1|acq(l)|8\nT1|w(x)|1\nT1|rel(l)|9\nT2|acq(l)|8\nT2|r(x)|2\nT2|rel(l)|9\nT3|r(y)|2\n' >cap.std
expect 66 check -a iroot --idioms=1 cap.std
out_has "iroot: 1 finding, complete"
expect 0 check -a iroot --idioms=1 --cap=1 cap.std
out_has "iroot: 0 findings, not complete: 1 suspect left by the cap"

# They are no bugs: nothing to extract.
id=$(grep -o '"id":"[0-9a-f]*"' j1.json | head -1 | cut -d'"' -f4)
expect 2 tiddle extract --trace="$traces/iroot-4.std" j1.json "$id"
err_has "is an interleaving, not a bug: there is nothing to extract"
finish
