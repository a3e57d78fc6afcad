#!/bin/sh
# build.sh PRESET JOBS - configures once, then builds what has changed; quiet unless it fails.
set -eu
preset=$1
jobs=$2
case "$preset" in
release) dir=build ;;
*) dir=build-$preset ;;
esac

if [ ! -f "$dir/build.ninja" ]; then
    log=$(mktemp)
    if ! cmake --preset "$preset" >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        rm -f "$dir/CMakeCache.txt" # so that the next call starts afresh
        exit 1
    fi
    rm -f "$log"
fi
if [ "$preset" = fuzz ]; then
    # Only the fuzzers, not the program and its tests once more.
    targets=$(ls tests/fuzz/fuzz_*.c | sed 's|.*/||; s|\.c$||')
    exec cmake --build "$dir" -j "$jobs" --target $targets -- --quiet
fi
exec cmake --build "$dir" -j "$jobs" -- --quiet
