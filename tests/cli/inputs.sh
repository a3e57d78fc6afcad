#!/usr/bin/env bash
# Files that cannot be read, empty ones, streams, and cut or damaged binary traces.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

readers="trace_info trace_show check_--analysis=null"
each() { # STATUS FILE: with every command that reads
    local command
    for command in $readers; do
        # shellcheck disable=SC2086
        expect "$1" ${command//_/ } "$2"
        [ "$1" = 0 ] || one_error
        [ -z "${3-}" ] || err_has "$3"
    done
}

each 3 missing.std "foreweave: cannot open trace 'missing.std': no such file or directory"
mkdir dir.std
each 3 dir.std "foreweave: cannot read trace 'dir.std': is a directory"
each 3 /proc/self/mem "foreweave: cannot read '/proc/self/mem': input/output error"
echo 'T1|w(x)|1' >secret.std
chmod 000 secret.std
if [ ! -r secret.std ]; then
    each 3 secret.std "foreweave: cannot open trace 'secret.std': permission denied"
fi

# An empty text trace is a trace without events.
: >empty.std
: >empty.tid
echo '# only a comment' >comment.std
for trace in empty.std empty.tid comment.std; do
    each 0 $trace
    silent
    expect 0 trace info $trace
    out_has "events              0"
done

# An error in one trace does not hide the others.
echo 'T1|w(x)|1' >good.std
expect 3 trace info missing.std good.std
one_error
out_has "good.std"

# Standard input, also while it is being written: an endless stream ends when enough was seen.
for command in $readers; do
    # shellcheck disable=SC2086
    expect 0 ${command//_/ } - <good.std
    silent
done
out_has "1 event of 1 thread"
expect 0 trace show --plain --limit=2 - < <(yes 'T1|w(x)|1')
out_is "0 T1 w(x) 1
1 T1 w(x) 1"
expect 0 trace show --plain --range=5-6 - < <(yes 'T1|w(x)|1')
out_is "5 T1 w(x) 1
6 T1 w(x) 1"
expect 0 trace show --plain --events=3 - < <(yes 'T1|w(x)|1')
out_is "3 T1 w(x) 1"
expect 3 check -a null - <<<$'T1|w(x)|1\nT1|rel(l)|2'
err_is "foreweave: standard input:2: 'rel(l)' by T1, but nobody holds l"
expect 3 check -a null - <<<$'T1|r(x)|1\nT1|br|2'
err_has "foreweave: standard input:2: 'br' in a stream that does not begin with '# branches: yes'"
expect 0 check -a null - <<<$'# branches: yes\nT1|r(x)|1\nT1|br|2'
expect 0 trace info --from=tid - <<<'wr 1 x 1'
out_has "format              tid"
expect 3 check -a null - <&-
one_error

# Binary traces: whole, cut anywhere, damaged with data behind it.
awk 'BEGIN { for (i = 0; i < 60000; i++) printf "T%d|w(x%d)|%d\n", i % 7, i * 7919 % 1000, i % 50 }' >big.std
expect 0 trace convert -q big.std big.fwt
size=$(stat -c %s big.fwt)
each 0 big.fwt
silent
expect 0 check -a null - <big.fwt
out_has "60000 events of 7 threads"
for cut in 1 7 8 9 40 $((size / 3)) $((size / 2)) $((size - 1)); do
    head -c "$cut" big.fwt >cut.fwt
    each 0 cut.fwt "foreweave: warning: 'cut.fwt' is cut ("
    one_error
    expect 0 check -a null --format=json cut.fwt
    out_has '"cut":true'
done
expect 0 check -a null cut.fwt
err_has "): analysed to its last complete block"
: >none.fwt
each 0 none.fwt "foreweave: warning: 'none.fwt' is cut ("
cp big.fwt damaged.fwt
printf 'XXXX' | dd of=damaged.fwt bs=1 seek=$((size / 3)) conv=notrunc status=none
each 3 damaged.fwt "foreweave: damaged.fwt: "
cp big.std renamed.fwt # text under a wrong name
each 3 renamed.fwt "foreweave: "
cp big.fwt renamed.std # the first bytes win over the name
each 0 renamed.std
silent

# Names from a trace cannot play tricks on a terminal.
printf '\033[1mT|w(a\033[2Jb)|c\033[31m\n\033[1mT|rel(l\033[2J)|d\n' >escape.std
for command in "trace show" "trace show --plain" "check -a null" "trace info"; do
    # shellcheck disable=SC2086
    expect 3 $command escape.std
    err_lacks $'\033'
    # shellcheck disable=SC2086
    expect 0 $command --repair escape.std
    err_lacks $'\033'
    out_lacks $'\033'
done
finish
