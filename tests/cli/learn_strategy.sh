#!/usr/bin/env bash
# learn --strategy: runs that a strategy decides teach what free ones do and more, the same for the same seed; those that
# fail teach nothing.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
for source in examples/early tests/guard/bank_account tests/guard/rounds; do
    "$FOREWEAVE" cc -Wall -Wextra -Werror -g -O1 -pthread "$FOREWEAVE_SOURCE/$source.c" -o "${source##*/}" >"$out" 2>"$err" ||
        { complain "$source.c does not build"; head -5 "$err"; }
done
psets() { # FILE: by the texts of their sites
    awk '
        /^site/ { n = $2; sub(/^site [0-9]+ /, ""); text[n] = $0 }
        /^pset/ { line = text[$2]; for (i = 3; i <= NF; i++) line = line " | " ($i ~ /^[0-9]/ ? text[$i] : $i); print line }' "$1" | sort
}


# --- what free runs teach is what a strategy teaches, where there is nothing else to see
expect 0 learn -q --idle=2 -c free.constraints -- ./early
for strategy in random pct pctlarge delay pos; do
    expect 0 learn --strategy=$strategy --idle=2 -c $strategy.constraints -- ./early
    out_has 'passed           2'
    psets free.constraints >a
    psets $strategy.constraints >b
    same a b
done
# ... and it is kept to
expect 0 guard -c pos.constraints --stall=2000 --budget=100 -- ./early late
err_has '1 violations: 1 avoided by waiting'
out_is right
expect 0 guard -c pos.constraints -- ./early
err_has '0 violations'

# --- runs that fail teach nothing: no schedule shows that the other's write may come between
expect 0 learn --strategy=random --runs=40 --idle=0 --format=json -o table.json -c bank.constraints -- ./bank_account calm 1
python3 -c "
import json
t = json.load(open('table.json'))
passed = [r for r in t['runs'] if r['passed']]
failed = [r for r in t['runs'] if not r['passed']]
assert passed and failed and len(t['runs']) == 40, t
assert all(r['new_pairs'] + r['new_also'] + r['new_sites'] == 0 for r in failed), t
assert sum(r['new_pairs'] for r in passed) == t['runs'][-1]['pairs'], t" || complain "the table as JSON is wrong"
grep -q "^runs $(grep -o '"passed":true' table.json | wc -l) $(grep -o '"passed":false' table.json | wc -l)\$" bank.constraints ||
    complain "runs are not counted"
psets bank.constraints >a
! grep -q 'write_balance .*| w bank_account write_balance' a || complain "what only fails was learnt"
# The same seed decides the same.
expect 0 learn -q --strategy=random --runs=40 --idle=0 --format=json -o again.json -c again.constraints -- ./bank_account calm 1
same bank.constraints again.constraints
sed 's/again\.constraints/bank.constraints/' again.json >b
same table.json b
expect 0 learn -q --strategy=random --seed=7 --runs=40 --idle=0 --format=json -o other.json -c other.constraints -- ./bank_account calm 1
[ "$(grep -o '"passed":[a-z]*' table.json)" != "$(grep -o '"passed":[a-z]*' other.json)" ] || complain "the seed decides nothing"

# --- a strategy shows what free runs do not, of either kind, and both are kept
printf 'calls\nloop\n' >inputs
expect 0 learn --kind=both --strategy=pos --runs=8 --idle=2 --inputs=inputs -c rounds.constraints -- ./rounds
out_has 'new cutpoints'
out_has 'new pairs'
grep -q '^cut iteration' rounds.constraints || complain "iterations are not cut"
grep -q '^cut call' rounds.constraints || complain "calls are not cut"
psets rounds.constraints | grep -q '^r rounds .*| w rounds' || complain "turns that threads took are not seen"
expect 0 guard --kind=lifetx -c rounds.constraints --stall=2000 --budget=100 -- ./rounds loop
err_has ' 0 not avoided'
out_is right

# --- bad use
expect 2 learn --strategy=chess -- ./early
expect 2 learn --strategy=pos --noise=50 -- ./early
err_has '--noise: with --strategy=free'
expect 3 learn --strategy=pos -c none.constraints --runs=2 --ok=false -- ./early
err_has "no run of './early' passed: nothing was learnt"
[ ! -e none.constraints ] || complain "failing runs have taught something"
finish
