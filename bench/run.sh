#!/usr/bin/env bash
# run.sh - builds the benchmarks, generates traces, prints how fast and in how much memory they
# are read.  Self-contained; the traces go to a temporary folder (about 1 GB) and are removed.
#
#   EVENTS=10000000   length of the long traces; the short ones have a tenth
#   REPEAT=7          runs of each row
set -eu
cd "$(dirname "$0")/.."
events=${EVENTS:-10000000}
repeat=${REPEAT:-7}
work=$(mktemp -d "${TMPDIR:-/tmp}/foreweave-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

{
    cmake --preset release -DFOREWEAVE_BENCH=ON
    cmake --build build --parallel "$(nproc)" --target bench_gen bench_read
} >"$work/build.log" 2>&1 || { cat "$work/build.log" && exit 1; }

# 16 threads, 100 locks, 10,000 variables, 500 sites; only the style differs.
gen() { build/bench/gen --seed 1 --threads 16 --locks 100 --variables 10000 --sites 500 "$@"; }
recorded() { gen --style recorded --calls --branches "$@"; }

echo "foreweave bench: $(uname -srm), $(nproc) cores, $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2-)"
echo "speed: millions of events for each second of processor time, one core; $repeat runs"
TIMEFORMAT=%U
write() { # STYLE-FUNCTION NAME OPTIONS...
    local how=$1 file=$2 seconds
    shift 2
    seconds=$({ time "$how" --events "$events" "$@" -o "$work/$file"; } 2>&1)
    awk -v file="$file" -v n="$events" -v s="$seconds" \
        'BEGIN { printf "%-24s generated and written at %.1f million events a second\n", file, n / s / 1e6 }'
}
for format in std fwt; do
    write gen uniform.$format --style uniform
    write recorded recorded.$format
done
recorded --sizes --events "$events" -o "$work/recorded-sizes.fwt"
gen --style uniform --events $((events / 10)) -o "$work/uniform-short.std" -o "$work/uniform-short.fwt"
recorded --events $((events / 10)) -o "$work/recorded-short.fwt"

echo
build/bench/bench_read --repeat "$repeat" --decoder \
    "$work/uniform.std" "$work/uniform.fwt" "$work/recorded.std" "$work/recorded.fwt" \
    "$work/recorded-sizes.fwt"
echo
echo "memory does not depend on the length:"
build/bench/bench_read --repeat 1 \
    "$work/uniform-short.std" "$work/uniform.std" "$work/uniform-short.fwt" "$work/uniform.fwt" \
    "$work/recorded-short.fwt" "$work/recorded.fwt"
