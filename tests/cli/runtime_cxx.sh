#!/usr/bin/env bash
# What libstdc++ does when a thread ends is ordered in the trace, and nothing else is.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

for compiler in g++ clang++; do
    command -v "$compiler" >/dev/null || continue
    for level in -O0 -O2; do
        for early in "" -DEARLY; do
            "$FOREWEAVE" c++ --compiler=$compiler -g $level -pthread $early \
                "$FOREWEAVE_SOURCE/tests/cli/runtime/thread_exit.cc" -o thread_exit ||
                complain "thread_exit cannot be built by $compiler $level"
            for seed in 1 2; do
                expect 0 record -q --quantum=$((seed * 20)) --seed=$seed -o t.fwt -- ./thread_exit
                out_is "1 1 5 3"
                if [ -n "$early" ]; then wanted=66; else wanted=0; fi
                expect $wanted check --analysis=race,deadlock t.fwt
                [ -z "$early" ] || out_has "thread_exit.cc"
            done
        done
    done
done
finish
