#!/usr/bin/env bash
# coverage.sh [NAME...] - iRoots that strategies expose in the same time, or with as many runs: two tables in Markdown.
#
# Strategies run one after the other, so that each has the machine to itself for as long as the others; with
# SIDE_BY_SIDE=1 all at once, which shows as well how the kernel shares it out; with RUNS always one after the other
# (recorded ones, four or so, do not count).  All runs are observed in the same way, and written into a database.  In each
# cell of the first table: iRoots of all idioms that were exposed, the mean over the seeds; in brackets runs.  The second
# table has what the best of the others has exposed in the end, how many runs that took it, and how many iroot took to get
# as far: where a program is exhausted nobody can be ahead but by being there sooner.  Programs: of bench/programs and
# tests/schedules, twins and variants counted once, those that random, pctlarge and pos do not exhaust: in 3000 runs they do
# not all show the same number; and real programs under load, if their sources can be had.
#
#   STRATEGIES="iroot pos pctlarge random pct delay chess predict"  SECONDS_EACH=12  JOBS=1  SEEDS="1 2"  WORK=folder (kept)
#   REAL_SECONDS=90 (of memcached and redis)  RUNS=number (in place of time)  SIDE_BY_SIDE=
set -u
cd "$(dirname "$0")/.." || exit 1
export FOREWEAVE=${FOREWEAVE:-$PWD/build/foreweave}
strategies=${STRATEGIES:-iroot pos pctlarge random pct delay chess predict} jobs=${JOBS:-1} seeds=${SEEDS:-1 2}
seconds=${SECONDS_EACH:-12} real_seconds=${REAL_SECONDS:-90} number=${RUNS:-}
at_once=${SIDE_BY_SIDE:-}
[ -z "$number" ] || at_once=
if [ -n "${WORK:-}" ]; then
    mkdir -p "$WORK" && work=$(cd "$WORK" && pwd)
else
    work=$(mktemp -d "${TMPDIR:-/tmp}/foreweave-bench.XXXXXX")
    trap 'rm -rf "$work"' EXIT
fi
programs=${*:-bank safestack prodcons wsq_3 pbzip2 memcached redis}
sources=${SOURCES:-build/realworld/sources} scale=1
say() { echo "${0##*/}: $*" >&2; }
c_of() { echo "$FOREWEAVE cc --compiler=gcc"; }
cxx_of() { echo "$FOREWEAVE c++ --compiler=g++"; }
foreweave=$FOREWEAVE scripts=$PWD/scripts
. bench/building.bash
. bench/real.bash
find_pbzip2

is_server() { [ "$1" = memcached ] || [ "$1" = redis ]; }

# Builds the program; prints its command line.
command_of() { # NAME
    local source=tests/schedules/$1.c compiler=cc
    if is_server "$1"; then
        (build_program "$1") >&2 || say "skipping $1: it cannot be built" # `describe` says the rest
        [ -e "$work/$1/foreweave/built" ]
        return
    fi
    if [ "$1" = pbzip2 ]; then
        mkdir -p "$work/bin"
        [ -x "$work/bin/pbzip2.hooks" ] || make_pbzip2 hooks >&2 || return 1
        echo "bin/pbzip2.hooks -k -c -q -p2 -b1 input"
        return
    fi
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
runs() { sed -n 's/.*"runs":{"all":\([0-9]*\).*/\1/p' "$1"; }

campaign() { # STRATEGY SEED COMMAND...
    local strategy=$1 seed=$2 result=$work/$1.$2.json limit=10 more command escort=()
    local folder=$work
    shift 2
    command=("$@")
    more=--time=$seconds
    if is_server "$name"; then
        more=--time=$real_seconds limit=60 folder=$result.in
        mkdir -p "$folder" && cd "$folder" && describe "$name"
    fi
    [ -z "$number" ] || more=--runs=$number
    # shellcheck disable=SC2086  # they are words
    (cd "$folder" && "$FOREWEAVE" explore -q -s "$strategy" --seed="$seed" -j "$jobs" --limit="$limit" $more --db="$result.db" --folder="$result.of" \
        --format=json -o "$result" "${escort[@]}" -- "${command[@]}" >/dev/null 2>"$result.errors")
}

# Runs of a campaign until it had exposed so many; nothing: it never has.
reached() { # STRATEGY SEED NUMBER
    "$FOREWEAVE" coverage export --db="$work/$1.$2.json.db" --what=growth -o "$work/growth.csv" 2>/dev/null || return 0
    python3 - "$work/growth.csv" "$3" <<'END'
import csv, sys
run = 0
for row in csv.DictReader(open(sys.argv[1])):
    run = max(run, int(row["run"])) if row["strategy"] != "profile" else run
    if int(row["total"]) >= int(sys.argv[2]):
        print(run)
        break
END
}

# The best of the others with this seed, and when it and iroot were as far: `NAME NUMBER RUNS RUNS`, - for never.
compare() { # SEED
    local strategy best=0 who=- here other
    for strategy in $strategies; do
        here=$(exposed "$work/$strategy.$1.json")
        [ "$strategy" = iroot ] || [ "${here:-0}" -le "$best" ] || { best=$here who=$strategy; }
    done
    [ "$who" != - ] || return 0
    other=$(reached "$who" "$1" "$best") here=$(reached iroot "$1" "$best")
    echo "$who $best ${other:--} ${here:--}"
}

echo "| program | ${strategies// / | } |"
echo "|---|$(for _ in $strategies; do printf -- "---:|"; done)"
for name in $programs; do
    command=$(command_of "$name") || continue
    for seed in $seeds; do
        # shellcheck disable=SC2086  # the command line is words
        for strategy in $strategies; do
            campaign "$strategy" "$seed" $command &
            [ -n "$at_once" ] || wait
        done
        wait
    done
    printf '| %s |' "$name"
    for strategy in $strategies; do
        for seed in $seeds; do echo "$(exposed "$work/$strategy.$seed.json") $(runs "$work/$strategy.$seed.json")"; done |
            awk '{ iroots += $1; runs += $2 } END { printf " %.1f (%d) |", iroots / NR, runs / NR }'
    done
    echo
    case " $strategies " in
    *" iroot "*) for seed in $seeds; do compare "$seed" | sed "s/^/$name $seed /"; done >>"$work/sooner" ;;
    esac
    rm -rf "$work"/*.json "$work"/*.json.*
done
[ -s "$work/sooner" ] || exit 0
printf '\n| program | seed | best of the others | iRoots | its runs until then | runs of iroot until then |\n|---|---:|---|---:|---:|---:|\n'
awk '{ print "| " $1 " | " $2 " | " $3 " | " $4 " | " $5 " | " $6 " |" }' "$work/sooner"
