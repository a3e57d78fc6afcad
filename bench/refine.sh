#!/usr/bin/env bash
# refine.sh - what is left of candidates for atomic sections after refinement: the programs of
# tests/sections have one section each that must be atomic and is not.  Prints a table in Markdown:
# candidates, how many are left (most of all repeats), in how many repeats the section is among them.
#
#   REPEAT=10        repeats, each with other seeds
#   OPTIONS="..."    of `foreweave sections refine`
#   BUILD=build      where foreweave is (default: built here, as release)
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
[ -n "${BUILD:-}" ] || sh scripts/build.sh release 2
foreweave=$(realpath "$build")/foreweave
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sources=$PWD/tests/sections
repeat=${REPEAT:-10}
cd "$work"

echo "| program | must stay | candidates | left, at most | gone, at least | stayed | runs, good and bad (median) |"
echo "|---|---|---|---|---|---|---|"
while read -r program name; do
    "$foreweave" cc -g -O0 -pthread "$sources/$program.c" -o "$program"
    "$foreweave" sections find -q --runs=3 -o "$program.sections" -- "./$program"
    all=$(grep -c ^section "$program.sections")
    most=0 stayed=0
    : >runs
    for i in $(seq "$repeat"); do
        # shellcheck disable=SC2086
        "$foreweave" sections refine --sections="$program.sections" -o kept --seed=$((i * 1000)) \
            ${OPTIONS:-} -- "./$program" 2>said
        left=$(grep -c ^section kept || true)
        [ "$left" -le "$most" ] || most=$left
        ! grep -q "^section $name " kept || stayed=$((stayed + 1))
        sed -n 's/.*left after \([0-9]*\) good and \([0-9]*\) bad.*/\1 \2/p' said >>runs
    done
    middle=$(sort -n runs | sed -n "$(((repeat + 1) / 2))p")
    echo "| $program | \`$name\` | $all | $most | $(((all - most) * 100 / all))% | $stayed of $repeat | ${middle% *} and ${middle#* } |"
done <<'PROGRAMS'
bank charge+2
stack take_quickly+3
sweep write_line+2
PROGRAMS
