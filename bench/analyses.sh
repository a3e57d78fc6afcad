#!/usr/bin/env bash
# analyses.sh - how fast, and in how much memory, each analysis runs over long traces; prints a
# table in Markdown.  The traces go to a temporary folder (about 200 MB) and are removed.
#
#   SIZES="1000000 10000000 100000000"   lengths of the traces, growing
#   THREADS="16 4 64"  the first with all sizes, the others with the middle size
#   ANALYSES="hb cp"   which (default: all that `foreweave list` shows)
#   REPEAT=5           runs of each row; 1 for traces of 10^8 events and more
#   GEN="--calls --blocks --heap"   what the traces have (see gen.c)
#   SECONDS_LIMIT=600 MEBIBYTES_LIMIT=8192   where a run is stopped
#   CPU=1              the processor to run on (default: the last that is allowed)
#   BUILD=build        where foreweave and bench/gen are (default: built here, as release)
set -eu
cd "$(dirname "$0")/.."
sizes=${SIZES:-1000000 10000000 100000000}
threads=${THREADS:-16 4 64}
repeat=${REPEAT:-5}
gen_options=${GEN:---calls --blocks --heap}
cpu=${CPU:-$(sed -n 's/^Cpus_allowed_list:.*[^0-9]\([0-9]*\)$/\1/p' /proc/self/status)}
build=${BUILD:-build}
work=$(mktemp -d "${TMPDIR:-/tmp}/foreweave-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
say() { echo "analyses.sh: $*" >&2; }
die() { say "$@" && exit 1; }

if [ -z "${BUILD:-}" ]; then
    say "building"
    {
        cmake --preset release -DFOREWEAVE_BENCH=ON
        cmake --build build --parallel "$(nproc)" --target foreweave bench_gen bench_measure
    } >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2 && die "the build failed"; }
fi
for program in foreweave bench/gen bench/measure; do
    [ -x "$build/$program" ] || die "'$build/$program' is missing: build with -DFOREWEAVE_BENCH=ON"
done
known=$("$build/foreweave" list | awk 'NR > 1 && !NF { exit } NR > 1 { print $1 }')
analyses=${ANALYSES:-$known}
analyses="null $(echo "$analyses" | tr '\n' ' ' | sed 's/\bnull\b//g')"
for name in $analyses; do
    echo "$known" | grep -qx "$name" || die "no analysis is called '$name'; there are: ${known//$'\n'/, }"
done

# Rows of results: analysis, threads, events, best and median seconds, KiB, how it ended, findings.
run() { # ANALYSIS THREADS EVENTS
    local times=$repeat result findings
    [ "$3" -lt 100000000 ] || times=1
    result=$("$build/bench/measure" --repeat "$times" --cpu "$cpu" --seconds "${SECONDS_LIMIT:-600}" \
        --mebibytes "${MEBIBYTES_LIMIT:-8192}" -o "$work/report" \
        "$build/foreweave" check -a "$1" --jobs=1 "$work/$2-$3.fwt" 2>"$work/errors") ||
        { cat "$work/errors" >&2 && die "cannot measure $1"; }
    findings=$(sed -n 's/^foreweave: \([0-9]*\) findings\{0,1\} in .*/\1/p' "$work/report")
    echo "$1 $2 $3 $result ${findings:--}" >>"$work/results"
    tail -n 1 "$work/results" | awk '{ printf "analyses.sh: %s, %d threads, %d events: %.2f million a second, %.1f MiB, %s %s\n",
        $1, $2, $3, $3 / $4 / 1e6, $6 / 1024, $7, $8 }' >&2
    case $result in *" exit 0" | *" exit 66") ;; *) head -n 3 "$work/errors" >&2 ;; esac
}

trace() { # THREADS EVENTS: generates it and runs everything over it
    local file=$work/$1-$2.fwt
    say "generating $2 events of $1 threads"
    # shellcheck disable=SC2086
    "$build/bench/gen" --style recorded --seed 1 --threads "$1" --events "$2" $gen_options -o "$file"
    for name in $analyses; do run "$name" "$1" "$2"; done
    rm -f "$file"
}

# shellcheck disable=SC2086
set -- $sizes
middle=$1
[ $# -lt 2 ] || middle=$2
# shellcheck disable=SC2086
set -- $threads
for size in $sizes; do trace "$1" "$size"; done
shift
for count in "$@"; do trace "$count" "$middle"; done

echo "foreweave $("$build/foreweave" version | awk 'NR == 1 { print $2 }'), $(uname -srm), $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2- | sed 's/^ *//')"
echo
echo "Millions of events for each second of processor time, whole program, from \`.fwt\`, one core;"
echo "traces: \`gen --style recorded $gen_options\`; $repeat runs (1 from 10^8 events on). \`time\` and \`memory\`:"
echo "per event, and as a whole, relative to the row above of the same analysis and threads."
echo
for name in $analyses; do grep "^$name " "$work/results"; done | awk '
    BEGIN {
        print "| analysis | threads | events | findings | best M/s | median M/s | time | peak MiB | memory |"
        print "|---|---|---|---|---|---|---|---|---|"
    }
    {
        same = $1 == analysis && $2 == threads
        if ($7 == "exit" && ($8 == 0 || $8 == 66))
            printf "| %s | %d | %d | %s | %.2f | %.2f | %s | %.1f | %s |\n", $1, $2, $3, $9,
                $3 / $4 / 1e6, $3 / $5 / 1e6, same ? sprintf("%.2f", $4 / $3 / time) : "",
                $6 / 1024, same ? sprintf("%.2f", $6 / memory) : ""
        else
            printf "| %s | %d | %d | stopped after %.0f s (%s %s) | | | | %.1f | |\n", $1, $2, $3, $4,
                $7, $8, $6 / 1024
        analysis = $1; threads = $2; time = $4 / $3; memory = $6
    }'
