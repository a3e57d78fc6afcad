#!/usr/bin/env bash
# The programs of tests/schedules are built quietly, natively and with the wrapper, and pass when they are just
# run: the right ones always, those with a bug in one of a few tries.  Their heads are complete.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
schedules=$FOREWEAVE_SOURCE/tests/schedules

bash "$schedules/build.sh" --list --all >list 2>err || complain "build.sh --list: $(cat err)"
[ "$(cut -f2 list | sort -u | paste -sd' ')" = "bug right" ] || complain "the list has not both kinds"

# Every bug is described, every program has its twin, and all are in the list of the folder.
awk -F'\t' '$2 == "bug" && !($3 ~ /^(assertion|deadlock|hang|(exit|signal) [0-9]+)$/ && $4 >= 1 &&
    $5 ~ /^[0-9]+$/ && $6 ~ /^(yes|no)$/) { print $1 }' list >incomplete
[ ! -s incomplete ] || complain "heads that are not complete: $(paste -sd' ' incomplete)"
diff <(awk '$2 == "bug" { print $1 }' list | sort) \
    <(awk '$2 == "right" { sub(/_ok/, "", $1); print $1 }' list | sort) >twins ||
    complain "without a twin: $(sed -n 's/^[<>] //p' twins | paste -sd' ')"
while read -r program; do
    grep -qF "| \`$program\`" "$schedules/README.md" || complain "README.md does not list $program"
    [ "$(grep -c '^ \* bug: ' "$schedules/$program")" = 1 ] || complain "$program does not say what is wrong"
done < <(cd "$schedules" && ls *.c *.cc | grep -v '_ok\.')

build_all() { # FOLDER OPTION...
    local folder=$1
    shift
    bash "$schedules/build.sh" --all --level=-O1 -o "$folder" "$@" >"$folder.paths" 2>"$folder.err"
    last="build.sh --all --level=-O1 $*"
    [ ! -s "$folder.err" ] || { complain "the compiler said something:"; head -5 "$folder.err"; }
    [ "$(wc -l <"$folder.paths")" = "$(wc -l <list)" ] || complain "not all were built"
}
build_all native --native
build_all wrapped

# A bug may show itself; five times in a row it does not.
passes() { # PROGRAM TRIES
    local i limit=10 # s: as a bug may let it hang
    [ "$2" != 1 ] || limit=300
    for ((i = 0; i < $2; i++)); do
        { timeout -k 1 $limit "$1" >/dev/null 2>&1; } 2>/dev/null && return 0
    done
    return 1
}
while IFS=$'\t' read -r name kind _; do
    tries=1
    [ "$kind" = right ] || tries=5
    for way in native wrapped; do
        last="build.sh $name; ./$name ($way)"
        passes "./$way/$name" $tries || complain "$name fails"
    done
done <list
finish
