#!/usr/bin/env bash
# check: predictions are the same, byte for byte, for any number of jobs.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

# Five threads, nested locks in different orders, variables that are sometimes not protected.
program() {
    awk -v n="$1" -v seed="$2" 'BEGIN {
        srand(seed)
        for (i = 0; i < n; i++) {
            t = int(rand() * 5); a = int(rand() * 6); b = (a + 1 + int(rand() * 5)) % 6
            x = int(rand() * 12); s = int(rand() * 20)
            printf "T%d|acq(l%d)|a%d\nT%d|r(x%d)|b%d\n", t, a, s, t, x, s
            if (i % 3 == 0) printf "T%d|acq(l%d)|c%d\nT%d|w(x%d)|d%d\nT%d|rel(l%d)|e%d\n", t, b, s, t, x, s, t, b, s
            printf "T%d|w(x%d)|f%d\nT%d|rel(l%d)|g%d\n", t, x, s, t, a, s
            if (i % 7 == 0) printf "T%d|w(y%d)|h%d\n", t, i % 3, s
        }
    }'
}
for seed in 1 2 3; do
    program 120 $seed >a.std
    for options in "" "--pairs=all" "--cap=2" "--budget=40"; do
        for format in text json; do
            # shellcheck disable=SC2086
            "$FOREWEAVE" check $options --jobs=1 --format=$format a.std >one 2>/dev/null
            status=$?
            [ $status = 66 ] || [ $status = 124 ] || complain "exit status $status with $options"
            for jobs in 2 5; do
                # shellcheck disable=SC2086
                expect $status check $options --jobs=$jobs --format=$format a.std
                same "$out" one
            done
        done
        # shellcheck disable=SC2086
        "$FOREWEAVE" check $options --format=json a.std >r.json
        expect 0 trace verify a.std r.json
    done
done
finish
