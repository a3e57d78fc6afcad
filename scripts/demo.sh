#!/bin/sh
# demo.sh PROGRAM - the main job on an example, as far as it goes today: look at a recorded run,
# foresee the race that it hides, and check the proof.
set -eu
program=$1
trace=examples/hidden-race.std
result=examples/hidden-race.json

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

Causally-precedes asks what must stay in order whatever the order of the sections:
TEXT
run 66 check --analysis=hb,cp "$trace"
cat <<'TEXT'

The same program can also run T1's section first; then nothing orders the two writes.  That
schedule, a witness, is in examples/hidden-race.json.  Is it a proof?
TEXT
run 0 trace verify "$trace" "$result"
cat <<'TEXT'

It is.  Next: `build/foreweave trace info examples/hidden-race.std`, `build/foreweave help`.
TEXT
