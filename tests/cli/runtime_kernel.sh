#!/usr/bin/env bash
# What the kernel orders is ordered in the trace, by whatever means; what only comes by the way
# ("late") is not.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
. "$FOREWEAVE_SOURCE/tests/cli/runtime.bash"

for program in kernel kernel_rare; do
    for means in $(sed -n 's/^    { "\([a-z-]*\)", .*/\1/p' "$programs/$program.c"); do
        like_native "$program" "$means"
        case $means in none) wanted=66 ;; *) wanted=0 ;; esac
        expect $wanted check --analysis=race trace.fwt
        expect 0 record -q -o late.fwt -- "watched/$program" "$means" late
        expect 66 check --analysis=race late.fwt
        out_has "$program.c"
    done
done
finish
