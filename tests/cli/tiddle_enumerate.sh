#!/usr/bin/env bash
# Equivalent traces: printed, counted, as files, as one program.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

printf 'wr 1 x\nwr 2 y\nrd 1 x\n' >a.tid
expect 0 tiddle enumerate a.tid
out_is "# trace 1
wr 1 x
wr 2 y
rd 1 x
# trace 2
wr 1 x
rd 1 x
wr 2 y
# trace 3
wr 2 y
wr 1 x
rd 1 x"
silent
expect 0 tiddle enumerate --count a.tid
out_is 3
expect 0 tiddle enumerate --limit 2 a.tid
[ "$(grep -c '^# trace' "$out")" = 2 ] || complain "not two traces"
err_is "foreweave: warning: these are the first 2 traces of more; --limit=N takes more of them"
expect 0 tiddle enumerate --limit 3 a.tid
silent

# A race keeps its order, unless races are swapped.
printf 'rd 1 x 0\nwr 2 x 1\n' >race.tid
expect 0 tiddle enumerate race.tid
out_is "# trace 1
rd 1 x 0
wr 2 x 1"
expect 0 tiddle enumerate --swap-races race.tid
out_is "# trace 1
rd 1 x 0
wr 2 x 1
# trace 2
wr 2 x 1
rd 1 x"

# rf is renumbered.
printf 'post 1 s\npost 1 s\nwr 3 x\npend 2 s rf=1\n' >rf.tid
expect 0 tiddle enumerate rf.tid
[ "$(sed -n '/# trace 4/,$p' "$out")" = "# trace 4
wr 3 x
post 1 s
post 1 s
pend 2 s rf=2" ] || { complain "rf:"; cat "$out"; }

# Files.
expect 0 tiddle enumerate a.tid -o there
out_is "3 traces -> there"
[ "$(ls there)" = "a-0001.tid
a-0002.tid
a-0003.tid" ] || complain "files: $(ls there)"
same a.tid there/a-0001.tid
expect 0 tiddle enumerate -q a.tid -o there
out_is ""
expect 125 tiddle enumerate a.tid -o a.tid/there
one_error

# Counting does not enumerate: 40 independent events of two threads.
for i in 1 2; do for j in $(seq 60); do echo "wr $i x$i"; done; done >many.tid
expect 0 tiddle enumerate --count many.tid
out_is 96614908840363322603893139521372656
for i in 1 2 3; do for j in $(seq 60); do echo "wr $i x$i"; done; done >many.tid
expect 0 tiddle enumerate --count many.tid
out_is "more than 10000"

# One program for all traces of each of these; it asserts values, and takes its turns.
for name in notify-silent.std dp-1.2-bank-race.tid barrier-rounds-race.std shared-writes.std \
    semaphore-two-posts.std fork-no-join.std free-use.std; do
    expect 0 tiddle enumerate -q --program --limit 200 "$traces/$name" -o all.c
    cc -std=c11 -Wall -Wextra -Werror -pthread all.c -o all >"$err" 2>&1 ||
        { complain "cc fails on $name"; head -5 "$err"; }
    timeout 300 ./all --order --runs 3 >order 2>"$err" || complain "$name: status $?"
    expect 0 tiddle enumerate --limit 200 "$traces/$name"
    sed 's/ of [0-9]*$//' order | grep -vE '^# branches|runs, the same' >got
    grep -v '^# branches' "$out" >wanted
    [ "$(grep -c '^# trace' wanted)" = 1 ] && sed -i '/^# trace/d' wanted
    same wanted got
done

expect 2 tiddle enumerate
expect 2 tiddle enumerate --limit 0 a.tid
expect 2 tiddle enumerate --count -o there a.tid
expect 3 tiddle enumerate "$traces/bad/unknown-op.tid"
one_error
: >empty.tid
expect 0 tiddle enumerate --count empty.tid
out_is 1
expect 0 tiddle enumerate empty.tid
out_is "# trace 1"
finish
