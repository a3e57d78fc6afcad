#!/usr/bin/env bash
# coverage.sh [NAME...] - iRoots that strategies expose in the same time: a table in Markdown.
#
# Every strategy has the same time; all runs are observed in the same way.  In each cell: iRoots of all idioms that
# controlled runs have exposed (what the profiles of iroot show themselves does not count, their time does).
# Programs: the right twins of tests/schedules that are named, and those of bench/programs with small inputs.
#
#   STRATEGIES="iroot pctlarge pct random pos delay chess predict"  SECONDS_EACH=10  JOBS=1  SEED=1  WORK=folder (kept)
set -u
cd "$(dirname "$0")/.." || exit 1
export FOREWEAVE=${FOREWEAVE:-$PWD/build/foreweave}
strategies=${STRATEGIES:-iroot pctlarge pct random pos delay chess predict} jobs=${JOBS:-1} seed=${SEED:-1}
time=${SECONDS_EACH:-10}
if [ -n "${WORK:-}" ]; then
    mkdir -p "$WORK" && work=$(cd "$WORK" && pwd)
else
    work=$(mktemp -d "${TMPDIR:-/tmp}/foreweave-bench.XXXXXX")
    trap 'rm -rf "$work"' EXIT
fi
names=${*:-bank prodcons radix thread_pool_ok cache_ok wsq_ok circular_buffer_ok}

# Builds the program; prints its command line.
command_of() { # NAME
    local source=tests/schedules/$1.c compiler=cc
    if [ -e "bench/programs/$1.c" ]; then
        "$FOREWEAVE" cc -g -O1 -pthread -Ibench/programs "bench/programs/$1.c" -o "$work/$1" -lm >&2 || return 1
        case $1 in
        bank) echo "./$1 12 4 2 3" ;;
        prodcons) echo "./$1 12 1 3 3" ;;
        radix) echo "./$1 64 4 2" ;;
        esac
        return
    fi
    [ -e "$source" ] || source=tests/schedules/$1.cc compiler=c++
    "$FOREWEAVE" "$compiler" -g -O1 -pthread "$source" -o "$work/$1" >&2 && echo "./$1"
}

exposed() { sed -n 's/.*"iroots":\[\([0-9,]*\)\].*/\1/p' "$1" | awk -F, '{ for (i = 1; i <= NF; i++) sum += $i; print sum + 0 }'; }

echo "| program | ${strategies// / | } |"
echo "|---|$(for _ in $strategies; do printf -- "---:|"; done)"
for name in $names; do
    command=$(command_of "$name") || continue
    printf '| %s |' "$name"
    for strategy in $strategies; do
        result=$work/$name.$strategy.json more=
        [ "$strategy" != iroot ] || more=--db=$result.db
        # shellcheck disable=SC2086  # the command line is words
        [ -s "$result" ] || (cd "$work" && rm -rf "$result".* && "$FOREWEAVE" explore -q -s "$strategy" --seed="$seed" -j "$jobs" \
            --time="$time" $more --folder="$result.of" --format=json -o "$result" -- $command 2>"$result.errors")
        printf ' %s |' "$(exposed "$result")"
        rm -rf "$result".*
    done
    echo
done
