#!/usr/bin/env bash
# Wrong command lines get a reason, a suggestion where there is one, and status 2.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
echo 'T1|w(x)|1' >a.std

usage() { # EXPECTED-MESSAGE ARGUMENTS...
    local message=$1
    shift
    expect 2 "$@"
    err_has "foreweave: $message"
    one_error 2
    out_is ""
}

usage "'chek' is not a command of foreweave: did you mean 'check'?" chek a.std
usage "'xyzzy' is not a command of foreweave" xyzzy
usage "'shwo' is not a command of foreweave trace: did you mean 'show'?" trace shwo a.std
usage "'shwo' is not a command of foreweave trace: did you mean 'show'?" help trace shwo
usage "'more' is not a command of foreweave trace show" help trace show more
usage "unknown option '--frmat': did you mean '--format'?" trace info --frmat=json a.std
usage "unknown option '--Repair': did you mean '--repair'?" trace info a.std --Repair
usage "unknown option '-Z'" trace info -Z a.std
usage "unknown option '--bogus'" --bogus version
usage "unknown option '--bogus'" trace --bogus info a.std
usage "option '--format' cannot be 'jsn': did you mean 'json'?" trace info --format=jsn a.std
usage "option '--repair' takes no value" trace info --repair=yes a.std
usage "option '--help' takes no value" trace info --help=yes a.std
usage "option '--limit' needs a number, not 'few'" trace show --limit few a.std
usage "option '--output' needs a value: --output=FILE" trace show a.std --output
usage "option '-o' needs a value: -o FILE" trace show a.std -o
usage "option '--kind' cannot be 'raed'" trace show --kind=raed a.std
usage "missing operand: foreweave trace info TRACE..." trace info
usage "missing operand: foreweave trace convert IN OUT" trace convert a.std
usage "unexpected operand 'b.std'" trace show a.std b.std
usage "unexpected operand 'now'" version now
usage "'7-3..' is not a range" trace show --range=7-3.. a.std
usage "the range '7-3' ends before it begins" trace show --range=7-3 a.std
usage "'x' is not the index of an event" trace show --events=1,x a.std
usage "'a.std' and './a.std' are the same file" trace convert a.std ./a.std
cp "$FOREWEAVE_SOURCE/examples/hidden-race.json" r.json
for command in "trace show" "trace info" "check -a null"; do
    # shellcheck disable=SC2086
    usage "'a.std' and './a.std' are the same file" $command a.std -o ./a.std
done
usage "'a.std' and 'a.std' are the same file" trace verify a.std r.json -o a.std
usage "'r.json' and 'r.json' are the same file" trace verify a.std r.json -o r.json
usage "cannot tell the format of 'a.txt'" trace convert a.std a.txt
usage "no analysis 'nul' in this version: did you mean 'null'? 'foreweave list' names them" \
    check --analysis=nul a.std
usage "no analysis 'magic' in this version: 'foreweave list' names them" check -a null,magic a.std
[ "$(cat a.std)" = 'T1|w(x)|1' ] || complain "the trace was changed"

# A group without a subcommand prints its help, as an error.
for group in "" trace; do
    # shellcheck disable=SC2086
    expect 2 $group
    out_is ""
    err_has "usage: foreweave"
done

# Each form of an option means the same.
for form in "--limit=1" "--limit 1" "-n 1" "-n1" "-pn1 --no-plain"; do
    # shellcheck disable=SC2086
    expect 0 trace show $form a.std
    out_has "w(x)"
    # shellcheck disable=SC2086
    expect 0 trace show a.std $form
    out_has "w(x)"
done
cp a.std ./-n.std
expect 0 trace show -p -- -n.std
out_is "0 T1 w(x) 1"

# The environment gives options; the command line wins; unknown keys warn.
export FOREWEAVE_OPTIONS=plain=1:limit=0
expect 0 trace show a.std
out_is ""
silent
expect 0 trace show a.std --limit=5
out_is "0 T1 w(x) 1"
expect 0 trace show a.std --limit=5 --no-plain
out_has "index"
FOREWEAVE_OPTIONS=plian=1
expect 0 trace show a.std
err_is "foreweave: warning: unknown key 'plian' in FOREWEAVE_OPTIONS: did you mean 'plain'?"
FOREWEAVE_OPTIONS=analysis=null # another command's option
expect 0 trace show a.std
silent
FOREWEAVE_OPTIONS=limit=x
usage "in FOREWEAVE_OPTIONS: option '--limit' needs a number, not 'x'" trace show a.std
unset FOREWEAVE_OPTIONS
finish
