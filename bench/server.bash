# shellcheck shell=bash disable=SC2034,SC2154
# server.bash - sourced by what has memcached or redis under load: how they are started, loaded and ended.
#
#   $work, $scripts      as in real.bash
#   server_of NAME WAY   sets server (the command, in the folder at hand), $port; the file `pid` is its process's
#   load_server NAME STEPS SEED   every answer is checked; 0: all were right
#   await_server         until it listens
#   stop_server COMMAND  ends it and waits for the process COMMAND; its status
free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
server_of() {
    port=$(free_port)
    rm -f pid
    case $1 in
    memcached) server=("$work/memcached/$2/memcached/memcached" -l 127.0.0.1 -p "$port" -U 0 -u "$(id -un)" -t 4 -m 64 -P "$PWD/pid") ;;
    redis) server=("$work/redis/$2/redis/src/redis-server" --port "$port" --bind 127.0.0.1 --dir "$PWD" --save "" --appendonly no
        --lazyfree-lazy-user-del yes --enable-debug-command local --pidfile "$PWD/pid" --daemonize no) ;;
    esac
}
load_server() {
    case $1 in
    memcached) timeout 900 python3 "$scripts/realworld/memcached_load.py" "$port" 4 "$2" "$3" ;;
    redis) timeout 900 python3 "$scripts/realworld/redis_check.py" "$port" fill $(($2 / 6)) "$3" ;; # six commands a step
    esac
}
await_server() {
    for _ in $(seq 300); do
        [ -s pid ] && python3 -c "import socket; socket.create_connection(('127.0.0.1', $port), 1)" 2>/dev/null && return 0
        sleep 0.1
    done
    return 1
}
stop_server() {
    kill -TERM "$(cat pid)" 2>/dev/null
    wait "$1"
}
