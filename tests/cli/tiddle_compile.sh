#!/usr/bin/env bash
# Programs made from traces: every trace of the corpus that has a program is executed a thousand
# times, in its own order each time; without warnings, sanitizer reports or leaks.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
warnings="-std=c11 -Wall -Wextra -Werror"

# build SOURCE PROGRAM [OPTIONS]: the default compiler, no optimisation for speed of compiling.
build() {
    local source=$1 program=$2
    shift 2
    # shellcheck disable=SC2086
    cc $warnings -pthread "$@" "$source" -o "$program" >"$err" 2>&1 ||
        { complain "cc fails on $source"; head -5 "$err"; }
}

# One trace of the corpus, in the current directory.
check_trace() {
    local trace=$1 number=$2 name
    name=$(basename "$trace")
    if [ "$name" = free-no-realloc.std ]; then
        expect 3 tiddle compile "$trace"
        err_has "event 3, 'w(x)' of T2, comes after event 2 has freed the variable"
        one_error
        return
    fi
    expect 0 tiddle compile -q "$trace" -o "$name.c"
    silent
    build "$name.c" "$name.run" -O0
    expect 0 trace convert -q "$trace" wanted.tid
    echo "# 1000 runs, the same order in all" >>wanted.tid
    last="foreweave tiddle compile $name -o a.c && cc -pthread a.c && ./a.out --runs 1000 --order"
    timeout 300 "./$name.run" --runs 1000 --order >"$out" 2>"$err" || complain "status $?"
    same wanted.tid "$out"
    silent

    # A part of them: other compilers, optimised, sanitized.
    case $((number % 8)) in
    1)
        build "$name.c" "$name.san" -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
        timeout 300 "./$name.san" --runs 20 >"$out" 2>"$err" || complain "status $? with sanitizers"
        silent
        ;;
    3)
        build "$name.c" "$name.fast" -O3
        timeout 300 "./$name.fast" --runs 50 >"$out" 2>"$err" || complain "status $? with -O3"
        ;;
    5)
        # shellcheck disable=SC2086
        ! command -v clang >/dev/null ||
            clang $warnings -pthread -O1 "$name.c" -o "$name.clang" 2>"$err" ||
            { complain "clang fails on $name"; head -5 "$err"; }
        ;;
    esac
    rm -f "$name".*
}

# The corpus in three parts at a time: the programs wait more than they work.
check_part() {
    local part=$1 number=0 trace
    mkdir "$part" && cd "$part" || return 1
    out=$PWD/.out
    err=$PWD/.err
    for trace in "$traces"/*.std "$traces"/*.tid; do
        number=$((number + 1))
        [ $((number / 8 % 3)) = "$part" ] && check_trace "$trace" "$number"
    done
    [ "$number" -ge 150 ] || complain "only $number traces in the corpus"
    return "$failures"
}
(check_part 0) & part0=$!
(check_part 1) & part1=$!
(check_part 2) & part2=$!
for part in $part0 $part1 $part2; do
    wait "$part" || failures=$((failures + 1))
done

# Values are asserted, and what is wrong is said.
printf 'wr 1 x 1\nrd 2 x 5\n' >value.tid
expect 0 tiddle compile value.tid -o value.c
out_is "2 events -> value.c
Build and run it: cc -std=c11 -pthread value.c -o program && ./program --order"
build value.c value
./value >"$out" 2>"$err"
[ $? = 1 ] || complain "a wrong value does not end the program with status 1"
err_is "value.tid: event 1 'rd 2 x 5': read 1, expected 5"
# The twin: a write without a value writes what is read.
printf 'wr 1 x\nrd 2 x 5\nwr 1 x\nrd 2 x\nald 1 y 0\n' >value.tid
expect 0 tiddle compile -q value.tid -o value.c
build value.c value
./value >"$out" 2>"$err" || complain "a value that fits is refused"
silent

# Names that C does not know, values of every size, locks left held, blocks left open.
cat >odd.tid <<'TRACE'
wr 7 int 1 @a.c:1
wr 7 a.b[3] -129 size=1
rd 9 a.b[3] -129 size=1
wr 7 a_b_3_ 255 size=1
rd 9 a_b_3_ 255 size=1
wr 7 sem_t 9223372036854775807
rd 9 sem_t 9223372036854775807
wr 7 "??/*x*/\ -9223372036854775808
rd 9 "??/*x*/\ -9223372036854775808
wr 9 größe 65535 size=2
acq 7 main
tryfail 9 main
beg 7 printf
beg 7
call 7 malloc
call 9 f
call 9 f
ret 7 malloc
ret 7 never
fork 9 2
racq 2 r
racq 9 r
tryfail 7 r
call 2 g
join 9 2
tryfail 7 r
post 7 t
pend 9 t
pend 9 t
TRACE
expect 0 tiddle compile -q odd.tid -o odd.c
build odd.c odd -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
timeout 300 ./odd --order --runs 10 >"$out" 2>"$err" || complain "status $?"
silent
expect_order=$(cat odd.tid)
[ "$(grep -v '^#' "$out")" = "$expect_order" ] || complain "order of odd.tid"

# Which waits and barriers are calls of the library (docs/tiddle.md).
calls() { grep -c "$1(&" "$out"; }
shape() { # WAITS WAKES BARRIERS MARKS, of the trace on standard input
    cat >shape.tid
    expect 0 tiddle compile shape.tid
    set -- "$*" "$(calls 'OK([0-9]*, pthread_cond_wait') $(grep -c '(foreweave_wake,' "$out") \
$(calls 'OK([0-9]*, pthread_barrier_wait') $(grep -c '(foreweave_barrier_in,' "$out")"
    [ "$1" = "$2" ] || { complain "shape is $2, not $1"; cat shape.tid; }
    "$FOREWEAVE" tiddle compile -q shape.tid -o shape.c
    build shape.c shape
    timeout 300 ./shape --runs 200 || complain "status $?"
}
shape 1 0 0 0 <"$FOREWEAVE_SOURCE/examples/handover.tid"
shape 1 0 0 0 <<'TRACE' # the notifier does not hold the mutex, and others go on meanwhile
acq 1 m
rel 1 m
acq 3 m
rel 3 m
notify 2 c
wr 3 x
wr 2 x
wake 1 c
wr 3 x
acq 1 m
TRACE
shape 0 1 0 0 <<'TRACE' # somebody else takes the mutex between notify and acq
acq 1 m
rel 1 m
notify 2 c
acq 3 m
rel 3 m
wake 1 c
acq 1 m
TRACE
shape 0 1 0 0 <<'TRACE' # the mutex is not free when the thread wakes
acq 1 m
rel 1 m
acq 2 m
notify 2 c
wake 1 c
rel 2 m
acq 1 m
TRACE
shape 0 1 0 0 <<'TRACE' # another notify
acq 1 m
rel 1 m
notify 2 c
notify 2 c
wake 1 c rf=2
acq 1 m
TRACE
shape 1 1 0 0 <<'TRACE' # one notifyall, two waiters
acq 1 m
rel 1 m
acq 2 m
rel 2 m
notifyall 3 c
wake 2 c
acq 2 m
rel 2 m
wake 1 c
acq 1 m
TRACE
shape 0 1 0 0 <<'TRACE' # a wake that stands alone
acq 1 m
rel 1 m
notify 2 c
wake 1 c
wr 1 x
TRACE
shape 0 1 0 0 <<'TRACE' # a read-write lock
racq 2 m
rrel 2 m
acq 1 m
rel 1 m
notify 2 c
wake 1 c
acq 1 m
TRACE
shape 2 0 0 0 <<'TRACE' # a recursive mutex; the same condition again
acq 1 m
acq 1 m
rel 1 m
rel 1 m
notify 2 c
wake 1 c
acq 1 m
rel 1 m
acq 2 m
notify 2 c
rel 2 m
wake 1 c
acq 1 m
TRACE
shape 0 0 4 0 <<'TRACE' # two rounds; the second with another thread, which ends inside
barin 1 b
barin 2 b
barout 2 b
barin 3 b
barout 1 b
barin 1 b
TRACE
shape 0 0 0 2 <<'TRACE' # something happens inside
barin 1 b
wr 1 x
barin 2 b
barout 1 b
barout 2 b
TRACE

# T0 is the main thread unless it is forked or joined.
printf 'fork 0 1\nwr 1 x\njoin 0 1\n' >main.tid
expect 0 tiddle compile main.tid
out_has "    thread_0(NULL);"
printf 'fork 1 0\nwr 0 x\n' >main.tid
expect 0 tiddle compile main.tid
out_lacks "    thread_0(NULL);"

# What cannot be a program, and wrong usage.
printf 'fork 1 2\njoin 1 2\njoin 3 2\n' >bad.tid
expect 3 tiddle compile bad.tid -o kept.c
err_has "event 2, 'join(T2)' of T3, joins a thread for the second time"
[ ! -e kept.c ] || complain "a file was made"
printf 'acq 1 m\nacq 1 m\nrel 1 m\nrel 1 m\nracq 1 m\n' >bad.tid
expect 3 tiddle compile bad.tid
err_has "takes a read-write lock that its thread holds exclusively"
printf 'main|r(x)\n' >named.std
expect 3 tiddle compile named.std
err_has "Tiddle cannot carry the name 'main': threads are numbers"
expect 3 tiddle compile "$traces/bad/unknown-op.tid"
one_error
expect 3 tiddle compile missing.tid
one_error
expect 2 tiddle compile --delay=yield main.tid
expect 2 tiddle compile main.tid -o main.tid
expect 2 tiddle compile
: >empty.tid
expect 0 tiddle compile -q empty.tid -o empty.c
build empty.c empty
./empty --order >"$out" 2>"$err" || complain "the empty program fails"
out_is ""
./empty --wrong >"$out" 2>"$err"
[ $? = 2 ] || complain "a wrong argument is not refused"
err_has "usage: "
finish
