#!/usr/bin/env bash
# check: the report is the same, byte for byte, for any number of jobs; streams are analysed as
# they come; traces that end early are analysed to their end.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

# Every analysis of this version.
all=$("$FOREWEAVE" list | sed -n '2,/^$/s/^\([a-z]\{1,\}\) .*/\1/p' | paste -sd,)
[[ $all == *null* ]] || complain "foreweave list names no analyses but '$all'"

# Four threads, locks, calls and blocks; some accesses are not protected.
program() {
    awk -v n="$1" 'BEGIN {
        srand(7)
        for (i = 0; i < n; i++) {
            t = int(rand() * 4); l = int(rand() * 20); x = int(rand() * 500); s = int(rand() * 60)
            printf "T%d|call(f%d)|%d\nT%d|begin(b)|%d\n", t, s % 9, s, t, s
            printf "T%d|acq(l%d)|%d\nT%d|r(x%d)|%d\n", t, l, s, t, x, s
            printf "T%d|w(x%d)|%d\nT%d|rel(l%d)|%d\n", t, x, s, t, l, s
            if (i % 50 == 0) printf "T%d|w(y%d)|%d\n", t, i % 3, s
            printf "T%d|acq(l%d)|%d\nT%d|rel(l%d)|%d\n", t, l, s + 1, t, l, s + 1
            printf "T%d|end(b)|%d\nT%d|ret(f%d)|%d\n", t, s, t, s % 9, s
        }
    }'
}
rounds=8000
[ -z "${FOREWEAVE_SANITIZE-}" ] || rounds=2000 # which slows everything down as much
program $rounds >a.std

# The predictor of iRoots looks at far more: a short trace is enough for it.
program 60 >short.std
expect 66 check -a iroot --jobs=1 --format=json short.std
cp "$out" one
for jobs in 2 3 16; do
    expect 66 check -a iroot --jobs=$jobs --format=json short.std
    same "$out" one
done
all=$(tr , '\n' <<<"$all" | grep -vx iroot | paste -sd,)

findings() { "$FOREWEAVE" check -a "$all" -j 1 a.std >/dev/null 2>&1; echo $?; }
status=$(findings)
for format in text json; do
    expect "$status" check -a "$all" --jobs=1 --format=$format a.std
    cp "$out" one
    for jobs in 2 3 16; do
        expect "$status" check -a "$all" --jobs=$jobs --format=$format a.std
        same "$out" one
    done
    expect "$status" check -a "$all" --format=$format a.std
    same "$out" one
done

# A stream, while it is produced: far more than a pipe holds, and line by line.
expect "$status" check -a "$all" --jobs=3 --format=json - < <(program $rounds)
sed 's/"name":"standard input"/"name":"a.std"/' "$out" >stream
same stream one
head -300 a.std >short.std
expect "$("$FOREWEAVE" check -a "$all" short.std >short; echo $?)" check -a "$all" - \
    < <(while IFS= read -r line; do printf '%s\n' "$line"; done <short.std)
sed 's/ TRACE$/ short.std/' "$out" >stream
same stream short
expect 3 check -a null -j 4 - < <(program $rounds; echo 'T0|rel(l)|1')
one_error

# Cut in the middle: what there is is analysed, and both reports say so.
"$FOREWEAVE" trace convert -q a.std a.fwt
size=$(stat -c %s a.fwt)
head -c $((size * 2 / 3)) a.fwt >cut.fwt
for jobs in 1 4; do
    "$FOREWEAVE" check -a "$all" cut.fwt >/dev/null 2>&1
    status=$?
    expect $status check -a "$all" -j $jobs cut.fwt
    err_has "foreweave: warning: 'cut.fwt' is cut ("
    out_has "The trace is cut ("
    out_has "): it was analysed to its last complete block"
    expect $status check -a "$all" -j $jobs --format=json cut.fwt
    out_has '"cut":true,"cut_reason":"'
    expect $status check -a "$all" -j $jobs --format=json - <cut.fwt
    out_has '"cut":true'
done
expect 0 check -a null a.fwt
out_lacks "cut"
finish
