#!/usr/bin/env bash
# record.sh - what recording costs, side by side with ThreadSanitizer and Helgrind; prints tables in
# Markdown.  Builds the programs of bench/programs and pbzip2 (with libbzip2, from Debian's sources)
# in every way, checks that all print the same, and takes the medians of several rounds; the ways
# take turns, so that a busy minute disturbs all of them.
#
#   PROGRAMS="lu radix bank prodcons pbzip2"
#   WAYS="gcc clang gcc-tsan clang-tsan helgrind gcc-foreweave clang-foreweave"
#   REPEAT=5       rounds (helgrind: one)
#   SCALE=100      size of the work in percent; at 100 the native programs take 0.2 to 1 s
#   LIMIT=300      seconds after which a run is stopped
#   RECORD=""      more options of `foreweave record`
#   WORK=folder    kept; by default a temporary folder (a few GB) that is removed
#   BUILD=build    where foreweave and bench/measure are (default: built here, as release)
set -eu
cd "$(dirname "$0")/.."
programs=${PROGRAMS:-lu radix bank prodcons pbzip2}
ways=${WAYS:-gcc clang gcc-tsan clang-tsan helgrind gcc-foreweave clang-foreweave}
repeat=${REPEAT:-5}
scale=${SCALE:-100}
limit=${LIMIT:-300}
build=${BUILD:-build}
. bench/place.bash

# Compilers of a way, with their options.
c_of() {
    case $1 in
    gcc | clang) echo "$1" ;;
    *-tsan) echo "${1%-tsan} -fsanitize=thread" ;;
    *-foreweave) echo "$foreweave cc --compiler=${1%-foreweave}" ;;
    esac
}
cxx_of() {
    case $1 in
    gcc*) local cxx=g++ ;;
    clang*) local cxx=clang++ ;;
    esac
    case $1 in
    *-tsan) echo "$cxx -fsanitize=thread" ;;
    *-foreweave) echo "$foreweave c++ --compiler=$cxx" ;;
    *) echo "$cxx" ;;
    esac
}

. bench/arguments.bash
. bench/building.bash

mkdir -p "$work/bin"
find_pbzip2
case " $ways " in *" helgrind "*)
    command -v valgrind >/dev/null || { say "skipping helgrind: valgrind is missing" && ways=${ways//helgrind/}; } ;;
esac
for way in $ways; do
    [ "$way" != helgrind ] || continue
    say "building with $(c_of "$way")"
    for program in $programs; do
        make_program "$program" "$way" >"$work/build.log" 2>&1 ||
            { cat "$work/build.log" >&2 && die "cannot build $program with $way"; }
    done
done

# One run: a line "program way processor children wall KiB how code same".
run() { # PROGRAM WAY
    local command=("$work/bin/$1.$2") same=same
    case $2 in
    helgrind) command=(valgrind --tool=helgrind -q --log-file="$work/$1.helgrind" "$work/bin/$1.gcc") ;;
    *-foreweave)
        rm -f "$work/$1.$2.fwt"
        # shellcheck disable=SC2206
        command=("$foreweave" record ${RECORD:-} -o "$work/$1.$2.fwt" -- "$work/bin/$1.$2") ;;
    esac
    # shellcheck disable=SC2046
    "$measure" --parts --wall "$limit" -o "$work/output" "${command[@]}" $(arguments_of "$1") \
        >"$work/line" 2>"$work/$1.$2.errors" || { cat "$work/$1.$2.errors" >&2 && die "cannot run $1 ($2)"; }
    [ -e "$work/$1.wanted" ] || cp "$work/output" "$work/$1.wanted"
    cmp -s "$work/output" "$work/$1.wanted" || same=differs
    awk -v start="$1 $2" -v same=$same '{ print start, $1, $7, $6, $3, $4, $5, same }' "$work/line" |
        tee -a "$work/results" |
        awk '{ printf "record.sh: %s %s: %.2f s of processor time (%.2f in processes waited for), %.2f s, %d MiB, %s %s, %s\n",
            $1, $2, $3, $4, $5, $6 / 1024, $7, $8, $9 }' >&2
    case $(cat "$work/line") in *" exit 0 "* | *" exit 66 "*) ;; *) tail -n 3 "$work/$1.$2.errors" >&2 ;; esac
}
rm -f "$work/results" "$work"/*.wanted
for round in $(seq "$repeat"); do
    for program in $programs; do
        for way in $ways; do
            [ "$way" = helgrind ] && [ "$round" != 1 ] || run "$program" "$way"
        done
    done
done

# What the recorder said: "program way events bytes".
for trace in "$work"/*-foreweave.fwt; do
    [ -e "$trace" ] || continue
    name=${trace##*/}
    name=${name%.fwt}
    echo "${name%%.*} ${name#*.}" \
        "$(sed -n 's/,//g; s/^foreweave: \([0-9]*\) events of .*/\1/p' "${trace%.fwt}.errors" | head -n 1)" \
        "$(stat -c %s "$trace")"
done >"$work/traces"

echo "\`REPEAT=$repeat SCALE=$scale bash bench/record.sh\`, $(date -u +%F), $(nproc) cores, $(gcc --version | head -n 1), $(clang --version 2>/dev/null | head -n 1)."
awk -v programs="$programs" -v ways="$ways" '
    function median(key, what,   n, i, j, held, values) {
        n = runs[key]
        for (i = 1; i <= n; i++) values[i] = value[key, what, i]
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && values[j] < values[j - 1]; j--) {
                held = values[j]; values[j] = values[j - 1]; values[j - 1] = held
            }
        return values[int(n / 2) + 1]
    }
    function ratio(program, way, what,   base, key) {
        base = program " " (way ~ /^clang/ ? "clang" : "gcc")
        key = program " " way
        if (!runs[key]) return "-"
        if (failed[key]) return failed[key]
        if (!median(base, what)) return "-"
        return sprintf("%.1f", median(key, what) / median(base, what))
    }
    function own(program, way,   key, base) {
        key = program " " way
        base = program " " (way ~ /^clang/ ? "clang" : "gcc")
        if (!runs[key] || failed[key] || !median(base, "cpu")) return "-"
        return sprintf("%.1f", median(key, "children") / median(base, "cpu"))
    }
    function table(title, what,   p, w) {
        printf "\n%s\n\n| program | native, s |", title
        for (w = 1; w <= nw; w++) if (way[w] !~ /^(gcc|clang)$/) printf " %s |", way[w]
        printf "\n|---|---|"
        for (w = 1; w <= nw; w++) if (way[w] !~ /^(gcc|clang)$/) printf "---|"
        printf "\n"
        for (p = 1; p <= np; p++) {
            printf "| %s | %.2f, %.2f |", program[p], median(program[p] " gcc", what), median(program[p] " clang", what)
            for (w = 1; w <= nw; w++) if (way[w] !~ /^(gcc|clang)$/) printf " %s |", ratio(program[p], way[w], what)
            printf "\n"
        }
    }
    BEGIN { np = split(programs, program, " "); nw = split(ways, way, " ") }
    FILENAME ~ /traces$/ { events[$1 " " $2] = $3; bytes[$1 " " $2] = $4; next }
    {
        key = $1 " " $2; n = ++runs[key]
        value[key, "cpu", n] = $3; value[key, "children", n] = $4; value[key, "wall", n] = $5; value[key, "memory", n] = $6
        if ($7 == "signal") failed[key] = $8 == 9 ? "stopped" : "signal " $8
        else if ($8 != 0 && $8 != 66) failed[key] = "exit " $8
        else if ($9 != "same") failed[key] = "wrong output"
    }
    END {
        table("Processor time of the program and of the recorder, against native -O2 of the same compiler (gcc, clang).", "cpu")
        table("Wall time.", "wall")
        printf "\nRecording with Foreweave.\n\n| program | compiler | program alone | with recorder | wall | events | trace, MB | bytes an event | peak MiB, largest process | native peak |\n|---|---|---|---|---|---|---|---|---|---|\n"
        for (p = 1; p <= np; p++) for (w = 1; w <= nw; w++) {
            key = program[p] " " way[w]
            if (way[w] !~ /-foreweave$/ || !runs[key]) continue
            base = way[w]; sub(/-foreweave/, "", base)
            printf "| %s | %s | %s | %s | %s | %d | %.1f | %.2f | %.0f | %.0f |\n", program[p], base, own(program[p], way[w]),
                ratio(program[p], way[w], "cpu"), ratio(program[p], way[w], "wall"), events[key], bytes[key] / 1e6,
                events[key] ? bytes[key] / events[key] : 0, median(key, "memory") / 1024, median(program[p] " " base, "memory") / 1024
        }
    }' "$work/traces" "$work/results"
