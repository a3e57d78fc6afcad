#!/usr/bin/env bash
# trace info: counts of everything, as text and as JSON.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
cat >a.std <<'TRACE'
T0|fork(T1)|1
T0|acq(m)|2
T0|acq(n)|3
T0|acq(m)|4
T0|rel(m)|5
T0|req(m)|6
T0|w(x)|7
T0|w(own)|7
T0|rel(n)|8
T0|rel(m)|9
T1|r(x)|1|val=3
T1|begin|1
T1|end|1
T0|join(T1)|10
TRACE
expect 0 trace info a.std
silent
for row in "format              std" "events              11" "threads             2" \
    "by kind             r 1 w 2 acq 2 rel 2 fork 1 join 1" "                    begin 1 end 1" \
    "variables           2" "shared variables    1" "locks               2" \
    "lock nesting        2" "sites               7" \
    "branches            no (read as if one followed every read)" \
    "ignored             1 (lines without meaning)" \
    "re-entrant          2 (inner lock operations filtered out)"; do
    out_has "$row"
done
out_has "size                $(stat -c %s a.std) bytes"
out_lacks "dropped"

expect 0 trace info --format=json a.std
if command -v python3 >/dev/null; then
    python3 - "$out" <<'PYTHON' || complain "the JSON is wrong"
import json, sys
trace, = json.load(open(sys.argv[1]))["traces"]
wanted = {"name": "a.std", "format": "std", "events": 11, "threads": 2, "variables": 2,
          "shared_variables": 1, "locks": 2, "lock_nesting": 2, "sites": 7, "branches": False,
          "ignored": 1, "reentrant": 2, "dropped": 0, "cut": False}
for key, value in wanted.items():
    assert trace[key] == value, (key, trace[key], value)
assert sum(trace["events_by_kind"].values()) == 11
assert trace["events_by_thread"] == [{"thread": "T0", "events": 8}, {"thread": "T1", "events": 3}]
PYTHON
fi

printf 'T1|w(x)|1\nnonsense\nT1|rel(l)|3\n' >bad.std
expect 0 trace info --repair bad.std
out_has "dropped             2 (ill-formed)"
err_is "foreweave: warning: 'bad.std' is ill-formed: 2 events dropped, the first because: \
bad.std:2: 'nonsense' is no event: THREAD|OP(TARGET)|SITE expected"
expect 0 trace info --format=json --repair bad.std a.std
out_has '"dropped":2,"first_drop":"bad.std:2: '

printf '# branches: yes\nT1|r(x)|1\n' >branches.std
expect 0 trace info branches.std
out_has "branches            yes"

# The same trace in another format has the same counts.
for trace in "$traces"/*.std; do
    name=$(basename "$trace" .std)
    expect 0 trace convert -q "$trace" "$name.fwt"
    expect 0 trace info "$trace"
    grep -E '^  (by|threads|var|shared|locks|lock|cond|sem|bar|blocks|fun|sites|branch)' "$out" >text
    expect 0 trace info "$name.fwt"
    grep -E '^  (by|threads|var|shared|locks|lock|cond|sem|bar|blocks|fun|sites|branch)' "$out" >binary
    same text binary
done
finish
