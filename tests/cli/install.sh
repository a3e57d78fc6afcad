#!/usr/bin/env bash
# What is installed works from its place: commands, wrapper under both names, manual, headers.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
unset FOREWEAVE_CC FOREWEAVE_CXX DESTDIR
prefix=$scratch/prefix
last="cmake --install"
cmake --install "$FOREWEAVE_BUILD" --prefix "$prefix" >"$out" 2>"$err" || complain "failed: $(cat "$err")"
FOREWEAVE=$prefix/bin/foreweave
expect 0 version
expect 0 doctor
out_has "$prefix/lib/foreweave/libforeweave_rt.so"
[ "$(readlink "$prefix/bin/foreweave-cc")" = foreweave ] || complain "foreweave-cc is no link"
[ "$(readlink "$prefix/bin/foreweave-c++")" = foreweave ] || complain "foreweave-c++ is no link"
cat >program.c <<'C'
#include <foreweave/annotate.h>
int x;
int main(void) { x = 1; return 0; }
C
last="$prefix/bin/foreweave-cc program.c"
"$prefix/bin/foreweave-cc" program.c -o program || complain "failed"
readelf -d program | grep -qF "$prefix/lib/foreweave" || complain "the runtime is not the installed one"
./program || complain "does not run"
for page in foreweave foreweave-cc foreweave-c++ foreweave-check foreweave-doctor; do
    [ -n "$(find "$prefix" -name "$page.1")" ] || complain "no man page $page"
done
[ -n "$(find "$prefix" -path '*bash-completion*' -name foreweave)" ] || complain "no completion"
# Nothing says where it was built.
! strings -a "$prefix/bin/foreweave" "$prefix/lib/foreweave/libforeweave_rt.so" | grep -vE '\.(c|h)$' | grep -F "$FOREWEAVE_BUILD/" | head -3 | grep . || complain "the place of the build is in it"
finish
