#!/usr/bin/env bash
# predict.sh - how fast, and in how much memory, the predictors go through long traces; prints
# tables in Markdown.  The traces go to a temporary folder (about 100 MB) and are removed.
#
#   SIZES="100000 1000000 10000000"   lengths of the traces
#   THREADS="8 16"
#   PREDICTORS="race deadlock atomicity"
#   MODES="strict branches"   traces without and with branches
#   JOBS=2             workers
#   SECONDS_LIMIT=120  where a run is stopped
#   SHAPES=yes         also nondet, on traces shaped like those of the source's table; only: just these
#   BUILD=build        where foreweave, bench/gen and bench/bench_predict are (default: built here,
#                      as release)
set -eu
cd "$(dirname "$0")/.."
sizes=${SIZES:-100000 1000000 10000000}
threads=${THREADS:-8 16}
predictors=${PREDICTORS:-race deadlock atomicity}
modes=${MODES:-strict branches}
jobs=${JOBS:-2}
limit=${SECONDS_LIMIT:-120}
shapes=${SHAPES:-yes}
build=${BUILD:-build}
work=$(mktemp -d "${TMPDIR:-/tmp}/foreweave-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
say() { echo "predict.sh: $*" >&2; }
die() { say "$@" && exit 1; }

if [ -z "${BUILD:-}" ]; then
    say "building"
    {
        cmake --preset release -DFOREWEAVE_BENCH=ON
        cmake --build build --parallel "$(nproc)" --target foreweave bench_gen bench_predict
    } >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2 && die "the build failed"; }
fi
for program in foreweave bench/gen bench/bench_predict; do
    [ -x "$build/$program" ] || die "'$build/$program' is missing: build with -DFOREWEAVE_BENCH=ON"
done

# The value of a key in a line of bench_predict.
value() { sed -n "s/.*\\b$1=\\([^ ]*\\).*/\\1/p" "$work/line"; }
# Bugs get rarer as traces get longer, so that there are about as many pairs of sites to look at.
trace() { # MODE THREADS EVENTS FILE
    local unlocked=$((10000000000 / $3)) reversed=$((100000000000 / $3)) branches=
    [ "$unlocked" -le 125000 ] || unlocked=125000
    [ "$reversed" -le 1000000 ] || reversed=1000000
    [ "$1" = strict ] || branches=--branches
    "$build/bench/gen" --style recorded --seed 1 --threads "$2" --events "$3" --calls --blocks --heap \
        --unlocked "$unlocked" --reversed "$reversed" $branches -o "$4"
}

TIMEFORMAT='%R %U %S'
predict() { # MODE THREADS EVENTS PREDICTOR FILE
    local status=0
    { time "$build/foreweave" check -a "$4" --jobs="$jobs" --time="$limit" --stats "$5" \
        2>"$work/errors" | grep -E "^$4:|^stats:" >"$work/report"; } 2>"$work/time" || status=$?
    [ "$status" = 0 ] || { cat "$work/errors" >&2 && die "$4 printed nothing"; }
    awk -v start="| $4 | $1 | $2 | $3" '
        FILENAME ~ /time$/ { wall = $1; cpu = $2 + $3; next }
        / findings?, / { findings = $2; ended = $0; sub(/.*findings?, /, "", ended) }
        / possible, / { possible = $3 }
        / peak memory / { sub(/.*peak memory /, ""); kilobytes = $1 }
        END { printf "%s | %d | %d | %.2f | %.2f | %.0f | %s |\n", start, possible, findings, wall, cpu,
            kilobytes / 1024, ended }' "$work/time" "$work/report"
}

if [ "$shapes" != only ]; then
    echo "The whole program (\`foreweave check -a NAME --jobs=$jobs --time=$limit\`); \`gen --style recorded --calls --blocks --heap\` with --unlocked and --reversed by length."
    echo
    echo "| predictor | trace | threads | events | suspects | findings | seconds | processor s | peak MiB | |"
    echo "|---|---|---|---|---|---|---|---|---|---|"
    for mode in $modes; do for count in $threads; do for size in $sizes; do
        trace "$mode" "$count" "$size" "$work/trace.fwt"
        for name in $predictors; do predict "$mode" "$count" "$size" "$name" "$work/trace.fwt"; done
    done; done; done
fi
[ "$shapes" != no ] || exit 0

# Threads, events, lock events, locks, accesses, variables, wait and notify events: as published.
rows="conpool 4 97 16 1 53 5 3
liveness 7 283 44 9 163 12 6
SynchBench 16 1510 306 2 533 15 0
Barrier 10 653 108 2 262 12 7
account 11 902 146 21 430 42 10
DaisyTest 3 2998 422 10 2003 45 15
Elevator 4 3004 370 11 1795 70 0
philo 6 1141 126 6 857 23 22
ThriftTrace1 4 2406 226 12 869 62 53
ThriftTrace2 4 11357 1384 48 3184 171 324
ThriftTrace3 6 20640 1724 158 8818 519 349"
echo
echo "nondet, every pair (\`--all\`), $jobs jobs; \`gen --style shaped\`."
echo
echo "| like | threads | events | witnesses | refuted by filter | asked | proved | choices explored | processor s | witnesses a second | the same, processor |"
echo "|---|---|---|---|---|---|---|---|---|---|---|"
echo "$rows" | while read -r name count events locking locks accesses variables waits; do
    "$build/bench/gen" --style shaped --threads "$count" --events "$events" --lock-events "$locking" \
        --locks "$locks" --accesses "$accesses" --variables "$variables" --waits "$waits" --sites 200 \
        -o "$work/trace.std"
    "$build/bench/bench_predict" --jobs "$jobs" --all --seconds "$limit" nondet "$work/trace.std" \
        >"$work/line" || die "cannot measure $name"
    awk -v name="$name" -v count="$count" -v events="$events" -v refuted="$(value refuted)" \
        -v asked="$(value asked)" -v proved="$(value proved)" -v choices="$(value choices)" \
        -v wall="$(value run)" -v cpu="$(value cpu)" 'BEGIN {
        all = refuted + asked
        printf "| %s | %d | %d | %d | %d | %d | %d | %d | %.3f | %.0f | %.0f |\n", name, count, events,
            all, refuted, asked, proved, choices, cpu, all / (wall > 0.001 ? wall : 0.001),
            all / (cpu > 0.001 ? cpu : 0.001) }'
done
