#!/usr/bin/env bash
# trace show: columns, filters, ranges, widths.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
cat >a.std <<'TRACE'
T0|fork(T1)|main.c:1
T0|acq(m)|main.c:2
T0|w(x)|main.c:3|val=7
T0|rel(m)|main.c:4
T1|acq(m)|work.c:10
T1|r(x)|work.c:11|rf=2,val=7
T1|ast(done)|work.c:12|ord=rel,size=4
T1|rel(m)|work.c:13
T0|ald(done)|main.c:5|ord=acq
T0|join(T1)|main.c:6
TRACE

expect 0 trace show a.std
silent
out_is "index  T0             T1                    site
    0  fork(T1)       |                     main.c:1
    1  acq(m)         |                     main.c:2
    2  w(x)=7         |                     main.c:3
    3  rel(m)         |                     main.c:4
    4  |              acq(m)                work.c:10
    5  |              r(x)=7 rf=2           work.c:11
    6  |              ast(done) rel size=4  work.c:12
    7  |              rel(m)                work.c:13
    8  ald(done) acq  |                     main.c:5
    9  join(T1)       |                     main.c:6"
expect 0 trace show --plain --range=4-5 a.std
out_is "4 T1 acq(m) work.c:10
5 T1 r(x)=7 rf=2 work.c:11"

indices() { # EXPECTED OPTIONS...
    local wanted=$1 got
    shift
    expect 0 trace show --plain "$@" a.std
    got=$(cut -d ' ' -f 1 "$out" | tr '\n' ' ')
    [ "$got" = "${wanted:+$wanted }" ] || complain "showed events '$got', not '$wanted'"
}

indices "0 1 2 3 4 5 6 7 8 9"
indices "3 4 5" --range=3-5
indices "3 4 5" --range=3..5
indices "8 9" --range=8-
indices "8 9" --range=8..
indices "0 1" --range=-1
indices "0 1" --range=..1
indices "7" --range=7
indices "" --range=50-60
indices "2 5 9" --events=9,2,5
indices "5" --events=2,5 --thread=T1
indices "4 5 6 7" --thread=T1
indices "4 5 6 7" --thread=1
indices "0 1 2 3 4 5 6 7 8 9" --thread=T0,T1
indices "2 5" --var=x
indices "2 5 6 8" --var=x,done
indices "1 3 4 7" --lock=m
indices "1 2 3 4 5 7" --lock=m --var=x
indices "1 2 4" --kind=w,acq
indices "0 9" --kind=fork --kind=join
indices "4 5 6 7" --site=work.c
indices "0 1" --site=main.c --limit=2
indices "" --limit=0
silent

# Names and indices that do not occur are pointed out.
expect 0 trace show --range=10-20 a.std
err_is "foreweave: warning: 'a.std' ends before event 10"
expect 0 trace show --events=3,12 a.std
err_is "foreweave: warning: 'a.std' ends before event 12"
expect 0 trace show --events=3,9 --range=9-20 a.std
silent
expect 0 trace show --thread=T9,1 a.std
err_is "foreweave: warning: no thread 'T9' in 'a.std'"
expect 0 trace show --var=z --lock=n a.std
err_is "foreweave: warning: no variable 'z' in 'a.std'
foreweave: warning: no lock 'n' in 'a.std'"

# On a narrow screen operations are cut; with too many threads for it there are no columns.
expect 0 trace show --width=46 a.std
out_has "    6  |              ast(done) re~  work.c:12"
[ "$(awk '{ print length($0) }' "$out" | sort -n | tail -1)" -le 46 ] || complain "too wide"
expect 0 trace show --width=20 a.std
out_has "5 T1 r(x)=7 rf=2 work.c:11"

# Indices count every stored event; what is filtered out is left out, --all shows it.
cat >reentrant.std <<'TRACE'
T1|acq(l)|1
T1|req(l)|2
T1|acq(l)|3
T1|rel(l)|4
T1|rel(l)|5
TRACE
expect 0 trace show --plain reentrant.std
out_is "0 T1 acq(l) 1
4 T1 rel(l) 5"
expect 0 trace show --plain --all reentrant.std
out_is "0 T1 acq(l) 1
2 T1 acq(l) 3
3 T1 rel(l) 4
4 T1 rel(l) 5"

# No site, no site column; names in UTF-8 stay aligned.
printf 'T1|w(h\xc3\xa4user)\nT2|w(x)\nT1|r(x)\n' >utf8.std
expect 0 trace show utf8.std
out_is "index  T1         T2
    0  w(häuser)  |
    1  |          w(x)
    2  r(x)       |"

# What stands around an error is seen with --repair.
printf 'T1|w(x)|1\nT1|rel(l)|2\nT1|w(y)|3\n' >bad.std
expect 3 trace show --plain bad.std
one_error
expect 0 trace show --plain --repair bad.std
out_is "0 T1 w(x) 1
2 T1 w(y) 3"
err_has "bad.std:2: 'rel(l)' by T1"

# Long traces come in pages; a thread that appears late widens the header.
awk 'BEGIN { for (i = 0; i < 10000; i++) print "T1|w(x)|1"; print "T2|w(longer)|2" }' >long.std
expect 0 trace show long.std
[ "$(wc -l <"$out")" = 10003 ] || complain "not 10001 events and 2 headers"
[ "$(grep -c '^index' "$out")" = 2 ] || complain "not 2 headers"
[ "$(tail -1 "$out")" = "10000  |     w(longer)  2" ] || complain "the last line is: $(tail -1 "$out")"

# The example of the front page.
if [ -e "$FOREWEAVE_SOURCE/examples/hidden-race.std" ]; then
    expect 0 trace show "$FOREWEAVE_SOURCE/examples/hidden-race.std"
    silent
fi
finish
