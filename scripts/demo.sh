#!/bin/sh
# demo.sh PROGRAM - the main job on an example: build a program that has a race which hardly any
# run shows, record one run, foresee the race, check the proof, and make the program run it.
set -eu
program=$(realpath "$1")
source=$(realpath examples/hidden.c)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cp "$source" hidden.c

run() { # STATUS ARGUMENTS...
    wanted=$1
    shift
    printf '\n$ foreweave %s\n' "$*"
    status=0
    "$program" "$@" || status=$?
    [ "$status" -eq "$wanted" ] || { echo "demo: status $status, not $wanted" >&2; exit 1; }
}

cat <<'TEXT'
examples/hidden.c: both threads write x, and no lock protects it.  But the worker is slow to start,
so main's section of the lock practically always comes first, and the lock seems to order the writes:
TEXT
echo
sed -n '/^static void \*worker/,$p' hidden.c | sed 's/^/    /'
cat <<'TEXT'

Build it with Foreweave's hooks (gcc or clang do the work), and run it once:
TEXT
run 0 cc -g hidden.c -o hidden
run 0 record -o t.fwt -- ./hidden
cat <<'TEXT'

A happens-before detector finds nothing in this run:
TEXT
run 0 check --analysis=hb t.fwt
cat <<'TEXT'

But the same program can also run the worker's section first; then nothing orders the two writes:
TEXT
run 66 check --analysis=race t.fwt
cat <<'TEXT'

The witness is a proof: another order of the same events that the program surely can run.  A
verifier that shares no code with the predictors checks it once more:
TEXT
"$program" check --format=json -o result.json t.fwt || [ $? -eq 66 ]
run 0 trace verify t.fwt result.json
cat <<'TEXT'

One command does all of that, and then makes the real program follow the witness:
TEXT
run 66 run --keep=found --steps=2 -- ./hidden
cat <<'TEXT'

Next: build your own program with CC="foreweave cc" (docs/recording.md), or `build/foreweave help`.
TEXT
