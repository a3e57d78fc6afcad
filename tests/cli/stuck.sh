#!/usr/bin/env bash
# Programs that hang: what record says while they do, and what check says of the trace.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

cat >common.h <<'END'
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>
static pthread_barrier_t both;
static void together(void) { pthread_barrier_wait(&both); }
static void run2(void *(*f)(void *), void *(*g)(void *))
{
    pthread_t x, y;
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&x, NULL, f, NULL);
    pthread_create(&y, NULL, g, NULL);
    pthread_join(x, NULL);
    pthread_join(y, NULL);
}
END

# A circle of a mutex and a spin lock; with an argument the order is the same in both threads.
cat >circle.c <<'END'
#include "common.h"
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_spinlock_t b;
static int right;
static void *f(void *p)
{
    pthread_mutex_lock(&a);
    if (!right) together();
    pthread_spin_lock(&b);
    pthread_spin_unlock(&b);
    pthread_mutex_unlock(&a);
    return p;
}
static void *g(void *p)
{
    if (right)
        return f(p);
    pthread_spin_lock(&b);
    together();
    pthread_mutex_lock(&a);
    return p;
}
int main(int argc, char **argv)
{
    (void)argv;
    right = argc > 1;
    pthread_spin_init(&b, 0);
    run2(f, g);
    return 0;
}
END

# A lock taken twice; with an argument it is a recursive one.
cat >twice.c <<'END'
#define _GNU_SOURCE
#include "common.h"
pthread_mutex_t a;
int main(int argc, char **argv)
{
    pthread_mutexattr_t kind;
    (void)argv;
    (void)run2;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, argc > 1 ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
    pthread_mutex_init(&a, &kind);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&a);
    return 0;
}
END

# A writer among readers that all want to write; with an argument they give up reading first.
cat >upgrade.c <<'END'
#include "common.h"
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int right;
static void *f(void *p)
{
    pthread_rwlock_rdlock(&l);
    together();
    if (right) pthread_rwlock_unlock(&l);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    if (!right) pthread_rwlock_unlock(&l);
    return p;
}
static void *g(void *p)
{
    pthread_mutex_lock(&m);
    together();
    pthread_rwlock_wrlock(&l);
    pthread_rwlock_unlock(&l);
    pthread_mutex_unlock(&m);
    return p;
}
int main(int argc, char **argv) { (void)argv; right = argc > 1; run2(f, g); return 0; }
END

# Nobody posts, nobody signals; with an argument somebody does.
cat >lost.c <<'END'
#include "common.h"
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
sem_t s;
static int ready, right;
static void *f(void *p)
{
    pthread_mutex_lock(&m);
    while (!ready) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    sem_post(&s);
    return p;
}
static void *g(void *p)
{
    if (right) {
        pthread_mutex_lock(&m);
        ready = 1;
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
    }
    sem_wait(&s);
    return p;
}
int main(int argc, char **argv) { (void)argv; right = argc > 1; sem_init(&s, 0, 0); run2(f, g); return 0; }
END

# A circle of two threads while the first one goes on, and ends the program.
sed 's/^int main/static int unused_main/; s/run2(f, g);/(void)run2;/' circle.c >partial.c
cat >>partial.c <<'END'
int main(void)
{
    pthread_t x, y;
    (void)unused_main;
    pthread_spin_init(&b, 0);
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&x, NULL, f, NULL);
    pthread_create(&y, NULL, g, NULL);
    while (access("go", F_OK) != 0)
        usleep(1000);
    puts("done");
    return 0;
}
END

for name in circle twice upgrade lost partial; do
    "$FOREWEAVE" cc -g -O1 -pthread $name.c -o $name || complain "cannot build $name"
done

# Waits until the job in the background has said TEXT.
said() {
    local tries=0
    while ! grep -qF -e "$1" "$err" && [ $tries -lt 600 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    err_has "$1"
}

# Records until the recorder has said TEXT, then ends the program by SIGNAL (not INT, which the
# shell has background jobs ignore).
hang() { # NAME SIGNAL TEXT
    last="foreweave record -o $1.fwt -- ./$1"
    "$FOREWEAVE" record -o "$1.fwt" -- "./$1" >"$out" 2>"$err" &
    said "$3"
    ${before_end:-:}
    if [ "$2" = go ]; then touch go; else kill -s "$2" "$(pgrep -P $! -x "$1")"; fi
    wait $!
}

checks() { # NAME STATUS: and every witness is accepted
    expect "$2" check --analysis=race,deadlock --steps=0 "$1.fwt"
    cp "$out" report
    expect "$2" check --analysis=race,deadlock --format=json -o result.json "$1.fwt"
    expect 0 trace verify "$1.fwt" result.json
    cp report "$out"
}

hang circle TERM "the program is in a deadlock:"
err_has "waits for lock 'a' at circle.c:20, which T1 holds"
err_has "waits for lock 'b' at circle.c:9, which T2 holds"
err_has "then: foreweave check circle.fwt"
err_lacks "all threads"
checks circle 66
out_has "deadlock, in this run (observed by deadlock)"
out_has "Wait for 'b' at circle.c:9 in f by thread T1 (locks held: a;"
out_has "#0 f circle.c:9"
grep -q '"status":"observed"' result.json && grep -q '"guarantee":"sound"' result.json ||
    complain "not observed and sound"

# A file that is being recorded to is not for another recording.
second() {
    "$FOREWEAVE" record -o circle.fwt -- ./circle right >second.out 2>second.err
    [ $? = 125 ] || complain "two recordings into one file"
    grep -q "another recording is being written there" second.err || complain "no word of why"
}
before_end=second
hang circle TERM "the program is in a deadlock:"
before_end=:
checks circle 66

# The spool that is left when both were killed tells the same.
hang circle KILL "the program is in a deadlock:"
checks circle 66
out_has "deadlock, in this run (observed by deadlock)"

hang twice TERM "waits for lock 'a' at twice.c:13, which it holds itself"
checks twice 66
out_has "deadlock, lock taken twice (observed by deadlock)"
out_has "T0 waits for 'a', which it holds itself"

hang upgrade TERM "the program is in a deadlock:"
checks upgrade 66
out_has "Wait for 'm' at upgrade.c:10"
out_has "Wait for 'l' at upgrade.c:19"

hang lost TERM "all threads of the program wait"
err_has "T0 waits for thread T1"
err_has "T1 waits for condition 'c' at lost.c:9"
err_has "T2 waits for semaphore 's' at lost.c:22"
checks lost 0
out_has "At the end all threads waited"
out_has "  T1 waits for condition 'c' at lost.c:9"
grep -q '"waiting":\["T0 waits for thread T1' result.json || complain "the result does not say so"

hang partial go "the program is in a deadlock:"
out_is done
checks partial 66
out_has "deadlock, in this run (observed by deadlock)"

# The same programs without the mistake end by themselves, and nothing is said.
for name in circle twice upgrade lost; do
    expect 0 record -o right.fwt -- ./$name right
    err_lacks wait
    err_lacks deadlock
    checks right 0
    out_lacks waited
done

# By hand: the requests are the last events of their threads, wherever they stand.
cat >hand.std <<'END'
T0|acq(a)|x:1
T1|acq(b)|x:2
T0|req(b)|x:3
T1|w(x)|x:4
T1|req(a)|x:5
END
expect 66 check hand.std
out_has "Wait for 'b' at x:3 by main thread (locks held: a; event 2)"
for end in tid fwt std; do # and through every format
    expect 0 trace convert "hand.${before:-std}" "hand2.$end"
    cp "hand2.$end" "hand.$end"
    before=$end
done
expect 66 check hand.std
out_has "Wait for 'b' at x:3 by main thread (locks held: a; event 2)"
grep -qx 'T1|req(a)|x:5' hand.std || complain "the request was lost on the way"
expect 66 check --format=json -o result.json hand.std
expect 0 trace verify hand.std result.json

# Granted later, or of another lock, or of one that is held by the same thread: no deadlock.
printf '%s\n' 'T0|acq(a)' 'T1|acq(b)' 'T0|req(b)' 'T1|rel(b)' 'T0|acq(b)' 'T0|rel(b)' >none.std
expect 0 check none.std
printf '%s\n' 'T0|acq(a)' 'T1|acq(b)' 'T0|req(b)' 'T1|req(b)' >none.std
expect 0 check none.std
printf '%s\n' 'T0|acq(a)' 'T0|req(a)' 'T0|acq(a)' >none.std
expect 0 check none.std
# What a result claims of a thread that could go on is rejected.
sed 's/T1|req(a)|x:5/T1|req(c)|x:5/; s/T1|acq(b)|x:2/&\nT0|acq(c)|x:9/' hand.std >other.std
expect 66 trace verify other.std result.json

# Who waits at the end for a reason of its own may come to wait in a circle elsewhere.
cat >elsewhere.std <<'END'
T0|acq(a)|x:1
T0|acq(b)|x:2
T0|rel(b)|x:3
T0|rel(a)|x:4
T2|acq(a)|x:5
T1|acq(b)|x:6
T1|req(a)|x:7
END
expect 66 check elsewhere.std
out_has "deadlock (predicted by deadlock)"
out_has "Wait for 'a' at x:7 by thread T1 (locks held: b;"

printf '%s\n' 'T0|acq(a)' 'T0|relock(a)' 'T0|rel(a)' >bad.std
expect 3 check bad.std
err_has "it waits for a lock that it holds itself"
printf '%s\n' 'T0|relock(a)' >bad.std
expect 3 check bad.std
err_has "it does not hold a"
# run ends a recording in which nobody can go on, and not one in which somebody does.
expect 66 run -- ./circle
err_has "the program is in a deadlock:"
err_lacks "Ctrl-C"
out_has "deadlock, in this run (observed by deadlock, confirmed)"
expect 0 run -- ./circle right
err_lacks "deadlock"
expect 137 run --limit=1 -- ./lost
err_has "all threads of the program wait"
out_has "At the end all threads waited, and none was left to wake one:"
expect 0 run --limit=1 -a deadlock -- ./lost right
err_lacks "all threads"
rm -f go
last="foreweave run -a deadlock -- ./partial"
"$FOREWEAVE" run -a deadlock -- ./partial >"$out" 2>"$err" &
said "the program is in a deadlock:"
touch go
wait $!
[ $? = 66 ] || complain "not 66"
out_has "deadlock, in this run (observed by deadlock"
out_lacks "was ended by signal"
finish
