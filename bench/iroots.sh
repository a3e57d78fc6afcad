#!/usr/bin/env bash
# iroots.sh [NAME...] - what a campaign that seeks iRoots predicts and exposes, for each program of tests/schedules
# (or those named): a table in Markdown.
#
# guessed: predicted by the profiler and exposed by no profile; proved: of all that are predicted, those with a
# witness; refuted, undecided: those that no reordering of the profiles exposes (also guesses that no question was asked
# about), or that took too long; exposed of
# the proved, by idiom: 1 (12/12).  The last line sums up.
#
#   PATIENCE=60 (seconds for one program)  ATTEMPTS=2  JOBS=2  SEED=1  WORK=folder (kept)
set -u
cd "$(dirname "$0")/.." || exit 1
export FOREWEAVE=${FOREWEAVE:-$PWD/build/foreweave}
patience=${PATIENCE:-60} attempts=${ATTEMPTS:-2} jobs=${JOBS:-2} seed=${SEED:-1}
if [ -n "${WORK:-}" ]; then
    mkdir -p "$WORK" && work=$(cd "$WORK" && pwd)
else
    work=$(mktemp -d "${TMPDIR:-/tmp}/foreweave-bench.XXXXXX")
    trap 'rm -rf "$work"' EXIT
fi
bash tests/schedules/build.sh -o "$work" "$@" >"$work/built.txt" || exit 1
names=$(bash tests/schedules/build.sh --list "$@" | cut -f1)

. bench/iroots_row.bash

iroots_head
for name in $names; do
    result=$work/$name.iroots.json
    [ -s "$result" ] || (cd "$work" && rm -rf "$result.db"* && timeout -s INT "$patience" "$FOREWEAVE" explore -q -s iroot --seed="$seed" -j "$jobs" --limit=20 \
        --attempts="$attempts" --db="$result.db" --folder="$result.of" --format=json -o "$result" -- "./$name" \
        2>"$result.errors")
    rm -rf "$result.of" "$result.db"*
    [ -s "$result" ] || { echo "| $name | failed: $(head -1 "$result.errors") |"; continue; }
    iroots_row "$name" "$result"
done | tee "$work/rows.md"
iroots_sums "$work/rows.md"
