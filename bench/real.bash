# shellcheck shell=bash disable=SC2034,SC2154
# real.bash - sourced by what measures real programs: builds them as scripts/realworld.sh does.
#
#   $foreweave, $scripts (the folder), $work (kept)
#   build_program NAME   in $work/NAME/WAY, for the ways native and foreweave: sources, the build, the mark `built`
build_program() { # PROGRAM
    local way package source
    # shellcheck source=/dev/null
    . "$scripts/realworld/$1.sh"
    for way in native foreweave; do
        mkdir -p "$work/$1/$way" && cd "$work/$1/$way" || return
        [ ! -e built ] || continue
        CC=gcc CXX=g++
        [ $way = native ] || CC="$foreweave cc" CXX="$foreweave c++"
        for package in $packages; do
            source=$(bash "$scripts/debian_source.sh" "$package" "$work/sources") || return
            [ -d "$package" ] || cp -r "$source" "$package"
        done
        (set -e; build) >build.log 2>&1 || { tail -n 5 build.log >&2 && return 1; }
        touch built
    done
}
