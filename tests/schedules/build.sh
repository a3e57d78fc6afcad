#!/usr/bin/env bash
# build.sh - builds the programs of this folder, in all their variants, and prints the paths, one a line.
#
#   build.sh [--list] [--twins|--all] [--compiler=NAME] [--level=-O1] [--native] [--jobs=N] [-o DIR] [NAME...]
#
# A NAME is a program (reorder), or one variant of it (reorder.THREADS=3); without names all that have a
# bug are built, with --twins their right twins instead, with --all both.  They are built by 'foreweave cc'
# and 'foreweave c++' with the compiler named (gcc), or by that compiler itself with --native.  With
# --list nothing is built; for each program and variant that would be, a line with tabs is printed:
#
#   name    bug|right    fails-as    depth    preemptions    recorded
#
# FOREWEAVE names the program (build/foreweave).  README.md says what the keys mean.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
FOREWEAVE=${FOREWEAVE:-$here/../../build/foreweave}
which=bugs compiler=gcc level=-O1 native= jobs=2 folder=. list= names=()
while [ $# -gt 0 ]; do
    case $1 in
    --list) list=yes ;;
    --twins) which=twins ;;
    --all) which=all ;;
    --compiler=*) compiler=${1#*=} ;;
    --level=*) level=${1#*=} ;;
    --native) native=yes ;;
    --jobs=*) jobs=${1#*=} ;;
    -o) [ $# -gt 1 ] || { echo "build.sh: -o needs a folder" >&2; exit 2; }; folder=$2; shift ;;
    -*) echo "build.sh: unknown option '$1'" >&2; exit 2 ;;
    *) names+=("$1") ;;
    esac
    shift
done

# What a program says under a key, without the reason in brackets.
said() { sed -n "s/^ \* $2: *//p" "$1" | sed 's/ *(.*//'; }

# A number of a program's head; it may be an expression with the macro of the variant in it.
number() {
    local said
    said=$(said "$1" "$2")
    case $3 in *.*=*) local "${3#*.}" ;; esac
    echo $((said))
}

# The names of a program's variants: of a program without any, its own.
variants() {
    local base=${1##*/} variant some=
    base=${base%.*}
    for variant in $(said "$1" variants); do
        echo "$base.$variant"
        some=yes
    done
    [ -n "$some" ] || echo "$base"
}

# "name source" of all that is asked for.
chosen() {
    local source base name
    for source in "$here"/*.c "$here"/*.cc; do
        base=${source##*/} base=${base%.*}
        if [ ${#names[@]} = 0 ]; then
            case $which,$base in bugs,*_ok) continue ;; twins,*_ok | all,* | bugs,*) ;; *) continue ;; esac
        fi
        for name in $(variants "$source"); do
            asked "$base" "$name" && echo "$name $source"
        done
    done
}

asked() {
    local one
    [ ${#names[@]} = 0 ] && return 0
    for one in "${names[@]}"; do
        [ "$one" = "$1" ] || [ "$one" = "$2" ] && return 0
    done
    return 1
}

describe() {
    local name=$1 source=$2
    case $name in
    *_ok | *_ok.*) printf '%s\tright\t-\t-\t-\t-\n' "$name" ;;
    *) printf '%s\tbug\t%s\t%d\t%d\t%s\n' "$name" "$(said "$source" fails-as)" \
        "$(number "$source" depth "$name")" "$(number "$source" preemptions "$name")" \
        "$(said "$source" recorded)" ;;
    esac
}

# Prints the path if it was built, else what the compiler said.
build() {
    local name=$1 source=$2 command=cc standard=gnu11 by=$compiler macro=
    if [ "${source##*.}" = cc ]; then
        command=c++ standard=c++17 by=${by/%gcc/g++} by=${by/%clang/clang++}
    fi
    case $name in *.*=*) macro=-D${name#*.} ;; esac
    if [ -n "$native" ]; then set -- $by; else set -- "$FOREWEAVE" "$command" "--compiler=$by"; fi
    set -- "$@" -g "$level" "-std=$standard" -Wall -Wextra -pthread $macro "$source" -o "$folder/$name"
    if "$@" >&2; then
        echo "$folder/$name"
    else
        echo "build.sh: not built: $*" >&2
        return 1
    fi
}

programs=$(chosen)
if [ ${#names[@]} -gt 0 ]; then
    for one in "${names[@]}"; do
        grep -qE "^$one(\.[^ ]*)? " <<<"$programs" || { echo "build.sh: no program '$one'" >&2; exit 2; }
    done
fi
if [ -n "$list" ]; then
    while read -r name source; do describe "$name" "$source"; done <<<"$programs"
    exit 0
fi
mkdir -p "$folder" && folder=$(cd "$folder" && pwd) || exit 1
export -f build
export FOREWEAVE compiler level native folder
xargs -P "$jobs" -L 1 bash -c 'build "$@"' build <<<"$programs"
