#!/usr/bin/env bash
# What one build has exposed has to be exposed again by the next one, and what is known to fail is
# said again, by text, JSON and exit status; a build that is right begins without it.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
cat >stock.c <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int left = 1;
static void *take(void *unused)
{
    pthread_mutex_lock(&lock);
    int seen = left;
    pthread_mutex_unlock(&lock);
    if (seen > 0) {
        pthread_mutex_lock(&lock);
        left = RIGHT && left <= 0 ? left : left - 1;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, take, NULL);
    pthread_create(&b, NULL, take, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return left < 0;
}
END
build() { "$FOREWEAVE" cc -g -pthread -DRIGHT="$1" stock.c -o stock || complain "cannot build"; }
build 1
expect 0 explore -q -s iroot -- ./stock
out_lacks "known failure"
expect 0 explore -q -s iroot -- ./stock
out_has "3 profiles, 0 attempts"
build 0
expect 66 explore -q -s iroot -- ./stock
out_has "failure 1: exit 1"
out_lacks "known failure"
expect 66 explore -q -s iroot -- ./stock
out_has "known failure of this build: exit 1"
out_has "replay: foreweave replay " "$(pwd -P)/.foreweave/" # quoted if need be; from wherever it is asked for
out_lacks "that file is not here"
expect 66 explore -q -s iroot --format=json -- ./stock
schedule=$(jq -r '.known_failures[0] | select(.kind == "exit 1" and .runs >= 1) | .schedule' "$out")
expect 66 replay -q "$schedule"
mv "$schedule" kept.sched
expect 66 explore -q -s iroot -- ./stock
out_has "(that file is not here: it was removed, or is on another machine)"
mv kept.sched "$schedule"
# With other arguments of the same build it is known, and said to be.
expect 66 explore -q -s iroot -- ./stock again
out_has "with arguments ''"
# Other strategies leave nothing out: what their runs show counts.
expect 0 explore -q -s none -n 2 --db=.foreweave/memo.db -- ./stock
out_has "known failure of this build: exit 1"
expect 0 coverage show
out_has ", one of 2: --build=all counts all"
out_has "foreweave replay $schedule"
[ "$(grep -c '^  run ' "$out")" = 1 ] || complain "runs that failed alike are told more than once"
[ "$(grep -c 'foreweave replay ' "$out")" = 1 ] || complain "the schedule is not told once"
[ "$(grep -c '    sought idiom ' "$out")" = 1 ] || complain "what was sought is not told once"
expect 0 coverage show --format=json
jq -e --arg s "$schedule" '.programs[0] | .builds == 2 and .failures >= 1 and (.build | length) >= 16
    and ([.growth[].failure.schedule | select(. == $s)] | length) == .failures' "$out" >/dev/null ||
    complain "JSON lacks builds, or schedules: $(cat "$out")"
jq -e '[.programs[0].growth[] | select(.strategy == "profile") | .run] | min == 1 and max < 100' "$out" >/dev/null ||
    complain "profiles have strange numbers"
id=$(jq -r '.programs[0].build' "$out")
expect 0 coverage show --build="${id:0:6}"
out_has "build ${id:0:12}, one of 2"
expect 0 coverage show --build=all
out_has "2 builds together"
expect 3 coverage show --build=none
err_is "foreweave: '.foreweave/memo.db' knows no build 'none' of 'stock'"
# All runs count, whether they have shown something new or not; and all that they have exposed.
expect 0 explore -q -s none -n 250 --db=all.db -- ./stock
expect 0 coverage show --db=all.db
out_has "exposed by 250 runs with 1 input, 0 failures"
out_has "226-250                0"
out_has "and the next run will expose 0.00 new ones (0 were seen once, 0 twice)."
expect 0 coverage export --db=all.db --format=json
jq -e '.programs[0] | .runs == 250 and (.growth | length) == 1 and ([.iroots[].seen] | unique == [250])' "$out" >/dev/null ||
    complain "not all runs are counted: $(cat "$out")"
# Mended: as it was before, nothing is known to fail.
build 1
expect 0 explore -q -s iroot -- ./stock
out_lacks "known failure"
# What runs are judged by counts as the build does: what was right for one judge is tried again for another, and known
# failures are those of the same judge.
cat >told.c <<'END'
#include <pthread.h>
#include <stdio.h>
static int x;
static void *add(void *unused) { int old = x; x = old + 1; return unused; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("x=%d\n", x);
    return 0;
}
END
"$FOREWEAVE" cc -g -pthread told.c -o told || complain "cannot build"
two='grep -q x=2 $FOREWEAVE_OUTPUT'
expect 0 explore -q -s iroot --db=told.db -- ./told
expect 66 explore -q -s iroot --db=told.db --ok="$two" -- ./told
out_has 'failure 1: exit 0, "x=1"'
out_lacks "known failure"
expect 66 explore -q -s iroot --db=told.db --ok="$two" -- ./told
out_has "known failure of this build: exit 0" "0 attempts"
expect 0 explore -q -s iroot --db=told.db --ok=true -- ./told
out_lacks "known failure" " 0 attempts"
expect 0 explore -q -s iroot --db=told.db -- ./told
out_has " 0 attempts"
# Messages that differ in numbers only are one failure, with one schedule.
sed -i 's/return 0;/if (x == 3) return 0; fprintf(stderr, "lost %d\\n", 3 - x); return 3;/; s/pthread_t a, b;/pthread_t a, b, c; pthread_create(\&c, NULL, add, NULL);/
    s/    printf/    pthread_join(c, NULL);\n    printf/' told.c
"$FOREWEAVE" cc -g -pthread told.c -o told || complain "cannot build"
expect 66 explore -q -s iroot --db=lost.db -- ./told
expect 66 explore -q -s iroot --db=lost.db --format=json -- ./told
jq -e '.known_failures | length == 1 and .[0].runs > 1' "$out" >/dev/null || complain "not one failure: $(jq -c .known_failures "$out")"
# Who is killed while a failure's schedule is being made has not found it: the next one does, and makes the schedule.
cat >judge <<'END'
[ "$FOREWEAVE_STATUS" = 0 ] && exit 0
[ -e wrong ] && [ ! -e killed ] && touch killed && kill -9 $PPID
touch wrong
exit 1
END
("$FOREWEAVE" explore -q -s iroot --db=killed.db --ok='exec sh judge' -- ./told >/dev/null) 2>/dev/null
[ -e killed ] || complain "nobody was killed"
expect 66 explore -q -s iroot --db=killed.db --ok='exec sh judge' -- ./told
out_has "failure 1: exit 3" "replay: foreweave replay "
# A database that fails in the middle: what was found is told, with its schedule, then what went wrong.
spoil='sqlite3 spoilt.db "DROP TABLE IF EXISTS failures"; false'
expect 125 explore -q -n 20 --db=spoilt.db --ok="$spoil" -- ./told
out_has "failure 1: exit 0" "replay: foreweave replay " "ended because it cannot go on"
one_error
err_has "spoilt.db" "failures"
rm -f spoilt.db*
printf '1\n2\n' >inputs
expect 125 explore -q -n 20 --db=spoilt.db --ok="$spoil" --inputs=inputs --format=json -- ./told
jq -e '.inputs | length == 1 and .[0].end == "broken" and (.[0].findings[0].schedule | length) > 0' "$out" >/dev/null ||
    complain "not told: $(cat "$out")"
finish
