#!/usr/bin/env bash
# What the kernel orders is ordered in the trace: pipes, sockets, event counters, signals, streams.
# The seed alone decides who runs when.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
. "$FOREWEAVE_SOURCE/tests/cli/runtime.bash"

for how in pipe socketpair eventfd tcp unix signal stream none; do
    like_native order "$how"
    case $how in none) wanted=66 ;; *) wanted=0 ;; esac
    expect $wanted check --analysis=hb trace.fwt
    [ "$how" != none ] || out_has "order.c"
    expect 0 trace show trace.fwt
    out_has "hb:channel"
    out_lacks "libforeweave_rt"
done

# The same seed gives the same turns wherever things lie in memory, and another one gives others.
build turns
turns_into() { # FILE SEED [ARGUMENT]
    run_into "$1" "$FOREWEAVE" record -q -o trace.fwt --seed="$2" -- ./watched/turns ${3:+"$3"}
}
turns_into far 3
turns_into near 3 near
turns_into others 4
last="turns, and turns near"
same near far
cmp -s others far && complain "seed 4 gives the turns of seed 3"
finish
