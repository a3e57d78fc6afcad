#!/usr/bin/env bash
# A search that says it is complete has seen every result that a program can have: random small programs, compared
# with a model that goes through all interleavings.  scripts/search_campaign.sh does so with larger ones.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
count=${FOREWEAVE_COUNT:-15} seed=${FOREWEAVE_SEED:-1}
last="FOREWEAVE_COUNT=$count FOREWEAVE_SEED=$seed bash tests/cli/explore_search.sh"
PYTHONDONTWRITEBYTECODE=1 python3 "$FOREWEAVE_SOURCE/tests/cli/search/compare.py" "$count" "$seed" small >"$out" ||
    { complain "searches and the model differ:"; cat "$out"; }
# A program with a pointer that found a place which was overlooked: it reaches a word in few runs only.
PYTHONDONTWRITEBYTECODE=1 python3 "$FOREWEAVE_SOURCE/tests/cli/search/compare.py" 1 100 small >>"$out" ||
    { complain "searches of program 100 and the model differ:"; cat "$out"; }
complete=$(sed -n 's/.* searches, \([0-9]*\) complete.*/\1/p' "$out" | head -n 1)
[ "${complete:-0}" -ge "$count" ] || complain "only $complete searches were complete"
finish
