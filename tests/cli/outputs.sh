#!/usr/bin/env bash
# Output that cannot be written is reported, status 125; half-written files are removed.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
awk 'BEGIN { for (i = 0; i < 20000; i++) printf "T%d|w(x)|%d\n", i % 3, i }' >a.std

# Standard output onto a full disk, closed, and a pipe whose reader has left.
for command in "version" "help" "list" "doctor" "trace -h" "trace info a.std" "trace show a.std" \
    "check -a null a.std" "check -a null --format=json a.std" "trace convert a.std -" \
    "trace convert --to=fwt a.std -" "trace convert a.std b.fwt" "help --completion=bash"; do
    last="foreweave $command >/dev/full"
    # shellcheck disable=SC2086
    "$FOREWEAVE" $command >/dev/full 2>"$err"
    status=$?
    [ $status = 125 ] || complain "exit status $status, not 125"
    err_is "foreweave: cannot write 'standard output': no space left on device"
    last="foreweave $command >&-"
    # shellcheck disable=SC2086
    "$FOREWEAVE" $command >&- 2>"$err"
    status=$?
    [ $status = 125 ] || complain "exit status $status, not 125"
    err_is "foreweave: cannot write 'standard output': bad file descriptor"
done
last="foreweave trace show a.std | head -1"
"$FOREWEAVE" trace show a.std 2>"$err" | head -1 >"$out"
silent

# Files.
for command in "trace show" "trace info" "check -a null"; do
    # shellcheck disable=SC2086
    expect 125 $command -o /dev/full a.std
    err_is "foreweave: cannot write '/dev/full': no space left on device"
    # shellcheck disable=SC2086
    expect 125 $command -o no/such/dir a.std
    err_is "foreweave: cannot write 'no/such/dir': no such file or directory"
    # shellcheck disable=SC2086
    expect 0 $command -o result a.std
    out_is ""
    [ -s result ] || complain "no result"
    rm -f result
done
expect 125 trace convert --to=fwt a.std /dev/full
err_is "foreweave: cannot write '/dev/full': no space left on device"
[ -e /dev/full ] || complain "/dev/full was removed"
expect 125 trace convert a.std no/such.fwt
err_is "foreweave: cannot write 'no/such.fwt': no such file or directory"
expect 125 help --man-dir=no/such
err_has "foreweave: cannot write 'no/such/foreweave.1': no such file or directory"

# A failed conversion leaves nothing, and an older file as it was.
echo 'T1|rel(l)|1' >>a.std
expect 3 trace convert a.std bad.fwt
[ ! -e bad.fwt ] || complain "a half-written bad.fwt was left"
for command in "trace show" "trace info" "check -a null"; do
    echo old >older
    # shellcheck disable=SC2086
    expect 3 $command a.std -o older
    [ "$(cat older)" = old ] || complain "older was touched"
done
echo old >older.fwt
expect 3 trace convert a.std older.fwt
[ "$(cat older.fwt)" = old ] || complain "older.fwt was touched"
[ -z "$(ls ./*.part-* 2>/dev/null)" ] || complain "parts were left: $(ls)"
echo 'main|w(x)|1' >named.std
expect 3 trace convert named.std c.tid
one_error
[ ! -e c.tid ] || complain "a half-written c.tid was left"

# A pipe for a result is fine.
expect 0 trace show -p -o /dev/stdout named.std
out_is "0 main w(x) 1"

# No colour where nobody asked for it: not to files, and never with NO_COLOR.
expect 0 trace show named.std
out_lacks $'\033'
if ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    echo "no pseudo-terminals here: colour on a terminal is not tested"
else
    TERM=xterm script -qec "$FOREWEAVE trace show named.std" /dev/null </dev/null >"$out"
    last="foreweave trace show on a terminal"
    out_has $'\033[31m'
    TERM=xterm NO_COLOR=1 script -qec "$FOREWEAVE trace show named.std" /dev/null </dev/null >"$out"
    out_has "w(x)"
    out_lacks $'\033'
    TERM=dumb script -qec "$FOREWEAVE trace show named.std" /dev/null </dev/null >"$out"
    out_lacks $'\033'
fi
finish
