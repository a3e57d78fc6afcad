#!/usr/bin/env bash
# Functions of libc, intercepted: results, errno and waiting are those of libc alone.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
. "$FOREWEAVE_SOURCE/tests/cli/runtime.bash"

like_native text
like_native heap
like_native io
for fault in $(sed -n 's/^    { "\([a-z]*\)", .*/\1/p' "$programs/faults.c"); do
    like_native faults "$fault"
done
finish
