#!/usr/bin/env bash
# check --time, --mem-limit, --budget, --cap: kept; what was not looked at is said and counted.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
cp "$FOREWEAVE_SOURCE/examples/hidden-race.std" a.std

# Limits that are wide enough change nothing.
expect 66 check --format=json a.std
cp "$out" free
for limit in --time=100 --time=99.5 --mem-limit=1G --budget=1000000 --cap=1000; do
    expect 66 check $limit --format=json a.std
    same "$out" free
done
for wrong in --time=0 --time=-1 --time=soon --time=1s --time=nan --time=inf --mem-limit=much --budget=x --cap=-1; do
    expect 2 check $wrong a.std
    one_error 2
done

# A budget that is spent is no proof that nothing is there.
cp "$traces/atomicity-rwr.std" b.std
expect 124 check -a atomicity --budget=1 b.std
out_has "atomicity: 0 findings, not complete: 1 suspect undecided within the budget"
expect 124 check -a atomicity --budget=1 --format=json -o r.json b.std
grep -q '"complete":false,"why":"1 suspect undecided within the budget"' r.json || complain "complete"
grep -q '"undecided":1' r.json || complain "not counted"
expect 66 check -a atomicity b.std

# What the cap leaves is counted, and is no reason for another exit status; no cap, no rest.
awk 'BEGIN {
    srand(2)
    for (i = 0; i < 300; i++) {
        t = int(rand() * 5); a = int(rand() * 6); x = int(rand() * 12); s = int(rand() * 5)
        printf "T%d|acq(l%d)|a%d\nT%d|r(x%d)|b%d\nT%d|w(x%d)|c%d\nT%d|rel(l%d)|d%d\n", t, a, s, t, x, s, t, x, s, t, a, s
    }
}' >mixed.std
expect 66 check -a nondet --cap=1 mixed.std
out_has "suspects left by the cap"
expect 66 check -a nondet --cap=1 --format=json mixed.std
out_has '"complete":false,"why":"'
out_lacks '"left":0'
expect 66 check -a nondet --cap=1000000 --format=json mixed.std
out_has '"left":0'

# Time: the work ends, and the report says what was not reached.  (How long it takes is measured in
# bench/; here only that a limit far below what is needed ends the command in order.)
awk 'BEGIN {
    srand(3)
    for (i = 0; i < 60000; i++) {
        t = int(rand() * 8); l = int(rand() * 30); x = int(rand() * 300); s = int(rand() * 40)
        printf "T%d|acq(l%d)|%d\nT%d|r(x%d)|%d\nT%d|w(x%d)|%d\nT%d|rel(l%d)|%d\n", t, l, s, t, x, s, t, x, s, t, l, s
    }
}' >long.std
for format in text json; do
    "$FOREWEAVE" check --time=0.05 --format=$format -o report long.std >"$out" 2>"$err"
    status=$?
    last="foreweave check --time=0.05 --format=$format long.std"
    [ $status = 124 ] || [ $status = 66 ] || complain "exit status $status"
    grep -q 'the time' report || complain "the report does not speak of the time"
done
grep -q '"complete":false,"why":"' report || complain "complete"
expect 0 trace verify long.std report

# Memory: as much of the trace as fits; or, if nothing does, that is said.
if [ -z "${FOREWEAVE_SANITIZE-}" ]; then
    "$FOREWEAVE" check -a race --mem-limit=48M --stats --format=json -o report long.std >"$out" 2>"$err"
    status=$?
    last="foreweave check -a race --mem-limit=48M long.std"
    [ $status = 124 ] || [ $status = 66 ] || complain "exit status $status"
    err_has "fit into the memory limit"
    grep -q '"only":"only the first [0-9]* events fit into the memory limit"' report || complain "does not say so"
    grep -q '"complete":false,"why":"only the first' report || complain "complete"
    peak=$(sed -n 's/.*"peak_kilobytes":\([0-9]*\).*/\1/p' report)
    [ "$peak" -le $((48 * 1024 * 105 / 100)) ] || complain "took $peak KiB"
    expect 0 trace verify long.std report
    # The beginning that is read leaves room to find something in it.
    awk 'BEGIN {
        srand(4)
        for (i = 0; i < 500000; i++) {
            s = int(rand() * 20)
            printf "T%d|%s(x)|f.c:%d\n", int(rand() * 16), s % 2 ? "w" : "r", s
        }
    }' >hot.std
    for limit in 48 64; do
        # (As text: the witnesses of so many findings would make gigabytes of JSON.)
        expect 66 check --mem-limit=${limit}M --stats -o report hot.std
        err_has "fit into the memory limit"
        peak=$(sed -n 's/^stats: .* peak memory \([0-9]*\) KiB$/\1/p' report)
        [ "$peak" -le $((limit * 1024 * 105 / 100)) ] || complain "took $peak KiB of ${limit}M"
    done
    expect 66 check --mem-limit=48M a.std
fi

# Less than the process needs at all is refused; streaming needs less.
expect 2 check --mem-limit=47M a.std
err_has "--mem-limit: analyses that hold the trace in memory need at least 48M"
expect 2 check -a hb --mem-limit=3M a.std
err_has "--mem-limit: check needs at least 4M"
if [ -z "${FOREWEAVE_SANITIZE-}" ]; then
    "$FOREWEAVE" check -a hb a.std >free 2>&1
    "$FOREWEAVE" check -a hb --mem-limit=8M a.std >"$out" 2>&1
    same "$out" free
fi
finish
