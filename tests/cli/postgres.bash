# shellcheck shell=bash disable=SC2034,SC2154,SC2012
# postgres.bash - sourced after common.bash by tests that need a PostgreSQL server.
#
#   start_postgres   starts one that ends with the test; $url names its database, $server the folder of its
#                    programs.  Ends the test, with a message, where none is installed.
start_postgres() {
    local as='' user
    server=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)
    if [ -z "$server" ]; then
        echo "PostgreSQL: skipped: no server is installed (Debian: postgresql)"
        finish
    fi
    data=$(mktemp -d /tmp/foreweave-pg.XXXXXX) # a socket's path must be short
    if [ "$(id -u)" = 0 ]; then
        user=postgres
        id -u $user >/dev/null 2>&1 || user=nobody
        chown $user "$data"
        as="setpriv --reuid=$user --clear-groups --regid=$(id -g $user)"
    fi
    postgres_as=$as
    trap stop_postgres EXIT
    (cd / && $as "$server/initdb" -D "$data/db" -A trust -U tester -N -E UTF8 --locale=C >/dev/null 2>&1 &&
        $as "$server/pg_ctl" -w -t 600 -D "$data/db" -l "$data/log" -o "-k $data -c listen_addresses= -c fsync=off" start >/dev/null) ||
        complain "the server does not start: $(cat "$data/log")"
    url="postgresql:///postgres?host=$data&user=tester"
}
stop_postgres() {
    (cd / && $postgres_as "$server/pg_ctl" -D "$data/db" -m immediate stop >/dev/null 2>&1)
    rm -rf "$data" "$scratch"
}
