#!/usr/bin/env bash
# atomrace.sh - what catching races in the act costs: processor time against native, and against hooks
# that do nothing, and what healing costs; prints a table in Markdown.  The programs are those of record.sh,
# built with `foreweave cc --no-branches`; the ways take turns, and medians of several rounds are taken.  Healed, with
# locks, is the first load-and-store section that `foreweave sections find` finds in a small run (HEAL=all: all of them, which
# are far more than anybody would want to heal); a program without any, or with none that can be locked, is not measured.
#
#   PROGRAMS="lu radix bank prodcons pbzip2"
#   COMPILERS="gcc clang"
#   REPEAT=5         rounds
#   SCALE=100        size of the work in percent
#   NOISE=random:50:50
#   NOISE_SCALE=2    size of the work with noise, which sleeps a lot; native is measured in that size too
#   HEAL=one         or all: which sections are healed
#   LIMIT=300        seconds after which a run is stopped
#   WORK=folder      kept; by default a temporary folder that is removed
#   BUILD=build      where foreweave and bench/measure are (default: built here, as release)
set -eu
cd "$(dirname "$0")/.."
programs=${PROGRAMS:-lu radix bank prodcons pbzip2}
compilers=${COMPILERS:-gcc clang}
repeat=${REPEAT:-5}
full_scale=${SCALE:-100}
noise_scale=${NOISE_SCALE:-2}
noise=${NOISE:-random:50:50}
limit=${LIMIT:-300}
build=${BUILD:-build}
. bench/place.bash

# A way is a compiler, or COMPILER-hooks.
c_of() {
    case $1 in
    *-hooks) echo "$foreweave cc --compiler=${1%-hooks} --no-branches" ;;
    *) echo "$1" ;;
    esac
}
cxx_of() {
    local compiler=${1%-hooks}
    case $compiler in gcc) compiler=g++ ;; clang) compiler=clang++ ;; esac
    case $1 in
    *-hooks) echo "$foreweave c++ --compiler=$compiler --no-branches" ;;
    *) echo "$compiler" ;;
    esac
}

. bench/arguments.bash
. bench/building.bash

mkdir -p "$work/bin" "$work/empty"
scale=$noise_scale
find_pbzip2
[ ! -e "$work/input" ] || mv "$work/input" "$work/input.$noise_scale"
scale=$full_scale
find_pbzip2
[ ! -e "$work/input" ] || mv "$work/input" "$work/input.$full_scale"
gcc -O2 -fPIC -shared -Wl,-soname,libforeweave_rt.so bench/empty_hooks.c -o "$work/empty/libforeweave_rt.so" ||
    die "cannot build the empty hooks"
for compiler in $compilers; do
    for way in $compiler $compiler-hooks; do
        say "building with $(c_of "$way")"
        for program in $programs; do
            make_program "$program" "$way" >"$work/build.log" 2>&1 ||
                { cat "$work/build.log" >&2 && die "cannot build $program with $way"; }
        done
    done
done

# The sections of a program, from a small run.
find_sections() { # PROGRAM COMPILER
    scale=$noise_scale
    [ "$1" != pbzip2 ] || ln -sf "$work/input.$scale" "$work/input"
    # shellcheck disable=SC2046
    (cd "$work" && "$foreweave" sections find -q -o "$work/$1.$2.sections" -- "$work/bin/$1.$2-hooks" $(arguments_of "$1")) \
        >"$work/errors" 2>&1 || { say "no sections of $1 by $2: $(tail -n 1 "$work/errors")" && rm -f "$work/$1.$2.sections"; }
    [ -e "$work/$1.$2.sections" ] && [ "${HEAL:-one}" = one ] || return 0
    awk '/^section/ { keep = $3 == "load-and-store" && !seen; seen = seen || keep } /^foreweave/ || keep' \
        "$work/$1.$2.sections" >"$work/one" && mv "$work/one" "$work/$1.$2.sections"
}
for program in $programs; do
    for compiler in $compilers; do
        find_sections "$program" "$compiler"
    done
done

# One run: a line "program compiler what processor code same".
run() { # PROGRAM COMPILER WHAT SCALE
    local command=("$work/bin/$1.$2-hooks") same=same
    scale=$4
    case $3 in
    native*) command=("$work/bin/$1.$2") ;;
    empty) command=(env LD_PRELOAD="$work/empty/libforeweave_rt.so" "$work/bin/$1.$2-hooks") ;;
    detection) command=("$foreweave" atomrace -q -o "$work/report" -- "$work/bin/$1.$2-hooks") ;;
    healing)
        [ -e "$work/$1.$2.sections" ] || return 0
        command=("$foreweave" heal -q --how=lock --budget=100 --sections="$work/$1.$2.sections" -- "$work/bin/$1.$2-hooks")
        ;;
    noise) command=("$foreweave" atomrace -q --noise="$noise" -o "$work/report" -- "$work/bin/$1.$2-hooks") ;;
    esac
    [ "$1" != pbzip2 ] || ln -sf "$work/input.$scale" "$work/input"
    # shellcheck disable=SC2046
    (cd "$work" && "$measure" --parts --wall "$limit" -o "$work/output" "${command[@]}" $(arguments_of "$1")) \
        >"$work/line" 2>"$work/errors" || { cat "$work/errors" >&2 && die "cannot run $1 ($2, $3)"; }
    [ -e "$work/$1.$scale.wanted" ] || cp "$work/output" "$work/$1.$scale.wanted"
    cmp -s "$work/output" "$work/$1.$scale.wanted" || same=differs
    awk -v start="$1 $2 $3" -v same=$same '{ print start, $1, $4, $5, same }' "$work/line" |
        tee -a "$work/results" |
        awk '{ printf "atomrace.sh: %s %s %s: %.2f s of processor time, %s %s, %s\n", $1, $2, $3, $4, $5, $6, $7 }' >&2
}
rm -f "$work/results" "$work"/*.wanted
for round in $(seq "$repeat"); do
    for program in $programs; do
        for compiler in $compilers; do
            for what in native empty detection healing; do
                run "$program" "$compiler" $what "$full_scale"
            done
            for what in native-small noise; do
                run "$program" "$compiler" $what "$noise_scale"
            done
        done
    done
done

echo "\`REPEAT=$repeat SCALE=$full_scale NOISE=$noise NOISE_SCALE=$noise_scale bash bench/atomrace.sh\`, $(date -u +%F), $(nproc) cores, $(gcc --version | head -n 1), $(clang --version 2>/dev/null | head -n 1)."
echo
echo "Processor time against native -O2 of the same compiler; the recorder's counts."
echo
awk '
    function median(key,   n, i, j, held, values) {
        n = runs[key]
        for (i = 1; i <= n; i++) values[i] = value[key, i]
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && values[j] < values[j - 1]; j--) {
                held = values[j]; values[j] = values[j - 1]; values[j - 1] = held
            }
        return values[int(n / 2) + 1]
    }
    function ratio(a, b) {
        if (failed[a]) return failed[a]
        if (!runs[a]) return "none"
        return median(b) > 0 ? sprintf("%.1f", median(a) / median(b)) : "-"
    }
    {
        key = $1 " " $2 " " $3; value[key, ++runs[key]] = $4
        if (!(($1 " " $2) in seen)) { seen[$1 " " $2] = 1; rows[++count] = $1 " " $2 }
        if ($5 == "signal") failed[key] = $6 == 9 ? "stopped" : "signal " $6
        else if ($3 == "healing" && $6 == 3) failed[key] = "none"
        else if ($6 != 0 && $6 != 66) failed[key] = "exit " $6
        else if ($7 != "same") failed[key] = "wrong output"
    }
    END {
        print "| program | compiler | native, s | empty hooks | detection | detection : empty hooks | with noise | healing | healing : detection |"
        print "|---|---|---|---|---|---|---|---|---|"
        for (i = 1; i <= count; i++) {
            row = rows[i]; split(row, part, " ")
            printf "| %s | %s | %.2f | %s | %s | %s | %s | %s | %s |\n", part[1], part[2], median(row " native"),
                ratio(row " empty", row " native"), ratio(row " detection", row " native"),
                ratio(row " detection", row " empty"), ratio(row " noise", row " native-small"),
                ratio(row " healing", row " native"), ratio(row " healing", row " detection")
        }
    }' "$work/results"
