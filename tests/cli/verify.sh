#!/usr/bin/env bash
# foreweave trace verify: exit status, one line for each rejected finding, the summary.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

# check NAME STATUS EXPECTED ARGUMENT...: exit status and whole standard output; errors in ./err.
check() {
    local name=$1 status=$2 expected=$3 got out
    shift 3
    out=$("$FOREWEAVE" trace verify "$@" 2>err)
    got=$?
    if [ "$got" != "$status" ] || [ "$out" != "$expected" ]; then
        printf 'FAILED: %s\n  status %s, expected %s\n  output:   %s\n  expected: %s\n  errors:   %s\n' \
            "$name" "$got" "$status" "$out" "$expected" "$(cat err)"
        failures=$((failures + 1))
    fi
}

# complains NAME TEXT: what the last check printed on standard error holds the text, on one line.
complains() {
    if ! grep -qF -- "$2" err || [ "$(wc -l <err)" != 1 ]; then
        printf 'FAILED: %s\n  errors:   %s\n  expected: %s\n' "$1" "$(cat err)" "$2"
        failures=$((failures + 1))
    fi
}

# result FILE FINDING...: a result file.
result() {
    local file=$1 comma=""
    shift
    {
        printf '{"schema":1,"findings":['
        for finding in "$@"; do printf '%s%s' "$comma" "$finding"; comma=,; done
        printf ']}\n'
    } >"$file"
}

cat >t.std <<'END'
T0|fork(T1)|
T0|w(x)|a.c:1
T0|acq(l)|
T0|rel(l)|
T1|acq(l)|
T1|rel(l)|
T1|w(x)|a.c:2
END
good='{"id":"ab12","kind":"race","events":[{"index":1},{"index":6}],"witness":[0,4,5,1,6]}'
said='{"id":"ab13","kind":"race","events":[{"index":1,"thread":"T0","op":"w","target":"x"},
       {"index":6,"thread":"T1","op":"w","target":"x","site":"a.c:2"}],"witness":[0,4,5,6,1]}'
bad='{"id":"cd34","kind":"race","events":[{"index":1},{"index":6}],"witness":[0,4,1,6]}'
bare='{"id":"ef56","kind":"atomicity","events":[{"index":1}]}'

# --- verdicts

result r.json "$good"
check "one good witness" 0 "foreweave: 1 witness accepted, 0 rejected; 0 findings carry no witness" t.std r.json
result r.json "$good" "$said" "$bare"
check "a finding without witness is counted" 0 \
    "foreweave: 2 witnesses accepted, 0 rejected; 1 finding carries no witness" t.std r.json
result r.json "$good" "$bad" "$bare" "$said" "$bare"
check "a bad witness among good ones" 66 \
    "rejected cd34 race: after step 2: event 6, 'w(x)' by T1, but T1 comes to event 5, 'rel(l)' first
foreweave: 2 witnesses accepted, 1 rejected; 2 findings carry no witness" t.std r.json
check "the same as JSON" 66 \
    '{"schema":1,"findings":[{"id":"ab12","kind":"race","verdict":"accepted"},{"id":"cd34","kind":"race","verdict":"rejected","reason":"after step 2: event 6, '"'w(x)'"' by T1, but T1 comes to event 5, '"'rel(l)'"' first"},{"id":"ef56","kind":"atomicity","verdict":"no-witness"},{"id":"ab13","kind":"race","verdict":"accepted"},{"id":"ef56","kind":"atomicity","verdict":"no-witness"}],"accepted":2,"rejected":1,"no_witness":2}' \
    --format=json t.std r.json
result r.json
check "no findings" 0 "foreweave: 0 witnesses accepted, 0 rejected; 0 findings carry no witness" t.std r.json

result r.json '{"kind":"order","events":[{"index":4},{"index":2}],"witness":[0,1,4,2]}'
check "the step is told, an unnamed finding has a number" 66 \
    "rejected #1 order: step 4: event 2, 'acq(l)' by T0, but T1 holds l
foreweave: 0 witnesses accepted, 1 rejected; 0 findings carry no witness" t.std r.json
check "the step is told in JSON" 66 \
    '{"schema":1,"findings":[{"id":"#1","kind":"order","verdict":"rejected","step":4,"reason":"step 4: event 2, '"'acq(l)'"' by T0, but T1 holds l"}],"accepted":0,"rejected":1,"no_witness":0}' \
    --format=json t.std r.json

# --- events that are not there, or not what the finding says

rejected() { # rejected NAME REASON FINDING [OPTION...]: the one finding, id i, is rejected like that
    local name=$1 reason=$2 finding=$3
    shift 3
    result r.json "$finding"
    check "$name" 66 "rejected i $reason
foreweave: 0 witnesses accepted, 1 rejected; 0 findings carry no witness" "$@" t.std r.json
}
rejected "a step that is no event" "race: step 2: the trace has no event 7" \
    '{"id":"i","kind":"race","events":[{"index":1},{"index":6}],"witness":[0,7,1,6]}'
rejected "a huge index" "race: step 1: the trace has no event 9007199254740992" \
    '{"id":"i","kind":"race","events":[{"index":1},{"index":6}],"witness":[9007199254740992,1,6]}'
rejected "an event that is none" "race: the trace has no event 99" \
    '{"id":"i","kind":"race","events":[{"index":1},{"index":99}],"witness":[0,4,5,1,6]}'
rejected "a witness longer than the trace" "race: the witness has 8 steps, the trace only 7 events" \
    '{"id":"i","kind":"race","events":[{"index":1},{"index":6}],"witness":[0,0,0,0,4,5,1,6]}'
rejected "an event twice" "race: step 2: event 0, 'fork(T1)' by T0, but it has already happened, at step 1" \
    '{"id":"i","kind":"race","events":[{"index":1},{"index":6}],"witness":[0,0,4,5,1,6]}'
for wrong in '"op":"r"' '"thread":"T1"' '"target":"y"'; do
    rejected "a result of another trace" "race: event 1 of the trace is 'w(x)' by T0, not what the finding says" \
        '{"id":"i","kind":"race","events":[{"index":1,'"$wrong"'},{"index":6}],"witness":[0,4,5,1,6]}'
done
result r.json '{"id":"a\u001b[31m\nb","kind":"race","events":[{"index":1},{"index":6}],"witness":[]}'
check "control characters are not printed" 66 "rejected a?[31m?b race: the order does not end with the two events of the race
foreweave: 0 witnesses accepted, 1 rejected; 0 findings carry no witness" t.std r.json

# --- indices that are not positions

printf 'T0|req(l)|\nT0|acq(l)|\nT0|rel(l)|\nT0|w(x)|\nT1|req(m)|\nT1|r(x)|\n' >req.std
result r.json '{"kind":"race","events":[{"index":3},{"index":5}],"witness":[1,2,3,5]}'
check "ignored lines count" 0 "foreweave: 1 witness accepted, 0 rejected; 0 findings carry no witness" req.std r.json

printf 'T0|rel(l)|\nT0|w(x)|\nT1|r(x)|\n' >ill.std
result r.json '{"kind":"race","events":[{"index":1},{"index":2}],"witness":[1,2]}'
check "an ill-formed trace is refused" 3 "" ill.std r.json
complains "an ill-formed trace is refused" "ill.std:1: 'rel(l)' by T0, but nobody holds l"
check "dropped lines count" 0 "foreweave: 1 witness accepted, 0 rejected; 0 findings carry no witness" \
    --repair ill.std r.json
complains "dropped lines are told" "1 event dropped"

# wait(l) is three events with one index: a release, a wake and an acquire.
printf 'T1|acq(l)|\nT1|wait(l)|\nT0|acq(l)|\nT0|notify(l)|\nT0|rel(l)|\nT1|w(x)|\nT1|rel(l)|\n' >wait.std
result r.json '{"kind":"order","events":[{"index":5}],"witness":[0,1,2,3,4,1,1,5]}' \
    '{"kind":"order","events":[{"index":1},{"index":3},{"index":1},{"index":1}],"witness":[0,1,2,3,1,4,1]}' \
    '{"kind":"order","events":[{"index":4},{"index":1,"op":"acq"}],"witness":[0,1,2,3,4,1,1]}'
check "a wait line is named once for each of its events" 0 \
    "foreweave: 3 witnesses accepted, 0 rejected; 0 findings carry no witness" wait.std r.json
result r.json '{"id":"i","kind":"order","events":[{"index":5}],"witness":[0,1,2,3,4,1,5]}' \
    '{"id":"j","kind":"order","events":[{"index":5}],"witness":[0,1,1]}' \
    '{"id":"k","kind":"order","events":[{"index":0}],"witness":[0,1,2,3,4,1,1,1]}'
check "a wait line is named in its order" 66 \
    "rejected i order: step 7: event 5, 'w(x)' by T1, but T1 comes to event 1, 'acq(l)' first
rejected j order: step 3: event 1, 'wake(l)' by T1, but it answers event 3, 'notify(l)', which has not happened
rejected k order: step 8: event 1, 'rel(l)' by T1, but it has already happened, at step 2
foreweave: 0 witnesses accepted, 3 rejected; 0 findings carry no witness" wait.std r.json
printf 'T1|acq(m)|\nT1|acq(l)|\nT1|wait(l)|\nT0|notify(l)|\nT1|w(x)|\nT1|rel(l)|\nT1|rel(m)|\nT0|acq(l)|\nT0|acq(m)|\n' >dead.std
result r.json '{"kind":"deadlock","events":[{"index":2},{"index":8}],"witness":[0,1,2,3,2,7]}'
check "a deadlock at a wait line is at its acquire" 0 \
    "foreweave: 1 witness accepted, 0 rejected; 0 findings carry no witness" dead.std r.json

# --- every kind of claim

cat >k.std <<'END'
T0|acq(a)|
T0|acq(b)|
T0|rel(b)|
T0|rel(a)|
T1|acq(b)|
T1|acq(a)|
T1|rel(a)|
T1|rel(b)|
T0|r(x)|
T0|w(x)|
T1|w(x)|
END
result r.json \
    '{"id":"a","kind":"deadlock","events":[{"index":1},{"index":5}],"witness":[0,4]}' \
    '{"id":"b","kind":"atomicity","events":[{"index":8},{"index":10},{"index":9}],"witness":[0,1,2,3,4,5,6,7,8,10,9]}' \
    '{"id":"c","kind":"nondeterminism","events":[{"index":8},{"index":10}],"witness":[4,5,6,7,10,0,1,2,3,8]}' \
    '{"id":"d","kind":"order","events":[{"index":4},{"index":0}],"witness":[4,0]}' \
    '{"id":"e","kind":"race","events":[{"index":8},{"index":10}],"witness":[0,1,2,3,4,5,6,7,8,10]}'
check "every claim is judged" 0 "foreweave: 5 witnesses accepted, 0 rejected; 0 findings carry no witness" k.std r.json

# --- values

cat >v.std <<'END'
# branches: yes
T0|w(x)||val=1
T1|w(x)||val=1
T0|r(x)||val=1
T0|br|
T0|w(y)|
T1|w(y)|
END
same='{"id":"v1","kind":"order","events":[{"index":3}],"witness":[1,0,2,3]}'
result r.json "$same"
check "another write is a change" 66 \
    "rejected v1 order: step 4: event 3, 'br' by T0, but it may depend on event 2, 'r(x)', where the thread got a changed value
foreweave: 0 witnesses accepted, 1 rejected; 0 findings carry no witness" v.std r.json
by_values="foreweave: 1 witness accepted, 0 rejected; 0 findings carry no witness; equal values count as unchanged"
check "with --values one of the same value is none" 0 "$by_values" --values v.std r.json
sed 's/"schema":1/"schema":1,"values":true/' r.json >said.json
check "a result says itself that values count" 0 "$by_values" v.std said.json
check "the same as JSON, values" 0 \
    '{"schema":1,"values":true,"findings":[{"id":"v1","kind":"order","verdict":"accepted"}],"accepted":1,"rejected":0,"no_witness":0}' \
    --format=json v.std said.json
sed 's/w(x)||val=1/w(x)||val=2/' v.std >other.std
check "a write of another value is a change" 66 \
    "rejected v1 order: step 4: event 3, 'br' by T0, but it may depend on event 2, 'r(x)', where the thread got a changed value
foreweave: 0 witnesses accepted, 1 rejected; 0 findings carry no witness; equal values count as unchanged" \
    --values other.std r.json
sed 's/true/1/' said.json >odd.json
check "values are true or false" 3 "" v.std odd.json
complains "values are true or false" "odd.json: 'values' is neither true nor false"

# --- unreadable input

result r.json "$good"
check "a missing trace" 3 "" none.std r.json
complains "a missing trace" "cannot open trace 'none.std': no such file"
check "a missing result" 3 "" t.std none.json
complains "a missing result" "cannot open result 'none.json': no such file"
check "a trace for a result" 3 "" t.std t.std
complains "a trace for a result" "t.std:1: not valid JSON"
check "a result for a trace" 3 "" r.json r.json
head -c 60 r.json >cut.json
check "a cut result" 3 "" t.std cut.json
complains "a cut result" "cut.json:1: not valid JSON"
: >empty.json
check "an empty result" 3 "" t.std empty.json
complains "an empty result" "empty.json:1: not valid JSON"
result r.json "$good" '{"id":"q","kind":"race","events":[{"index":1}],"witness":[-1]}'
check "a bad number" 3 "" t.std r.json
complains "a bad number" "r.json: finding 2 (id 'q'): item 1 of 'witness' is not the index of an event"
check "a folder" 3 "" t.std "$work"
complains "a folder" "is a directory"

# --- command line

result r.json "$good"
check "one operand" 2 "" t.std
check "three operands" 2 "" t.std r.json r.json
check "both from standard input" 2 "" - -
check "an unknown option" 2 "" --frmat=json t.std r.json
accepted="foreweave: 1 witness accepted, 0 rejected; 0 findings carry no witness"
check "a result from standard input" 0 "$accepted" t.std - <r.json
check "a trace from standard input" 0 "$accepted" - r.json <t.std
check "the result goes to a file" 0 "" -o out.txt t.std r.json
[ "$(cat out.txt)" = "$accepted" ] || { echo "FAILED: out.txt is '$(cat out.txt)'"; failures=$((failures + 1)); }
check "the bundled example" 0 "$accepted" "$FOREWEAVE_SOURCE/examples/hidden-race.std" \
    "$FOREWEAVE_SOURCE/examples/hidden-race.json"

[ "$failures" = 0 ] && echo "verify: all checks passed" && exit 0
echo "verify: $failures checks failed"
exit 1
