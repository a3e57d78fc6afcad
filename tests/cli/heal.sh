#!/usr/bin/env bash
# heal keeps threads out of each other's sections, and harms nobody: what may synchronise inside is
# not locked, nobody waits for ever, it can be switched off, and it says what it does.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
here=$FOREWEAVE_SOURCE/tests/heal
build() { # NAME OPTIONS...
    local name=$1
    shift
    "$FOREWEAVE" cc -Wall -Wextra -Werror -g -pthread "$@" "$here/$name.c" -o "$name" >"$out" 2>"$err" ||
        { complain "$name.c does not build"; head -5 "$err"; }
}
heal() { # STATUS NAME OPTIONS... -- ARGUMENTS...
    local status=$1 name=$2 options=()
    shift 2
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    expect "$status" heal --sections="$here/$name.sections" "${options[@]}" -- "./$name" "$@"
}

# Failures show under noise, and with locks they do not; scheduling changes nothing but the order.
noise=--noise=random:100:100
level=-O0
for name in bank load_and_store test_and_use log_sweep mixed copy; do
    build $name $level
    failed=0
    for seed in $(seq 20); do
        "$FOREWEAVE" heal -q --sections="$here/$name.sections" $noise --seed="$seed" -- ./$name >"$out" 2>"$err" ||
            failed=$((failed + 1))
        [ $failed -lt 2 ] || break
    done
    last="foreweave heal --sections=$here/$name.sections $noise -- $name"
    [ $failed = 2 ] || complain "only $failed of 20 runs without healing fail"
    for seed in $(seq 8); do
        heal 0 $name --how=lock --budget=100 $noise --seed="$seed" --
        out_has right
        err_has "entered, 0 seen violated; "
        err_lacks "waited for too long"
    done
    for how in yield sleep priority; do # which promise nothing
        "$FOREWEAVE" heal --sections="$here/$name.sections" --how=$how -- ./$name >"$out" 2>"$err"
        err_has "healing by scheduling: "
    done
    [ $level = -O0 ] && level=-O2 || level=-O0
done

# What libc's functions store is kept out as well, also of several places at once.
build text -O0
for how in strcpy snprintf sprintf sscanf several swprintf; do
    heal 0 text --how=lock --budget=100 $noise -- $how
    out_has right
    err_has "entered, 0 seen violated; "
    heal 0 text --how=lock --budget=100 -- $how
    out_has right
done
failed=0
for seed in $(seq 20); do
    "$FOREWEAVE" heal --sections="$here/text.sections" $noise --seed="$seed" -- ./text snprintf >"$out" 2>"$err" ||
        failed=$((failed + 1))
    [ $failed = 0 ] || break
done
[ $failed = 1 ] || complain "no run without healing fails"
err_lacks " 0 seen violated"
err_lacks " 0 accesses would have"

# Without noise locks take the quick way, also under mutexes.
for name in bank load_and_store mixed copy; do
    heal 0 $name --how=lock --budget=100 -- 3000
    out_has right
    err_lacks "waited for too long"
done

# A dry run counts and changes nothing; what is done is logged.
"$FOREWEAVE" heal --sections="$here/bank.sections" -- ./bank 3 >"$out" 2>"$err"
err_has "foreweave: dry run: 18 sections entered, "
heal 0 bank --how=lock --budget=100 --log=log $noise --
err_has "foreweave: healing by locks: 120 sections entered, 0 seen violated; "
grep -Eq "^0\.[0-9]{6} process [0-9]+ thread [0-9]+ waited [0-9.]+ ms for thread [0-9]+ in '(deposit|withdraw)', word 0x" log ||
    { complain "nothing in the log"; head -3 log; }
heal 0 bank -q --how=lock --
silent

# Sections that may synchronise inside are not locked, with the reason, whatever it is; others are.
build refused -O0 -Wno-declaration-after-statement
awk 'BEGIN { print "foreweave sections 1" }
    /NOINLINE void [a-z_]*\(void\)/ { name = $4; sub(/\(.*/, "", name) }
    /seen = shared;/ { entry = FNR }
    /^ *shared = / { print "section " name " given " name "\n  entry r refused.c:" entry "\n  end w refused.c:" FNR " allow=r" }
    ' "$here/refused.c" >refused.sections
expect 0 heal --sections=refused.sections --how=lock -- ./refused
awk '/NOINLINE void [a-z_]*\(void\)/ { name = $4; sub(/\(.*/, "", name) }
    /calls usleep/ { deep = FNR }
    name == "with_calls" && deep { print name "\tcalls usleep at .*refused.c:" deep; deep = 0 }
    /\/\* (calls|has|makes) / && !/usleep/ { text = $0; sub(/.*\/\* /, "", text); sub(/ \*\/.*/, "", text); print name "\t" text " at .*refused.c:" FNR }
    ' "$here/refused.c" >wanted
[ "$(wc -l <wanted)" = 7 ] || complain "not 7 reasons are wanted"
while IFS=$'\t' read -r name reason; do
    grep -q "^foreweave: warning: section '$name' is not locked: it $reason\$" "$err" ||
        { complain "'$name' is not refused: '$reason'"; cat "$err"; }
done <wanted
[ "$(grep -c "is not locked" "$err")" = 7 ] || { complain "others are refused:"; cat "$err"; }
err_has "healing by locks: 12 sections entered; "
expect 0 heal -q --sections=refused.sections --how=lock -- ./refused
silent
expect 0 heal --sections=refused.sections --how=lock --noise=random:1 -- ./refused
err_has "violations of the 7 sections that are not locked are not counted"
expect 0 heal --sections=refused.sections --how=lock --unsafe --noise=random:1 -- ./refused
err_lacks "not locked"
expect 0 heal --sections=refused.sections --how=sleep -- ./refused
err_lacks "is not locked"

# ... also if only a recording shows it.
cat >quiet.c <<'PROGRAM'
#include <pthread.h>
extern long labs(long);
long shared;
__attribute__((noinline)) void change(void) { long seen = shared; seen = labs(seen);
    shared = seen + 1; }
static void *work(void *unused) { change(); return unused; }
int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, work, NULL);
    change();
    return pthread_join(thread, NULL);
}
PROGRAM
cat >loud.c <<'PROGRAM'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
long labs(long number) { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); return number < 0 ? -number : number; }
PROGRAM
printf 'foreweave sections 1\nsection change given change\n  entry r quiet.c:4\n  end w quiet.c:5 allow=r\n' >quiet.sections
"$FOREWEAVE" cc -g -fno-builtin -shared -fPIC loud.c -o libloud.so &&
    "$FOREWEAVE" cc -g -pthread -fno-builtin quiet.c -o quiet -L. -lloud -Wl,-rpath,"$PWD" || complain "quiet does not build"
expect 0 heal --sections=quiet.sections --how=lock -- ./quiet
err_lacks "is not locked"
expect 0 record -q -o quiet.fwt -- ./quiet
expect 3 heal --sections=quiet.sections --how=lock --trace=quiet.fwt -- ./quiet
err_has "section 'change' is not locked: it synchronised in a trace (acq)"
err_has "no section of 'quiet.sections' can be healed in './quiet' by locks"

# A lock order that would be a deadlock is released at once; without it nothing is.
build order -O0
heal 0 order --how=lock -- forced
err_has "section 'add' is not locked: it has an atomic access at "
heal 0 order --how=lock --unsafe --wait=10000 --log=log -- forced
err_has "locks released because threads would have waited in a circle: 1"
err_lacks "waited for too long"
grep -q "in a circle: .* lock .*'add' is released" log || { complain "no circle in the log"; cat log; }
heal 0 order --how=lock --unsafe --wait=10000 --
out_is 11
err_lacks circle

# Patience ends, and nobody hangs.
build spin -O0
heal 0 spin --how=lock --wait=20 --
out_is "done"
err_has "locks taken from threads that others had waited for too long (--wait): 1"
heal 0 spin --how=lock --wait=10000 -- go
out_is "done"
err_lacks "waited for too long"

# It is patience with one thread, not with a queue.
build crowd -O2
heal 0 crowd --how=lock --wait=30 --budget=100 --
out_is right
err_lacks "waited for too long"

# Nor with a handler that comes to a section of its own while the thread tries to enter one.
build handler -O0
for how in sleep yield; do
    last="timeout 300 foreweave heal --sections=$here/handler.sections --how=$how -- ./handler"
    timeout 300 "$FOREWEAVE" heal --sections="$here/handler.sections" --how=$how --budget=100 -- ./handler >"$out" 2>"$err" ||
        complain "status $?"
    out_is 55
    err_lacks "0 accesses met one"
done

# Handlers that come between any two instructions, on the thread's stack or their own, or jump away:
# nothing is lost, and nothing of ours breaks.
build interrupted -O1
for how in plain alternative jump; do
    heal 0 interrupted --how=lock --budget=100 -- $how "${FOREWEAVE_SEED:-1}"
    out_is right
done

# Loops that wait for what another thread writes let it in, however many sections begin in each round.
build ring -O0
heal 0 ring --how=lock --wait=1000 --budget=100 --
out_is right
err_lacks "locks taken from threads"

# Switches: a file, a signal, the budget.
build until -O0
touch off stop
heal 3 until --how=lock --off-file=off -- stop
err_has "foreweave: healing was switched off"
err_has "healing by locks: 0 sections entered"
rm -f off stop
switch() { # OPTIONS...: starts it; $pid is the command's
    rm -f log
    "$FOREWEAVE" heal --sections="$here/until.sections" --how=lock --budget=100 --log=log "$@" -- ./until stop >"$out" 2>"$err" &
    pid=$!
}
await() { # COMMAND...
    local i
    for ((i = 0; i < 600; i++)); do
        "$@" && return
        sleep 0.05
    done
    complain "waited in vain for: $*"
}
ended() { # what $pid was waited for
    touch stop
    wait "$pid"
    [ $? = 3 ] || complain "the program's status is not passed on"
    rm -f stop
}
# While the program runs.
logged() { grep -qs "$1" log; }
switch --off-file=off
await logged "thread"
touch off
await logged "the file is there: healing is off"
ended
err_has "foreweave: healing was switched off"
switch
await logged "thread"
kill -USR1 "$pid"
await logged "a signal came: healing is off"
ended
err_has "foreweave: healing was switched off"
switch
await logged "thread"
ended
err_lacks "switched off"
# Before it runs, while the sections are still being read: it starts unhealed, with no signal blocked.
mkfifo slowly
rm -f log
"$FOREWEAVE" heal --sections=slowly --how=lock --log=log -- ./until stop >"$out" 2>"$err" &
pid=$!
exec 9>slowly
kill -USR1 "$pid"
cat "$here/until.sections" >&9
exec 9>&-
await logged "a signal came: healing is off"
grep -q '^SigBlk:.0*$' "/proc/$(pgrep -P "$pid")/status" || complain "the program starts with signals blocked"
ended
err_has "foreweave: healing was switched off"
build slow -O2
heal 0 slow --how=lock --log=log --
err_has "healing has switched itself off: threads waited for more than 5% of their time (--budget)"
grep -q "the budget is spent: healing is off" log || complain "the budget is not in the log"
heal 0 slow --how=lock --budget=100 --
err_lacks "switched itself off"
for how in yield sleep; do
    heal 0 slow --how=$how --budget=1 --log=log --
    err_has "healing has switched itself off: threads waited for more than 1% of their time (--budget)"
    grep -q "the budget is spent: healing is off" log || complain "the budget is not in the log"
    heal 0 slow --how=$how --budget=100 -- 20
    err_lacks "switched itself off"
done
# Priorities, if they may be raised: each costs two calls of the system.
"$FOREWEAVE" heal --sections="$here/load_and_store.sections" --how=priority --budget=1 --log=log -- ./load_and_store 60000 >"$out" 2>"$err"
if ! grep -q ", 0 priorities raised" "$err"; then
    err_has "healing has switched itself off: threads waited for more than 1% of their time (--budget)"
    grep -q "the budget is spent: healing is off" log || complain "the budget is not in the log"
fi
"$FOREWEAVE" heal --sections="$here/load_and_store.sections" --how=priority --budget=100 -- ./load_and_store 300 >"$out" 2>"$err"
err_lacks "switched itself off"
# Who sleeps, sleeps because of noise, and who waits, waits for noise: neither spends the budget.  A thread that gets no
# processor within a section does, which on a busy machine may be more than 5%: one of a few runs must be without.
for how in sleep lock; do
    last="foreweave heal --sections=$here/bank.sections --how=$how --noise=random:1000:2000 -- ./bank"
    for try in 1 2 3 4 5; do
        "$FOREWEAVE" heal --sections="$here/bank.sections" --how=$how --noise=random:1000:2000 -- ./bank >"$out" 2>"$err"
        grep -q "switched itself off" "$err" || break
    done
    err_has ": 120 sections entered"
    err_lacks "switched itself off"
    [ $how = sleep ] || out_has right
done

# Fork children, handlers that jump, cancellation anywhere: nobody is left waiting.
source=$FOREWEAVE_SOURCE/tests/cli/atomrace/shop.cc
"$FOREWEAVE" c++ -g -O0 -pthread "$source" -o shop || complain "shop.cc does not build"
for text in 'bank::total += i' 'accounts\[3\].balance += 2' 'calls++'; do
    line=$(grep -n "$text" "$source" | cut -d: -f1)
    printf 'section s%s given add\n  entry r shop.cc:%s\n  end w shop.cc:%s allow=r\n' "$line" "$line" "$line"
done >shop.rest
{ echo "foreweave sections 1"; cat shop.rest; } >shop.sections
for how in plain heap copy fork jump; do
    expect 0 heal --sections=shop.sections --how=lock --budget=100 --noise=random:100:50 -- ./shop $how
    out_is "done"
    err_lacks "waited for too long"
done
expect 7 heal --sections=shop.sections --how=lock -- ./shop exit

# A library that is loaded later.
cat >plugin.c <<'PROGRAM'
long plugged;
void bump(void) { plugged++; }
PROGRAM
cat >host.c <<'PROGRAM'
#include <dlfcn.h>
int main(void)
{
    void *library = dlopen("./plugin.so", RTLD_NOW);

    ((void (*)(void))dlsym(library, "bump"))();
    return *(long *)dlsym(library, "plugged") != 1;
}
PROGRAM
printf 'foreweave sections 1\nsection plugged given bump\n  entry r plugin.c:2\n  end w plugin.c:2 allow=r\n' >plugin.sections
"$FOREWEAVE" cc -g -fPIC -shared plugin.c -o plugin.so && "$FOREWEAVE" cc -g host.c -o host || complain "the host does not build"
expect 3 heal --sections=plugin.sections --how=lock -- ./shop plain
err_has "there is no function 'bump' with accesses that have hooks (other files are looked into by --module)"
expect 0 heal --sections=plugin.sections --how=lock --module=plugin.so -- ./host
err_has "healing by locks: 1 section entered"
expect 3 heal --sections=plugin.sections --how=lock -- ./host

# What cannot be.
expect 2 heal -- ./bank
err_has "--sections is needed"
expect 2 heal --sections=x --unsafe -- ./bank
err_has "--unsafe is for --how=lock"
expect 2 heal --sections=x --how=prayer -- ./bank
for option in --wait=0 --wait=10001 --budget=0 --budget=101 --sleep=1000001; do
    expect 2 heal --sections=x $option -- ./bank
    one_error 2
done
expect 3 heal --sections=none -- ./bank
one_error
expect 3 heal --sections="$here/bank.sections" -- ./none
one_error
expect 3 heal --sections="$here/spin.sections" -- ./bank
err_has "no section of '$here/spin.sections' can be healed in './bank'"
expect 3 heal --sections="$here/bank.sections" -- true
expect 3 heal --sections="$here/bank.sections" --module=./none -- ./bank
err_has "--module: cannot read './none'"
expect 125 heal --sections="$here/bank.sections" --log=none/log -- ./bank
one_error
finish
