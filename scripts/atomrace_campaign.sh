#!/usr/bin/env bash
# atomrace_campaign.sh - the test programs under `foreweave atomrace`, with heavy noise.
#
#   atomrace_campaign.sh [--filter=REGEX] [--silent-runs=N] [--compilers="gcc clang"] [--levels="-O0 -O2"]
#                        [--jobs=N] [--rotate] [--which=silent|racy] [--work=FOLDER]
#
# FOREWEAVE names the program (build/foreweave).  Of every program in tests/programs:
#   - one that says "expect: nothing" is run N times (20) with random noise: nothing may be caught;
#   - one with a race is run until it is caught, at most 20 times with random noise (half of them with long
#     pauses), then at most 3 times with noise at that finding's variables: it must be caught both times,
#     and nothing but what the program expects.  A program that says "overlap: no, WHY" has a race that this mode does not see;
#     it is run once, for what it must not report.
# With --rotate each program is built in one of the ways only, the next one in the next.  With --which only
# programs of one kind are run.  With --work=FOLDER it is noted there, every 25 runs, how often a silent program was
# run without a complaint: a campaign can be stopped, and gone on with, also with a greater N.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
here=$root/tests/programs
FOREWEAVE=${FOREWEAVE:-$root/build/foreweave}
filter=. silent_runs=20 compilers="gcc clang" levels="-O0 -O2" jobs=2 rotate= which= work=
for option in "$@"; do
    value=${option#*=}
    case $option in
    --filter=*) filter=$value ;;
    --silent-runs=*) silent_runs=$value ;;
    --compilers=*) compilers=$value ;;
    --levels=*) levels=$value ;;
    --jobs=*) jobs=$value ;;
    --rotate) rotate=yes ;;
    --which=silent | --which=racy) which=$value ;;
    --work=*) mkdir -p "$value" && work=$(cd "$value" && pwd) || exit 1 ;;
    *) echo "atomrace_campaign.sh: unknown option '$option'"; exit 2 ;;
    esac
done

said() { sed -n "s/^ \* $2: *//p" "$1" | tr '\n' ' '; }

# One program, one compiler, one level, in a folder of its own.
job() {
    local program=$1 compiler=$2 level=$3 source=$here/$1 name=${1%.*} library command=cc standard=gnu11
    local scratch build problem
    scratch=$(mktemp -d "${TMPDIR:-/tmp}/foreweave-atomrace.XXXXXX") || return 1
    if [ "${program##*.}" = cc ]; then
        command=c++ standard=c++17 compiler=${compiler/gcc/g++} compiler=${compiler/%clang/clang++}
    fi
    build="$FOREWEAVE $command --compiler=$compiler -g $level -std=$standard -pthread -I$root/include"
    build+=" $(said "$source" flags)"
    library=$(said "$source" library) library=${library% }
    cd "$scratch" || return 1
    if { [ -z "$library" ] || $build -fPIC -shared "$here/$library" -o "${library%.*}.so"; } >err 2>&1 &&
        $build "$source" -o "$name" >>err 2>&1; then
        problem=$(examine)
    else
        problem=$(echo "not built"; cat err)
    fi
    [ -z "$problem" ] || { echo "FAILED: $program $compiler $level"; sed 's/^/    /' <<<"$problem"; } \
        >"$complaints/$program.$compiler.$level"
    cd / && rm -rf "$scratch"
}

# Prints what is wrong with the program at hand.
examine() {
    if grep -q '^ \* expect: nothing' "$source"; then
        silent
    elif ! grep -q '^ \* expect: race' "$source"; then
        return
    elif grep -q '^ \* overlap: no' "$source"; then
        caught "random:400:5000" 1 >/dev/null
        differences | grep -v '^missing'
    else
        racy
    fi
}

# Some runs at a time.
silent() {
    local note=${work:+$work/$program.$compiler.$level} done=0 some wrong
    [ ! -s "$note" ] || done=$(cat "$note")
    for (( ; done < silent_runs; done += some)); do
        some=$((silent_runs - done < 25 ? silent_runs - done : 25))
        wrong=$(caught "random:400:200" $some $((done + 1)) | grep -v '^not caught'; differences | grep -v '^missing')
        [ -z "$wrong" ] || { echo "$wrong"; return; }
        [ -z "$note" ] || echo $((done + some)) >"$note"
    done
}

racy() {
    local said
    said=$(caught "random:400:3000" 10)
    [ -z "$said" ] || said=$(caught "random:400:20000" 10 11)
    [ -z "$said" ] || echo "$said after 10 with random:400:3000"
    differences | grep -v '^missing'
    ids=$(grep -o '"id":"[^"]*"' result.json | head -1)
    [ -n "$ids" ] || return
    ids=${ids#*:\"} ids=${ids%\"}
    mv result.json first.json
    said=$(caught "finding:first.json:$ids:1000:30000" 2)
    [ -z "$said" ] || said=$(caught "finding:first.json:$ids:500:30000" 1 3)
    [ -z "$said" ] || echo "$said after 2 with finding:first.json:$ids:1000:30000"
    differences | grep -v '^missing'
}

# Runs it with this noise until something is caught, at most so often, from this seed on (1).
caught() {
    timeout 500 "$FOREWEAVE" atomrace -q --format=json -o result.json --noise="$1" --runs="$2" --seed="${3:-1}" \
        ${library:+--module=${library%.*}.so} --until-first -- "./$name" >out 2>err
    status=$?
    case $status in
    0) echo "not caught in $2 runs with $1" ;;
    66) ;;
    *) echo "status $status with $1"; cat err >&2; head -3 err ;;
    esac
}

differences() { awk -f "$here/compare.awk" "$source" ${library:+"$here/$library"} result.json | sort; }

complaints=$(mktemp -d "${TMPDIR:-/tmp}/foreweave-complaints.XXXXXX") || exit 1
trap 'cat "$complaints"/* 2>/dev/null; rm -rf "$complaints"' EXIT
unset FOREWEAVE_OPTIONS
export -f job examine silent racy caught differences said
export here root silent_runs complaints work FOREWEAVE
names=$(cd "$here" && ls *.c *.cc | grep -v '^lib_' | grep -E -e "$filter")
mapfile -t ways < <(for compiler in $compilers; do for level in $levels; do echo "$compiler $level"; done; done)
number=0
kind_of() { if grep -q '^ \* expect: nothing' "$here/$1"; then echo silent; else echo racy; fi; }
if [ -n "$which" ]; then
    names=$(for program in $names; do [ "$(kind_of "$program")" != "$which" ] || echo "$program"; done)
fi
for program in $names; do
    for ((i = 0; i < ${#ways[@]}; i++)); do
        [ -n "$rotate" ] && [ $((number % ${#ways[@]})) != $i ] || echo "$program ${ways[i]}"
    done
    number=$((number + 1))
done | xargs -P "$jobs" -L 1 bash -c 'job "$@"' job

failed=$(ls "$complaints" | wc -l)
echo "atomrace: $(wc -w <<<"$names") programs by $compilers at $levels${rotate:+ in turn}: $failed failed"
[ "$failed" = 0 ]
