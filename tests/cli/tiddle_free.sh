#!/usr/bin/env bash
# Programs without turn-taking: they compile, and they end, in whatever order.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

number=0
for trace in "$traces"/*.std "$traces"/*.tid; do
    name=$(basename "$trace")
    number=$((number + 1))
    case $((number % 3)) in
    0) delay=none ;;
    1) delay=yield ;;
    2) delay=sleep ;;
    esac
    [ "$name" = free-no-realloc.std ] && continue
    expect 0 tiddle compile -q --free --delay=$delay "$trace" -o free.c
    [ $((number % 4)) = 0 ] || grep -qE 'wake|barin|notify|tryfail|pend' "$trace" || continue
    cc -std=c11 -Wall -Wextra -Werror -O1 -pthread free.c -o free >"$err" 2>&1 ||
        { complain "cc fails on $name"; head -5 "$err"; }
    # A trace that can deadlock gives a program that can.
    seconds=100
    grep -q '# expect deadlock: none' "$trace" || seconds=2
    ./free --order --runs 5 --seconds $seconds >order 2>"$err"
    status=$?
    [ "$status" = 124 ] && [ $seconds = 2 ] && continue
    [ "$status" = 0 ] || { complain "$name: status $status"; head -5 "$err"; continue; }
    # Whatever the order, the first run has all events.
    expect 0 trace convert -q "$trace" all.tid
    sed '/^# run/,$d; /^# 5 runs/d' order | sort >got
    sort all.tid >wanted
    same wanted got
done

# A notify that comes first is not lost, and a wait looks for its own.
printf 'acq 1 m\nrel 1 m\nnotify 2 c\nwake 1 c\nacq 1 m\nrel 1 m\n' >early.tid
expect 0 tiddle compile -q --free early.tid -o early.c
cc -pthread early.c -o early || complain "cc fails"
./early --runs 200 --seconds 60 >"$out" 2>"$err" || complain "status $?"
silent

# A program that cannot end is ended.
printf 'pend 1 s\npost 2 s\npend 2 s\npost 1 s\n' >fine.tid
expect 0 tiddle compile --free fine.tid
out_has "#define DELAY 0"
cat >deadlock.tid <<'TRACE'
acq 1 a
acq 1 b
rel 1 b
rel 1 a
acq 2 b
acq 2 a
rel 2 a
rel 2 b
TRACE
expect 0 tiddle compile -q --free --delay=sleep deadlock.tid -o deadlock.c
cc -pthread deadlock.c -o deadlock || complain "cc fails"
./deadlock --runs 2000 --seconds 1 >"$out" 2>"$err"
[ $? = 124 ] || complain "2,000 runs with sleeps did not deadlock"
err_has "the run does not end: threads wait for each other"
finish
