#!/usr/bin/env bash
# learning.sh - how many runs of a program teach what its other runs show, and what its guard takes for new all the same:
# pairs and cutpoints that each run brings, then guarded runs on other inputs, whose violations are all false.  Prints tables
# in Markdown: of learning, and of guarded runs by predecessor sets (PSet) and by transactions (LifeTx).
#
#   PROGRAMS="lu radix bank prodcons pbzip2 memcached redis rounds string_buffer circular_list mysql_relay"
#   RUNS=20          guarded runs
#   MOST=60 IDLE=10  runs to learn from: at most, and until so many in a row brought nothing; of transactions half as many
#   TRAIN=6          of transactions: guarded runs on what is learnt from, whose logs are accepted if they are right
#   KINDS="pset lifetx"
#   WORK=folder      kept, with real programs as scripts/realworld.sh builds them; default build/realworld
#   BUILD=build      where foreweave is
set -u
cd "$(dirname "$0")/.." || exit 1
root=$PWD scripts=$PWD/scripts
foreweave=$(realpath "${BUILD:-build}/foreweave") || exit 1
mkdir -p "${WORK:=build/realworld}" && work=$(cd "$WORK" && pwd) || exit 1
programs=${PROGRAMS:-lu radix bank prodcons pbzip2 memcached redis rounds string_buffer circular_list mysql_relay}
runs=${RUNS:-20} most=${MOST:-60} idle=${IDLE:-10} train=${TRAIN:-6} kinds=${KINDS:-pset lifetx}
say() { echo "learning.sh: $*" >&2; }
. bench/real.bash
. bench/server.bash
place=$work/learning
mkdir -p "$place" && cd "$place" || exit 1

# What is learnt from, and what is run guarded: line N of the one or the other.
inputs() { # PROGRAM learn|lifetx|guard
    case $1-$2 in
    lu-learn) printf '%s\n' '64 8 4' '96 16 4' '80 16 3' '128 16 4' '48 8 2' ;;
    lu-lifetx) printf '%s\n' '16 4 2' '24 8 3' '32 8 4' ;;
    lu-guard) printf '%s\n' '160 16 4' '200 8 3' '112 16 4' '144 16 2' ;;
    radix-learn) printf '%s\n' '20000 8 4' '50000 8 3' '10000 4 4' '30000 6 2' '80000 8 4' ;;
    radix-lifetx) printf '%s\n' '500 8 4' '1000 8 3' '300 4 2' ;;
    radix-guard) printf '%s\n' '100000 8 4' '60000 5 3' '200000 8 2' '150000 7 4' ;;
    bank-learn) printf '%s\n' '20000 512 16 4' '10000 4096 64 3' '30000 64 8 4' '5000 16 4 2' '40000 2048 32 4' ;;
    bank-lifetx) printf '%s\n' '2000 64 8 4' '1000 512 16 3' '1500 16 4 2' ;;
    bank-guard) printf '%s\n' '60000 1024 32 4' '50000 128 16 3' '80000 4096 64 4' '30000 32 8 2' ;;
    prodcons-learn) printf '%s\n' '5000 100 32 4' '8000 50 8 4' '3000 200 4 2' '6000 10 16 6' '4000 0 2 4' ;;
    prodcons-lifetx) printf '%s\n' '300 10 8 4' '500 5 4 2' '400 0 16 4' ;;
    prodcons-guard) printf '%s\n' '20000 80 24 4' '15000 30 6 2' '12000 5 3 4' '30000 100 64 6' ;;
    pbzip2-learn) printf '%s\n' "-k -c -q -p4 -b1 $place/input.1" "-k -c -q -p2 -b1 $place/input.2" "-d -k -c -q -p4 $place/input.1.bz2" "-k -c -q -p3 -b1 $place/input.2" "-d -k -c -q -p3 $place/input.5.bz2" ;;
    pbzip2-lifetx) printf '%s\n' "-k -c -q -p4 -b1 $place/input.3" "-k -c -q -p2 -b1 $place/input.3" ;;
    pbzip2-guard) printf '%s\n' "-k -c -q -p4 $place/input.4" "-k -c -q -p3 -b1 $place/input.4" "-d -k -c -q -p4 $place/input.4.bz2" ;;
    rounds-guard) printf '%s\n' loop calls made ;;
    rounds-*) printf '%s\n' loop calls made ;;
    *-guard) printf 'calm %d\n' 11 12 13 14 15 16 17 ;;
    *) printf 'calm %d\n' 1 2 3 4 5 ;;
    esac
}
words() { # BYTES SEED
    awk -v bytes="$1" -v state="$2" 'BEGIN {
        for (size = 0; size < bytes; size += length(word) + 1) {
            state = (state * 69069 + 1) % 4294967296
            word = sprintf("%c%d%s", 97 + int(state / 65536) % 26, int(state / 7) % 1000, state % 5 ? "" : "\n")
            printf "%s ", word
        }
    }'
}
is_server() { [ "$1" = memcached ] || [ "$1" = redis ]; }
path_of() { # PROGRAM
    case $1 in
    pbzip2) echo "$work/pbzip2/foreweave/pbzip2/pbzip2" ;;
    memcached) echo "$work/memcached/foreweave/memcached/memcached" ;;
    redis) echo "$work/redis/foreweave/redis/src/redis-server" ;;
    *) echo "./$1" ;;
    esac
}
build() { # PROGRAM
    case $1 in
    lu | radix | bank | prodcons) "$foreweave" cc -O2 -g -pthread "$root/bench/programs/$1.c" -o "$1" -lm ;;
    pbzip2)
        (build_program pbzip2) || return
        words 400000 1 >input.1 && words 600000 2 >input.2 && words 300000 3 >input.3 && words 3500000 4 >input.4 && words 2600000 5 >input.5
        "$work/pbzip2/native/pbzip2/pbzip2" -k -c -q -p4 -b1 input.1 >input.1.bz2 && "$work/pbzip2/native/pbzip2/pbzip2" -k -c -q -p4 -b2 input.4 >input.4.bz2 &&
            "$work/pbzip2/native/pbzip2/pbzip2" -k -c -q -p4 -b1 input.5 >input.5.bz2
        ;;
    memcached | redis) (build_program "$1") ;;
    *) "$foreweave" cc -O1 -g -pthread "$root/tests/guard/$1.c" -o "$1" ;;
    esac
}

# --- learning: a line for each run, what it brought: PAIRS ALSO, or CUTPOINTS CLAIMS
table() { # KIND JSON
    python3 - "$1" "$2" <<'END'
import json
import sys
table = json.load(open(sys.argv[2]))
for run in (table["lifetx"] if sys.argv[1] == "lifetx" else table)["runs"]:
    if not run["passed"]:
        print("failed")
    elif sys.argv[1] == "lifetx":
        print(run["new_cutpoints"], run["new_claims"])
    else:
        print(run["new_pairs"], run["new_also"])
END
}
learn_program() { # PROGRAM KIND MOST IDLE
    local from=learn
    [ "$2" = pset ] || from=lifetx
    inputs "$1" $from >"$1.inputs"
    rm -f "$1.$2"
    "$foreweave" learn -q --kind="$2" --runs="$3" --idle=$((($4 + $(wc -l <"$1.inputs") - 1) / $(wc -l <"$1.inputs"))) --inputs="$1.inputs" \
        --format=json -o "$1.$2.json" -c "$1.$2" -- "$(path_of "$1")" >"$1.log" 2>&1 || { tail -n 1 "$1.log" >&2 && return 1; }
    table "$2" "$1.$2.json" >"$1.$2.table"
}
# A server is started for each run: half of them with threads that dwell, a third idle for a while.
learn_server() { # PROGRAM KIND MOST IDLE
    local how quiet=0 round command line steps=1500
    rm -f "$1.$2" "$1.$2.table"
    [ "$2" = pset ] || steps=60
    for round in $(seq "$3"); do
        how=()
        [ "$2" != pset ] || [ $((round % 2)) = 0 ] || how=(--noise=20)
        server_of "$1" foreweave
        "$foreweave" learn -q --kind="$2" --limit=0 --runs=1 --show --format=json -o "$1.json" "${how[@]}" -c "$1.$2" -- "${server[@]}" >"$1.log" 2>&1 &
        command=$!
        await_server || return 1
        [ $((round % 3)) != 0 ] || sleep 2
        load_server "$1" $steps "$round" >load.log 2>&1 || { say "$1 is wrong while it is learnt: $(tail -n 1 load.log)" && return 1; }
        stop_server $command || { tail -n 1 "$1.log" >&2 && return 1; }
        mv "$1.json" "$1.$2.json"
        line=$(table "$2" "$1.$2.json")
        echo "$line" >>"$1.$2.table"
        case $line in '0 0') quiet=$((quiet + 1)) ;; *) quiet=0 ;; esac
        [ $quiet -lt "$4" ] || return 0
    done
}

# --- guarded runs: VIOLATIONS STALLED ROLLED-BACK NOT-AVOIDED WAITED-SECONDS STATUS
said() { # LOG
    sed -n 's/^foreweave: \([0-9]* violations: .*\); waited \([0-9.]*\) s.*/\1 \2/p' "$1" |
        awk '{ n = 0; for (i = 1; i < NF; i++) if ($i ~ /^[0-9]+$/) v[++n] = $i; print v[1], v[2], v[3], v[4], $NF }'
}
guard_once() { # PROGRAM KIND NUMBER [learn]
    local status=0 command line from=${4:-guard} seed=$((1000 + $3)) log=$1.$2.violations
    [ $from = guard ] || seed=$3 log=$1.$2.training
    set -- "$1" "$2" "$3" "$foreweave" guard --kind="$2" --budget=100 --log="$log" -c "$1.$2" --
    if is_server "$1"; then
        server_of "$1" foreweave
        "${@:4}" "${server[@]}" >guard.log 2>&1 &
        command=$!
        await_server || return 1
        load_server "$1" 1500 $seed >load.log 2>&1 || { say "$1: $(tail -n 1 load.log)" && status=1; }
        stop_server $command || status=$?
    else
        line=$(inputs "$1" $from | awk -v n="$3" '{ line[NR] = $0 } END { print line[(n - 1) % NR + 1] }')
        # shellcheck disable=SC2086
        timeout 120 "${@:4}" "$(path_of "$1")" $line >/dev/null 2>guard.log || status=$?
    fi
    echo "$(said guard.log) $status"
}
# Runs in parallel teach what recordings are slow to show: a line for each, as guard_once has it, and the cutpoints it brought.
train_program() { # PROGRAM
    local number line added
    for number in $(seq "$train"); do
        rm -f "$1.lifetx.training"
        line=$(guard_once "$1" lifetx "$number" learn)
        case $line in *' 0') ;; *) continue ;; esac
        added=$("$foreweave" learn --runs=0 --accept="$1.lifetx.training" -c "$1.lifetx" -- "$(path_of "$1")" 2>&1 >/dev/null |
            sed -n 's/.*they add \([0-9]*\) cutpoints.*/\1/p')
        echo "$line ${added:-0}"
    done >"$1.trained"
}
series() { # FILE COLUMN: 12 3 0 0 1, and what repeats once
    awk -v c="$2" '
        BEGIN { last = "-" }
        { v = $1 == "failed" ? "wrong" : $c; if (v == last) n++; else { put(); last = v; n = 1 } }
        function put() { if (n > 2) out = out " " last "×" n; else for (i = 0; i < n; i++) out = out " " last; n = 0 }
        END { put(); print substr(out, 2) }' "$1"
}
for program in $programs; do
    say "$program"
    build "$program" >build.log 2>&1 || { say "skipping $program: it cannot be built" && continue; }
    for kind in $kinds; do
        [ -e "$program.$kind.guarded" ] && continue
        how=learn_program many=$most enough=$idle
        ! is_server "$program" || how=learn_server
        [ "$kind" = pset ] || many=$((most / 2)) enough=$((idle / 2))
        $how "$program" "$kind" "$many" "$enough" || { say "cannot learn from $program ($kind)" && continue; }
        [ "$kind" != lifetx ] || train_program "$program"
        rm -f "$program.$kind.violations"
        for number in $(seq "$runs"); do guard_once "$program" "$kind" "$number"; done >"$program.$kind.guarding"
        mv "$program.$kind.guarding" "$program.$kind.guarded"
    done
done

echo "| program | kind | runs | new pairs or cutpoints in each | new of else, or claims | last run that brought any |"
echo "|---|---|---|---|---|---|"
for program in $programs; do
    for kind in $kinds; do
        [ -s "$program.$kind.table" ] || continue
        echo "| $program | $kind | $(wc -l <"$program.$kind.table") | $(series "$program.$kind.table" 1) | $(series "$program.$kind.table" 2) |" \
            "$(awk '$1 != "failed" && $1 + $2 > 0 { last = NR } END { print last + 0 }' "$program.$kind.table") |"
    done
done
echo
echo "What was learnt: sets by size, and transactions (90% are below) of the recorded runs:"
echo
echo "| program | sites | shared | pairs | sets of 0 | of 1 | of 2 | larger | the largest |"
echo "|---|---|---|---|---|---|---|---|---|"
shape() { # PROGRAM KIND
    python3 - "$1" "$2" "$1.$2.json" <<'END'
import json
import sys
program, kind, path = sys.argv[1:]
table = json.load(open(path))


def below(counts, share):
    sum_of, at = 0, 0
    while sum_of + counts[at] < share * sum(counts):
        sum_of, at = sum_of + counts[at], at + 1
    return 1 << at


if kind == "pset":
    sizes = table["sizes"]
    row = [table["sites"], table["shared"], table["runs"][-1].get("pairs", "-"), *sizes[:3], sum(sizes[3:]), table["largest"]]
else:
    row = [table["lifetx"]["runs"][-1].get("cutpoints", "-")]
    for unit in ("events_in_transaction", "words_in_transaction"):
        of = table["lifetx"][unit]
        row += ["%.1f" % (of["sum"] / max(1, of["count"])), below(of["below_power_of_two"], 0.9), of["most"]]
print("| " + " | ".join(str(value) for value in [program, *row]) + " |")
END
}
for program in $programs; do
    [ ! -s "$program.pset.json" ] || shape "$program" pset
done
echo
echo "| program | cutpoints of recordings | events in a transaction, on average | 90% below | most | words, on average | 90% below | most |"
echo "|---|---|---|---|---|---|---|---|"
for program in $programs; do
    [ ! -s "$program.lifetx.json" ] || shape "$program" lifetx
done
echo
echo "Of transactions: guarded runs on what was learnt from, and what their logs brought:"
echo
echo "| program | waits in vain in each | new cutpoints |"
echo "|---|---|---|"
for program in $programs; do
    [ ! -s "$program.trained" ] || echo "| $program | $(series "$program.trained" 4) | $(series "$program.trained" 7) |"
done
echo
echo "$runs guarded runs on other inputs:"
echo
echo "| program | kind | violations, all false | different places | avoided by waiting | by going back | not avoided | waited, s | on average, ms | wrong |"
echo "|---|---|---|---|---|---|---|---|---|---|"
for program in $programs; do
    for kind in $kinds; do
        [ -s "$program.$kind.guarded" ] || continue
        different=$(sed -n 's/.*"access":\({[^}]*}\),"after":\("[a-z]*"\|{[^}]*}\).*/\1 \2/p' "$program.$kind.violations" 2>/dev/null | sort -u | wc -l)
        awk -v program="$program" -v kind="$kind" -v different="$different" '
            { all += $1; stalled += $2; back += $3; passed += $4; waited += $5; wrong += $NF != 0 }
            END { printf "| %s | %s | %d | %d | %d | %d | %d | %.2f | %.2f | %d |\n", program, kind, all, different, stalled, back, passed, waited,
                waited * 1000 / (all + !all), wrong }' \
            "$program.$kind.guarded"
    done
done
