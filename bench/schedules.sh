#!/usr/bin/env bash
# schedules.sh [NAME...] - schedules to the first failure, for each program of tests/schedules (or those named)
# and each strategy: the mean of some seeds; a table in Markdown.
#
# A seed that finds nothing within the limit counts as the limit, and the number of those that found it
# stands behind: 7447 (1/20).  chess depends on no seed and is run once; a search that ends without a failure
# within its bound is a dash.  (The seed of predict is that of the run that is recorded.)  For iroot, which
# begins with an empty database, recorded runs count as well.
#
#   STRATEGIES="random pct pctlarge delay pos chess predict"  (iroot)
#   SEEDS=20  LIMIT=10000 (runs)  JOBS=2  DEPTH=3  WORK=folder (kept: results of what was done are not made again)
#   PATIENCE=seconds: no seed is begun for a cell after so long; the mean is of those made, 10000 (0/3), ?: none
set -u
cd "$(dirname "$0")/.." || exit 1
export FOREWEAVE=${FOREWEAVE:-$PWD/build/foreweave}
strategies=${STRATEGIES:-random pct pctlarge delay pos chess predict}
seeds=${SEEDS:-20} limit=${LIMIT:-10000} jobs=${JOBS:-2} depth=${DEPTH:-3} patience=${PATIENCE:-}
if [ -n "${WORK:-}" ]; then
    mkdir -p "$WORK" && work=$(cd "$WORK" && pwd)
else
    work=$(mktemp -d "${TMPDIR:-/tmp}/foreweave-bench.XXXXXX")
    trap 'rm -rf "$work"' EXIT
fi
bash tests/schedules/build.sh -o "$work" "$@" >"$work/built.txt" || exit 1
names=$(bash tests/schedules/build.sh --list "$@" | cut -f1)

# Runs to the first failure, the limit if there was none, or "-" if there is none to be found.
first() { # NAME STRATEGY SEED
    local result=$work/$1.$2.$3.json
    local more=
    [ "$2" != iroot ] || more=--db=$result.db
    [ -s "$result" ] || (cd "$work" && "$FOREWEAVE" explore -q -s "$2" --seed="$3" -d "$depth" -n "$limit" -j "$jobs" \
        $more --until-first --limit=20 --folder="$result.of" --format=json -o "$result" -- "./$1" 2>"$result.errors")
    rm -rf "$result.of" "$result.errors" "$result".db*
    sed -n 's/.*"runs":{"all":\([0-9]*\).*"end":"\([a-z]*\)".*/\1 \2/p' "$result" |
        awk -v profiles="$(sed -n 's/.*"profiles":\([0-9]*\).*/\1/p' "$result")" '{
            if ($2 == "first") print $1 + profiles; else if ($2 == "exhausted") print "-"; else print "none" }'
}

cell() { # NAME STRATEGY
    local seed some=$seeds begun=$SECONDS
    [ "$2" != chess ] || some=1
    for seed in $(seq "$some"); do
        if [ ! -s "$work/$1.$2.$seed.json" ] && [ -n "$patience" ] && ((SECONDS - begun >= patience)); then break; fi
        first "$1" "$2" "$seed"
    done | awk -v limit="$limit" -v seeds="$some" '
        $1 == "-" { none = 1 }
        $1 == "none" { sum += limit }
        $1 ~ /^[0-9]+$/ { sum += $1; found++ }
        END {
            if (!NR) printf " ?"
            else if (none) printf " –"
            else if (found == NR && NR == seeds) printf " %.0f", sum / NR
            else printf " %.0f (%d/%d)", sum / NR, found, NR
        }'
}

echo "| program | ${strategies// / | } |"
echo "|---|$(for _ in $strategies; do printf -- "---:|"; done)"
for name in $names; do
    printf '| %s |' "$name"
    for strategy in $strategies; do
        cell "$name" "$strategy"
        printf ' |'
    done
    echo
done
