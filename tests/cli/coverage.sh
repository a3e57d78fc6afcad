#!/usr/bin/env bash
# coverage show, merge and export say what a memo database knows, in all forms alike; merging twice
# changes nothing; what is no memo database, or cannot be written, is said in one line.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
. "$FOREWEAVE_SOURCE/tests/cli/postgres.bash"
fill() { "$FOREWEAVE_BUILD/tests/memo_fill" "$1" || complain "cannot fill $1"; }
script=$FOREWEAVE_SOURCE/tests/cli/coverage/till.memo
fill .foreweave/memo.db <"$script"

expect 0 coverage show
silent
cat >expected <<'END'
till: 4 iRoots exposed by 5 runs with 1 input, 1 failure
build 0123abcd
idiom   exposed  predicted  infeasible  failed    left
1             3          3           1       1       1
2             1          1           0       0       0
3             0          1           0       0       1
4             0          0           0       0       0
5             0          0           0       0       0
6             0          0           0       0       0
all           4          5           1       1       2

runs                 new    exposed
1                      2          2
2                      1          3
3                      0          3
4                      0          3
5                      1          4

Saturation: runs like these can expose about 4.4 iRoots or more (Chao2); 91% of that is done,
and the next run will expose 0.40 new ones (2 were seen once, 1 twice).

Failures
  run 5 of nightly: assertion: balance == 6000
    foreweave replay .foreweave/last/3f2a9c.sched
    (that file is not here: it was removed, or is on another machine)

Next: foreweave coverage show --untested
END
same "$out" expected
expect 0 coverage show --idiom=2
[ "$(sed -n '4,5p' "$out")" = "2             1          1           0       0       0" ] || complain "more than idiom 2"
out_has "till: 1 iRoot exposed by 5 runs"
out_lacks "Next:"

# What is untested: not what is exposed, and not what is infeasible.
expect 0 coverage show --untested
cat >expected <<'END'
till: 3 iRoots untested
pool.c:9
  1  w pool.c:9 => r pool.c:71; never tried
till.c:13
  1  w till.c:13 => w till.c:13; tried 2 times
  3  w till.c:13 => r till.c:13, w till.c:13 => r till.c:22; never tried, undecided
END
same "$out" expected
expect 0 coverage show -u --idiom=2
out_is "till: 0 iRoots untested"

# Lines by number, not by letter; locks that block each other; accesses without a place.
fill order.db <<'END'
access a.c:100 own w p f+90#1
access a.c:9 own w p f+1#1
access b.c:1 own lock p g+1#1
access b.c:2 own lock p g+2#1
enter p c i ./p
predict profile unknown 1 w p f+90#1 | r p h
predict profile unknown 1 w p f+1#1 | r p h
predict proof witness 5w lock p g+1#1 | lock p g+2#1 | lock p g+1#1 | lock p g+2#1
END
expect 0 coverage show -u --db=order.db
out_is "p: 3 iRoots untested
a.c:9
  1  w a.c:9 => r p h; never tried
a.c:100
  1  w a.c:100 => r p h; never tried
b.c:1
  5  lock b.c:1 blocks lock b.c:2, lock b.c:1 blocks lock b.c:2; never tried, witness"

# Accesses of one line that do the same look alike: then they are told in full.
fill alike.db <<'END'
access a.c:9 own w p f+1#1
access a.c:9 own w p f+1#2
access a.c:7 own r p g+1#1
enter p c i ./p
predict profile unknown 1 w p f+1#1 | r p g+1#1
predict profile unknown 1 w p f+1#2 | r p g+1#1
predict profile unknown 1 r p g+1#1 | w p f+1#1
END
expect 0 coverage show -u --db=alike.db
out_is "p: 3 iRoots untested
a.c:7
  1  r a.c:7 => w a.c:9; never tried
a.c:9
  1  w a.c:9 => r a.c:7 (1 w p f+1#1 | r p g+1#1); never tried
  1  w a.c:9 => r a.c:7 (1 w p f+1#2 | r p g+1#1); never tried"

# JSON says the same.
expect 0 coverage show --format=json --untested
jq -e '.programs[0] | .program == "till" and .all.exposed == 4 and .all.left == 2 and .all.infeasible == 1
    and ([.idioms[].exposed] == [3, 1, 0, 0, 0, 0]) and ([.growth[].new] == [2, 1, 0, 0, 1])
    and .growth[4].failure.kind == "assertion" and .saturation.all == 4.4
    and ([.untested[].state] == ["left", "failed", "left"])
    and .untested[0].accesses[1] == {"access": "r libpool.so give+6#1", "place": "pool.c:71"}' "$out" >/dev/null ||
    complain "JSON is not as expected: $(cat "$out")"
expect 0 coverage export --format=json -o all.json
jq -e '.programs[0] | (.iroots | length) == 8 and ([.iroots[] | select(.state == "exposed")] | length) == 4
    and ([.iroots[] | select(.idiom == 2)][0] | .predicted_by == ["profile", "proof"] and .verdict == "witness"
    and .first == {"campaign": "nightly", "run": 5, "input": "small", "strategy": "random", "time": "2026-01-01T00:00:04Z"})' \
    all.json >/dev/null || complain "the export is not as expected"

# So does CSV, quoted where needed; and a picture, which is XML.
expect 0 coverage export
[ "$(wc -l <"$out")" = 9 ] || complain "not a head and 8 iRoots"
[ "$(awk -F, 'NF != 24' "$out" | wc -l)" = 0 ] || complain "rows differ in length"
out_has 'till,1,0,failed,1,0,2,0,1,0,unknown,w till sell+4#1,till.c:13,w till sell+4#1,till.c:13,,,,,,,,,'
expect 0 coverage export --what=growth
[ "$(sed 1d "$out" | cut -d, -f11,18)" = "2,2
1,3
0,3
0,3
1,4" ] || complain "the growth is another: $(cat "$out")"
expect 0 coverage export --format=text
out_has 'till exposed seen=1 tried=0 verdict=witness: 2 r till sell+4#1 | w till sell+4#1 | w till sell+4#1'
expect 0 coverage export --format=text --what=growth
out_has 'till 5: new=1 total=4: run 5 of nightly, random, signal 6, assertion'
fill odd.db <<'END'
enter a"b,<c>&d c, i ./p
run 1 pct 1000 exit 0
+ 1 w p "f|g"+1#1 | r p h
end
END
expect 0 coverage export --db=odd.db
out_has '"a""b,<c>&d",1,0,exposed,1,1,0,0,0,0,unknown,"w p ""f|g""+1#1",'
expect 0 coverage export --db=odd.db --format=svg
out_has 'a&#34;b,&#60;c&#62;&#38;d: iRoots exposed'
expect 0 coverage export --format=svg -o growth.svg
grep -q 'idiom 1: 3' growth.svg && grep -q 'all: 4' growth.svg && grep -q 'Chao2' growth.svg || complain "the picture lacks its lines"
if command -v python3 >/dev/null; then
    python3 -c 'import sys, xml.dom.minidom as d; d.parse(sys.argv[1])' growth.svg || complain "the picture is no XML"
fi

# Merging: in any order, and again.
fill other.db <<'END'
access till.c:31 own r till refund+2#1
enter till nightly large ./till 9
run 1 pct 1767225700000 exit 0
+ 1 w till sell+4#1 | r till refund+2#1
+ 1 w till sell+4#1 | w till sell+4#1
end
enter pump weekly one ./pump
predict profile unknown 1 w pump a+1#1 | r pump b+1#1
END
expect 0 coverage merge .foreweave/memo.db other.db --into=sum.db
out_is ".foreweave/memo.db: 8 iRoots, 5 runs and 6 predictions were new
other.db: 2 iRoots, 1 run and 1 prediction were new"
expect 0 coverage merge -q other.db .foreweave/memo.db --into=new/sum.db
out_is ""
silent
for form in "--format=text" "--format=text --what=growth" "--what=growth" "--format=csv"; do
    # shellcheck disable=SC2086
    "$FOREWEAVE" coverage export --db=sum.db $form >one
    # shellcheck disable=SC2086
    "$FOREWEAVE" coverage export --db=new/sum.db $form >two
    same one two
    [ -s one ] || complain "nothing with $form"
done
expect 0 coverage merge sum.db --into=new/sum.db
out_is "sum.db: 0 iRoots, 0 runs and 0 predictions were new"
expect 0 coverage show --db=sum.db --program=till
out_has "till: 6 iRoots exposed by 6 runs with 2 inputs, 1 failure"
expect 0 coverage show --db=sum.db
out_has "pump: 0 iRoots exposed by 0 runs"
out_lacks "Next:"
expect 3 coverage show --db=sum.db --program=til
err_is "foreweave: 'sum.db' knows no program 'til': did you mean 'till'?"
expect 2 coverage export --db=sum.db --format=svg
err_has "a picture is of one program, 'sum.db' knows 2: choose with --program"
expect 0 coverage merge --into=empty.db
out_is "empty.db: nothing to merge; it has this version"
expect 0 coverage show --db=empty.db
out_is "'empty.db' knows no program yet"

# A campaign is at work: it is seen, and does no harm; when it ends its candidate is free.
cp order.db busy.db
coproc "$FOREWEAVE_BUILD/tests/memo_fill" busy.db
worker=$COPROC_PID
printf 'enter p c2 i ./p\nclaim\nenter p c2 i ./p\n' >&"${COPROC[1]}"
until
    "$FOREWEAVE" coverage show --db=busy.db >"$out"
    grep -q "1 candidate being tried now" "$out"
do
    kill -0 "$worker" 2>/dev/null || break
done
out_has "1 candidate being tried now"
eval "exec ${COPROC[1]}>&-"
wait "$worker"
expect 0 coverage show --db=busy.db
out_lacks "tried now"

# What is wrong is said.
expect 3 coverage show --db=missing.db
err_is "foreweave: there is no memo database 'missing.db'"
[ ! -e missing.db ] || complain "it was made"
expect 3 coverage show --db="$script"
err_has "is no database"
one_error
expect 3 coverage merge missing.db --into=x.db
one_error
cp order.db lacks.db
sqlite3 lacks.db "DROP TABLE claims; DROP TABLE attempts"
expect 3 coverage merge lacks.db --into=x.db
one_error
expect 125 coverage merge order.db --into="$script"
err_has "is no database"
expect 125 coverage merge order.db --into=no/such/folder/x.db
one_error
expect 2 coverage merge order.db
err_has "say where it goes: --into=DATABASE"
expect 2 coverage merge order.db --into=./order.db
err_has "'order.db' and './order.db' are the same database"
expect 2 coverage show --idiom=7
err_has "there are idioms 1 to 6"
expect 3 coverage show --db=postgresql:///x?host=/nowhere
one_error
err_lacks '?Is'
expect 3 coverage show --db=postgresql://me:hush@localhost:1/x
one_error
err_lacks hush
for command in "show" "show --format=json" "export" "export --format=svg"; do
    # shellcheck disable=SC2086
    expect 125 coverage $command -o /dev/full
    err_is "foreweave: cannot write '/dev/full': no space left on device"
done

# A disk that is full in the middle of merging: what was there stays, nothing is added by half.
{
    echo "enter big c i ./big"
    for i in $(seq 2000); do echo "predict profile unknown 1 w big f$i+1#1 | r big g$i+1#1"; done
} >big.memo
fill big.db <big.memo
"$FOREWEAVE" coverage export --db=order.db --format=text >before
cp order.db small.db
(trap '' XFSZ; ulimit -f 300; "$FOREWEAVE" coverage merge big.db --into=small.db >"$out" 2>"$err")
status=$?
last="foreweave coverage merge big.db --into=small.db, with a limit"
[ $status = 125 ] || complain "exit status $status, not 125"
one_error
err_has "small.db"
"$FOREWEAVE" coverage export --db=small.db --format=text >after
same before after
expect 0 coverage merge -q big.db --into=small.db

# The same in PostgreSQL.
start_postgres
expect 0 coverage merge .foreweave/memo.db other.db --into="$url"
out_has "other.db: 2 iRoots, 1 run and 1 prediction were new"
expect 0 coverage merge sum.db --into="$url"
out_has "0 iRoots, 0 runs and 0 predictions were new"
"$FOREWEAVE" coverage export --db="$url" --format=text >two
"$FOREWEAVE" coverage export --db=sum.db --format=text >one
same one two
"$server/psql" -X -q -h "$data" -U tester -d postgres -c "CREATE ROLE poor LOGIN"
expect 3 coverage show --db="${url/user=tester/user=poor}"
err_lacks "is an empty database"
err_has "permission denied"
expect 0 coverage show --db="$url" --program=till
out_has "till: 6 iRoots exposed by 6 runs with 2 inputs, 1 failure"
fill "$url" <<'END'
enter till nightly large ./till 9
run 9 pct 1767225800000 exit 0
+ 1 w till sell+4#1 | r till refund+2#1
end
END
expect 0 coverage merge "$url" --into=sum.db
out_has "0 iRoots, 1 run and 0 predictions were new"
finish
