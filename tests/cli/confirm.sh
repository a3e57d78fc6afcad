#!/usr/bin/env bash
# What programs of tests/programs must show is confirmed by replay, also where calls, signals and the kernel
# take part; their silent twins have nothing confirmed. All programs, often: tests/programs/confirm.sh.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
last="tests/programs/confirm.sh --filter=..."
bash "$FOREWEAVE_SOURCE/tests/programs/confirm.sh" --work=work \
    --filter='^(race_read|signal_thread|stdio_buffer|text_state|thread_pool|deadlock_two|race_array)(_ok)?\.c$' >"$out" 2>"$err" ||
    { complain "not as they should be:"; cat "$out" "$err"; }
out_has 'race_read.c gcc -O2: shows 1/1'
out_has 'race_read_ok.c gcc -O2: silent 1/1'
finish
