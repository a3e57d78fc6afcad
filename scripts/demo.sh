#!/bin/sh
# demo.sh PROGRAM - the main job on an example: look at a recorded run, foresee the race that it
# hides, and check the proof.
set -eu
program=$1
trace=examples/hidden-race.std

run() { # STATUS ARGUMENTS...
    wanted=$1
    shift
    printf '\n$ foreweave %s\n' "$*"
    status=0
    "$program" "$@" || status=$?
    [ "$status" -eq "$wanted" ] || exit 1
}

cat <<'TEXT'
Two threads write x.  In the recorded run main's section of l came first, so lock order seems to
order the writes, and a happens-before detector is silent.  Columns are threads, time runs down:
TEXT
run 0 trace show "$trace"
cat <<'TEXT'

A happens-before detector finds nothing:
TEXT
run 0 check --analysis=hb "$trace"
cat <<'TEXT'

But the same program can also run T1's section first; then nothing orders the two writes:
TEXT
run 66 check "$trace"
cat <<'TEXT'

The witness is a proof: another order of the same events that the program surely can run.  A
verifier that shares no code with the predictors checks it once more:
TEXT
result=$(mktemp)
trap 'rm -f "$result"' EXIT
"$program" check --format=json -o "$result" "$trace" || [ $? -eq 66 ]
run 0 trace verify "$trace" "$result"
cat <<'TEXT'

Next: `build/foreweave check --order=10,1 examples/hidden-race.std`, `build/foreweave help`.
TEXT
