#!/usr/bin/env bash
# A build for production has no hooks at branches, nor in functions all of whose watched places guard has retired, by the list
# that --bare-list writes for clang; what it may do is learnt from itself, and it is guarded as before.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
case "${FOREWEAVE_SANITIZE:-}" in
'') ;;
*)
    echo "programs are run without sanitizers"
    exit 0
    ;;
esac
cp "$FOREWEAVE_SOURCE/tests/guard/lean.c" lean.c
cp lean.c lean.cc
hooks_of() { # PROGRAM: a line FUNCTION HOOK for each call
    objdump -d --no-show-raw-insn "$1" | awk '/^[0-9a-f]+ <.*>:$/ { f = $2 } /call.*<(__tsan_(read|write)|__sanitizer_cov)/ { print f, $NF }'
}

build() { # COMMAND ARGUMENT...
    "$FOREWEAVE" "$@" -Wall -Wextra -Werror -g -O1 -pthread >"$out" 2>"$err" || { complain "$* does not build"; head -5 "$err"; }
}
for source in lean.c lean.cc; do
    case $source in *.c) with=cc ;; *) with=c++ ;; esac
    build $with $source -o lean
    expect 0 learn -q --anew --idle=2 -- ./lean 100
    expect 0 guard -c lean.constraints --hot=100000 --bare-list=list -- ./lean 5000
    out_is right
    grep -q '^fun:.*add' list && complain "what is rare is in the list: $(cat list)"
    grep -q '^fun:.*total' list || complain "what was passed all the time is not in the list: $(cat list)"
    build $with --compiler=clang --no-branches -fsanitize-ignorelist=list $source -o lean
    hooks_of lean >hooks
    grep -q 'total.*>: ' hooks && complain "$source has hooks where the list wants none"
    grep -q 'add.*>: .*tsan_write' hooks || complain "$source has no hooks where the list wants them"
    grep -q 'sanitizer_cov' hooks && complain "$source has hooks at branches"
    expect 0 learn -q --anew --idle=2 -- ./lean 100
    expect 0 guard -c lean.constraints --hot=100000 -- ./lean 5000
    out_is right
    err_has '0 violations'
done

# --- accesses of any size are retired
build cc -DWIDE lean.c -o lean
objdump -d lean | grep -q '__tsan_read16' || complain "lean has no wide accesses"
expect 0 learn -q --anew --idle=2 -- ./lean 100
expect 0 guard -c lean.constraints --hot=100000 --bare-list=list -- ./lean 5000
out_is right
err_lacks ' 0 places retired'
grep -q '^fun:total$' list || complain "a place of wide accesses was not retired: $(cat list)"

# --- what is rare waits as before
for compiler in gcc clang; do
    build cc --compiler=$compiler --no-branches "$FOREWEAVE_SOURCE/examples/early.c" -o early
    expect 0 learn -q --anew --idle=3 -- ./early
    expect 0 guard -c early.constraints --stall=2000 --budget=100 --bare-list=list -- ./early late
    out_is right
    err_has '1 violations: 1 avoided by waiting'
    grep -q '^fun:' list && complain "nothing was retired, and the list has functions: $(cat list)"
done

expect 2 guard -c early.constraints --bare-list=list --prepare=early.guard -- ./early
err_has '--bare-list tells of a run'
expect 0 guard -c early.constraints --bare-list=nowhere/list -- ./early
err_has "nowhere/list"
finish
