#!/usr/bin/env bash
# version, list and doctor.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
expect 0 version
grep -qE '^foreweave [0-9]+\.[0-9]+\.[0-9]+$' "$out" || complain "no version"
cp "$out" version
expect 0 --version
same "$out" version
expect 0 version --format=json
out_has '"version":"'
expect 0 --version --format=json
out_has '"version":"'

expect 0 list
out_has "null         none "
expect 0 list --format=json
out_has '{"name":"null","guarantee":"none","default":false,'

expect 0 doctor
[ "$(wc -l <"$out")" -le 24 ] || complain "does not fit one screen"
out_has "ok    formats    text and binary written and read back"
out_has "Foreweave works here."
out_lacks "FAIL"
out_has "ok    via gcc    a program was built, recorded, its race found"
out_has "ok    via clang  a program was built, recorded, its race found"
expect 0 doctor --format=json
out_has '"works":true'

# What is missing is a warning with its fix, not a failure.
last="foreweave doctor without compilers and temporary directory"
PATH=/nowhere TMPDIR=/nowhere "$FOREWEAVE" doctor >"$out" 2>"$err" || complain "failed"
out_has "warn  gcc        not found"
out_has "apt install gcc"
out_has "warn  temporary  /nowhere"
out_has "ok    via gcc    not tried: there is no gcc"
silent
finish
