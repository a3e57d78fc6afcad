#!/usr/bin/env bash
# guard_real.sh - what the guard costs real programs: pbzip2, and memcached and redis under load, processor and wall time
# against native; hooks made nothing with nothing watched, and guarded by constraints that were learnt from other data.
# Prints a table in Markdown.  Sources and builds are those of scripts/realworld.sh; the ways take turns.
#
#   PROGRAMS="pbzip2 memcached redis"
#   REPEAT=5         rounds
#   STEPS=4000       of each of memcached's four clients; redis gets five times as many requests of each kind
#   BYTES=6000000    of pbzip2's input
#   LEARN=12         runs that are learnt from
#   KINDS="pset"     also lifetx
#   WORK=build/realworld   BUILD=build
set -u
cd "$(dirname "$0")/.." || exit 1
scripts=$PWD/scripts
foreweave=$(realpath "${BUILD:-build}/foreweave") || exit 1
mkdir -p "${WORK:=build/realworld}" && work=$(cd "$WORK" && pwd) || exit 1
programs=${PROGRAMS:-pbzip2 memcached redis}
repeat=${REPEAT:-5} steps=${STEPS:-4000} bytes=${BYTES:-6000000} learn=${LEARN:-12} kinds=${KINDS:-pset}
say() { echo "guard_real.sh: $*" >&2; }
. bench/real.bash
. bench/server.bash
measure=$work/measure
cc -O2 -D_GNU_SOURCE bench/measure.c -o "$measure" || exit 1
mkdir -p "$work/guard_real" && cd "$work/guard_real" || exit 1

words() { # BYTES SEED
    awk -v bytes="$1" -v state="$2" 'BEGIN {
        for (size = 0; size < bytes; size += length(word) + 1) {
            state = (state * 69069 + 1) % 4294967296
            word = sprintf("%c%d%s", 97 + int(state / 65536) % 26, int(state / 7) % 1000, state % 5 ? "" : "\n")
            printf "%s ", word
        }
    }'
}
load() { # PROGRAM SEED
    if [ "$1" = redis ]; then
        timeout 300 "$work/redis/native/redis/src/redis-benchmark" -h 127.0.0.1 -p "$port" -c 20 -n $((steps * 5)) -r 1000 -q \
            -t set,get,incr,lpush,rpop,sadd,hset,zadd,mset >load.log 2>&1 || return 1
        load_server redis 300 "$2"
    else
        load_server "$1" "$steps" "$2"
    fi >>load.log 2>&1
}
# Runs a server under load: PROCESSOR WALL, of the server while it was loaded.
serve() { # PROGRAM SEED COMMAND...
    local command began now ended status=0 name=$1 seed=$2
    shift 2
    "$@" >server.log 2>&1 &
    command=$!
    await_server || { say "$name does not listen: $(tail -n 1 server.log)" && return 1; }
    began=$(awk '{ print $14 + $15 }' "/proc/$(cat pid)/stat")
    now=$(date +%s.%N)
    load "$name" "$seed" || { say "$name is wrong: $(tail -n 1 load.log)" && status=1; }
    ended=$(date +%s.%N)
    awk -v a="$began" -v t="$(getconf CLK_TCK)" -v n="$now" -v e="$ended" '{ print ($14 + $15 - a) / t, e - n }' "/proc/$(cat pid)/stat"
    stop_server $command || { say "$name ended badly: $(tail -n 1 server.log)" && status=1; }
    return $status
}
compress() { # COMMAND...: the same
    "$measure" --parts --wall 300 -o output.bz2 "$@" >line 2>server.log || return 1
    cmp -s output.bz2 wanted.bz2 || { say "pbzip2 is wrong" && return 1; }
    awk -v native="$([ "$1" = "$foreweave" ] || echo 1)" '{ print native ? $1 : $7, $6 }' line
}
learn_rounds() { # PROGRAM KIND: into PROGRAM.$into
    local round command
    if [ "$1" = pbzip2 ]; then
        "$foreweave" learn -q --kind="$2" --runs="$learn" --idle=0 -c "$1.$into" -- "$work/pbzip2/foreweave/pbzip2/pbzip2" -k -c -q -p4 "$PWD/learnt" >/dev/null
        return
    fi
    for round in $(seq "$learn"); do
        server_of "$1" foreweave
        "$foreweave" learn -q --kind="$2" --limit=0 --runs=1 --show -c "$1.$into" -- "${server[@]}" >learn.log 2>&1 &
        command=$!
        await_server || return 1
        [ $((round % 3)) != 0 ] || sleep 2
        steps=$((steps / 10)) load "$1" "$round" || return 1
        stop_server $command || { tail -n 1 learn.log >&2 && return 1; }
    done
}
# Runs under load whose logs are accepted: recordings are slow to show what they do.
train() { # PROGRAM
    local round command
    server=("$work/pbzip2/foreweave/pbzip2/pbzip2" -k -c -q -p4 "$PWD/learnt")
    for round in 1 2 3 4; do
        rm -f training
        [ "$1" = pbzip2 ] || server_of "$1" foreweave
        "$foreweave" guard -q --kind=lifetx --budget=100 --log=training -c "$1.lifetx" -- "${server[@]}" >/dev/null 2>learn.log &
        command=$!
        [ "$1" = pbzip2 ] || { await_server && steps=$((steps / 10)) load "$1" $((100 + round)); } || return 1
        if [ "$1" = pbzip2 ]; then wait $command; else stop_server $command; fi || { tail -n 1 learn.log >&2 && return 1; }
        "$foreweave" learn -q --runs=0 --accept=training -c "$1.lifetx" -- "${server[@]}" || return 1
    done
}
# What is shared is learnt for transactions as well: else every access is watched.
learn_program() { # PROGRAM KIND
    local into=$2
    rm -f "$1.$2"
    learn_rounds "$1" pset || return 1
    [ "$2" = pset ] || { learn_rounds "$1" lifetx && train "$1"; }
}
run() { # PROGRAM WAY: a line PROGRAM WAY PROCESSOR WALL VIOLATIONS
    local way=foreweave under=() taken
    case $2 in
    native) way=native ;;
    nothing) under=("$foreweave" guard -c "$1.nothing" --) ;;
    *) under=("$foreweave" guard --kind="$2" --budget=50 -c "$1.$2" --) ;;
    esac
    if [ "$1" = pbzip2 ]; then
        taken=$(compress "${under[@]}" "$work/pbzip2/$way/pbzip2/pbzip2" -k -c -q -p4 "$PWD/input") || return 1
    else
        server_of "$1" $way
        taken=$(serve "$1" $((2000 + round)) "${under[@]}" "${server[@]}") || return 1
    fi
    echo "$1 $2 $taken $(sed -n 's/^foreweave: \([0-9]*\) violations: .*/\1/p' server.log | head -n 1)"
}
: >results
for program in $programs; do
    (build_program "$program") || { say "skipping $program: it cannot be built" && continue; }
    if [ "$program" = pbzip2 ]; then
        words "$bytes" 1 >input && words $((bytes / 6)) 2 >learnt
        "$work/pbzip2/native/pbzip2/pbzip2" -k -c -q -p4 input >wanted.bz2 || exit 1
    fi
    for kind in $kinds; do
        say "learning from $program ($kind)"
        learn_program "$program" "$kind" || { say "cannot learn from $program ($kind)" && continue 2; }
    done
    grep -v '^pset\|^cut' "$program.${kinds%% *}" >"$program.nothing"
    for round in $(seq "$repeat"); do
        for way in native nothing $kinds; do
            run "$program" $way | tee -a results >&2
        done
    done
done
echo "| program | way | processor, s | against native | wall, s | against native | violations in a run, at most |"
echo "|---|---|---|---|---|---|---|"
awk '
    function median(key, which,   n, i, j, held, v) {
        n = runs[key]
        for (i = 1; i <= n; i++) v[i] = value[key, which, i]
        for (i = 2; i <= n; i++) for (j = i; j > 1 && v[j] < v[j - 1]; j--) { held = v[j]; v[j] = v[j - 1]; v[j - 1] = held }
        return v[int(n / 2) + 1]
    }
    { key = $1 " " $2; if (!(key in runs)) row[++count] = key; n = ++runs[key]; value[key, 1, n] = $3; value[key, 2, n] = $4; if ($5 > most[key]) most[key] = $5 }
    END {
        for (i = 1; i <= count; i++) {
            split(row[i], part, " "); native = part[1] " native"
            printf "| %s | %s | %.2f | %.2f | %.2f | %.2f | %d |\n", part[1], part[2], median(row[i], 1), median(row[i], 1) / median(native, 1),
                median(row[i], 2), median(row[i], 2) / median(native, 2), most[row[i]]
        }
    }' results
