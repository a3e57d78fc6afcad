#!/usr/bin/env bash
# What libc and the kernel store for the program is in the trace, and nothing that lies beside it.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
. "$FOREWEAVE_SOURCE/tests/cli/runtime.bash"

for call in $(sed -n 's/^    { "\([a-z]*\)", .*/\1/p' "$programs/stores.c"); do
    like_native stores "$call"
    expect 0 check --analysis=race trace.fwt
    like_native stores "$call" hit
    expect 66 check --analysis=race trace.fwt
    out_has "stores.c"
done
finish
