#!/usr/bin/env bash
# Two campaigns at once on one PostgreSQL server share the work: nothing that one of them did is lost, and nothing
# is tried twice.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
. "$FOREWEAVE_SOURCE/tests/cli/postgres.bash"
start_postgres
ask() { "$server/psql" -X -A -t -h "$data" -U tester -d postgres -c "SET search_path = foreweave" -c "$1" | tail -n +2; }
field() { sed -n "s/.*\"$2\":\\([0-9]*\\).*/\\1/p" "$1.json"; } # a number of a result
sum() { echo $(($(field one "$1") + $(field two "$1"))); }
campaign() { # NAME SEED
    timeout 300 "$FOREWEAVE" explore -q -s iroot --db="$url" --seed="$2" --attempts=1 --format=json -o "$1.json" -- ./safestack 2>"$1.err"
    status=$?
    [ $status = 0 ] || [ $status = 66 ] || complain "status $status of campaign $1: $(head -1 "$1.err")"
    return $failures
}

"$FOREWEAVE" cc -g -O1 -pthread "$FOREWEAVE_SOURCE/tests/schedules/safestack.c" -o safestack || complain "cannot build"
campaign one 1 &
first=$!
campaign two 2 || complain "the second campaign"
wait $first || complain "the first campaign"

# All runs and attempts of both are there.
tried=$(ask "SELECT sum(tried) FROM attempts")
[ "$tried" = "$(sum attempts)" ] || complain "$tried attempts are known, $(sum attempts) were made"
runs=$(ask "SELECT count(*) FROM runs")
[ "$runs" = $(($(sum all) + $(sum profiles))) ] || complain "$runs runs are known, not $(sum all) and $(sum profiles) profiles"
[ "$(ask "SELECT count(*) FROM sessions")" = 2 ] || complain "there are not two sessions"

# Both have had a share, and no iRoot was tried by both, or more often than once.
[ "$(ask "SELECT count(DISTINCT session) FROM attempts")" = 2 ] || complain "only one of them has tried something"
[ "$(ask "SELECT count(*) FROM (SELECT iroot FROM attempts GROUP BY iroot HAVING sum(tried) > 1) AS twice")" = 0 ] ||
    complain "something was tried twice"

# Nothing is left, neither claims nor candidates; sums are right; a third campaign has nothing to try.
[ "$(ask "SELECT count(*) FROM claims")" = 0 ] || complain "claims are left"
[ "$(ask "SELECT count(*) FROM iroots i WHERE tried <> (SELECT coalesce(sum(tried), 0) FROM attempts WHERE iroot = i.id)")" = 0 ] ||
    complain "sums of attempts are wrong"
expect 0 coverage show --db="$url" --format=json
out_has '"left":0'
before=$tried
campaign three 1
tried=$(ask "SELECT sum(tried) FROM attempts")
[ $((tried - before)) = "$(field three attempts)" ] || complain "the third campaign's attempts"
[ "$(ask "SELECT count(*) FROM (SELECT iroot FROM attempts GROUP BY iroot HAVING sum(tried) > 1) AS twice")" = 0 ] ||
    complain "the third campaign repeats something"
finish
