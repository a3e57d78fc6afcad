#!/usr/bin/env bash
# The demo, over and over: every recorded run of examples/hidden.c gives away its race, with stacks,
# lines and a witness that the verifier accepts, whichever the compiler and the optimisation.
# FOREWEAVE_DEMO_RUNS: how many times each (10).
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
unset FOREWEAVE_CC FOREWEAVE_CXX
cp "$FOREWEAVE_SOURCE/examples/hidden.c" .
worker_line=$(grep -n 'x = 2;' hidden.c | cut -d: -f1)
main_line=$(grep -n 'x = 1;' hidden.c | cut -d: -f1)

for compiler in gcc clang; do
    for level in -O0 -O2; do
        expect 0 cc --compiler=$compiler -g $level hidden.c -o hidden
        silent
        for ((run = 1; run <= ${FOREWEAVE_DEMO_RUNS:-10}; run++)); do
            expect 0 record -q -o t.fwt -- ./hidden
            silent
            expect 66 check t.fwt
            last="$compiler $level, run $run: foreweave check t.fwt"
            out_has "WARNING: Foreweave: data race (predicted by race)"
            out_has "hidden.c:$main_line in main by main thread (locks held: none"
            out_has "hidden.c:$worker_line in worker by thread T1 (locks held: none"
            grep -qE "#0 main .*hidden.c:$main_line\$" "$out" || complain "no stack of main"
            grep -qE "#0 worker .*hidden.c:$worker_line\$" "$out" || complain "no stack of the worker"
            grep -qE "Location is .*'x'" "$out" || complain "not x"
            out_has "This run hid it: T0"
            out_has "Certain: the witness is a schedule that the program can run"
            [ "$(grep -c WARNING "$out")" = 1 ] || complain "more than one finding"
        done
        expect 66 check --format=json -o result.json t.fwt
        expect 0 trace verify t.fwt result.json
        out_has "1 witness accepted, 0 rejected"
    done
done

# The twin in which main's write comes under the lock before the worker's section can: silent.
sed 's|^    x = 1;.*||; s|^    z++;|    z++; x = 1;|; s|^    y++;|    y++; x = 2;|; s|^    x = 2;.*||' hidden.c >silent.c
expect 0 cc -g silent.c -o silent
expect 0 record -q -o t.fwt -- ./silent
expect 0 check --analysis=race t.fwt
out_has "race: 0 findings, complete"

last="scripts/demo.sh"
(cd "$FOREWEAVE_SOURCE" && sh scripts/demo.sh "$FOREWEAVE") >"$out" 2>&1 || { complain "failed:"; tail -20 "$out"; }
out_has "1 witness accepted, 0 rejected"
finish
