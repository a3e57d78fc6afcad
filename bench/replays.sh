#!/usr/bin/env bash
# replays.sh [--runs=100] [--find=2000] [NAME...] - do failing schedules replay, also in other builds?
#
# Each program of tests/schedules (or those named) fails in one of three builds, in turn: gcc -O0, gcc -O2,
# clang -O2.  What `foreweave explore` finds there within --find runs (pct, then random, chess, predict) becomes a
# schedule, which is replayed --runs times in the same build, in the two others, and in one of gcc -O1 from
# sources with a function, comments and empty lines added.  One line a program:
#
#   name  found-in  strategy  steps  shows  OWN/runs  OTHER/runs  OTHER/runs  MORE/runs
#
# An m behind a number says that a step had to be moved to a place near by.
set -u
cd "$(dirname "$0")/.." || exit 1
FOREWEAVE=${FOREWEAVE:-$PWD/build/foreweave}
export FOREWEAVE
runs=100 find=2000 names=()
for argument; do
    case $argument in
    --runs=*) runs=${argument#*=} ;;
    --find=*) find=${argument#*=} ;;
    -*) echo "replays.sh: unknown option '$argument'" >&2; exit 2 ;;
    *) names+=("$argument") ;;
    esac
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
builds=(gcc-O0 gcc-O2 clang-O2 more)

# Comments and blank lines in all blocks that begin a line, a function behind the last #include.
mkdir -p "$work/source/schedules"
cp -r tests/schedules/. "$work/source/schedules"
for file in "$work"/source/schedules/*.c "$work"/source/schedules/*.cc; do
    awk 'NR == FNR { if (/^#include/) last = FNR; next }
         { print }
         FNR == last { print "\n__attribute__((unused)) static int unrelated(int x)\n{\n    return x + 1;\n}\n" }
         /^{/ { print "    /* something else */\n" }' "$file" "$file" >"$work/changed" &&
        mv "$work/changed" "$file"
done

build() { # NAME
    bash tests/schedules/build.sh --compiler=gcc --level=-O0 --jobs=1 -o "$work/gcc-O0" "$1"
    bash tests/schedules/build.sh --compiler=gcc --level=-O2 --jobs=1 -o "$work/gcc-O2" "$1"
    bash tests/schedules/build.sh --compiler=clang --level=-O2 --jobs=1 -o "$work/clang-O2" "$1"
    bash "$work/source/schedules/build.sh" --compiler=gcc --level=-O1 --jobs=1 -o "$work/more" "$1"
}

replays() { # SCHEDULE PROGRAM: prints how many
    "$FOREWEAVE" replay --runs="$runs" --format=json "$1" -- "$2" >"$work/result" 2>&1
    sed -n "s/.*\"reproduced\":\([0-9]*\).*/\1\/$runs/p" "$work/result" | tr -d '\n'
    grep -q '"moved":\["' "$work/result" && printf m
}

if [ ${#names[@]} = 0 ]; then
    mapfile -t names < <(bash tests/schedules/build.sh --list | cut -f1)
fi
for folder in "${builds[@]}"; do mkdir -p "$work/$folder"; done
turn=0
for name in "${names[@]}"; do
    from=${builds[$((turn++ % 3))]}
    build "$name" >/dev/null 2>&1
    schedule=
    for strategy in pct random chess predict; do
        rm -rf "$work/found"
        "$FOREWEAVE" explore -s $strategy --until-first --runs="$find" --folder="$work/found" -- \
            "$work/$from/$name" >/dev/null 2>&1
        schedule=$(ls "$work"/found/*.sched 2>/dev/null | head -1)
        [ -z "$schedule" ] || break
    done
    if [ -z "$schedule" ]; then
        echo "$name $from none"
        continue
    fi
    line="$name $from $strategy $(grep -c '^0' "$schedule") $(sed -n 's/^shows \([a-z]* *[0-9]*\).*/\1/p' "$schedule")"
    line="$line $from=$(replays "$schedule" "$work/$from/$name")"
    for to in "${builds[@]}"; do
        [ "$to" = "$from" ] || line="$line $to=$(replays "$schedule" "$work/$to/$name")"
    done
    echo "$line"
done
