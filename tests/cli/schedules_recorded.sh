#!/usr/bin/env bash
# What the heads of tests/schedules say under 'recorded' is so: whether a recorded run that passes shows the bug.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
schedules=$FOREWEAVE_SOURCE/tests/schedules

bash "$schedules/build.sh" --level=-O0 -o programs >/dev/null 2>err || { complain "not built:"; head -5 err; }
last="build.sh --level=-O0 -o DIR; recorded.sh DIR"
bash "$schedules/recorded.sh" --quiet programs 2>err || { complain "not so:"; cat err; }
finish
