#!/usr/bin/env bash
# Synchronisation in a recorded program behaves as it does without recording: what the programs in
# sync/ print and return is the same, with several seeds, and their traces are well-formed, name no
# lock twice and hold no race.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
sources=$FOREWEAVE_SOURCE/tests/cli/sync

# build NAME [COMPILER]
build() {
    local source wrapper=cc compiler=${2:-gcc} standard=c11
    source=$(ls "$sources/$1".c*)
    case $source in *.cc) wrapper="c++" compiler=${2:-g}++ standard=c++17 ;; esac
    last="foreweave $wrapper --compiler=$compiler $source"
    "$FOREWEAVE" "$wrapper" "--compiler=$compiler" -std=$standard -Wall -Wextra -Werror -g -O1 \
        -pthread "$source" -o "$1" \
        >"$out" 2>"$err" || { complain "it does not build"; head -5 "$err"; return 1; }
}

# same_when_recorded NAME [RECORD OPTIONS]
same_when_recorded() {
    local name=$1 wanted got
    shift
    timeout 300 "./$name" >native.out 2>native.err
    wanted=$?
    last="foreweave record $* -o t.fwt -- ./$name"
    timeout 300 "$FOREWEAVE" record -q "$@" -o t.fwt -- "./$name" >recorded.out 2>recorded.err
    got=$?
    [ "$got" = "$wanted" ] || complain "exit status $got, not $wanted"
    same native.out recorded.out
    same native.err recorded.err
    expect 0 check --analysis=hb,race t.fwt
}

for name in mutex rwlock cond sem threads cancel c11 shared timer cxx; do
    build "$name" || continue
    same_when_recorded "$name"
    same_when_recorded "$name" --seed=7 --quantum=20
    same_when_recorded "$name" --seed=8 --quantum=1000
done

# The other compiler.
if command -v clang >/dev/null; then
    for name in mutex cond cancel cxx; do
        build "$name" clang || continue
        same_when_recorded "$name" --seed=9
    done
fi

# A program that was not built for it: the synchronisation is seen all the same.
for name in mutex cond threads; do
    cc -g -O1 -pthread "$sources/$name.c" -o "$name" 2>"$err" || complain "cc fails on $name.c"
    same_when_recorded "$name"
    expect 0 trace info t.fwt
    out_has "acq "
done
finish
