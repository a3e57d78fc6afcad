#!/usr/bin/env bash
# lifetx.sh - what is learnt of transactions from calm runs of the guard's kernels (tests/guard), and what that is good for when
# they are adverse.  Prints a table in Markdown: cutpoints and claims, recordings of failing runs that break what was
# learnt (exactly, by serialisability), failing runs without and with the guard, runs that hung, and calm ones that failed.
#
#   RUNS=50          adverse runs of each kernel, without and with the guard
#   KERNELS="..."    some of them
#   BUILD=build      where foreweave is (default: built here, as release)
set -u
cd "$(dirname "$0")/.." || exit 1
build=${BUILD:-build}
[ -n "${BUILD:-}" ] || sh scripts/build.sh release 2 || exit 1
foreweave=$(realpath "$build")/foreweave
sources=$PWD/tests/guard
kernels=${KERNELS:-$(cd "$sources" && grep -l '"kernel.h"' ./*.c | sed 's|./||; s|\.c$||')}
runs=${RUNS:-50}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

guard() { # KERNEL HOW SEED
    timeout 10 "$foreweave" guard -q --kind=lifetx --budget=100 -c "$1.constraints" -- "./$1" "$2" "$3" >/dev/null 2>&1
}
echo "| kernel | kind | cutpoints | claims | recordings that break them | failing of $runs | guarded | hung | calm, of 10 |"
echo "|---|---|---|---|---|---|---|---|---|"
for kernel in $kernels; do
    "$foreweave" cc -g -O1 -pthread "$sources/$kernel.c" -o "$kernel" || continue
    "$foreweave" learn -q --kind=lifetx --runs=20 --idle=5 -c "$kernel.constraints" -- "./$kernel" calm 1 >/dev/null 2>&1
    wrong=
    for seed in 1 2 3 4 5 6; do
        [ "$(echo "$wrong" | wc -w)" -lt 3 ] || break
        timeout 20 "$foreweave" record -q --repeats --seed=$seed -o "$kernel.$seed.fwt" -- "./$kernel" adverse $seed >/dev/null 2>&1 ||
            wrong="$wrong $kernel.$seed.fwt"
    done
    # shellcheck disable=SC2086
    broken=$("$foreweave" learn --kind=lifetx --runs=0 --check-traces="$(echo $wrong | tr ' ' ,)" -c "$kernel.constraints" -- \
        "./$kernel" 2>/dev/null | grep -c 'breaks transactions [1-9]')
    native=0 guarded=0 hung=0 calm=0
    for seed in $(seq "$runs"); do
        timeout 10 "./$kernel" adverse "$seed" >/dev/null 2>&1 || native=$((native + 1))
        guard "$kernel" adverse "$seed"
        status=$?
        [ $status = 0 ] || guarded=$((guarded + 1))
        [ $status != 124 ] || hung=$((hung + 1))
    done
    for seed in 1 2 3 4 5 6 7 8 9 10; do
        guard "$kernel" calm $seed || calm=$((calm + 1))
    done
    echo "| $kernel | $(sed -n 's/.*kind: //p' "$sources/$kernel.c") | $(grep '^cut' "$kernel.constraints" | grep -vc 'claim\|last\|more') |" \
        "$(grep -c '^cut claim' "$kernel.constraints") | $broken of $(echo "$wrong" | wc -w) | $native | $guarded | $hung | $calm |"
done
