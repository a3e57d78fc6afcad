#!/usr/bin/env bash
# confirm.sh - runs `foreweave run` on the programs of this folder: is what each is expected to show
# confirmed by replay, and nothing confirmed in those that are expected to show nothing?
#
#   confirm.sh [--filter=REGEX] [--compilers="gcc clang"] [--levels="-O0 -O2"] [--jobs=N] [--runs=N]
#
# A line for each program that is not as it should be; NAME: why.  FOREWEAVE names the program.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
FOREWEAVE=${FOREWEAVE:-$here/../../build/foreweave}
filter=. compilers=gcc levels=-O2 runs=3 jobs=2
for option in "$@"; do
    value=${option#*=}
    case $option in
    --filter=*) filter=$value ;;
    --compilers=*) compilers=$value ;;
    --levels=*) levels=$value ;;
    --jobs=*) jobs=$value ;;
    --runs=*) runs=$value ;;
    *) echo "confirm.sh: unknown option '$option'"; exit 2 ;;
    esac
done

said() { sed -n "s/^ \* $2: *//p" "$1" | tr '\n' ' '; }

# One program, one compiler, one level: prints what is wrong.
job() {
    local program=$1 compiler=$2 level=$3 source=$here/$1 name=${1%.*} command=cc standard=gnu11
    local scratch flags library status kinds kind
    scratch=$(mktemp -d "${TMPDIR:-/tmp}/foreweave-confirm.XXXXXX") || return 1
    if [ "${program##*.}" = cc ]; then
        command=c++ standard=c++17 compiler=${compiler/gcc/g++} compiler=${compiler/%clang/clang++}
    fi
    flags="-g $level -std=$standard -pthread -I$here/../../include $(said "$source" flags)"
    library=$(said "$source" library); library=${library% }
    cd "$scratch" || return 1
    if [ -n "$library" ]; then
        $FOREWEAVE $command --compiler="$compiler" $flags -fPIC -shared "$here/$library" \
            -o "${library%.*}.so" 2>err || { echo "$program $compiler $level: library not built"; return; }
    fi
    $FOREWEAVE $command --compiler="$compiler" $flags "$source" -o "$name" 2>err ||
        { echo "$program $compiler $level: not built"; return; }
    timeout 120 "$FOREWEAVE" run -q --runs="$runs" --format=json -o r.json -- "./$name" >out 2>err
    status=$?
    if [ ! -s r.json ]; then
        echo "$program $compiler $level: no result, status $status: $(tail -1 err)"
    elif grep -q '^ \* expect: nothing' "$source"; then
        kinds='"race","deadlock"'
        jq -r '.findings[] | select(.status=="confirmed" and (.kind | IN('"$kinds"'))) |
            "'"$program $compiler $level"': must be silent, confirmed: \(.kind) \(.events[0].site)"' r.json
    else
        # What only the analyses without witnesses can see cannot be replayed.
        if [ "$(said "$source" analyses)" = "hb " ]; then cd / && rm -rf "$scratch"; return; fi
        kinds=$(sed -n 's/^ \* expect: *\([a-z]*\).*/\1/p' "$source" | sort -u)
        for kind in $kinds; do
            kind=${kind/nondet/nondeterminism} kind=${kind/nondeterminismerminism/nondeterminism}
            jq -e --arg kind "$kind" --argjson runs "$runs" '[.findings[] | select(.kind==$kind and
                .status=="confirmed" and .replay.confirmed==.replay.runs)] | length > 0' r.json >/dev/null ||
                echo "$program $compiler $level: $kind is not confirmed: $(jq -r --arg kind "$kind" \
                    '[.findings[] | select(.kind==$kind) | "\(.replay.confirmed)/\(.replay.runs) \(.replay.divergence // .replay.why)"] | join("; ")' r.json)"
        done
    fi
    cd / && rm -rf "$scratch"
}
export -f job said
export here FOREWEAVE runs

count=0
for program in $(cd "$here" && ls -- *.c *.cc | grep -E "$filter"); do
    grep -q '^ \* expect:' "$here/$program" || continue
    for compiler in $compilers; do for level in $levels; do echo "$program $compiler $level"; done; done
done | xargs -P "$jobs" -L 1 bash -c 'job "$@"' job >"${TMPDIR:-/tmp}/foreweave-confirm.$$"
count=$(wc -l <"${TMPDIR:-/tmp}/foreweave-confirm.$$")
sort "${TMPDIR:-/tmp}/foreweave-confirm.$$"
rm -f "${TMPDIR:-/tmp}/foreweave-confirm.$$"
echo "confirm: $count not as they should be"
[ "$count" = 0 ]
