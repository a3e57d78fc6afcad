#!/usr/bin/env bash
# guard.sh - what the guard costs: processor and wall time against native, hooks made nothing with nothing watched, and
# guarded by constraints that were learnt from other sizes of the same work; prints a table in Markdown.  The programs are
# those of record.sh, built with `foreweave cc` as it is; the ways take turns, and medians of several rounds are taken.
#
#   PROGRAMS="lu radix bank prodcons pbzip2"
#   COMPILERS="gcc"
#   REPEAT=5         rounds
#   SCALE=100        size of the work in percent
#   WAYS="native nothing guard learn"   learning takes by far the longest
#   LEAN=1           builds for production (docs/guard.md): no hooks at branches, nor in functions that a first guarded run
#                    retires; COMPILERS="clang", since only clang takes such a list
#   LEARN=20         size of the work that is learnt from, with three runs that bring nothing new
#   WORK=folder      kept; by default a temporary folder that is removed
#   BUILD=build      where foreweave and bench/measure are (default: built here, as release)
set -eu
cd "$(dirname "$0")/.."
programs=${PROGRAMS:-lu radix bank prodcons pbzip2}
compilers=${COMPILERS:-gcc}
repeat=${REPEAT:-5}
full_scale=${SCALE:-100}
learn_scale=${LEARN:-20}
build=${BUILD:-build}
. bench/place.bash

# A way is a compiler, or COMPILER-hooks.
lean=
c_of() { case $1 in *-hooks) echo "$foreweave cc --compiler=${1%-hooks} $lean" ;; *) echo "$1" ;; esac; }
cxx_of() {
    local compiler=${1%-hooks}
    case $compiler in gcc) compiler=g++ ;; clang) compiler=clang++ ;; esac
    case $1 in *-hooks) echo "$foreweave c++ --compiler=$compiler $lean" ;; *) echo "$compiler" ;; esac
}
. bench/arguments.bash
. bench/building.bash

mkdir -p "$work/bin"
for scale in $learn_scale $full_scale; do
    find_pbzip2
    [ ! -e "$work/input" ] || mv "$work/input" "$work/input.$scale"
done
for compiler in $compilers; do
    for way in $compiler $compiler-hooks; do
        say "building with $(c_of "$way")"
        for program in $programs; do
            make_program "$program" "$way" >"$work/build.log" 2>&1 ||
                { cat "$work/build.log" >&2 && die "cannot build $program with $way"; }
        done
    done
done

learn_program() { # PROGRAM COMPILER
    scale=$learn_scale
    [ "$1" != pbzip2 ] || ln -sf "$work/input.$scale" "$work/input"
    # shellcheck disable=SC2046
    (cd "$work" && "$foreweave" learn -q --anew --idle=3 -c "$1.$2.constraints" -- "$work/bin/$1.$2-hooks" \
        $(arguments_of "$1")) >"$work/learn.log" || die "cannot learn from $1"
}
make_lean() { # PROGRAM COMPILER
    scale=$full_scale
    [ "$1" != pbzip2 ] || ln -sf "$work/input.$scale" "$work/input"
    # shellcheck disable=SC2046
    (cd "$work" && "$foreweave" guard -q --bare-list="$work/$1.$2.bare" -c "$1.$2.constraints" -- "$work/bin/$1.$2-hooks" \
        $(arguments_of "$1")) >"$work/learn.log" || die "cannot guard $1"
    lean="--no-branches -fsanitize-ignorelist=$work/$1.$2.bare"
    make_program "$1" "$2-hooks" >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2 && die "cannot build a lean $1"; }
    lean=
}
# The same without sites that are shared: all hooks are made nothing.
for program in $programs; do
    for compiler in $compilers; do
        learn_program "$program" "$compiler"
        [ -z "${LEAN:-}" ] || { make_lean "$program" "$compiler" && learn_program "$program" "$compiler"; }
        grep -v '^pset' "$work/$program.$compiler.constraints" >"$work/$program.$compiler.nothing"
    done
done

# One run: a line "program compiler what processor all code same violations"; processor: of the program alone.
run() { # PROGRAM COMPILER WHAT
    local command=("$work/bin/$1.$2-hooks") same=same
    scale=$full_scale
    case $3 in
    native) command=("$work/bin/$1.$2") ;;
    nothing) command=("$foreweave" guard -c "$1.$2.nothing" -- "$work/bin/$1.$2-hooks") ;;
    guard) command=("$foreweave" guard --log="$1.$2.log" -c "$1.$2.constraints" -- "$work/bin/$1.$2-hooks") ;;
    learn) command=("$foreweave" learn -q --runs=1 --idle=0 --show --limit=0 -c "$1.$2.again" --anew -- "$work/bin/$1.$2-hooks") ;;
    esac
    [ "$1" != pbzip2 ] || ln -sf "$work/input.$scale" "$work/input"
    # shellcheck disable=SC2046
    (cd "$work" && "$measure" --parts --wall 300 -o "$work/output" "${command[@]}" $(arguments_of "$1")) \
        >"$work/line" 2>"$work/errors" || { cat "$work/errors" >&2 && die "cannot run $1 ($2, $3)"; }
    [ -e "$work/$1.wanted" ] || cp "$work/output" "$work/$1.wanted"
    cmp -s "$work/output" "$work/$1.wanted" || same=differs
    violations=$(sed -n 's/.* \([0-9]*\) violations: .*/\1/p' "$work/errors")
    awk -v start="$1 $2 $3" -v same=$same -v violations="${violations:-0}" -v what="$3" '{ print start, what == "native" ? $1 : $7, $1, $5, same, violations }' "$work/line" |
        tee -a "$work/results" >&2
}
rm -f "$work/results" "$work"/*.wanted
for round in $(seq "$repeat"); do
    for program in $programs; do
        for compiler in $compilers; do
            for what in ${WAYS:-native nothing guard learn}; do
                run "$program" "$compiler" $what
            done
        done
    done
done

echo "\`${LEAN:+LEAN=$LEAN COMPILERS=$compilers }REPEAT=$repeat SCALE=$full_scale LEARN=$learn_scale bash bench/guard.sh\`, $(date -u +%F), $(nproc) cores, $(gcc --version | head -n 1)."
echo
echo "Processor time of the program against native -O2 of the same compiler; what the command takes before the program starts is apart, in seconds."
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
    function ratio(a, b) { return wrong[a] ? wrong[a] : median(b) > 0 ? sprintf("%.2f", median(a) / median(b)) : "-" }
    {
        key = $1 " " $2 " " $3; value[key, ++runs[key]] = $4
        if ($3 == "guard") { key = key " start"; value[key, ++runs[key]] = $5 - $4; key = $1 " " $2 " " $3 }
        if (!(($1 " " $2) in seen)) { seen[$1 " " $2] = 1; rows[++count] = $1 " " $2 }
        if ($6 != 0) wrong[key] = "exit " $6
        else if ($7 != "same") wrong[key] = "wrong output"
        if ($3 == "guard" && $8 > most[$1 " " $2]) most[$1 " " $2] = $8
    }
    END {
        print "| program | compiler | native, s | nothing watched | guarded | learning | violations in a run, at most | before it starts, s |"
        print "|---|---|---|---|---|---|---|---|"
        for (i = 1; i <= count; i++) {
            row = rows[i]; split(row, part, " ")
            printf "| %s | %s | %.2f | %s | %s | %s | %d | %.2f |\n", part[1], part[2], median(row " native"), ratio(row " nothing", row " native"),
                ratio(row " guard", row " native"), ratio(row " learn", row " native"), most[row], median(row " guard start")
        }
    }' "$work/results"
