# shellcheck shell=bash disable=SC2034,SC2154
# redis-server with its benchmark on 127.0.0.1, first as it comes (background threads), then with
# four I/O threads.  Afterwards clients fill it with known data, which must give the same digest.
packages="redis"
jobs="benchmark io-threads"

build() {
    make -C redis/src MALLOC=libc OPTIMIZATION=-O2 CC="$CC" CFLAGS=-w redis-server redis-cli redis-benchmark
}
# The tools are the native ones: what they cost is not what is asked for.
drive() { # REQUESTS OPTION...
    local port status=0 requests=$1 tools=$place/native/redis/src
    shift
    port=$(free_port)
    rm -rf data && mkdir data
    under server.log redis/src/redis-server --port "$port" --bind 127.0.0.1 --dir "$PWD/data" --save "" \
        --appendonly yes --appendfsync everysec --lazyfree-lazy-user-del yes --enable-debug-command local \
        --pidfile "$PWD/redis.pid" --daemonize no "$@" &
    server=$!
    timeout "$limit" python3 "$here/redis_check.py" "$port" wait || status=$?
    timeout "$limit" "$tools/redis-benchmark" -h 127.0.0.1 -p "$port" -c 20 -n "$requests" -r 1000 -q \
        -t set,get,incr,lpush,rpop,sadd,hset,zadd,mset >benchmark.log || status=$?
    timeout "$limit" python3 "$here/redis_check.py" "$port" fill || status=$?
    stop_server redis.pid || status=$?
    return $status
}
job_benchmark() { drive "$(scaled 3000)"; }
job_io-threads() { drive "$(scaled 100)" --io-threads 4 --io-threads-do-reads yes; }
