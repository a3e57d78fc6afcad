#!/usr/bin/env bash
# learn --kind=lifetx cuts where passing runs were not atomic, and guard --kind=lifetx keeps together what always was: who
# comes between waits, and whoever only takes turns is not kept from it.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
here=$FOREWEAVE_SOURCE/tests/guard
for name in rounds bank_account string_buffer starved handlers; do
    "$FOREWEAVE" cc -Wall -Wextra -Werror -g -O1 -pthread "$here/$name.c" -o $name >"$out" 2>"$err" ||
        { complain "$name.c does not build"; head -5 "$err"; }
done
has() { # FILE PATTERN
    grep -q -e "$2" "$1" || { complain "$1 has no line '$2' but:"; grep '^cut\|^site' "$1"; }
}

# --- learning
expect 0 learn --kind=lifetx --runs=6 --idle=3 -c loop.constraints -- ./rounds loop
out_has 'new cutpoints'
out_has 'words in a transaction: half below'
err_has "cutpoints in 'loop.constraints' after "
has loop.constraints '^cut iteration'
expect 0 learn -q --kind=lifetx --runs=6 --idle=3 -c calls.constraints -- ./rounds calls
has calls.constraints '^cut call'
# What code without hooks calls is cut at its entry.
expect 0 learn -q --kind=lifetx --runs=6 --idle=3 -c called.constraints -- ./handlers called
has called.constraints '^cut entry'
cp loop.constraints before
expect 0 learn --kind=lifetx --runs=2 --format=json -o table.json -c loop.constraints -- ./rounds loop
grep -v '^runs' before >a
grep -v '^runs' loop.constraints >b
same a b
python3 -c "
import json
t = json.load(open('table.json'))['lifetx']
assert t['last_news'] == 0 and len(t['runs']) == 2, t
assert all(r['passed'] and r['broken'] == 0 and r['new_cutpoints'] == 0 for r in t['runs']), t
s = t['words_in_transaction']
assert s['count'] == sum(s['below_power_of_two']) > 40 and s['most'] < 10, t" || complain "the table as JSON is wrong"
expect 0 learn -q --kind=lifetx --runs=3 -c bank.constraints -- ./bank_account calm 1
has bank.constraints '^cut claim'
expect 0 record -q --repeats -o bank.fwt -- ./bank_account calm 1
expect 0 learn --kind=lifetx --runs=0 --traces=bank.fwt -c bank2.constraints -- ./bank_account
err_has "after 0 passing and 0 failing runs and 1 traces; run 1 was the last"
cuts() { # FILE: by the texts of their sites; last and more are of runs that nothing broke
    awk '
        /^site/ { n = $2; sub(/^site [0-9]+ /, ""); text[n] = $0 }
        /^cut/ && $2 != "last" && $2 != "more" { print $2, text[$3] }' "$1" | sort
}
cuts bank.constraints >a
cuts bank2.constraints >b
same a b
# Where a transaction always made its last access it ends.
has bank.constraints '^cut last'
has bank.constraints '^cut more'
# What was wrong breaks what was learnt, what is right does not.
for seed in 1 2 3 4 5; do
    "$FOREWEAVE" record -q --repeats -o wrong.fwt -- ./bank_account adverse $seed >"$out" 2>"$err" || break
done
expect 0 learn --kind=lifetx --runs=0 --check-traces=wrong.fwt,bank.fwt -c bank2.constraints -- ./bank_account
out_has 'wrong.fwt breaks transactions 1 times in '
out_has 'bank.fwt breaks transactions 0 times in '
cuts bank2.constraints >b
same a b
expect 0 learn -q --kind=both --runs=3 --idle=1 -c both.constraints -- ./bank_account calm 1
has both.constraints '^cut'
has both.constraints '^pset'
expect 3 learn --kind=lifetx --runs=2 --ok=false -c none.constraints -- ./bank_account calm 1
err_has 'nothing was learnt'
[ ! -e none.constraints ] || complain "failing runs have taught something"
expect 2 learn --traces=bank.fwt -- ./bank_account
err_has '--traces and --check-traces: with --kind=lifetx or both'
expect 3 learn --kind=lifetx --runs=0 --traces=table.json -c none.constraints -- ./bank_account
one_error
[ ! -e none.constraints ] || complain "what is no trace has taught something"

# --- keeping transactions apart
adverse() { # NAME CONSTRAINTS
    last="./$1 adverse"
    for seed in 1 2 3 4 5 6 7 8 9 10 none; do
        ./"$1" adverse $seed >/dev/null 2>&1 || break
    done
    [ $seed != none ] || complain "never fails, so that avoiding it means nothing"
    for seed in 1 2 3 4 5; do
        expect 0 guard --kind=lifetx -c "$2" --log="$1.log" --stall=2000 --budget=100 -- ./"$1" adverse $seed
        out_is right
        err_has ' 0 not avoided'
    done
    expect 0 guard --kind=lifetx -c "$2" --stall=2000 -- ./"$1" calm 1
    out_is right
    err_has ' 0 not avoided'
}
adverse bank_account bank.constraints
adverse bank_account both.constraints
expect 0 learn -q --kind=lifetx --runs=3 -c buffer.constraints -- ./string_buffer calm 1
adverse string_buffer buffer.constraints
# On a busy machine nobody may have had to wait so far.
for seed in $(seq 6 40); do
    [ "$(wc -l <string_buffer.log)" -lt 2 ] || break
    expect 0 guard -q --kind=lifetx -c buffer.constraints --log=string_buffer.log --budget=100 -- ./string_buffer adverse $seed
done
python3 -c "
import json
lines = [json.loads(line) for line in open('string_buffer.log')]
assert len(lines) > 1 and all(l['access']['function'] for l in lines[1:]), lines" || complain "the log is wrong"

# Who lets another's transactions end gives its mutex back for each of them, however many there are.
expect 0 learn -q --kind=lifetx --runs=4 -c starved.constraints -- ./starved calm
adverse starved starved.constraints
# Logged is what the other transaction did to the same word; a trace may be asked whether it breaks one, but that is no pair.
python3 -c "
import json
lines = [json.loads(line) for line in open('starved.log')][1:]
assert len(lines) > 0 and all(l['kind'] == 'lifetx' and 'iroot' not in l for l in lines), lines
ways = {(l['access']['function'], l['access']['offset'], l['after']['function'], l['after']['offset']) for l in lines if 'after' in l}
assert ways and ways <= {('is_whole', 5, 'append', 3), ('append', 3, 'is_whole', 5), ('is_whole', 9, 'append', 9), ('append', 9, 'is_whole', 9)}, ways
" || complain "the log is wrong"
expect 0 record -q -o starved.fwt -- ./starved calm
expect 0 check --avoided=starved.log starved.fwt
err_has '0 interleavings were avoided' "violations in 'starved.log' are of transactions"
cp starved.constraints accepted.constraints
expect 0 learn --runs=0 --accept=starved.log -c accepted.constraints -- ./starved
err_has "'starved.log' adds 0 pairs" "violations in 'starved.log' are of transactions"

# Whoever takes turns does so; without the cutpoints it would wait for the other's end, in vain.
for how in loop calls; do
    expect 0 guard --kind=lifetx -c $how.constraints --stall=2000 --budget=100 -- ./rounds $how
    out_is right
    err_has ' 0 not avoided'
done
expect 0 guard --kind=lifetx -c loop.constraints --stall=2000 --budget=100 -- ./rounds made
out_is right
err_has 'foreweave: 0 violations'
grep -v '^cut' loop.constraints >uncut.constraints
expect 0 guard --kind=lifetx -c uncut.constraints --stall=20 --budget=100 -- ./rounds loop
out_is right
err_lacks ' 0 not avoided'
expect 0 guard --kind=lifetx -c uncut.constraints --dry --log=dry.log -- ./rounds loop
out_is right
err_has 'only logged'

# Who waits until a file is ready has ended its transaction: what it waits for may have to do with the same words.
expect 0 learn -q --kind=lifetx --runs=2 -c ready.constraints -- ./handlers ready
grep -v '^cut' ready.constraints >uncut.constraints
expect 0 guard --kind=lifetx -c uncut.constraints --stall=2000 --budget=100 -- ./handlers ready
out_is right
err_has ' 0 not avoided'
# Who is busy behind an unlock, or blocked in a lock, is waited for in vain: the log tells where its transaction may be split, and
# learning takes that.
for how in lingers blocked; do
    grep -v '^cut' called.constraints >$how.constraints
    expect 0 guard --kind=lifetx -c $how.constraints --stall=1000 --budget=100 --log=$how.log -- ./handlers $how
    out_is right
    err_lacks ' 0 not avoided'
    expect 0 learn --runs=0 --accept=$how.log -c $how.constraints -- ./handlers
    err_has "they add 1 cutpoints"
    has $how.constraints '^cut access'
    expect 0 guard --kind=lifetx -c $how.constraints --stall=5000 --budget=100 -- ./handlers $how
    out_is right
    err_has ' 0 not avoided'
done

# --- another build, another program
sed 's/^static struct/static int unused_of(int x)\n{\n    return x + 1;\n}\n\n&/; s/right = run/right = unused_of(-1) + (run/; s/\* 3;/* 3);/' \
    "$here/rounds.c" >rounds.c
"$FOREWEAVE" cc -g -O1 -pthread rounds.c -o rounds >"$out" 2>"$err" || complain "the changed program does not build"
expect 0 guard --kind=lifetx -c calls.constraints --stall=2000 --budget=100 -- ./rounds calls
err_lacks 'are not in this build'
err_has ' 0 not avoided'
expect 0 guard --kind=lifetx -c bank.constraints -- ./rounds loop
err_has "are of 'bank_account', not of 'rounds'"
out_is right
finish
