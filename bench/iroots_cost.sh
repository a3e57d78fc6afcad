#!/usr/bin/env bash
# iroots_cost.sh - what observing, guessing and seeking iRoots costs, in processor time against the native program: a
# table in Markdown.
#
#   recorded          `foreweave record`, with the recorder
#   + observer, + profiler   the same, and the iRoots of the trace observed or guessed (all idioms)
#   controlled        nobody is preempted, nothing observed; observed: and the controller finds its iRoots
#   active            an iRoot is sought: in a thin run, where nothing but its two sites is seen; observed by the program's side,
#                     with its two sites as points, and with all that share memory
#
#   PROGRAMS="lu radix bank prodcons pbzip2"  SCALE=10 (percent of the work of record.sh)  REPEAT=3  LIMIT=300
#   WORK=folder (kept)  BUILD=build (where foreweave and bench/ are; default: built here)
set -eu
cd "$(dirname "$0")/.."
programs=${PROGRAMS:-lu radix bank prodcons pbzip2} repeat=${REPEAT:-3} limit=${LIMIT:-300}
scale=${SCALE:-10} build=${BUILD:-build}
. bench/place.bash
c_of() { [ "$1" = native ] && echo gcc || echo "$foreweave cc --compiler=gcc"; }
cxx_of() { [ "$1" = native ] && echo g++ || echo "$foreweave c++ --compiler=g++"; }
. bench/arguments.bash
. bench/building.bash
mkdir -p "$work/bin"
find_pbzip2

# Processor seconds of a command, the median.
cost() { "$measure" --repeat "$repeat" --wall "$limit" -o "$work/out" "$@" | cut -d' ' -f2; }
seconds() { awk -v what="$1" 'index($0, what) == 1 { sub(what, ""); print $1 }' "$work/iroots"; }

echo "| program | native, s | recorded | + observer | + profiler | controlled | observed | active, thin | active, its sites | active, all sites |"
echo "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
for program in $programs; do
    for way in native hooks; do
        make_program "$program" $way >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2 && die "cannot build $program"; }
    done
    arguments=$(arguments_of "$program")
    [ "$program" != pbzip2 ] || arguments="-b1 $arguments"
    # shellcheck disable=SC2086  # arguments are words
    {
        native=$(cost "$work/bin/$program.native" $arguments)
        recorded=$(cost "$foreweave" record -o "$work/trace.fwt" -- "$work/bin/$program.hooks" $arguments 2>/dev/null)
        "$(dirname "$measure")/bench_iroots" "$work/trace.fwt" >"$work/iroots"
        active=$("$(dirname "$measure")/bench_active" "$(dirname "$foreweave")/libforeweave_rt.so" "$work/bin/$program.hooks" $arguments) || active="0 0 0 0 0 0"
    }
    echo "$native $recorded $(seconds 'observe, all') $(seconds 'profile, all') $active" | awk -v name="$program" '{
        printf "| %s | %.3f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", name, $1, $2 / $1, ($2 + $3) / $1, ($2 + $4) / $1,
            $5 / $1, ($6 + $7) / $1, $8 / $1, $9 / $1, $10 / $1 }'
    rm -f "$work/trace.fwt"
done
