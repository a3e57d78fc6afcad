#!/usr/bin/env bash
# foreweave run: what it foresees the program really does, and it says so; nothing else.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

cat >lost.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#ifdef RIGHT
#define TAKE pthread_mutex_lock(&lock)
#define GIVE pthread_mutex_unlock(&lock)
#else
#define TAKE
#define GIVE
#endif

int balance;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *deposit(void *unused)
{
    int old;

    TAKE;
    old = balance;
    balance = old + 1;
    GIVE;
    return unused;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, deposit, NULL);
    pthread_create(&two, NULL, deposit, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("%d\n", balance);
    assert(balance == 2);
    return 0;
}
C
cat >cycle.c <<'C'
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    return NULL;
}

static void *forward(void *unused)
{
    (void)unused;
    return both(&a, &b);
}

static void *backward(void *unused)
{
    (void)unused;
    return both(&b, &a);
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, forward, NULL);
    pthread_create(&two, NULL, backward, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
C

build() { "$FOREWEAVE" cc -g "$@" -pthread || complain "not built: $*"; }
# The number of findings of a kind with a status.
found() { grep -o "\"kind\":\"$1\"[^]]*\"status\":\"$2\"" "$3" | wc -l; }

for level in -O0 -O2; do
    build $level lost.c -o lost
    build $level -DRIGHT lost.c -o right
    build $level cycle.c -o cycle

    # Confirmed every time, in every variant, and harmful; the result's witnesses are proofs.
    expect 66 run --runs=6 --format=json -o lost.json -- ./lost
    [ "$(found race confirmed lost.json)" -ge 1 ] || complain "the race is not confirmed at $level"
    [ "$(found atomicity confirmed lost.json)" = 1 ] || complain "the lost update is not confirmed"
    grep -q '"confirmed":6,"runs":6' lost.json || complain "not confirmed in all runs"
    grep -q '"harm":"signal 6' lost.json || complain "the assertion is not seen"
    expect 0 trace verify .foreweave/last/trace.fwt lost.json

    # Its twin: nothing is confirmed that is a race, and the program's own status comes through.
    expect 66 run --format=json -o right.json -- ./right
    grep -q '"kind":"race"' right.json && complain "a race in the right program"

    expect 66 run --format=json -o cycle.json -- ./cycle
    [ "$(found deadlock confirmed cycle.json)" = 1 ] || complain "the deadlock is not confirmed"
    grep -q '"harm":"deadlock"' cycle.json || complain "the deadlock does no harm"
done

# A write that the recording leaves out as a repeat is shown where its thread comes by again.
build -O0 "$FOREWEAVE_SOURCE/tests/cli/replay/lost.c" -o again
build -O0 -DOK "$FOREWEAVE_SOURCE/tests/cli/replay/lost.c" -o again_ok
expect 66 run -q --format=json -o again.json -- ./again
[ "$(found atomicity confirmed again.json)" = 1 ] || complain "the repeated write is not confirmed"
grep -q '"status":"not-reproduced"' again.json && complain "not all is confirmed: $(cat again.json)"
for schedule in .foreweave/last/*.sched; do
    expect 66 replay --runs=2 "$schedule"
    out_has '(2 of 2 runs)'
done
expect 66 run -q --format=json -o again.json -- ./again_ok
grep -qE '"kind":"(race|atomicity)"' again.json && complain "found in the right program"

# Patterns over two variables, on request.
for name in kernel_mozilla_10 kernel_mozilla_10_ok; do
    build -O2 "$FOREWEAVE_SOURCE/tests/programs/$name.c" -o "$name"
    "$FOREWEAVE" run -q --two-variables --format=json -o "$name.json" -- "./$name" >out 2>err
done
[ "$(found atomicity confirmed kernel_mozilla_10.json)" = 1 ] || complain "two variables: not confirmed"
[ "$(found atomicity confirmed kernel_mozilla_10_ok.json)" = 0 ] || complain "two variables: the right one"

# Those that are hard to lead there: threads that are joined behind their last event, waits whose rounds hang
# on the schedule, an acquire inside a wait, an owner that dies, a lock that is only annotated, a signal that is sent.
bash "$FOREWEAVE_SOURCE/tests/programs/confirm.sh" --trials=2 \
    --filter='^(mutex_heap|cxx_latch|deadlock_condition|mutex_robust|annotated_tsan|kernel_aget_2)(_ok)?[.]' >out ||
    complain "of the hard ones not all are confirmed: $(cat out)"

# For people: harm first, the replay line, the program's output.
expect 66 run -- ./lost
out_has "confirmed, harmful"
out_has "Replay it: foreweave replay .foreweave/"
out_has "Harmful: then it ended otherwise than usual: signal 6"
err_has "recorded"
ls .foreweave/last/*.sched >/dev/null 2>&1 || complain "no schedule was left"

# Virtual time: who sleeps for an hour is there at once, and the clocks have gone on.
cat >sleeper.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int x;

static void *late(void *unused)
{
    if (getenv("LONG"))
        sleep(3600);
    x = 1;
    return unused;
}

int main(void)
{
    time_t before = time(NULL);
    pthread_t thread;

    pthread_create(&thread, NULL, late, NULL);
    x = 2;
    pthread_join(thread, NULL);
    return getenv("LONG") ? 40 + (time(NULL) - before >= 3600) : 0;
}
C
build sleeper.c -o sleeper
expect 66 run -q --virtual-time --format=json -o sleeper.json -- ./sleeper
[ "$(found race confirmed sleeper.json)" = 1 ] || complain "the sleeper's race is not confirmed"
for env in env "$(command -v env)"; do # what it executes is under control
    expect 66 explore -q --strategy=random --runs=1 --virtual-time -- "$env" LONG=1 ./sleeper
    out_has "exit 41"
done

# Where sleeping takes no time, signals and cancellation end it all the same.
cat >awake.c <<'C'
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static atomic_int done;
static int status = 42;

static void ring(int number) { (void)number; }

static void *sleeper(void *how)
{
    struct timespec left = { 0, 0 };

    if (!strcmp(how, "cancel"))
        for (;;)
            sleep(1);
    if (nanosleep(&(struct timespec){ 1000, 0 }, &left) < 0 && errno == EINTR && left.tv_sec > 0)
        status = 0;
    done = 1;
    return NULL;
}

int main(int count, char **arguments)
{
    struct sigaction action = { .sa_handler = ring };
    const char *how = arguments[count - 1];
    pthread_t thread;
    void *result;

    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, sleeper, (void *)how);
    while (!strcmp(how, "signal") && !done) {
        pthread_kill(thread, SIGUSR1);
        usleep(1000);
    }
    if (!strcmp(how, "cancel"))
        pthread_cancel(thread);
    pthread_join(thread, &result);
    return result == PTHREAD_CANCELED ? 0 : status;
}
C
build awake.c -o awake
expect 0 explore -q --runs=3 --virtual-time -- ./awake cancel
expect 0 explore -q --runs=3 --virtual-time -- ./awake signal
expect 66 explore -q --runs=3 --virtual-time -- ./awake none
out_has "exit 42"

# What was predicted is tried first: few schedules are enough, and the right program never fails.
expect 66 explore -q --strategy=predict --until-first --runs=10 -- ./lost
out_has "Assertion"
out_has "replay: foreweave replay"
expect 66 explore -q --strategy=predict --until-first --runs=4 -j2 -- ./cycle
out_has "failure 1: deadlock"
out_has "replay: foreweave replay"
expect 66 replay -q "$(ls -d .foreweave/last/deadlock-*.sched)"
cat >never.c <<'C'
#include <pthread.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *add(void *unused)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    add(NULL);
    pthread_join(thread, NULL);
    return count != 2;
}
C
build never.c -o never
expect 0 explore -q --strategy=predict --runs=30 -- ./never

# A finding that nobody tries to show is not one that could not be shown.
for wrong in --runs=0 --limit=0; do
    expect 2 run $wrong -- ./lost
    err_has 'must be at least 1'
done

# Nothing to find: the program's own status.
cat >alone.c <<'C'
int main(void) { return 7; }
C
build alone.c -o alone
expect 7 run -q -- ./alone
out_has "0 findings"
silent

# Bad use.
expect 3 run -- ./missing
one_error
expect 2 run
expect 2 run --runs=x -- ./lost
expect 3 run -- /dev/null
# --- input is that of the recorded run, for every run ---------------------------------------------
cat >reads.c <<'C'
#include <pthread.h>
#include <stdio.h>
int n;
static void *add(void *unused)
{
    n++;
    return unused;
}
int main(void)
{
    pthread_t threads[9];
    int count = 0;
    if (scanf("%d", &count) != 1 || count > 9)
        count = 0;
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    printf("%d %d\n", count, n);
    return n != count;
}
C
"$FOREWEAVE" cc -g reads.c -o reads || complain "cannot build"
{ echo 7 && echo 2; } >numbers
{ read -r seven && expect 66 run -q --keep=read -a race -- ./reads; } <numbers # from where it stands
out_has 'Harmful: then it ended otherwise than usual: exit 1'
out_lacks 'Replays had no input'
expect 66 replay --runs=2 read/*.sched <<<2
expect 66 replay --runs=2 --show read/*.sched <<<2
out_has '(2 of 2 runs)'
expect 0 replay read/*.sched </dev/null
exec 8< <(echo 2)
wait $!
expect 66 run -q -a race -- ./reads <&8
out_has 'Harmful: then it ended otherwise than usual: exit 1'
exec 8<&-
mkfifo pipe
exec 8<>pipe
echo 2 >&8
expect 66 run -q -a race -- ./reads <&8
out_has 'Replays had no input: it came through a pipe that was still written to'
expect 66 run -q -a race --format=json -- ./reads <<<2
out_has '"replays":{"end_differs":false,"output_differs":false}'
exec 8<&-

# --- what runs do by themselves is not blamed on a finding ----------------------------------------
cat >chance.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int n;
static void *add(void *kind)
{
    int old = n;
    n = old + 1;
    return kind;
}
int main(int argc, char **argv)
{
    pthread_t one, two;
    int runs = 0;
    FILE *file = fopen("runs", "r+");
    pthread_create(&one, NULL, add, NULL);
    pthread_create(&two, NULL, add, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    if (!file || fscanf(file, "%d", &runs) != 1)
        runs = 0;
    if (file) {
        rewind(file);
        fprintf(file, "%d\n", runs + 1);
    }
    if (argc > 1 && n != 2)
        abort();
    return argv[0] && runs % 2 ? 7 : n;
}
C
"$FOREWEAVE" cc -g chance.c -o chance || complain "cannot build"
echo 0 >runs
expect 66 run -q -a race -- ./chance
out_has 'Confirmed: '
out_lacks 'Harmful'
out_has 'The program does not always exit alike, also where nothing is preempted'
expect 66 run -q -a race --format=json -- ./chance
out_has '"replays":{"end_differs":true,'
expect 66 run -q -a race -- ./chance aborts
out_has 'Harmful: then it ended otherwise than usual: signal 6'
rm runs
expect 66 run -q -a race -- ./chance
out_has 'Harmful: then it ended otherwise than usual: exit 1'
out_lacks 'does not always exit alike'

# --- only the analyses that are named -------------------------------------------------------------
expect 66 run -q -a race,deadlock -- ./chance
out_lacks 'atomicity'
expect 66 run -q -- ./chance
out_has 'atomicity'
ls -d .foreweave/2* >folders
expect 2 run -a rac -- ./chance
err_has "did you mean 'race'"
ls -d .foreweave/2* | cmp -s - folders || complain "a folder for nothing"
# --- what runs leave behind is ended: by the recorded one, by replays -----------------------------
cat >daemon.c <<'END'
#include <pthread.h>
#include <unistd.h>
static int x;
static void *add(void *argument)
{
    x++;
    return argument;
}
int main(void)
{
    pthread_t one, two;
    if (fork() == 0) {
        setsid();
        for (;;)
            pause();
    }
    pthread_create(&one, NULL, add, NULL);
    pthread_create(&two, NULL, add, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
END
"$FOREWEAVE" cc -g daemon.c -o daemon || complain "daemon.c does not compile"
expect 66 run -q --analysis=race -- ./daemon
err_has '1 process outlived the program and was ended'
grep -q '[0-9] processes outlived the program and were ended' "$err" || complain "not in replays"
expect 66 replay "$(sed -n 's/.*Replay it: foreweave replay //p' "$out")"
err_has '1 process outlived the program and was ended'
for process in /proc/[0-9]*; do
    [ "$(readlink "$process/cwd" 2>/dev/null)" = "$scratch" ] || continue
    [ "$(tr '\0' ' ' <"$process/cmdline" 2>/dev/null)" != "./daemon " ] || complain "one is there still"
done
# A child with threads has a trace of its own, which is named; nobody says that all was looked at.
cat >child.c <<'END'
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static int x;
static void *add(void *unused)
{
    x++;
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t one, two;
    if (fork() > 0)
        return wait(NULL) < 0;
    if (argc == 1) {
        pthread_create(&one, NULL, add, NULL);
        pthread_create(&two, NULL, add, NULL);
        pthread_join(one, NULL);
        pthread_join(two, NULL);
    }
    return argv[0] == NULL;
}
END
"$FOREWEAVE" cc -g child.c -o child || complain "child.c does not compile"
expect 0 run -q --keep=kept -- ./child
err_has 'another process with 3 threads was recorded, which is not looked at here; next: foreweave check kept/trace.1.fwt'
expect 66 check -a race kept/trace.1.fwt
expect 0 run -q --keep=kept -- ./child alone
silent
# Nothing is found, and the program has its own status: the report is written all the same.
echo 'int main(void) { return 7; }' >seven.c
"$FOREWEAVE" cc seven.c -o seven || complain "cannot build"
expect 7 run -q --format=json -o seven.json -- ./seven
grep -q '"findings":\[\]' seven.json || complain "no report"
finish
