#!/usr/bin/env bash
# record --coverage notes what a recorded run has exposed, as an exploring run does; without it
# nothing is noted.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
cp "$FOREWEAVE_SOURCE/examples/till.c" .
"$FOREWEAVE" cc -g -pthread till.c -o till || complain "cannot build"
expect 0 record -o t.fwt -- ./till
[ ! -e .foreweave ] || complain "it was noted though nobody asked"
expect 0 record --coverage -o t.fwt -- ./till
err_has "for the first time, in .foreweave/memo.db; next: foreweave coverage show"
expect 0 coverage export --format=json
jq -e '.programs[0] | .program == "till" and .runs == 1 and .growth[0].strategy == "record"
    and .growth[0].outcome == "exit 0" and .all.exposed >= 1 and ([.iroots[].seen] | unique == [1])
    and ([.iroots[].accesses[].place] | all(startswith("till.c:")))' "$out" >/dev/null || complain "not noted: $(cat "$out")"
exposed=$(jq .programs[0].all.exposed "$out")
expect 0 record -q --coverage -o t.fwt -- ./till
silent
expect 0 coverage show
out_has "till: $exposed iRoots exposed by 2 runs with 1 input, 0 failures"
# Where it is told to; the status is the program's; another input and build are told apart.
"$FOREWEAVE" cc -g -pthread till.c -o till -Dmain='main(int argc, char **argv) { int sells(void); return sells(), argc; } int sells' ||
    complain "cannot build"
expect 2 record --db=other.db -o t.fwt -- ./till one
err_has "in other.db; next: foreweave coverage show --db=other.db"
expect 0 coverage show --db=other.db --format=json
jq -e '.programs[0].growth[0] | .outcome == "exit 2" and .input == "one"' "$out" >/dev/null || complain "not noted: $(cat "$out")"
# What record has shown was judged by nobody: campaigns try it all the same, and find what is wrong.
cat >lost.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static int x;
static void *add(void *unused)
{
    int old = x;
    if (getenv("SLOW"))
        sleep(1);
    x = old + 1;
    return unused;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return x == 2 ? 0 : 3;
}
END
"$FOREWEAVE" cc -g -pthread lost.c -o lost || complain "cannot build"
for _ in 1 2; do SLOW=1 expect 3 record -q --db=lost.db -o t.fwt -- ./lost; done
expect 66 explore -q -s iroot --db=lost.db -- ./lost
out_has "failure 1: exit 3" "replay: foreweave replay"
# A database of something else stays as it is.
sqlite3 foreign.db "CREATE TABLE t (a)"
cp foreign.db before.db
expect 125 record --db=foreign.db -o u.fwt -- ./till
err_has "is the database of something else"
expect 125 explore -q -n 1 --db=foreign.db -- ./till
expect 125 coverage merge lost.db --into=foreign.db
expect 3 coverage merge foreign.db --into=new.db
same foreign.db before.db
# A database that cannot be opened: the program is not started.
echo text >none.db
expect 125 record --db=none.db -o u.fwt -- ./till
one_error
[ ! -e u.fwt ] || complain "it was started"
finish
