#!/usr/bin/env bash
# guard_campaign.sh - the bug kernels of tests/programs under noise, unguarded and guarded: how many runs fail?
#
#   guard_campaign.sh [--runs=N] [--learn=N] [--work=DIR] [--kernels="mozilla_1 ..."] [--noise=PERMILLE:USEC] [--stall=MS]
#
# FOREWEAVE names the program (build/foreweave).  The kernels end with status 0 whatever happens; here they get the status
# that says whether the bug has shown.  Each is learnt from passing runs (with noise, until N of them brought nothing new),
# then run N times (100) unguarded (--dry) and guarded by its constraints, with the same noise, seeds 1 to N.
# Prints a table in Markdown; a run that takes 20 s hangs, and then the exit status is 1.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
foreweave=${FOREWEAVE:-$root/build/foreweave}
runs=100 learn=30 work= noise=400:1500 stall=50
kernels="pbzip2 aget_2 pfscan apache_1 mysql_1 mysql_8 mozilla_1 mozilla_2 mozilla_3 mozilla_4 mozilla_5 mozilla_6 mozilla_7
mozilla_8 mozilla_9 mozilla_10 bank_account circular_list log_proc_sweep string_buffer"
for option in "$@"; do
    value=${option#*=}
    case $option in
    --runs=*) runs=$value ;;
    --learn=*) learn=$value ;;
    --work=*) work=$value ;;
    --kernels=*) kernels=$value ;;
    --noise=*) noise=$value ;;
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

# What is wrong in the end.
wrong() {
    case $1 in
    aget_2) echo 'saved_offset != saved_written' ;;
    pfscan) echo 'running != 0' ;;
    apache_1) echo 'buffer.count != 38' ;;
    mysql_1) echo '(table == 7) != (last_logged == 2)' ;;
    mysql_8) echo is_master ;;
    mozilla_2 | mozilla_3) echo 'entered != 1' ;; # what they add up may be lost as well, and look right
    mozilla_4) echo confused ;;
    mozilla_6 | mozilla_9) echo is_late ;;
    mozilla_7) echo ignored ;;
    mozilla_10) echo mixed ;;
    bank_account) echo 'balance != 120' ;;
    circular_list) echo 'last_unit == 11' ;;
    string_buffer) echo overrun ;;
    *) echo crashed ;;
    esac
}
build() { # KERNEL
    local late=''
    case $1 in
    mozilla_6 | mozilla_9) late='static int is_late; static inline struct timespec in_a_while(clockid_t clock) { struct timespec when; clock_gettime(clock, \&when); when.tv_nsec += 100000000; when.tv_sec += when.tv_nsec / 1000000000; when.tv_nsec %= 1000000000; return when; }' ;;
    mozilla_2 | mozilla_3) late='static int entered;' ;;
    esac
    sed -e "s|^#include \"program.h\"|&\n$late|" \
        -e 's/^    sem_timedwait(/    is_late = sem_timedwait(/; s/^    pthread_cond_timedwait(&changed/    is_late = pthread_cond_timedwait(\&changed/' \
        -e 's/^        offset = offset + 16;/        __atomic_add_fetch(\&entered, 1, 0);\n&/; s/^        release(mine);/        __atomic_add_fetch(\&entered, 1, 0);\n&/' \
        -e "s/^    return 0;\$/    return ($(wrong "$1")) != 0;/" "$root/tests/programs/kernel_$1.c" >"$1.c"
    case $1 in mozilla_6 | mozilla_9) sed -i 's/soon(CLOCK_REALTIME)/in_a_while(CLOCK_REALTIME)/' "$1.c" ;; esac
    "$foreweave" cc -g -O1 -I"$root/tests/programs" -pthread "$1.c" -o "$1"
}
# A line: STATUS VIOLATIONS STALLED ROLLED PASSED
one() { # KERNEL SEED OPTION...
    local kernel=$1 seed=$2 said status
    shift 2
    said=$(timeout 20 "$foreweave" guard -c "$kernel.constraints" --budget=100 --stall="$stall" --noise="$noise" --seed="$seed" "$@" -- \
        "./$kernel" 2>&1 >/dev/null)
    status=$?
    echo "$status $(sed -n 's/.* \([0-9]*\) violations: \([0-9]*\) avoided by waiting, \([0-9]*\) by giving a lock back, \([0-9]*\) .*/\1 \2 \3 \4/p' <<<"$said")"
}

echo "| kernel | runs learnt from | pairs | wrong, unguarded | wrong, guarded | runs with violations | avoided by waiting | by giving a lock back | not avoided | hung |"
echo "|---|---|---|---|---|---|---|---|---|---|"
hung=0
for kernel in $kernels; do
    build "$kernel" || { echo "guard_campaign.sh: cannot build $kernel" >&2; exit 1; }
    "$foreweave" learn -q --anew --runs=500 --idle="$learn" --noise="$noise" -- "./$kernel" || { echo "| $kernel | none passed | | | | | | | | |" && continue; }
    for seed in $(seq "$runs"); do one "$kernel" "$seed" --dry; done >"$kernel.dry"
    for seed in $(seq "$runs"); do one "$kernel" "$seed" --log="$kernel.log"; done >"$kernel.guarded"
    pairs=$(awk '/^pset/ { for (i = 3; i <= NF; i++) n += $i ~ /^[0-9]/ } END { print n + 0 }' "$kernel.constraints")
    learnt=$(awk '/^runs/ { print $2 " + " $3 " wrong" }' "$kernel.constraints")
    unguarded=$(awk '$1 != 0' "$kernel.dry" | wc -l)
    awk -v kernel="$kernel" -v learnt="$learnt" -v pairs="$pairs" -v unguarded="$unguarded" '
        { wrong += $1 != 0; hung += $1 == 124; violated += $2 > 0; stalled += $3; rolled += $4; passed += $5 }
        END { printf "| %s | %s | %d | %d | %d | %d | %d | %d | %d | %d |\n", kernel, learnt, pairs, unguarded, wrong, violated, stalled, rolled, passed, hung; exit hung > 0 }' \
        "$kernel.guarded" || hung=1
done
exit $hung
