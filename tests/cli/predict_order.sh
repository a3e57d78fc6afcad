#!/usr/bin/env bash
# check --order: feasible with a witness (66), infeasible (0), undecided (124).
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
cp "$FOREWEAVE_SOURCE/examples/hidden-race.std" a.std

expect 66 check --order=10,1 a.std
silent
out_has "ANSWER: Foreweave: feasible order (predicted by order)"
out_has "       6     10            w(x)    main.c:7   <-"
out_has "       7      1  w(x)              main.c:10  <-"
out_has "The order 10, 1 is feasible"
expect 66 check --order=10,1,2 --format=json -o r.json a.std
grep -q '"order":{"events":\[10,1,2\],"answer":"feasible"}' r.json || complain "no answer in JSON"
grep -q '"kind":"order"' r.json || complain "no finding in JSON"
expect 0 trace verify a.std r.json
out_is "foreweave: 1 witness accepted, 0 rejected; 0 findings carry no witness"

# A thread cannot be joined before its last event, nor run backwards.
for order in 11,10 2,1 4,3 10,0; do
    expect 0 check --order=$order a.std
    silent
    out_has "The order ${order/,/, } is infeasible"
    expect 0 check --order=$order --format=json a.std
    out_has '"answer":"infeasible"},"findings":[]'
done

# The published example: three events, one order of which is feasible.
expect 66 check --order=5 a.std
expect 124 check --order=10,1 --budget=1 a.std
out_has "The order 10, 1 is undecided"
out_has "order: 0 findings, not complete: 1 suspect undecided within the budget"
expect 124 check --order=10,1 --budget=1 --format=json -o r.json a.std
grep -q '"answer":"undecided"' r.json || complain "no answer in JSON"

# A line that is several events is named once for each of them.
cat >wait.std <<'TRACE'
T1|acq(l)|1
T1|wait(l)|2
T2|acq(l)|3
T2|notify(l)|4
T2|rel(l)|5
T1|rel(l)|6
TRACE
expect 66 check --order=1,3,1,1 wait.std
expect 0 check --order=1,1,3 wait.std

for wrong in 99 1,99 x 1,,2 1,1 -1; do
    expect 2 check --order=$wrong a.std
    one_error 2
done
expect 2 check --order=1,2 -a race a.std
one_error 2
finish
