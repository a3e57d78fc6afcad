#!/usr/bin/env bash
# guard_server.sh - a guarded server under load for long: does it fail, does its memory grow, can the guard be switched off
# and on meanwhile?  The server is built from the source of Debian's package, as scripts/realworld.sh does; what it may do is
# learnt from some rounds of the same load with other data; of transactions also from guarded ones, whose logs are accepted.
# Every answer of the server is checked.
#
#   guard_server.sh [--server=memcached|redis] [--kind=pset|lifetx] [--minutes=30] [--learn=ROUNDS] [--steps=N] [--work=DIR]
#                   [--pause=SECONDS] [--budget=PERCENT]
#
# The budget is more than usual, since what is new in the first second, when a server has done nothing yet, would end it
# otherwise.  The guard is switched off and on by signal and by file in turn, every minute.  Memory is sampled every ten seconds
# (DIR/memory: seconds, KiB).  Prints what was seen; ends with 1 if an answer was wrong, the server or the guard failed, a
# switch did nothing, or memory grew: by more than a twentieth and 1 MiB between the second quarter of the time and the last.
# FOREWEAVE names the program (build/foreweave).  Not part of `make test`.
# shellcheck disable=SC2034,SC2154  # scripts/realworld/*.sh take and give variables
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
foreweave=$(realpath "${FOREWEAVE:-$root/build/foreweave}") || exit 1
name=memcached minutes=30 rounds=8 steps=1500 kind=pset pause=1 budget=25 work=$root/build/realworld
for option in "$@"; do
    value=${option#*=}
    case $option in
    --server=memcached | --server=redis) name=$value ;;
    --kind=pset | --kind=lifetx) kind=$value ;;
    --minutes=*) minutes=$value ;;
    --learn=*) rounds=$value ;;
    --steps=*) steps=$value ;;
    --pause=*) pause=$value ;;
    --budget=*) budget=$value ;;
    --work=*) work=$value ;;
    *) echo "guard_server.sh: unknown option '$option'" >&2; exit 2 ;;
    esac
done
mkdir -p "$work" && work=$(cd "$work" && pwd) || exit 1
scripts=$root/scripts
say() { echo "guard_server.sh: $*" >&2; }
# shellcheck source=/dev/null
. "$root/bench/real.bash"
# shellcheck source=/dev/null
. "$root/bench/server.bash"
(build_program "$name") || { say "cannot build $name" && exit 1; }
place=$work/server-$name-$kind
mkdir -p "$place" && cd "$place" && rm -rf ./* || exit 1
server_of "$name" foreweave
load() { load_server "$name" "$steps" "$1"; } # SEED

say "learning"
how=()
for round in $(seq "$rounds"); do # how threads begin is learnt as well, so it begins anew each time
    [ "$kind" = lifetx ] || [ $((round % 2)) = 0 ] || how=(--noise=20)
    "$foreweave" learn --kind="$kind" --limit=0 --runs=1 "${how[@]}" --show -c constraints -- "${server[@]}" >learn.log 2>&1 &
    command=$!
    await_server || { say "$name does not listen" && exit 1; }
    [ $((round % 3)) != 0 ] || sleep 2 # what it does by itself belongs to it
    load "$round" >load.log 2>&1 || { say "wrong while learning: $(tail -n 1 load.log)"; exit 1; }
    stop_server $command || { say "learning failed: $(tail -n 1 learn.log)"; exit 1; }
    if [ "$kind" = lifetx ]; then
        say "start $round: $(sed -n 's/^ *1  passed *[0-9]* *[0-9]* *\([0-9]*\).*/\1 new cutpoints/p' learn.log)"
    else
        say "start $round: $(sed -n 's/^ *1  passed *\([0-9]*\) *\([0-9]*\).*/\1 new pairs, \2 new of else/p' learn.log)"
    fi
    rm -f pid
    how=()
done

[ "$kind" = pset ] || for round in 1 2 3 4; do # what recordings are slow to show, runs under load do
    rm -f training
    "$foreweave" guard --kind=lifetx --budget=100 --log=training -c constraints -- "${server[@]}" >learn.log 2>&1 &
    command=$!
    await_server || { say "$name does not listen" && exit 1; }
    load $((100 + round)) >load.log 2>&1 || { say "wrong while it is guarded: $(tail -n 1 load.log)"; exit 1; }
    stop_server $command || { say "guarding failed: $(tail -n 1 learn.log)"; exit 1; }
    say "guarded start $round: $("$foreweave" learn --runs=0 --accept=training -c constraints -- "${server[@]}" 2>&1 >/dev/null |
        sed -n 's/.*they add \([0-9]* cutpoints\).*/\1/p')"
    rm -f pid
done

say "guarded for $minutes minutes"
rm -f off
"$foreweave" guard --kind="$kind" --budget="$budget" --log=log --off-file=off -c constraints -- "${server[@]}" >guard.log 2>&1 &
command=$!
await_server || { say "$name does not listen" && exit 1; }
process=$(cat pid)
(
    while [ -r "/proc/$process/status" ]; do
        echo "$SECONDS $(awk '/^VmRSS/ { print $2 }' "/proc/$process/status")"
        sleep 10
    done
) >memory 2>/dev/null &
sampler=$!
begun=$SECONDS wrong=0 made=0 switched=0 minute=0
while [ $((SECONDS - begun)) -lt $((minutes * 60)) ] && kill -0 $command 2>/dev/null; do
    load $((1000 + made)) >load.log 2>&1 || { wrong=$((wrong + 1)) && say "wrong: $(tail -n 1 load.log)"; }
    made=$((made + 1))
    if [ $(((SECONDS - begun) / 60)) -gt $minute ]; then
        minute=$(((SECONDS - begun) / 60))
        switched=$((switched + 1))
        case $((switched % 4)) in
        1) kill -USR1 $command ;;
        2) kill -USR2 $command ;;
        3) : >off ;;
        0) rm -f off ;;
        esac
    fi
    sleep "$pause"
done
rm -f off
sleep 1
kill -0 $command 2>/dev/null || { wrong=$((wrong + 1)) && say "the server has ended by itself"; }
stop_server $command
status=$?
kill $sampler 2>/dev/null
failures=$wrong
[ $status = 0 ] || { say "the server ended with $status" && failures=$((failures + 1)); }
grep -q 'violations:' guard.log || { say "the guard says nothing" && failures=$((failures + 1)); }
for said in 'a signal came: the guard is off' 'a signal came: the guard is on' 'the file is there: the guard is off' 'the file is gone: the guard is on'; do
    case $said in
    *signal*off) wanted=$(((switched + 3) / 4)) ;;
    *signal*) wanted=$(((switched + 2) / 4)) ;;
    *) wanted=$(((switched + 1) / 4)) ;;
    esac
    found=$(grep -c "$said" log)
    [ "$found" = "$wanted" ] || { say "'$said' is logged $found times, not $wanted" && failures=$((failures + 1)); }
done
median() { # FROM TO: of memory, in quarters
    awk -v from="$1" -v to="$2" '{ value[NR] = $2 } END {
        for (i = int(NR * from / 4) + 1; i <= NR * to / 4; i++) print value[i] }' memory | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] + 0 }'
}
early=$(median 1 2) late=$(median 3 4)
[ "$late" -le $((early * 21 / 20)) ] || [ "$late" -le $((early + 1024)) ] ||
    { say "memory has grown from $early to $late KiB" && failures=$((failures + 1)); }
echo "| server | kind | minutes | rounds of load | wrong | switched | memory at first, second quarter, last quarter, KiB | violations logged | said in the end |"
echo "|---|---|---|---|---|---|---|---|---|"
echo "| $name | $kind | $minutes | $made | $wrong | $(grep -c 'the guard is o' log) times | $(head -n 1 memory | cut -d ' ' -f 2), $early, $late |" \
    "$(grep -c '"done":"\(stalled\|rolled\|passed\|nothing\)' log) | $(grep 'violations:' guard.log | tail -n 1 | sed 's/^foreweave: //; s/;.*//') |"
[ "$failures" = 0 ]
