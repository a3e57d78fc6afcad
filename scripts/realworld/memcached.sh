# shellcheck shell=bash disable=SC2034,SC2154
# memcached with four workers on 127.0.0.1: four clients at once set, get, count and delete, and
# compare every answer with what it must be.  Then some of memcached's own tests.
packages="memcached"
jobs="load own-tests"

build() {
    # shellcheck disable=SC2086
    (cd memcached && ./configure CC="$CC" CFLAGS="-O2 -g -w" --disable-docs --disable-coverage)
    make -C memcached memcached memcached-debug timedrun sizes
    mv memcached/memcached-debug memcached/memcached-tested
}
job_load() {
    local port status=0
    port=$(free_port)
    under /dev/null memcached/memcached -l 127.0.0.1 -p "$port" -U 0 -u "$(id -un)" -t 4 -m 64 \
        -P "$PWD/memcached.pid" &
    server=$!
    timeout "$limit" python3 "$here/memcached_load.py" "$port" 4 "$(scaled 4000)" || status=$?
    stop_server memcached.pid || status=$?
    return $status
}
job_own-tests() {
    local under=
    [ "$way" != foreweave ] || under="$foreweave record ${RECORD:-} -o $place/own-tests.\$\$.fwt --"
    printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$under" "$PWD/memcached/memcached-tested" >memcached/memcached-debug
    chmod +x memcached/memcached-debug
    rm -f "$place"/own-tests.*
    (cd memcached && timeout "$limit" prove -Q t/00-startup.t t/64bit.t t/cas.t t/incrdecr.t t/flags.t \
        t/getset.t t/noreply.t t/touch.t t/stats.t t/lru-crawler.t t/slabs_reassign.t >own-tests.log 2>&1)
    grep -E '^(All tests|Result:|Failed)|Failed test' memcached/own-tests.log
    grep -q '^Result: PASS' memcached/own-tests.log
}
