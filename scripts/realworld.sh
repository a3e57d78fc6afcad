#!/usr/bin/env bash
# realworld.sh - records real programs, built from the sources of Debian's packages; prints a table
# in Markdown.  Every program is built natively and with `foreweave cc`, does the same work both ways
# with the same results (each of scripts/realworld/*.sh says how), and its traces are checked.  All
# runs are limited in time; servers listen on 127.0.0.1 only.  Not part of `make test`.
#
#   PROGRAMS="pbzip2 zstd memcached sqlite redis"
#   WAYS="native foreweave"   also: tsan
#   COMPILER=gcc       or clang
#   SCALE=100          size of the work in percent
#   LIMIT=300          seconds after which a run is stopped
#   CHECK=60           seconds for `foreweave check` of a trace
#   FOREWEAVE=build/foreweave   MEASURE=build/bench/measure (default: built with cc)
#   WORK=build/realworld        sources are fetched to its folder `sources`
#   RECORD=""          more options of `foreweave record`
#
# Ends with 1 if a program could not be built or behaved differently, and with 0 otherwise; what
# cannot be had is skipped with a message.
set -u
cd "$(dirname "$0")/.." || exit 1
programs=${PROGRAMS:-pbzip2 zstd memcached sqlite redis}
ways=${WAYS:-native foreweave}
compiler=${COMPILER:-gcc}
scale=${SCALE:-100}
limit=${LIMIT:-300}
say() { echo "realworld.sh: $*" >&2; }
mkdir -p "${WORK:=build/realworld}"
work=$(cd "$WORK" && pwd)
foreweave=$(realpath "${FOREWEAVE:-build/foreweave}")
here=$PWD/scripts/realworld
[ -x "$foreweave" ] || { say "'$foreweave' is missing: run make" && exit 1; }
measure=$work/measure
if [ -n "${MEASURE:-}" ]; then
    measure=$(realpath "$MEASURE")
else
    cc -O2 -D_GNU_SOURCE bench/measure.c -o "$measure" || exit 1
fi
case $compiler in
gcc) cxx=g++ ;;
clang) cxx=clang++ ;;
*) say "COMPILER is gcc or clang, not '$compiler'" && exit 2 ;;
esac

compilers() { # WAY: sets CC and CXX
    case $1 in
    native) CC=$compiler CXX=$cxx ;;
    tsan) CC="$compiler -fsanitize=thread" CXX="$cxx -fsanitize=thread" ;;
    foreweave) CC="$foreweave cc --compiler=$compiler" CXX="$foreweave c++ --compiler=$cxx" ;;
    esac
}

# For scripts/realworld/*.sh -------------------------------------------------------------------

# Runs a command natively or recorded; its standard output goes to FILE.  Status: the command's, or
# 124 if it was stopped.  What it took: $job.taken.
under() { # FILE COMMAND...
    local file=$1 line
    shift
    if [ "$way" = foreweave ]; then
        # shellcheck disable=SC2086
        set -- "$foreweave" record ${RECORD:-} -o "$place/$job.fwt" -- "$@"
    fi
    "$measure" --parts --wall "$limit" -o "$file" "$@" >"$job.taken" 2>>"$job.errors" || return 125
    line=$(cat "$job.taken")
    case $line in
    *" signal 9 "*) say "$job ($way) was stopped after $limit s" && return 124 ;;
    *" signal "*) return 126 ;;
    esac
    # shellcheck disable=SC2086
    set -- $line
    return "$5"
}
# An input of made-up words: the same everywhere.
words() { # BYTES
    awk -v bytes="$1" 'BEGIN {
        state = 1
        for (size = 0; size < bytes; size += length(word) + 1) {
            state = (state * 69069 + 1) % 4294967296
            word = sprintf("%c%d%s", 97 + int(state / 65536) % 26, int(state / 7) % 1000, state % 5 ? "" : "\n")
            printf "%s ", word
        }
    }'
}
scaled() { echo $(($1 * scale / 100 > 0 ? $1 * scale / 100 : 1)); }
free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
# Ends a server whose process is named in FILE and waits until it and its recorder have gone.
stop_server() { # FILE
    local process
    process=$(cat "$1" 2>/dev/null)
    [ -z "$process" ] || kill -TERM "$process" 2>/dev/null
    wait "$server"
}

# The driver -----------------------------------------------------------------------------------

# In the folder of a program and way, with a copy of every source it names.
prepare() {
    local package source
    for package in $packages; do
        source=$(bash "$here/../debian_source.sh" "$package" "$work/sources") || return 77
        [ -d "$package" ] || cp -r "$source" "$package"
    done
}
build_way() {
    [ ! -e built ] || return 0
    compilers "$way"
    (set -e; build) >build.log 2>&1 || return 1
    touch built
}
run_job() {
    local status=0
    rm -f "$job".* "$place/$job.fwt"
    job_"$job" >"$job.result" 2>>"$job.errors" || status=$?
    echo "$status" >"$job.status"
    [ "$status" = 0 ] || { say "$program, $job ($way): status $status" && tail -n 3 "$job.errors" "$job.result" >&2; }
}
check_trace() {
    timeout -k 5 $((${CHECK:-60} + 120)) "$foreweave" check --time="${CHECK:-60}" --mem-limit=4G \
        --format=json -o "$place/$job.json" "$place/$job.fwt" 2>"$place/$job.check"
    case $? in
    0 | 66 | 124) ;;
    *) say "$program, $job: check ended badly: $(tail -n 1 "$place/$job.check")" ;;
    esac
}
row() {
    local same=same
    cmp -s "$place/native/$job.result" "$place/foreweave/$job.result" || same=differs
    [ "$(cat "$place/foreweave/$job.status" 2>/dev/null)" = 0 ] || same=failed
    python3 "$here/row.py" "$program $job" "$place" "$job" "$same"
    [ "$same" = same ]
}
one_program() {
    local package source failures=0
    place=$work/$program
    packages= jobs=
    # shellcheck source=/dev/null
    . "$here/$program.sh"
    for way in $ways; do
        mkdir -p "$place/$way"
        cd "$place/$way" || return 1
        prepare || { say "skipping $program: its source cannot be had" && return 0; }
        say "building $program ($way)"
        build_way || { say "cannot build $program ($way); see $place/$way/build.log" && tail -n 5 build.log >&2 && return 1; }
        for job in $jobs; do
            say "running $program, $job ($way)"
            run_job
        done
    done
    case " $ways " in *" foreweave "*) ;; *) return 0 ;; esac
    for job in $jobs; do
        [ -e "$place/$job.fwt" ] && say "checking $program, $job" && check_trace
        row || failures=1
    done
    return $failures
}

echo "| program, work | result | native s | processor time, program alone | with recorder | wall | events | trace MB | bytes an event | findings | uninstrumented |"
echo "|---|---|---|---|---|---|---|---|---|---|---|"
failures=0
for program in $programs; do
    [ -e "$here/$program.sh" ] || { say "no program is called '$program'" && exit 2; }
    (one_program) || failures=1
done
exit $failures
