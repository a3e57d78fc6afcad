#!/usr/bin/env bash
# What the kernel orders is ordered in the trace: pipes, sockets, event counters, signals, streams.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
. "$FOREWEAVE_SOURCE/tests/cli/runtime.bash"

for how in pipe socketpair eventfd tcp unix signal stream none; do
    like_native order "$how"
    case $how in none) wanted=66 ;; *) wanted=0 ;; esac
    expect $wanted check --analysis=hb trace.fwt
    [ "$how" != none ] || out_has "order.c"
done
finish
