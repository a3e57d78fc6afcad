#!/usr/bin/env bash
# check: the engine runs named analyses, reports the same every time, and says what is missing.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
printf 'T0|fork(T1)|1\nT0|w(x)|2\nT1|r(x)|3\n' >a.std

expect 0 check --analysis=null a.std
silent
out_is "null: 0 findings, complete (1 r, 1 w, 1 fork)
foreweave: 0 findings in 3 events of 2 threads"
expect 0 check -a null,null a.std # naming it twice runs it once
[ "$(grep -c '^null' "$out")" = 1 ] || complain "ran it twice"
expect 0 check -a null --format=json a.std
out_is '{"schema":1,"trace":{"name":"a.std","format":"std","events":3,"threads":2,"branches":false,"ignored":0,"reentrant":0,"dropped":0,"cut":false},"findings":[],"analyses":[{"name":"null","findings":0,"complete":true,"note":"1 r, 1 w, 1 fork"}]}'
cp "$out" first.json
expect 0 check -a null --format=json -o second.json a.std
out_is ""
same first.json second.json
expect 0 check -a null --stats a.std
out_has "stats: "
out_has "events/s, peak memory"
expect 0 check -a null --stats --format=json a.std
out_has '"stats":{"seconds":'
FOREWEAVE_OPTIONS=analysis=null expect 0 check a.std

printf 'T1|rel(l)|1\nT1|w(x)|2\n' >bad.std
expect 3 check -a null -o report.txt bad.std
err_is "foreweave: bad.std:1: 'rel(l)' by T1, but nobody holds l"
[ ! -e report.txt ] || complain "wrote a report of a malformed trace"
expect 0 check -a null --repair bad.std
err_is "foreweave: warning: 'bad.std' is ill-formed: 1 event dropped, the first because: \
bad.std:1: 'rel(l)' by T1, but nobody holds l"
out_is "The trace is ill-formed: 1 event dropped before analysis
null: 0 findings, complete (1 w)
foreweave: 0 findings in 1 event of 1 thread"

# Words of options are checked; what is not built yet is named.
for pairs in site all; do expect 0 check -a null --pairs=$pairs a.std; done
for cp in first-sound relation; do expect 0 check -a null --cp=$cp a.std; done
for atomic in blocks functions; do expect 0 check -a null --atomic=$atomic a.std; done
expect 2 check -a null --pairs=some a.std
one_error 2
expect 2 check -a null --jobs=many a.std
one_error 2
if [ "$(grep -c 'default)' < <("$FOREWEAVE" list))" = 0 ]; then
    expect 2 check a.std
    one_error 2
    err_has "the default analyses (race, deadlock, atomicity, nondet) are not built in this version"
    err_has "--analysis=cp,hb"
fi

# Nothing but the report goes to a file or a pipe: no colours, no progress.
expect 0 check -a null -o report.txt a.std
silent
out_lacks $'\033'

# What the trace itself shows is observed, also where other findings are predicted.
cat >split.std <<'TRACE'
T1|begin(b)|1
T1|acq(m)|2
T1|w(x)|3
T1|rel(m)|4
T2|acq(m)|5
T2|w(x)|6
T2|rel(m)|7
T1|acq(m)|8
T1|r(x)|9
T1|rel(m)|10
T1|end(b)|11
TRACE
{ sed -n 1,4p split.std; sed -n 8,11p split.std; sed -n 5,7p split.std; } >whole.std
expect 66 check -a sidetrack --format=json split.std
out_has '"label":"in-error","guarantee":"heuristic","first":true,"status":"observed"'
expect 66 check -a sidetrack split.std
out_has "in-error (observed by sidetrack)"
out_has "  Certain: the trace itself shows it"
expect 66 check -a sidetrack --format=json whole.std
out_has '"label":"after-error","guarantee":"heuristic","first":true,"status":"predicted"'
expect 66 check -a velodrome --format=json split.std
out_has '"guarantee":"sound","first":true,"status":"observed"'
expect 0 check -a velodrome whole.std

# The whole corpus is readable.
for trace in "$traces"/*.std "$traces"/*.tid; do
    expect 0 check -a null "$trace"
    silent
done

# Memory does not grow with the trace (a sanitizer's own memory does): a million
# events would take 16 MiB, what is in flight between threads takes less than 4.
if [ -z "${FOREWEAVE_SANITIZE-}" ]; then
    events() { awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "T%d|w(x%d)|%d\n", i % 4, i % 100, i % 10 }'; }
    peak() { sed -n 's/.*"peak_kilobytes":\([0-9]*\).*/\1/p' "$out"; }
    expect 0 check -a null --stats --format=json - < <(events 20000)
    small=$(peak)
    expect 0 check -a null --stats --format=json - < <(events 1000000)
    large=$(peak)
    [ "$large" -le $((small + 4096)) ] || complain "$small KiB for 20000 events, but $large KiB for 1000000"
fi
finish
