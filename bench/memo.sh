#!/usr/bin/env bash
# memo.sh - what the memo database saves: eight inputs of four programs; a table in Markdown.
#
# For each program: how many attempts, and seconds for them, the eighth input takes with an empty database, and with
# what the first seven have left there; then the same with the profiles, which are made anew for every input.
#
#   JOBS=1  SEED=1  IDIOMS=1 (only these)  MOST=60 (seconds for one input)
set -u
cd "$(dirname "$0")/.." || exit 1
FOREWEAVE=${FOREWEAVE:-$PWD/build/foreweave}
jobs=${JOBS:-1} seed=${SEED:-1} idioms=${IDIOMS:-1} most=${MOST:-60}
work=$(mktemp -d "${TMPDIR:-/tmp}/foreweave-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

inputs() { # PROGRAM
    case $1 in
    bank) printf '%s\n' "6 4 2 2" "8 4 2 2" "10 3 2 3" "12 4 3 3" "9 5 2 2" "14 4 2 3" "11 6 3 2" "13 4 2 3" ;;
    prodcons) printf '%s\n' "6 1 2 2" "8 1 2 2" "10 1 3 3" "12 1 3 3" "9 1 1 2" "11 2 2 3" "7 1 2 4" "13 1 3 3" ;;
    radix) printf '%s\n' "32 4 2" "48 4 2" "64 4 2" "40 2 2" "56 4 3" "64 2 3" "72 4 2" "60 4 3" ;;
    lu) printf '%s\n' "8 4 2" "12 4 2" "16 4 2" "12 4 3" "16 8 2" "20 4 2" "16 4 3" "24 8 2" ;;
    esac
}

field() { sed -n "s/.*\"$1\":\\([0-9.e-]*\\).*/\\1/p" "$2"; } # the last one of that name
testing() { awk -v a="$(field seconds "$1")" 'BEGIN { printf "%.2f", a }'; }
seconds() { awk -v a="$(field profile_seconds "$1")" -v b="$(field seconds "$1")" 'BEGIN { printf "%.2f", a + b }'; }
hunt() { # RESULT DATABASE ARGUMENTS
    local result=$1 database=$2
    shift 2
    timeout -s INT "$most" "$FOREWEAVE" explore -q -s iroot --seed="$seed" -j "$jobs" --idioms="$idioms" --db="$database" --folder="$work/of" \
        --format=json -o "$result" -- "$work/$name" "$@" 2>"$work/errors"
}

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.0f%%", 100 * a / b }'; }

echo "| program | attempts without | with | testing without, s | with | with : without | with profiles: without, s | with | with : without |"
echo "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
for name in bank prodcons radix lu; do
    "$FOREWEAVE" cc -g -O1 -pthread -Ibench/programs "bench/programs/$name.c" -o "$work/$name" -lm || exit 1
    last=$(inputs $name | tail -1)
    # shellcheck disable=SC2086  # arguments are words
    hunt "$work/$name.without.json" "$work/$name.fresh.db" $last
    while read -r arguments; do
        # shellcheck disable=SC2086
        hunt "$work/$name.with.json" "$work/$name.db" $arguments </dev/null
    done < <(inputs $name)
    without=$work/$name.without.json with=$work/$name.with.json
    printf '| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n' "$name" "$(field attempts "$without")" "$(field attempts "$with")" \
        "$(testing "$without")" "$(testing "$with")" "$(ratio "$(testing "$with")" "$(testing "$without")")" \
        "$(seconds "$without")" "$(seconds "$with")" "$(ratio "$(seconds "$with")" "$(seconds "$without")")"
done
