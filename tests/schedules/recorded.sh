#!/usr/bin/env bash
# recorded.sh - does a recorded run that passes show the bug to 'foreweave check'?
#
#   recorded.sh [--runs=N] [--quiet] DIR [NAME...]
#
# DIR has the programs, built by build.sh with the wrapper; without names all that have a bug are looked at.
# Each is recorded, with one seed after the other, until a run that passes shows the bug, or N (4) of them do
# not.  Runs that fail have found the bug already and do not count.  A line with tabs is printed for each:
#
#   name    yes|no    kinds of findings that show it    runs that passed    runs that failed
#
# The status is 1 if a program's head says something else (recorded: yes|no).  FOREWEAVE names the program.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
FOREWEAVE=${FOREWEAVE:-$here/../../build/foreweave}
runs=4 quiet=
while :; do
    case ${1:-} in
    --runs=*) runs=${1#*=} ;;
    --quiet) quiet=yes ;;
    -*) echo "recorded.sh: unknown option '$1'" >&2; exit 2 ;;
    *) break ;;
    esac
    shift
done
[ $# -gt 0 ] || { echo "recorded.sh: which folder?" >&2; exit 2; }
folder=$(cd "$1" && pwd) || exit 2
shift
scratch=$(mktemp -d "${TMPDIR:-/tmp}/foreweave-recorded.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
unset FOREWEAVE_OPTIONS

# The kinds of findings of one run, or "failed".
look() { # PROGRAM SEED
    local source=$here/${1%%.*}.c status
    [ -e "$source" ] || source+=c
    { timeout -k 1 2 "$FOREWEAVE" record -q --seed="$2" -o "$scratch/t.fwt" -- "$folder/$1"; } >/dev/null 2>&1 ||
        { echo failed; return; }
    timeout 60 "$FOREWEAVE" check --format=json -o "$scratch/t.json" "$scratch/t.fwt" >/dev/null 2>&1
    status=$?
    [ $status = 0 ] || [ $status = 66 ] || { echo "recorded.sh: check of $1: status $status" >&2; return; }
    awk -f "$here/recorded.awk" "$source" "$scratch/t.json"
}

different=0
while IFS=$'\t' read -r name _ _ _ _ wanted; do
    kinds='' passed=0 failed=0 answer=no
    for ((seed = 1; seed <= 30 && passed < runs; seed++)); do
        found=$(look "$name" "$seed")
        [ "$found" != failed ] || { failed=$((failed + 1)); continue; }
        passed=$((passed + 1)) kinds=$(sort <<<"$found" | paste -sd' ')
        [ -z "$kinds" ] || { answer=yes; break; }
    done
    [ -n "$quiet" ] || printf '%s\t%s\t%s\t%d\t%d\n' "$name" "$answer" "${kinds:--}" "$passed" "$failed"
    [ "$answer" = "$wanted" ] && continue
    echo "recorded.sh: $name: recorded: $wanted, but a passing run shows: ${kinds:-nothing}" >&2
    different=1
done < <(bash "$here/build.sh" --list "$@")
exit $different
