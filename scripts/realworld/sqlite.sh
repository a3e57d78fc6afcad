# shellcheck shell=bash disable=SC2034,SC2154
# SQLite's threaded tests: threadtest4 (a fixed amount of work) in two modes, and threadtest3, whose
# tests last a fixed time each, cut to half a second here.  They judge themselves.  Left out is
# checkpoint_starvation, whose verdict depends on the speed of the machine.
packages="sqlite3"
jobs="threadtest4 threadtest4-wal threadtest3"

build() {
    (cd sqlite3 && ./configure --disable-tcl --disable-readline CC=gcc && make sqlite3.c)
    sed 's/\(", *\)[0-9]*000 }/\1500 }/' sqlite3/test/threadtest3.c >sqlite3/test/tt3.c
    local flags="-O2 -g -w -pthread -DSQLITE_THREADSAFE=1 -DSQLITE_ENABLE_UNLOCK_NOTIFY=1 -Isqlite3 -Isqlite3/test -Isqlite3/src"
    # shellcheck disable=SC2086
    $CC $flags -c sqlite3/sqlite3.c -o sqlite3.o
    # shellcheck disable=SC2086
    $CC $flags sqlite3/test/threadtest4.c sqlite3.o -o threadtest4 -ldl -lm
    # shellcheck disable=SC2086
    $CC $flags sqlite3/test/tt3.c sqlite3/src/test_multiplex.c sqlite3.o -o threadtest3 -ldl -lm
}
job_threadtest4() {
    under output ./threadtest4 4 || return
    grep -i 'error' output
}
job_threadtest4-wal() {
    under output ./threadtest4 -wal 4 || return
    grep -i 'error' output
}
job_threadtest3() {
    under output ./threadtest3 'walthread?' cgt_pager_1 dynamic_triggers create_drop_index_1 lookaside1 \
        vacuum1 'stress?' shared1 || return
    grep 'errors out of' output
}
