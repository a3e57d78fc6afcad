#!/usr/bin/env bash
# confirm.sh - runs `foreweave run` on the programs of this folder: is what each is expected to show
# confirmed by replay, and nothing confirmed that is not expected?
#
#   confirm.sh [--filter=REGEX] [--compilers="gcc clang"] [--levels="-O0 -O2"] [--jobs=N]
#              [--trials=N] [--first-seed=N] [--runs=N] [--work=FOLDER] [--report]
#              [--which=shows|silent]
#
# A trial is one `foreweave run`; each has the next seed.  One trial with three replays of each finding,
# or N trials with one replay each, unless --runs says otherwise.  A line for each program: k/N, and
# below it what was wrong in the others, with the seeds.  With --work=FOLDER the results stay there:
# trials that were made are not made again, so a campaign can be stopped and gone on with, and --report
# says what there is without making any.  --which: only programs that must show something, or that must
# not.  FOREWEAVE names the program.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
FOREWEAVE=${FOREWEAVE:-$here/../../build/foreweave}
filter=. compilers=gcc levels=-O2 runs= jobs=2 trials=1 first_seed=1 work= report= which=
for option in "$@"; do
    value=${option#*=}
    case $option in
    --filter=*) filter=$value ;;
    --compilers=*) compilers=${value//,/ } ;;
    --levels=*) levels=${value//,/ } ;;
    --jobs=*) jobs=$value ;;
    --trials=*) trials=$value ;;
    --first-seed=*) first_seed=$value ;;
    --runs=*) runs=$value ;;
    --work=*) work=$value ;;
    --report) report=yes ;;
    --which=shows | --which=silent) which=$value ;;
    *) echo "confirm.sh: unknown option '$option'"; exit 2 ;;
    esac
done
if [ -z "$runs" ]; then runs=$((trials == 1 ? 3 : 1)); fi
scratch=$(mktemp -d "${TMPDIR:-/tmp}/foreweave-confirm.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
work=${work:-$scratch/work}
mkdir -p "$work" && work=$(cd "$work" && pwd) || exit 1

said() { sed -n "s/^ \* $2: *//p" "$1" | tr '\n' ' '; }

# What one trial says: "ok", or what is wrong, in one line.
judge() { # SOURCE [LIBRARY]
    local wrong kind
    [ -s r.json ] || { echo "no result, status $status: $(tail -1 err)"; return; }
    jq -c '.findings |= map(select(.replay.confirmed == .replay.runs and .status == "confirmed"))' r.json >confirmed.json
    wrong=$(awk -f "$here/compare.awk" "$@" confirmed.json | sort | paste -sd ';' | sed 's/;/; /g')
    [ -n "$wrong" ] || { echo ok; return; }
    kind=$(sed -n 's/^missing: \([a-z]*\).*/\1/p' <<<"$wrong")
    echo "$wrong$(jq -r --arg kind "$kind" '[.findings[] | select(.kind == $kind) |
        " (\(.replay.confirmed // 0)/\(.replay.runs // 0) \(.replay.divergence // .replay.why // ""))"] | join("")' r.json)"
}

build() { # SOURCE LIBRARY
    local compiler=$compiler command=cc standard=gnu11 line
    if [ "${1##*.}" = cc ]; then
        command=c++ standard=c++17 compiler=${compiler/gcc/g++} compiler=${compiler/%clang/clang++}
    fi
    line="$FOREWEAVE $command --compiler=$compiler -g $level -std=$standard -pthread -I$here/../../include"
    line+=" $(said "$1" flags)"
    [ -z "$2" ] || $line -fPIC -shared "$here/$2" -o "${2%.*}.so" 2>err || return 1
    $line "$1" -o program 2>err
}

# All trials of one program, one compiler, one level that are not made yet.
job() {
    local program=$1 compiler=$2 level=$3 source=$here/$1 results=$work/$1.$2.$3 place library options seed status
    place=$(mktemp -d "$scratch/XXXXXX") && cd "$place" || return 1
    library=$(said "$source" library); library=${library% }
    options=$(said "$source" options)
    for ((seed = first_seed; seed < first_seed + trials; seed++)); do
        grep -q "^$seed	" "$results" 2>/dev/null && continue
        if [ ! -x program ] && ! build "$source" "$library"; then
            printf '%s\tnot built: %s\n' "$seed" "$(tail -1 err)" >>"$results"
            break
        fi
        rm -rf r.json .foreweave
        timeout 120 "$FOREWEAVE" run -q --seed="$seed" --runs="$runs" $options --format=json -o r.json -- ./program \
            >out 2>err
        status=$?
        printf '%s\t%s\n' "$seed" "$(judge "$source" ${library:+"$here/$library"})" >>"$results"
    done
    cd / && rm -rf "$place"
}
# What a program is there for.
kind_of() { if grep -q '^ \* expect: nothing' "$here/$1"; then echo silent; else echo shows; fi; }
export -f job said build judge
export here FOREWEAVE runs trials first_seed work scratch

list() {
    local program compiler level
    for program in $(cd "$here" && ls -- *.c *.cc | grep -E -e "$filter"); do
        grep -q '^ \* expect:' "$here/$program" || continue
        # What only the analyses without witnesses can see cannot be replayed.
        [ "$(said "$here/$program" analyses)" != "hb " ] || continue
        [ -z "$which" ] || [ "$which" = "$(kind_of "$program")" ] || continue
        for compiler in $compilers; do for level in $levels; do echo "$program $compiler $level"; done; done
    done
}

list >"$scratch/list"
[ -n "$report" ] || xargs -P "$jobs" -L 1 bash -c 'job "$@"' job <"$scratch/list"
while read -r program compiler level; do
    results=$work/$program.$compiler.$level
    [ -s "$results" ] || continue
    awk -F '\t' -v name="$program $compiler $level" -v kind="$(kind_of "$program")" '
        $2 == "ok" { good++; next }
        { seeds[$2] = seeds[$2] " " $1 }
        END {
            printf "%s: %s %d/%d\n", name, kind, good, NR
            for (why in seeds) printf "    %s [seed%s]\n", why, seeds[why]
        }' "$results"
done <"$scratch/list" | tee "$scratch/lines"
awk '/^[^ ]/ { split($NF, part, "/"); n[$4]++; trials[$4] += part[2]; good[$4] += part[1]; bad += part[1] != part[2] }
    END {
        printf "confirm: %d programs that show something: %d of %d trials; %d silent ones: %d of %d; %d not as they should be\n",
            n["shows"], good["shows"], trials["shows"], n["silent"], good["silent"], trials["silent"], bad
        exit bad > 0
    }' "$scratch/lines"
