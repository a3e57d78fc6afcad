#!/usr/bin/env bash
# foreweave tiddle extract: of every finding what it needs, as a trace and as a program that both
# show it again; and one clear error for everything that cannot be.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

# ids FILE KIND: the ids of the findings of this kind.
ids() { grep -o '"id":"[^"]*","analysis":"[^"]*","kind":"'"$2"'"' "$1" | cut -d'"' -f4; }

# shows FILE KIND ID: check finds it there; no id: any of this kind.
shows() {
    expect 66 check --format=json -o shown.json "$1"
    if [ -n "$3" ]; then
        ids shown.json "$2" | grep -qx -- "$3" || complain "$1 does not show $2 $3"
    else
        [ -n "$(ids shown.json "$2")" ] || complain "$1 shows no $2"
    fi
}

# --- one of each kind, as a trace and as a program

cat >race.std <<'END'
T0|w(count)|a.c:1
T0|fork(T1)|a.c:2
T0|w(x)|a.c:3
T0|acq(l)|a.c:4
T0|rel(l)|a.c:5
T1|acq(l)|a.c:6
T1|w(count)|a.c:7
T1|rel(l)|a.c:8
T1|w(x)|a.c:9
END
cat >deadlock.std <<'END'
T1|acq(a)|a.c:1
T1|acq(b)|a.c:2
T1|w(x)|a.c:3
T1|rel(b)|a.c:4
T1|rel(a)|a.c:5
T2|acq(b)|a.c:6
T2|acq(a)|a.c:7
T2|rel(a)|a.c:8
T2|rel(b)|a.c:9
END
cat >atomicity.std <<'END'
T1|acq(l)|a.c:1
T1|r(x)|a.c:2
T1|rel(l)|a.c:3
T1|acq(l)|a.c:4
T1|w(x)|a.c:5
T1|rel(l)|a.c:6
T2|acq(l)|a.c:7
T2|w(x)|a.c:8
T2|rel(l)|a.c:9
END
cat >nondeterminism.std <<'END'
# branches: yes
T1|acq(l)|a.c:1
T1|w(x)|a.c:2
T1|rel(l)|a.c:3
T2|acq(l)|a.c:4
T2|r(x)|a.c:5
T2|rel(l)|a.c:6
END
cat >free.std <<'END'
T1|alloc(x)|a.c:1
T1|fork(T2)|a.c:2
T1|w(x)|a.c:3
T1|free(x)|a.c:4
T2|r(x)|a.c:5
END

for trace in race deadlock atomicity nondeterminism free; do
    kind=${trace/free/race}
    expect 66 check --format=json -o "$trace.json" "$trace.std"
    for id in $(ids "$trace.json" "$kind"); do
        expect 0 tiddle extract "$trace.json" "$id" -o e.tid
        silent
        shows e.tid "$kind" "$id"
        expect 0 trace verify e.tid shown.json
        expect 0 tiddle compile -q e.tid -o compiled.c
        expect 0 tiddle extract -q "$trace.json" "$id" -o e.c
        out_is ""
        last="cc e.c (of $trace $id)"
        cc -std=c11 -Wall -Wextra -Werror -pthread e.c -o e 2>"$err" || { complain "does not build"; head "$err"; }
        ./e --runs 20 || complain "status $?"
        expect 0 cc -g e.c -o recorded
        expect 0 record -o e.fwt -- ./recorded
        shows e.fwt "$kind" ""
        expect 0 tiddle extract -q --free "$trace.json" "$id" -o e.c
        cc -std=c11 -Wall -Wextra -Werror -pthread e.c -o e 2>"$err" || { complain "does not build"; head "$err"; }
    done
    [ -n "$(ids "$trace.json" "$kind")" ] || complain "$trace.std shows no $kind"
done

# What it looks like, and that it always does.
id=$(ids race.json race)
expect 0 tiddle extract race.json "$id"
out_is "# What finding $id (race) of race.std needs: 2 of 9 events.
#   wr 0 x @a.c:3  (event 2 of the trace)
#   wr 1 x @a.c:9  (event 8 of the trace)
# Nothing orders these two: both can be next at the same time.
# The events are in the order of the witness: this is how it happens.
wr 1 x @a.c:9
wr 0 x @a.c:3"
cp "$out" first
expect 0 tiddle extract race.json "${id:0:4}"
same first "$out"
expect 0 tiddle extract race.json "$id" -o e.tid
out_is "2 of 9 events -> e.tid"
expect 0 tiddle extract deadlock.json "$(ids deadlock.json deadlock)"
out_has "#   acq 1 a @a.c:1"
out_lacks "wr 1 x"

# --- every finding of the examples

extracted=0
for trace in "$traces"/*.std "$traces"/*.tid; do
    "$FOREWEAVE" check --format=json -o all.json "$trace" >"$out" 2>&1
    for kind in race deadlock atomicity nondeterminism; do
        for each in $(ids all.json "$kind"); do
            expect 0 tiddle extract -q all.json "$each" -o e.tid
            shows e.tid "$kind" ""
            extracted=$((extracted + 1))
        done
    done
done
[ "$extracted" -ge 100 ] || complain "only $extracted findings in the examples"

# What check looks for only on request is found again with the options that the comment names.
asked=0
for trace in "$traces"/seqcheck*.std "$traces"/atomic*.std "$traces"/lockset*.std; do
    for options in "--final-reads" "--two-variables --third-thread" "--values"; do
        # shellcheck disable=SC2086
        "$FOREWEAVE" check $options --format=json -o all.json "$trace" >"$out" 2>&1
        for kind in atomicity nondeterminism; do
            for each in $(ids all.json "$kind"); do
                expect 0 tiddle extract -q all.json "$each" -o e.tid
                # shellcheck disable=SC2046
                expect 66 $(sed -n 's/^# Next: foreweave //p' e.tid) --format=json -o shown.json
                [ -n "$(ids shown.json "$kind")" ] || complain "$(basename "$trace"): no $kind"
                grep -q "^# Next: foreweave check --" e.tid && asked=$((asked + 1))
            done
        done
    done
done
[ "$asked" -ge 20 ] || complain "only $asked findings on request"

# --- where the trace is

mkdir beside
cp race.json race.std beside
mv race.std moved.std
expect 0 tiddle extract beside/race.json "$id"
expect 3 tiddle extract race.json "$id"
err_is "foreweave: race.json: the trace that it is about, 'race.std', is not here: add --trace=FILE"
expect 0 tiddle extract --trace=moved.std race.json "$id"
expect 3 tiddle extract --trace=none.std race.json "$id"
one_error
mv moved.std race.std
sed 's/"name":"[^"]*",//' race.json >unnamed.json
expect 3 tiddle extract unnamed.json "$id"
err_is "foreweave: unnamed.json: it does not say which trace was analysed: add --trace=FILE"
expect 0 tiddle extract --trace=race.std unnamed.json "$id"

# A trace that was repaired is repaired again.
{ echo 'T0|rel(k)|a.c:0'; cat race.std; } >ill.std
expect 66 check --repair --format=json -o ill.json ill.std
expect 0 tiddle extract ill.json "$(ids ill.json race)"
err_has "1 event dropped"

# --- mistakes

expect 3 tiddle extract race.json "${id:0:5}x"
err_is "foreweave: race.json: there is no finding '${id:0:5}x'; did you mean '$id'?"
expect 3 tiddle extract race.json nothing-like-it
err_is "foreweave: race.json: there is no finding 'nothing-like-it' among its 1, the first of which is '$id'"
expect 3 tiddle extract race.json ""
one_error
cp race.std ok.std
sed -i 's/^T1|w(x).*/T1|w(own)|a.c:9/' ok.std
expect 0 check --format=json -o ok.json ok.std
expect 3 tiddle extract ok.json "$id"
err_is "foreweave: ok.json: there is no finding '$id', nor any other"

"$FOREWEAVE" check -a lockset --format=json -o lockset.json race.std >"$out" 2>&1
expect 3 tiddle extract lockset.json "$(ids lockset.json race | head -1)"
err_has "has no witness to extract: only race, deadlock, atomicity and nondet give one"
one_error

expect 3 tiddle extract none-at-all.json "$id"
one_error
head -c 100 race.json >cut.json
expect 3 tiddle extract cut.json "$id"
err_has "cut.json:1: not valid JSON"
one_error
echo '{"schema":1,"trace":7,"findings":[]}' >odd.json
expect 3 tiddle extract odd.json "$id"
err_is "foreweave: odd.json: 'trace' is not an object"
expect 3 tiddle extract --trace=deadlock.std race.json "$id"
err_has "finding '$id' is not about 'deadlock.std'"
one_error
sed 's/"witness":\[[0-9,]*\]/"witness":[1,2,8]/' race.json >wrong.json
expect 3 tiddle extract wrong.json "$id"
err_has "the witness of '$id' is none for 'race.std'"
one_error

expect 2 tiddle extract race.json
expect 2 tiddle extract race.json "$id" -o e.std
err_has "'e.std' must end in .tid (Tiddle) or .c (a program)"
one_error 2
expect 2 tiddle extract --free race.json "$id" -o e.tid
one_error 2
cp race.std same.tid
expect 2 tiddle extract --trace=same.tid --from=std race.json "$id" -o same.tid
err_has "are the same file"
same race.std same.tid
expect 125 tiddle extract race.json "$id" -o nowhere/e.tid
one_error
finish
