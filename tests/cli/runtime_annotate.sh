#!/usr/bin/env bash
# Annotations of every dialect are understood, and without them the race is reported; they compile
# with any compiler; turn-taking in programs made from traces is not seen.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
sources=$FOREWEAVE_SOURCE/tests/cli/sync

last="foreweave cc $sources/annotate.c"
"$FOREWEAVE" cc -Wall -Wextra -Werror -g -O1 -pthread "$sources/annotate.c" -o annotate >"$out" 2>"$err" ||
    { complain "it does not build"; head -5 "$err"; finish; }

# annotated STATUS ANALYSES DIALECT WHAT
annotated() {
    "$FOREWEAVE" record -q -o t.fwt -- ./annotate "$3" "$4" >"$out" 2>"$err" ||
        complain "status $? of annotate $3 $4"
    out_is 1
    silent
    expect "$1" check --analysis="$2" t.fwt
    last="$last of ./annotate $3 $4"
}
for what in order lock ignore; do
    for dialect in foreweave tsan dynamic valgrind; do
        annotated 0 hb,race "$dialect" "$what"
    done
    annotated 66 hb none "$what"
    annotated 66 race none "$what"
done
for dialect in foreweave dynamic valgrind; do
    annotated 0 hb,race "$dialect" expect
done
annotated 66 race none expect

# A block is violated if the writer comes between its halves; it is foreseen from some orders.
violations() { # DIALECT
    for seed in 1 2 3 4 5 6 7 8; do
        "$FOREWEAVE" record -q --seed=$seed -o t.fwt -- ./annotate "$1" block >"$out" 2>"$err" || complain "status $?"
        "$FOREWEAVE" check --analysis=atomicity t.fwt
    done
}
last="./annotate foreweave block, recorded with seeds 1 to 8"
violations foreweave >blocks.out
grep -q 'atomicity violation' blocks.out || complain "no violation of the block"
last="./annotate none block, recorded with seeds 1 to 8"
violations none >blocks.out
! grep -q 'atomicity violation' blocks.out || complain "a violation without a block"

# The header needs no library, and no special compiler.
cat >plain.c <<'PROGRAM'
#include <foreweave/annotate.h>
int main(void)
{
    static int x;

    FOREWEAVE_ATOMIC_BEGIN("a");
    FOREWEAVE_IGNORE_READS_BEGIN();
    FOREWEAVE_LOCK_ACQUIRED(&x);
    FOREWEAVE_LOCK_RELEASED(&x);
    FOREWEAVE_HAPPENS_BEFORE(&x);
    FOREWEAVE_EXPECT_RACE(&x, sizeof x, "why not");
    FOREWEAVE_IGNORE_READS_END();
    FOREWEAVE_ATOMIC_END("a");
    return x;
}
PROGRAM
cat >plain.cc <<'PROGRAM'
#include <foreweave/annotate.h>
int main()
{
    foreweave::atomic_block block("a");
    foreweave::ignore nothing;
    FOREWEAVE_THREAD_NAME("main");
}
PROGRAM
for compiler in "cc plain.c" "c++ -x c++ plain.c" "c++ plain.cc" "clang plain.c" "clang++ plain.cc"; do
    command -v "${compiler%% *}" >/dev/null || continue
    last="$compiler -I include"
    # shellcheck disable=SC2086
    $compiler -Wall -Wextra -Werror -pedantic -I "$FOREWEAVE_SOURCE/include" -o plain 2>"$err" &&
        ./plain || { complain "it does not work"; head -3 "$err"; }
done

# Everything that ThreadSanitizer's runtime has for programs to call, ours has.
missing=$(for name in __tsan_mutex_pre_lock __tsan_mutex_post_lock __tsan_mutex_pre_unlock \
    __tsan_mutex_post_unlock __tsan_mutex_pre_signal __tsan_mutex_post_signal \
    __tsan_mutex_pre_divert __tsan_mutex_post_divert __tsan_mutex_create __tsan_mutex_destroy \
    __tsan_acquire __tsan_release __tsan_create_fiber __tsan_switch_to_fiber \
    __tsan_external_write __tsan_java_mutex_lock_rec __tsan_get_report_data \
    AnnotateRWLockCreate AnnotateCondVarWait AnnotatePCQGet AnnotateThreadName RunningOnValgrind; do
    nm -D --defined-only "$FOREWEAVE_BUILD/libforeweave_rt.so" | grep -q " $name\$" || echo "$name"
done)
[ -z "$missing" ] || complain "not there: $missing"

# Programs made from traces: recorded in the order of the trace, and no more than its events.
for trace in "$FOREWEAVE_SOURCE"/examples/*.tid; do
    last="foreweave tiddle compile $trace"
    "$FOREWEAVE" tiddle compile -q "$trace" -o made.c
    "$FOREWEAVE" cc -g -O1 -pthread made.c -o made 2>"$err" || complain "it does not build"
    "$FOREWEAVE" record -q -o t.fwt -- ./made >"$out" 2>"$err" || complain "status $?"
    "$FOREWEAVE" trace convert -q t.fwt t.std
    # Threads of the trace are those that main starts, in the order of their numbers.
    sed 's/#.*//' "$trace" | awk 'NF { gsub("rd", "r", $1); gsub("wr", "w", $1); print "T" $2, $1 }' >wanted
    grep -vE '^#|^T0\||\|(br|call|ret|begin|end)' t.std | sed 's/|\([a-z]*\).*/ \1/' >got
    same wanted got
done

# Recorded, a program has the races of the trace that it was made from.  Which of several notifies
# or posts was answered (rf) is not for a program to say.
number=0
for trace in "$traces"/*.std "$traces"/*.tid; do
    number=$((number + 1))
    [ $((number % 6)) = 0 ] && grep -q '# expect hb' "$trace" || continue
    case $trace in *-rf*) continue ;; esac
    last="foreweave tiddle compile $trace, recorded"
    "$FOREWEAVE" tiddle compile -q "$trace" -o made.c 2>"$err" || continue
    "$FOREWEAVE" cc -g -O1 -pthread made.c -o made 2>"$err" || complain "it does not build"
    timeout 300 "$FOREWEAVE" record -q -o t.fwt -- ./made >"$out" 2>"$err" || complain "status $?"
    "$FOREWEAVE" check --analysis=hb t.fwt >"$out" 2>"$err"
    got=$?
    wanted=$(grep -q '# expect hb: none' "$trace" && echo 0 || echo 66)
    [ "$got" = "$wanted" ] || complain "exit status $got of check, not $wanted"
done
for expected in 0 66; do
    case $expected in
    0) printf 'acq 1 m\nwr 1 x 1\nrel 1 m\nacq 2 m\nwr 2 x 2\nrel 2 m\n' >turns.tid ;;
    66) printf 'wr 1 x 1\nwr 2 x 2\n' >turns.tid ;;
    esac
    "$FOREWEAVE" tiddle compile -q turns.tid -o made.c
    "$FOREWEAVE" cc -g -O1 -pthread made.c -o made
    "$FOREWEAVE" record -q -o t.fwt -- ./made
    expect "$expected" check --analysis=race t.fwt
done
finish
