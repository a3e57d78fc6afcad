#!/usr/bin/env bash
# guard_campaign.sh - the guard's kernels (tests/guard) under their adversary: how many runs fail natively, and guarded by
# predecessor sets, by transactions, and by the orders of confirmed findings?
#
#   guard_campaign.sh [--runs=N] [--look=N] [--kernels="bank_account ..."] [--columns="native pset rollback lifetx from"]
#                     [--stall=MS] [--work=DIR]
#
# FOREWEAVE names the program (build/foreweave).  Each kernel is learnt from calm runs that are certain, so that it does not
# matter what else the machine has to do (pairs also with noise, cutpoints from recordings), and `foreweave run` of a calm run
# gives the findings.  Then it is run N times (100), adverse, seeds 1 to N, natively and in each way, the ways in turn, as services are: with a file that was prepared, anew for each run.  `pset` only
# waits; `rollback` re-executes as well, where the guard can.  Of the first runs (--look, 10) what was done is told.
# Results go to DIR/KERNEL.WAY.runs (seed, status) and DIR/KERNEL.WAY.told, so that a campaign that was stopped goes on where it
# ended (DIR is kept if it is given); the logs of runs that were wrong, to DIR/KERNEL.WAY.wrong.  Prints tables in Markdown; a run
# that takes 20 s hangs, and then the exit status is 1.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
foreweave=$(realpath "${FOREWEAVE:-$root/build/foreweave}") || exit 1
sources=$root/tests/guard
runs=100 look=10 work='' stall=50 columns='native pset rollback lifetx from'
kernels=$(cd "$sources" && grep -l '"kernel.h"' ./*.c | sed 's|./||; s|\.c$||')
for option in "$@"; do
    value=${option#*=}
    case $option in
    --runs=*) runs=$value ;;
    --look=*) look=$value ;;
    --work=*) work=$value ;;
    --kernels=*) kernels=$value ;;
    --columns=*) columns=$value ;;
    --stall=*) stall=$value ;;
    *) echo "guard_campaign.sh: unknown option '$option'" >&2; exit 2 ;;
    esac
done
if [ -z "$work" ]; then
    work=$(mktemp -d "${TMPDIR:-/tmp}/foreweave-guard.XXXXXX") || exit 1
    trap 'rm -rf "$work"' EXIT
fi
mkdir -p "$work" && cd "$work" || exit 1
unset FOREWEAVE_OPTIONS
has() { "$foreweave" guard --help | grep -qe "--$1"; }
has rollback || columns=${columns//rollback/}

learn() { # KERNEL
    local k=$1
    "$foreweave" cc -g -O1 -pthread "$sources/$k.c" -o "$k" || return 1
    printf 'certain %d\n' 1 2 3 4 5 >inputs
    "$foreweave" learn --idle=2 --runs=60 --inputs=inputs --anew -c "$k.pset" -- "./$k" >"$k.learn" 2>&1
    "$foreweave" learn --idle=2 --runs=60 --inputs=inputs --noise=100:300 -c "$k.pset" -- "./$k" >>"$k.learn" 2>&1
    "$foreweave" learn --kind=lifetx --idle=1 --runs=20 --inputs=inputs --anew -c "$k.lifetx" -- "./$k" >>"$k.learn" 2>&1
    timeout 120 "$foreweave" run -q --format=json -o "$k.from" -- "./$k" calm 1 >/dev/null 2>&1
    [ -s "$k.from" ]
}
options_of() { # WAY KERNEL
    case $1 in
    pset) echo "-c $2.pset $(! has rollback || echo --rollback=0)" ;;
    rollback) echo "-c $2.pset" ;;
    lifetx) echo "--kind=lifetx -c $2.lifetx" ;;
    from) echo "--from=$2.from" ;;
    esac
}
prepare() { # WAY KERNEL: also the library that is preloaded
    # shellcheck disable=SC2046
    "$foreweave" guard -q --strict --budget=100 --stall="$stall" $(options_of "$1" "$2") --prepare="$2.$1.guard" -- "./$2" \
        >"$2.$1.environment" 2>"$2.$1.told.errors" || return 1
    sed -n 's/^LD_PRELOAD=//p' "$2.$1.environment" >"$2.$1.library"
}
# Lines of KERNEL.WAY.runs: SEED STATUS.  One process a run, since others keep the machine busy.
make_runs() { # KERNEL RUNS WAY...
    python3 - "$foreweave" "$@" <<'END'
import os
import shutil
import subprocess
import sys

foreweave, kernel, runs, ways = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]


def keep_log(way):
    subprocess.run([foreweave, "guard", "--state=running.guard", "--log=%s.%s.wrong" % (kernel, way), "--", "./" + kernel],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def run(way, seed):
    environment = dict(os.environ)
    if way != "native":
        shutil.copyfile("%s.%s.guard" % (kernel, way), "running.guard")
        environment["LD_PRELOAD"] = open("%s.%s.library" % (kernel, way)).read().strip()
        environment["FOREWEAVE_OPTIONS"] = "mode=guard:guard=" + os.path.abspath("running.guard")
    try:
        status = subprocess.run(["./" + kernel, "adverse", str(seed)], env=environment, timeout=20,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
    except subprocess.TimeoutExpired:
        status = 124
    if status and way != "native":
        keep_log(way)
    return status


made = {way: sum(1 for _ in open("%s.%s.runs" % (kernel, way))) for way in ways}
for seed in range(1, runs + 1):
    for way in ways:
        if made[way] < seed:
            with open("%s.%s.runs" % (kernel, way), "a") as out:
                print(seed, run(way, seed), file=out)
END
}
# What the command says: VIOLATIONS STALLED ROLLED-BACK NOT-AVOIDED
told() { # WAY KERNEL SEED
    # shellcheck disable=SC2046
    timeout 30 "$foreweave" guard --budget=100 --stall="$stall" --log="$2.$1.log" $(options_of "$1" "$2") -- "./$2" adverse "$3" 2>&1 >/dev/null |
        sed -n 's/^foreweave: \([0-9]* violations: .*\); waited.*/\1/p' | tr -cd '0-9 \n'
}
for kernel in $kernels; do
    [ -e "$kernel.from" ] || learn "$kernel" || { echo "guard_campaign.sh: cannot build $kernel" >&2; exit 1; }
    ways=''
    for way in $columns; do
        [ "$way" = native ] || prepare "$way" "$kernel" || continue # openldap has nothing to be forbidden
        ways="$ways $way"
        touch "$kernel.$way.runs"
    done
    # shellcheck disable=SC2086
    make_runs "$kernel" "$runs" $ways
    for way in ${ways/native/}; do
        [ -e "$kernel.$way.told" ] || for seed in $(seq "$look"); do told "$way" "$kernel" "$seed"; done >"$kernel.$way.told"
    done
done

wrong() { [ ! -s "$kernel.$1.runs" ] && echo - || awk '$2 != 0 { n++ } END { print n + 0 }' "$kernel.$1.runs"; }
hung=0
header() {
    printf '| %s ' "$@"
    echo '|'
    printf '|---%.0s' "$@"
    echo '|'
}
echo "Wrong of $runs adverse runs:"
echo
# shellcheck disable=SC2086
header kernel kind $columns hung
for kernel in $kernels; do
    row="| $kernel | $(sed -n 's/.*kind: //p' "$sources/$kernel.c") |"
    stuck=0
    for way in $columns; do
        row="$row $(wrong "$way") |"
        [ ! -s "$kernel.$way.runs" ] || stuck=$((stuck + $(awk '$2 == 124 { n++ } END { print n + 0 }' "$kernel.$way.runs")))
    done
    [ $stuck = 0 ] || hung=1
    echo "$row $stuck |"
done
echo
echo "Predecessor sets: what was learnt, and what was done in the first $look runs (static: different places):"
echo
header kernel 'runs learnt from' sites shared pairs 'largest set' 'violations, static' dynamic 'avoided by waiting' 'by going back' 'not avoided'
for kernel in $kernels; do
    way=pset
    [ ! -s "$kernel.rollback.told" ] || way=rollback
    [ -s "$kernel.$way.told" ] || continue
    sizes=$(awk '
        /^runs/ { runs = $2 " + " $3 " wrong" }
        /^site/ && $3 != "-" { sites++ }
        /^pset/ { shared++; n = 0; for (i = 3; i <= NF; i++) n += $i ~ /^[0-9]/; pairs += n; if (n > most) most = n }
        END { printf "%s | %d | %d | %d | %d", runs, sites, shared, pairs, most }' "$kernel.pset")
    static=$(python3 - "$kernel.$way.log" <<'END'
import json
import sys
places = set()
try:
    for line in open(sys.argv[1]):
        entry = json.loads(line)
        if "access" in entry:
            places.add((json.dumps(entry["access"], sort_keys=True), json.dumps(entry["after"], sort_keys=True)))
except OSError:
    pass
print(len(places))
END
    )
    awk -v kernel="$kernel" -v sizes="$sizes" -v static="$static" '
        { all += $1; stalled += $2; back += $3; passed += $4 }
        END { printf "| %s | %s | %d | %d | %d | %d | %d |\n", kernel, sizes, static, all, stalled, back, passed }' "$kernel.$way.told"
done
exit $hung
