#!/usr/bin/env bash
# noise.sh - what noise does for catching races: bench/programs/echo.c, a server with four racy variables, run under
# `foreweave atomrace` with several kinds of noise.  For each the mean of overlaps caught in a run, of
# distinct variables among the four, and the time of a run; prints a table in Markdown.
#
#   RUNS=50                  of each kind
#   CLIENTS=10 REQUESTS=40
#   WORK=folder              kept; by default a temporary folder that is removed
#   BUILD=build              where foreweave is (default: built here, as release)
#
# Lines for noise by place are those where a first series of runs with noise at the variables caught something.
set -eu
cd "$(dirname "$0")/.."
runs=${RUNS:-50} clients=${CLIENTS:-10} requests=${REQUESTS:-40}
build=${BUILD:-build}
. bench/place.bash
variables=requests,connections,longest,latest

"$foreweave" cc --no-branches -O2 -g -pthread bench/programs/echo.c -o "$work/echo" || die "cannot build echo"

# All runs of one kind: a line "overlaps variables seconds" each.
series() { # NOISE|none RUNS
    local seed noise=()
    [ "$1" = none ] || noise=(--noise="$1")
    for seed in $(seq "$2"); do
        (cd "$work" && rm -rf .foreweave result.json &&
            TIMEFORMAT=%R && { time "$foreweave" atomrace -q --seed="$seed" "${noise[@]}" --format=json -o result.json \
                -- ./echo "$clients" "$requests" >output 2>errors; } 2>seconds) || [ $? -eq 66 ] || {
            cat "$work/errors" >&2 && die "a run failed ($1, seed $seed)"
        }
        [ "$(cat "$work/output")" = "$((clients * requests)) answers" ] || die "wrong output ($1, seed $seed)"
        jq -r '[.runs.overlaps, ([.findings[].location.object] | unique | length)] | join(" ")' "$work/result.json" |
            paste -d ' ' - "$work/seconds"
        jq -r '.findings[].events[].site | sub(".*/"; "")' "$work/result.json" >>"$work/lines"
    done
}
row() { # NAME NOISE
    say "$1"
    series "$2" "$runs" | awk -v name="$1" '{ overlaps += $1; found += $2; seconds += $3 }
        END { printf "| %s | %.2f | %.2f | %.3f |\n", name, overlaps / NR, found / NR, seconds / NR }'
}

rm -f "$work/lines"
series "var:$variables:500:50" 10 >/dev/null
places=$(sort -u "$work/lines" | paste -sd,)
echo "\`RUNS=$runs CLIENTS=$clients REQUESTS=$requests bash bench/noise.sh\`, $(date -u +%F), $(nproc) cores, $(gcc --version | head -n 1)."
echo
echo "| noise | overlaps a run | variables of 4 | seconds a run |"
echo "|---|---:|---:|---:|"
row "none" none
for strength in 50 150 500; do
    row "random $strength/50" "random:$strength:50"
done
row "place 500/50" "site:$places:500:50"
row "place 1000/50" "site:$places:1000:50"
for strength in 500/50 500/150 750/50 1000/50; do
    row "variable $strength" "var:$variables:${strength/\//:}"
done
