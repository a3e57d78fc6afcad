#!/usr/bin/env bash
# run.sh - builds, runs, records and checks the programs of this folder; says what is not as it should be.
#
#   run.sh [--filter=REGEX] [--compilers="gcc clang"] [--levels="-O0 -O2"] [--jobs=N]
#          [--runs=N] [--first-seed=N] [--check-every=N] [--quantum=N] [--rotate]
#
# FOREWEAVE names the program (build/foreweave).  README.md says what is compared.  With --runs=N each
# program is recorded N times, each time with the next seed; what it prints is compared every time, what
# is reported the first time and then every so many times.  With --rotate each program and its twin are
# built in one of the ways only, the next pair in the next one.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
FOREWEAVE=${FOREWEAVE:-$here/../../build/foreweave}
filter=. compilers="gcc clang" levels="-O0 -O2" runs=1 jobs=2 first_seed=1 check_every=1 quantum= rotate=
for option in "$@"; do
    value=${option#*=}
    case $option in
    --filter=*) filter=$value ;;
    --compilers=*) compilers=$value ;;
    --levels=*) levels=$value ;;
    --runs=*) runs=$value ;;
    --first-seed=*) first_seed=$value ;;
    --check-every=*) check_every=$value ;;
    --quantum=*) quantum=$option ;;
    --jobs=*) jobs=$value ;;
    --rotate) rotate=yes ;;
    *) echo "run.sh: unknown option '$option'"; exit 2 ;;
    esac
done

# What a program says under a key, as one line.
said() { sed -n "s/^ \* $2: *//p" "$1" | tr '\n' ' '; }

# The analyses whose findings are compared; a silent program is silent for more of them.
analyses() {
    local chosen
    chosen=$(said "$1" analyses)
    chosen=${chosen:-race,deadlock}
    chosen=${chosen% }
    if grep -q '^ \* expect: nothing' "$1"; then chosen+=,hb; fi
    if grep -qE '^ \* (expect|never): atomicity' "$1"; then chosen+=,atomicity; fi
    if grep -qE '^ \* (expect|never): nondet' "$1"; then chosen+=,nondet; fi
    echo "$chosen"
}

# Prints what went wrong with one program, one compiler, one level.
job() {
    local program=$1 compiler=$2 level=$3 source=$here/$1 name=${1%.*} library command flags options
    local standard scratch status seed wanted record check
    scratch=$(mktemp -d "${TMPDIR:-/tmp}/foreweave-programs.XXXXXX") || return 1
    command=cc standard=gnu11
    if [ "${program##*.}" = cc ]; then
        command=c++ standard=c++17 compiler=${compiler/gcc/g++} compiler=${compiler/%clang/clang++}
    fi
    flags="-g $level -std=$standard -pthread -I$here/../../include $(said "$source" flags)"
    options=$(said "$source" options)
    library=$(said "$source" library); library=${library% }
    build="$FOREWEAVE $command --compiler=$compiler $flags"
    cd "$scratch" || return 1
    if [ -n "$library" ] && ! $build -fPIC -shared "$here/$library" -o "${library%.*}.so" 2>err; then
        wrong "the library was not built" "$build"; return
    fi
    if ! $build "$source" -o "$name" 2>err || [ -s err ]; then
        wrong "not built, or not quietly" "$build $source -o $name"; return
    fi
    wanted=$(timeout 20 "./$name" 2>&1; echo "status $?")
    [ "${wanted##*status }" = 0 ] || { wrong "natively: $wanted" "$build $source -o $name; ./$name"; return; }
    check="$FOREWEAVE check --format=json --analysis=$(analyses "$source") $options t.fwt"
    for ((seed = first_seed; seed < first_seed + runs; seed++)); do
        record="$FOREWEAVE record -q --seed=$seed $quantum -o t.fwt -- ./$name"
        once "$source" "$library" || { cd /; rm -rf "$scratch"; return; }
    done
    cd / && rm -rf "$scratch"
}

# One run under the recorder, with what job has set up.
once() {
    local got repeat differences
    repeat="$build $source -o $name; $record; $check"
    rm -f t*.fwt
    got=$(timeout 60 $record 2>err; echo "status $?")
    [ "$got" = "$wanted" ] || { wrong "recorded: $got; natively: $wanted" "$repeat"; return 1; }
    [ -s err ] && { wrong "the recorder said something" "$repeat"; return 1; }
    (((seed - first_seed) % check_every == 0)) || return 0
    timeout 60 $check >result.json 2>err
    status=$?
    [ $status = 0 ] || [ $status = 66 ] || { wrong "check: status $status" "$repeat"; return 1; }
    [ -s err ] && { wrong "check said something" "$repeat"; return 1; }
    differences=$(awk -f "$here/compare.awk" "$1" ${2:+"$here/$2"} result.json | sort)
    [ -z "$differences" ] || { wrong "$differences" "$repeat"; return 1; }
    [ $status = 0 ] || "$FOREWEAVE" trace verify t.fwt result.json >/dev/null 2>err ||
        { wrong "a witness was not accepted" "$repeat >r.json; $FOREWEAVE trace verify t.fwt r.json"; return 1; }
}

wrong() {
    { echo "FAILED: $program $compiler $level${seed:+, seed $seed}"
      sed 's/^/    /' <<<"$1"
      [ ! -s err ] || head -5 err | sed 's/^/    /'
      echo "  repeat: $2"; } >"$complaints/$program.$compiler.$level"
    cd / && rm -rf "$scratch"
}

complaints=$(mktemp -d "${TMPDIR:-/tmp}/foreweave-complaints.XXXXXX") || exit 1
trap 'cat "$complaints"/* 2>/dev/null; rm -rf "$complaints"' EXIT
unset FOREWEAVE_OPTIONS
export -f job once wrong said analyses
export here runs first_seed check_every quantum complaints FOREWEAVE
names=$(cd "$here" && ls *.c *.cc | grep -v '^lib_' | grep -E -e "$filter")
ways() { for compiler in $compilers; do for level in $levels; do echo "$compiler $level"; done; done; }
mapfile -t ways < <(ways)
pair=-1 last=
for program in $names; do
    base=${program%.*} base=${base%_ok}
    [ "$base" = "$last" ] || pair=$((pair + 1))
    last=$base
    for ((i = 0; i < ${#ways[@]}; i++)); do
        [ -n "$rotate" ] && [ $((pair % ${#ways[@]})) != $i ] || echo "$program ${ways[i]}"
    done
done | xargs -P "$jobs" -L 1 bash -c 'job "$@"' job

failed=$(ls "$complaints" | wc -l)
echo "programs: $(wc -w <<<"$names") by $compilers at $levels${rotate:+ in turn}, $runs run(s) each: $failed failed"
[ "$failed" = 0 ]
