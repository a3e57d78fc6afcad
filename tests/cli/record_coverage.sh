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
err_has "in other.db"
expect 0 coverage show --db=other.db --format=json
jq -e '.programs[0].growth[0] | .outcome == "exit 2" and .input == "one"' "$out" >/dev/null || complain "not noted: $(cat "$out")"
# A database that cannot be opened: the program is not started.
echo text >none.db
expect 125 record --db=none.db -o u.fwt -- ./till
one_error
[ ! -e u.fwt ] || complain "it was started"
finish
