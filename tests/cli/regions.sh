#!/usr/bin/env bash
# atomrace --sections: what comes between the entry and an end of a section is caught, what is
# allowed, protected or in another activation is not; the program is not harmed.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
source=$FOREWEAVE_SOURCE/tests/cli/regions/sections.cc
"$FOREWEAVE" c++ -Wall -Werror -g -O0 -pthread "$source" -o sections >"$out" 2>"$err" ||
    { complain "it does not build"; head -5 "$err"; finish; }

line() { grep -n "@$1\$" "$source" | cut -d: -f1; }
spot() { echo "sections.cc:$(line "$1")"; }
cat >all.sections <<SECTIONS
foreweave sections 1
section split given split
  entry r $(spot load)
  end w $(spot store) allow=r
section first given chain
  entry r $(spot first)
  end r $(spot second) allow=r
section second given chain
  entry r $(spot second)
  end w $(spot third) allow=r
section circle given circle
  entry w $(spot round)
  end w $(spot round) allow=r
  flag circular
section deep given deep
  entry r $(spot enter)
  end w $(spot leave) allow=r
  flag recursive
section halves given halves
  entry r $(spot half)
  end w $(spot other) allow=r
section exit given by_exit
  entry r $(spot begin)
  end w $(spot finish) allow=r
  exit $(spot exit)
section heap given heap
  entry r $(spot cell)
  end w $(spot cell_end) allow=r
SECTIONS

watch() { # NAME ARGUMENTS...: the violated sections, as "name name"
    local name=$1
    shift
    "$FOREWEAVE" atomrace -q --sections=all.sections --noise=random:200:50 --runs=3 -- ./sections "$@" \
        >"$out" 2>"$err"
    [ -s "$err" ] && { complain "$* says something"; head -3 "$err"; }
    got=$(sed -n "s/.*section '\(.*\)' is not atomic.*/\1/p" "$out" | sort -u | tr '\n' ' ')
    [ "${got% }" = "$name" ] || complain "$*: violated are '${got% }', not '$name'"
}

watch split split
out_has "atomicity violation (observed by between)"
out_has "Certain: in this run it came between them, or both it and the last were next"
out_lacks "data race" # each access has the lock
watch "" split locked
watch "" read # reads are allowed
watch "first second" chain # the end of one is the entry of the other
watch "" chain locked
watch circle circle
watch "" circle locked
watch deep deep
watch "" deep locked
for way in return throw longjmp; do
    watch halves $way
    watch "" $way part
done
watch exit exit
watch "" exit part
watch heap heap
watch "" heap part
watch split fork

# Reads that are not allowed.
sed '/section split/,/allow/s/allow=r/allow=-/' all.sections >strict.sections
expect 66 atomrace -q --sections=strict.sections --noise=random:200:50 --runs=3 -- ./sections read
out_has "section 'split' is not atomic"
for seed in 1 2 3 4 5 6 7 8 9; do # a busy machine may run the threads one after the other
    "$FOREWEAVE" atomrace -q --seed=$seed --sections=all.sections --noise=random:200:50 --format=json -o r.json -- ./sections split \
        >"$out" 2>"$err"
    [ $? != 66 ] || break
done
grep -q '"kind":"atomicity".*"status":"observed".*section .split. is not atomic' r.json || complain "no section in the result"
grep -q '"name":"between","findings":1' r.json || complain "between is not among the analyses"
trace=$(grep -o '"trace":"[^"]*"' r.json | head -1 | cut -d'"' -f4)
expect 66 check --analysis=between "$trace"
out_has "section 'split' is not atomic"
expect 0 check --analysis=overlap "$trace"

# A handler that jumps out of sections, and out of our hooks.
timeout 300 "$FOREWEAVE" atomrace -q --sections=all.sections --noise=random:100:20 -- ./sections jump >"$out" 2>"$err"
case $? in
0 | 66) silent ;;
*) complain "jumps end with $?" ;;
esac

# What cannot be.
expect 3 atomrace --sections=none.sections -- ./sections split
err_is "foreweave: cannot open file of sections 'none.sections': no such file or directory"
printf 'foreweave sections 1\nsection s given split\n  entry r nowhere.c:1\n  end w nowhere.c:2 allow=r\n' >bad.sections
expect 3 atomrace --sections=bad.sections -- ./sections split
err_has "no section of 'bad.sections' is in './sections' (others are looked into by --module)"
printf 'foreweave sections 1\nsection s given circle\n  entry w %s\n  end w %s allow=r\n' \
    "$(spot round)" "$(spot round)" >bad.sections
expect 0 atomrace --sections=bad.sections -- ./sections split
err_has "section 's' is not watched: its entry is one of its ends, and it is not circular"

# A coroutine that goes on in another thread: entry and end of different activations are no section's.
source=$FOREWEAVE_SOURCE/tests/cli/regions/coroutine.c
"$FOREWEAVE" cc -Wall -Werror -g -O0 -pthread "$source" -o coroutine >"$out" 2>"$err" || complain "coroutine.c does not build"
{
    echo "foreweave sections 1"
    for name in step step_alone; do
        printf 'section %s given %s\n  of total\n  entry r coroutine.c:%s\n  end w coroutine.c:%s allow=r\n' $name $name \
            "$(line "$name-load")" "$(line "$name-store")"
    done
} >coroutine.sections
expect 0 atomrace --sections=coroutine.sections --noise=random:100:50 -- ./coroutine
out_has 200 "foreweave: 0 findings"
expect 66 atomrace --sections=coroutine.sections --noise=random:100:50 --runs=5 -- ./coroutine alone
out_has "atomicity violation"

# Calls of an inlined function are activations of their own, or its section is not watched.
source=$FOREWEAVE_SOURCE/tests/cli/regions/inlined.c
{
    echo "foreweave sections 1"
    for name in apart maybe whole; do
        printf 'section %s given %s\n  of total\n  entry r inlined.c:%s\n  end w inlined.c:%s allow=r\n' $name $name \
            "$(line "$name-load")" "$(line "$name-store")"
    done
} >inlined.sections
for compiler in gcc clang; do
    "$FOREWEAVE" cc --compiler=$compiler -Wall -Werror -g -O2 -pthread "$source" -o inlined >"$out" 2>"$err" || complain "inlined.c does not build"
    expect 0 atomrace --sections=inlined.sections --noise=random:100:50 --runs=3 -- ./inlined apart
    err_has "section 'apart' is left out: 'apart' is inlined so that one call of it cannot be told from the next"
    err_lacks "'maybe'" "'whole'"
    expect 0 atomrace -q --sections=inlined.sections --noise=random:100:50 --runs=3 -- ./inlined maybe
    expect 66 atomrace -q --sections=inlined.sections --noise=random:100:50 --runs=5 -- ./inlined whole
    out_has "section 'whole' is not atomic"
done
finish
