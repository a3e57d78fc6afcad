#!/usr/bin/env bash
# Every malformed trace gets one error with its file and line, status 3; --repair reads on.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
cd "$traces/bad" || exit 1

for trace in *; do
    line=$(sed -n 's/^# expect error: //p' "$trace" | head -1)
    [ -n "$line" ] || { complain "$trace does not say '# expect error: LINE'"; continue; }
    for command in "trace info" "check --analysis=null" "trace convert --to=std -q"; do
        last="foreweave $command $trace"
        target=
        [ "$command" != "${command#trace convert}" ] && target=$scratch/converted.std
        # shellcheck disable=SC2086
        expect 3 $command "$trace" $target
        err_has "foreweave: $trace:$line: "
        one_error
        [ ! -e "$scratch/converted.std" ] || complain "left a half-written trace behind"
        # shellcheck disable=SC2086
        expect 0 $command --repair "$trace" $target
        err_has "foreweave: warning: '$trace' is ill-formed: "
        err_has " dropped, the first because: $trace:$line: "
        one_error
        rm -f "$scratch/converted.std"
    done
done

# What repair leaves is well-formed.
for trace in *; do
    expect 0 trace convert --repair -q "$trace" "$scratch/repaired.std"
    expect 0 check --analysis=null "$scratch/repaired.std"
    silent
done
finish
