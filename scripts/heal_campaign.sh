#!/usr/bin/env bash
# heal_campaign.sh - the kernels of tests/heal under noise, unhealed and healed: how many runs fail?
#
#   heal_campaign.sh [--runs=N] [--lock-runs=N] [--work=DIR] [--kernels="bank ..."] [--ways="dry lock ..."]
#                    [--noise=NOISE] [--rounds=N] [--compiler=gcc] [--level=-O0] [--jobs=N]
#
# FOREWEAVE names the program (build/foreweave).  Each kernel is run N times (1000) in each way, with the seeds
# 1 to N, and with locks --lock-runs times (10000).  --noise=none: threads meet by themselves, which wants many --rounds;
# locks then take the quick way.  A run fails if the result is wrong or the program dies; one that
# takes a minute hangs.  What was done is in DIR/results, one line a run, and is not done again: the campaign can be stopped
# and started anew.  Prints a table in Markdown.  "Let in" are runs that say so themselves: a lock was released or taken late,
# or healing was switched off; a failure of one of them breaks no promise.  "Not healed" are runs that entered no section: the
# library was not there.  Exit status 1: a run with locks has failed, let in or not, or one in any way hung.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export here=$root/tests/heal
export FOREWEAVE=${FOREWEAVE:-$root/build/foreweave}
runs=1000 lock_runs=10000 work= kernels="bank load_and_store test_and_use log_sweep mixed copy" ways="dry lock yield sleep priority"
noise=random:100:100 rounds= compiler=gcc level=-O0 jobs=1
for option in "$@"; do
    value=${option#*=}
    case $option in
    --runs=*) runs=$value ;;
    --lock-runs=*) lock_runs=$value ;;
    --work=*) work=$value ;;
    --kernels=*) kernels=$value ;;
    --ways=*) ways=$value ;;
    --noise=*) noise=$value ;;
    --rounds=*) rounds=$value ;;
    --compiler=*) compiler=$value ;;
    --level=*) level=$value ;;
    --jobs=*) jobs=$value ;;
    *) echo "heal_campaign.sh: unknown option '$option'"; exit 2 ;;
    esac
done
if [ -z "$work" ]; then
    work=$(mktemp -d "${TMPDIR:-/tmp}/foreweave-heal.XXXXXX") || exit 1
    trap 'rm -rf "$work"' EXIT
fi
mkdir -p "$work" && work=$(cd "$work" && pwd) || exit 1
unset FOREWEAVE_OPTIONS
export work noise

# So few rounds that not every run fails.
rounds_of() { [ -z "$rounds" ] || { echo "$rounds" && return; }; case $1 in bank | load_and_store | copy) echo 4 ;; test_and_use) echo 40 ;; mixed) echo 16 ;; *) echo 30 ;; esac; }

for kernel in $kernels; do
    [ -x "$work/$kernel" ] || "$FOREWEAVE" cc --compiler="$compiler" -g "$level" -pthread "$here/$kernel.c" -o "$work/$kernel" ||
        { echo "heal_campaign.sh: cannot build $kernel"; exit 1; }
done

# A line: KERNEL WAY SEED STATUS ENTERED VIOLATED LET-IN.
one() { # KERNEL WAY SEED ROUNDS
    local said status entered violated let_in
    local options=(--sections="$here/$1.sections" --how="$2" --budget=100)
    [ "$noise" = none ] || options+=(--noise="$noise" --seed="$3")
    said=$(timeout 60 "$FOREWEAVE" heal "${options[@]}" -- "$work/$1" "$4" 2>&1 >/dev/null)
    status=$?
    entered=$(sed -n 's/.* \([0-9]*\) sections\{0,1\} entered.*/\1/p' <<<"$said")
    violated=$(sed -n 's/.*entered, \([0-9]*\) seen violated.*/\1/p' <<<"$said")
    let_in=$(grep -cE '(taken|released|let go|not healed).*: [0-9]+$|switched (itself )?off' <<<"$said")
    echo "$1 $2 $3 $status ${entered:-0} ${violated:-?} $let_in" >>"$work/results"
}
export -f one

touch "$work/results"
for kernel in $kernels; do
    for way in $ways; do
        [ "$way" = lock ] && count=$lock_runs || count=$runs
        awk -v kernel="$kernel" -v way="$way" -v count="$count" -v rounds="$(rounds_of "$kernel")" '
            $1 == kernel && $2 == way { done[$3] = 1 }
            END { for (i = 1; i <= count; i++) if (!(i in done)) print kernel, way, i, rounds }' "$work/results"
    done
done | xargs -P "$jobs" -L 1 bash -c 'one "$@"' one

echo "Noise $noise, $compiler $level, $(nproc) cores."
echo
awk -v kernels="$kernels" -v ways="$ways" '
    { key = $1 " " $2; all[key]++; if ($4) failed[key]++; if ($4 == 124) { hung[key]++; bad = 1 }
      if ($2 == "lock" && $4) bad = 1; violated[key] += $6
      if (!$5) unhealed[key]++
      if ($7) let_in[key]++
      if ($4 && $7) failed_let_in[key]++ }
    END {
        print "| kernel | way | runs | failing | per mille | times as rare | sections violated | hung | let in | of them failing | not healed |"
        print "|---|---|---|---|---|---|---|---|---|---|---|"
        split(kernels, k, " "); split(ways, w, " ")
        for (i = 1; i in k; i++)
            for (j = 1; j in w; j++) {
                key = k[i] " " w[j]
                if (!all[key]) continue
                rate = failed[key] / all[key]
                dry = all[k[i] " dry"] ? failed[k[i] " dry"] / all[k[i] " dry"] : 0
                printf "| %s | %s | %d | %d | %.1f | %s | %d | %d | %d | %d | %d |\n", k[i], w[j], all[key], failed[key], 1000 * rate,
                    w[j] == "dry" ? "" : rate ? sprintf("%.1f", dry / rate) : "never seen", violated[key], hung[key],
                    let_in[key], failed_let_in[key], unhealed[key]
            }
        exit bad
    }' "$work/results"
