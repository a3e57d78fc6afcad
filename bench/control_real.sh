#!/usr/bin/env bash
# control_real.sh - programs that use files and the network, run under control to their normal end; prints a
# table in Markdown.  pbzip2 compresses and decompresses, and what it writes must be what the native program
# writes; memcached serves four clients on 127.0.0.1 that compare every answer with what it must be, and is
# told to end.  Sources and builds are those of scripts/realworld.sh.
#
#   PROGRAMS="pbzip2 memcached"
#   STRATEGIES="none random pct pos delay"
#   RUNS=3         schedules of each
#   BYTES=2000000  of pbzip2's input
#   STEPS=1000     of each client of memcached
#   WORK=build/realworld
#
# Ends with 1 if a run under control did not end as it must.
# shellcheck disable=SC2034,SC2154  # scripts/realworld/*.sh take and give variables
set -eu
cd "$(dirname "$0")/.."
strategies=${STRATEGIES:-none random pct pos delay}
runs=${RUNS:-3}
foreweave=$(realpath "${FOREWEAVE:-build/foreweave}")
mkdir -p "${WORK:=build/realworld}"
work=$(cd "$WORK" && pwd)
scripts=$PWD/scripts
TIMEFORMAT='%U %S %R'
say() { echo "control_real.sh: $*" >&2; }
. bench/real.bash

# The command of a run goes into $folder/work.sh, which takes the folder of the way.  A script stands before the
# programs, so that all of it is done in every run; controlled is the first program in it that was built so.
write_work() { # PROGRAM
    case $1 in
    pbzip2) cat <<'END' ;;
#!/bin/bash
set -eu
"$1/pbzip2/pbzip2" -k -c -q -p4 input >output.bz2
cmp output.bz2 input.bz2
END
    pbzip2-back) cat <<'END' ;;
#!/bin/bash
set -eu
"$1/pbzip2/pbzip2" -d -k -c -q -p4 input.bz2 >output
cmp output input
END
    memcached) cat <<END ;;
#!/bin/bash
port=\$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"\$1/memcached/memcached" -l 127.0.0.1 -p "\$port" -U 0 -u "\$(id -un)" -t 4 -m 64 &
python3 "$scripts/realworld/memcached_load.py" "\$port" 4 ${STEPS:-1000} || { kill -9 \$! && exit 1; }
kill -TERM \$! && wait \$!
END
    esac
}
write_input() {
    awk -v bytes="${BYTES:-2000000}" 'BEGIN {
        for (state = 1; size < bytes; size += length(word) + 1) {
            state = (state * 69069 + 1) % 4294967296
            word = sprintf("%c%d", 97 + int(state / 65536) % 26, int(state / 7) % 1000)
            printf "%s ", word
        }
    }' >input
    "$work/pbzip2/native/pbzip2/pbzip2" -k -c -q -p4 input >input.bz2
}

# A line of the table for each strategy.  The log of a run is $folder/log.
run_work() { # NAME PROGRAM
    local folder=$work/control/$1 native strategy taken status
    mkdir -p "$folder" && cd "$folder"
    write_work "$1" >work.sh && chmod +x work.sh
    [ "$2" != pbzip2 ] || write_input
    native=$({ time ./work.sh "$work/$2/native" >log 2>&1; } 2>&1) || { say "$1 fails natively" && return 1; }
    for strategy in $strategies; do
        status=0
        taken=$({ time "$foreweave" explore -q -s "$strategy" -n "$runs" --limit=200 --format=json -o result.json -- \
            ./work.sh "$work/$2/foreweave" >log 2>&1; } 2>&1) || status=$?
        [ "$status" = 0 ] || { say "$1 with $strategy: status $status" && failures=1; }
        tr -d '\n' <result.json | sed 's/.*"failing":\([0-9]*\).*"points":\([0-9]*\),"threads":\([0-9]*\).*/\1 \2 \3/' |
            awk -v name="$1" -v strategy="$strategy" -v runs="$runs" -v native="$native" -v taken="$taken" '{
                split(native, n, " "); split(taken, t, " ")
                printf "| %s | %s | %d of %d | %d | %d | %.2f | %.2f | %.1f |\n", name, strategy, runs - $1, runs, $3, $2,
                    n[1] + n[2], (t[1] + t[2]) / runs, (t[1] + t[2]) / runs / (n[1] + n[2]) }'
    done
}

echo "| program | strategy | right | threads | points | native, processor s | controlled, a run | factor |"
echo "|---|---|---:|---:|---:|---:|---:|---:|"
failures=0
for program in ${PROGRAMS:-pbzip2 memcached}; do
    (build_program "$program") || { say "skipping $program: it cannot be built" && continue; }
    run_work "$program" "$program"
    [ "$program" != pbzip2 ] || run_work pbzip2-back pbzip2
done
exit $failures
