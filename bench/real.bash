# shellcheck shell=bash disable=SC2034,SC2154
# real.bash - sourced by what measures real programs: builds them as scripts/realworld.sh does.
#
#   $foreweave, $scripts (the folder), $work (kept)
#   build_program NAME   in $work/NAME/WAY, for the ways native and foreweave: sources, the build, the mark `built`
#   describe NAME        how it is run under load, in the folder where we are
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

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# Sets `command`, an array, and `escort`: what goes along with it.
describe() { # PROGRAM
    local port built=$work/$1/foreweave
    port=$(free_port)
    escort=()
    case $1 in
    pbzip2)
        yes "a line of words that say little" | head -c 220000 >input
        command=("$built/pbzip2/pbzip2" -k -c -q -1 -b1 -p2 input)
        ;;
    memcached)
        command=("$built/memcached/memcached" -l 127.0.0.1 -p "$port" -U 0 -u "$(id -un)" -t 2 -m 8)
        escort=(--drive="python3 $scripts/realworld/memcached_load.py $port 3 10")
        ;;
    redis)
        rm -rf data && mkdir data
        command=("$built/redis/src/redis-server" --port "$port" --bind 127.0.0.1 --dir "$PWD/data" --save ""
            --appendonly yes --appendfsync everysec --lazyfree-lazy-user-del yes --enable-debug-command local
            --io-threads 3 --io-threads-do-reads yes)
        escort=(--setup="rm -rf $PWD/data/*" --drive="python3 $scripts/realworld/redis_check.py $port wait &&
            python3 $scripts/realworld/redis_check.py $port fill 3")
        ;;
    esac
}
