#!/usr/bin/env bash
# sections refine leaves out what good runs violate, and keeps what is violated in bad ones alone.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

# The programs of tests/sections have one section each that must be atomic and is not.
refine() { # PROGRAM NAME
    local source=$FOREWEAVE_SOURCE/tests/sections/$1.c all kept
    "$FOREWEAVE" cc -Wall -Werror -g -O0 -pthread "$source" -o "$1" || complain "$1 does not build"
    expect 0 sections find -q --runs=3 -o "$1.sections" -- "./$1"
    grep -q "^section $2 " "$1.sections" || complain "'$2' is no candidate"
    expect 0 sections refine --sections="$1.sections" -o "$1.kept" --runs=10 -- "./$1"
    all=$(grep -c ^section "$1.sections")
    kept=$(grep -c ^section "$1.kept")
    [ $((2 * kept)) -lt "$all" ] || complain "$1: $kept of $all are left"
    grep -q "^section $2 " "$1.kept" || complain "$1: '$2' is gone"
    err_has "$kept of $all sections are left after "
    expect 0 sections show "$1.kept" "./$1"
}
refine bank charge+2
refine stack take_quickly+3
refine sweep write_line+2

# A command may know better: all is well, whatever is lost.  The twin of the above.
expect 0 sections refine -q --sections=bank.kept --ok=true --runs=60 -- ./bank
out_lacks "section charge+2"
expect 0 sections refine -q --sections=bank.sections --runs=1 --max=30 --limit=20 \
    --ok='[ "$(cat "$FOREWEAVE_OUTPUT")" = "" ] && [ "$FOREWEAVE_STATUS" = 0 ]' -- ./bank
out_has "section charge+2"

# One good run in twenty-two is few; one in two is not.
expect 0 sections refine --sections=bank.sections --max=22 --ok='echo >>runs; [ $(wc -l <runs) = 1 ]' -- ./bank
err_has "warning: 1 of 22 runs were good: with noise that is weaker than random:200 more may be (--noise)"
rm runs
expect 0 sections refine --sections=bank.sections --max=4 --ok='echo >>runs; [ $(wc -l <runs) -gt 2 ]' -- ./bank
err_lacks "weaker"

# What is known when a signal comes is told and written; without a good run there is nothing.
rm -f runs
expect 124 sections refine --sections=bank.sections -o early.sections \
    --ok='echo >>runs; [ $(wc -l <runs) -lt 3 ] || kill -TERM $PPID' -- ./bank
err_has "warning: interrupted after "
grep -q '^foreweave sections 1' early.sections || complain "nothing is written"
expect 124 sections refine --sections=bank.sections -o never.sections --ok='kill -TERM $PPID; false' -- ./bank
err_has "interrupted after 0 good and 1 bad runs: nothing is written"
[ ! -e never.sections ] || complain "something is written without a good run"

# What cannot be.
expect 2 sections refine -- ./bank
err_has "--sections: which ones?"
expect 2 sections refine --sections=bank.sections --runs=0 -- ./bank
err_has "--runs: at least one run is needed"
expect 3 sections refine --sections=bank.sections --max=2 --ok=false -- ./bank
err_has "no run of './bank' was good: nothing can be said of its sections" "weaker than random:"
rm -f ran
for command in "sections refine --sections=bank.sections" "sections find" atomrace; do # before any run
    expect 125 $command -o no/such/folder -- sh -c 'touch ran'
    err_has "no/such/folder"
done
[ ! -e ran ] || complain "a program was run whose result cannot be written"
expect 3 sections refine --sections=bank.sections --module=./none -- ./bank
err_has "--module: cannot read './none'"
expect 3 sections refine --sections=bank.sections -- ./stack
err_has "no section of 'bank.sections' is in './stack'"
[ ! -e .foreweave/last/trace.fwt ] || complain "traces are left behind"
finish
