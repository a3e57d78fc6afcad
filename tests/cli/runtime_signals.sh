#!/usr/bin/env bash
# Signals: handlers, masks and waits work as without us; a deadly one still kills, and is told.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
. "$FOREWEAVE_SOURCE/tests/cli/runtime.bash"

like_native signals

# The trace of a program that a signal ends names it.
for how in segv memset-segv abort assert abort-handled abort-ignored free-twice trap ill thread-segv \
    join-term 1 2 3 10 13 14 15 34 64; do
    like_native deaths "$how"
done
# Ignored and harmless ones change nothing; nobody can tell of 9.
for how in 9 12 17; do
    like_native deaths "$how"
done
finish
