#!/usr/bin/env bash
# control.sh - what control costs; prints tables in Markdown.
#
# 1. Processor time of the programs of bench/programs and pbzip2 under control without preemptions, against
#    the same programs built without hooks; points at shared places (found by a first run that does not count),
#    and only at calls that synchronise.
# 2. The cost of handing over from one thread to another.
# 3. Schedules a second of small programs of tests/schedules, with one job and with two.
#
#   PROGRAMS="lu radix bank prodcons pbzip2"
#   REPEAT=3       rounds, of which the median counts
#   SCALE=100      size of the work in percent, as in record.sh
#   RUNS=2000      schedules of the third table
#   WORK=folder    kept; by default a temporary one
set -eu
cd "$(dirname "$0")/.."
programs=${PROGRAMS:-lu radix bank prodcons pbzip2}
repeat=${REPEAT:-3} scale=${SCALE:-100} runs=${RUNS:-2000}
export FOREWEAVE=${FOREWEAVE:-$PWD/build/foreweave}
if [ -n "${WORK:-}" ]; then
    mkdir -p "$WORK" && work=$(cd "$WORK" && pwd)
else
    work=$(mktemp -d "${TMPDIR:-/tmp}/foreweave-bench.XXXXXX")
    trap 'rm -rf "$work"' EXIT
fi
TIMEFORMAT='%U %S %R'

# Processor seconds and seconds of a command, which may fail.
cost() { { time "$@" >/dev/null 2>&1 </dev/null; } 2>&1 | awk '{ print $1 + $2, $3 }'; }
median() { sort -n | awk '{ line[NR] = $0 } END { print line[int((NR + 1) / 2)] }'; }
repeated() { for _ in $(seq "$repeat"); do cost "$@"; done | median; }

# The cost of one run whose points are known: four runs less one, by three.
controlled() { # POINTS COMMAND...
    local points=$1 one four
    shift
    one=$(repeated "$FOREWEAVE" explore -q -s none -n 1 --limit=900 --points="$points" -- "$@")
    four=$(repeated "$FOREWEAVE" explore -q -s none -n 4 --limit=900 --points="$points" -- "$@")
    echo "$one $four" | awk '{ printf "%.2f\n", ($3 - $1) / 3 }'
}

echo "| program | native, s | shared points | factor | only synchronisation | factor |"
echo "|---|---:|---:|---:|---:|---:|"
[ -d "$work/bin" ] || # record.sh builds the programs and their input
    PROGRAMS=$programs WAYS="gcc gcc-foreweave" REPEAT=1 SCALE=$scale WORK=$work BUILD=${BUILD:-build} \
        bash bench/record.sh >"$work/record.txt"
. bench/arguments.bash
for program in $programs; do
    [ -x "$work/bin/$program.gcc" ] || continue
    # shellcheck disable=SC2046
    set -- $(arguments_of "$program")
    native=$(repeated "$work/bin/$program.gcc" "$@" | cut -d' ' -f1)
    shared=$(controlled shared "$work/bin/$program.gcc-foreweave" "$@")
    sync=$(controlled sync "$work/bin/$program.gcc-foreweave" "$@")
    echo "$program $native $shared $sync" |
        awk '{ printf "| %s | %.2f | %.2f | %.1f | %.2f | %.1f |\n", $1, $2, $3, $3 / $2, $4, $4 / $2 }'
done

# Two threads take turns at every second point on average.
cat >"$work/turns.c" <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_long x;
static long steps;
static void *work(void *unused)
{
    for (long i = 0; i < steps; i++)
        atomic_fetch_add(&x, 1);
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t threads[2];
    steps = argc > 1 ? atol(argv[1]) : 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return x != 2 * steps;
}
END
"$FOREWEAVE" cc -O2 "$work/turns.c" -o "$work/turns"
steps=100000
none=$(repeated "$FOREWEAVE" explore -q -s none -n 2 --limit=300 -- "$work/turns" $steps)
random=$(repeated "$FOREWEAVE" explore -q -s random -n 2 --limit=300 -- "$work/turns" $steps)
echo
echo "$none $random" | awk -v steps=$steps '{
    printf "One hand-over from thread to thread: %.2f us of processor time, %.2f us in all; a point without one: ",
        ($3 - $1) / steps * 1e6, ($4 - $2) / steps * 1e6
    printf "%.2f us.\n", $1 / (4 * steps) * 1e6 }'
echo
echo "| program | processor ms a run | runs/s, one job | runs/s, two jobs |"
echo "|---|---:|---:|---:|"
small=(account_ok deadlock01_ok circular_buffer_ok message_passing_ok stack_ok)
bash tests/schedules/build.sh --twins -o "$work" "${small[@]}" >"$work/built.txt"
for name in "${small[@]}"; do
    one=$(repeated "$FOREWEAVE" explore -q -s random -n "$runs" -j1 -- "$work/$name")
    two=$(repeated "$FOREWEAVE" explore -q -s random -n "$runs" -j2 -- "$work/$name")
    echo "$name $one $two" | awk -v runs="$runs" '{
        printf "| %s | %.2f | %.0f | %.0f |\n", $1, $2 / runs * 1e3, runs / $3, runs / $5 }'
done
