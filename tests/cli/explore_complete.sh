#!/usr/bin/env bash
# What a search must not miss that says it has run all schedules: places whose sharing is easy to overlook, tries in
# vain, yields, limits of waits.  Each program fails in one order of its threads' steps.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

# main reads x once; the worker reads it before it writes, so that its own access is the latest one then.
cat >late.c <<'END_C'
#include <pthread.h>
static int x;
static void *add(void *unused)
{
    x++;
    return unused;
}
int main(void)
{
    pthread_t t;
    int seen;
    pthread_create(&t, NULL, add, NULL);
    seen = x;
    pthread_join(t, NULL);
    return seen;
}
END_C

# The same with a neighbour that main reads afterwards.
cat >neighbour.c <<'END_C'
#include <pthread.h>
static struct {
    int x, y;
} both __attribute__((aligned(8)));
static void *add(void *unused)
{
    both.x++;
    return unused;
}
int main(void)
{
    pthread_t t;
    int seen, other;
    pthread_create(&t, NULL, add, NULL);
    seen = both.x;
    other = both.y;
    pthread_join(t, NULL);
    return seen + other;
}
END_C

# A thread's own write and then its read, which reaches that word only before another thread has turned the pointer:
# the other one's write is what tells of the read.
cat >pointer.c <<'END_C'
#include <pthread.h>
static volatile int cells[2], *volatile pointer = cells;
static int seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *looks(void *unused)
{
    volatile int *there;
    if (RIGHT)
        pthread_mutex_lock(&lock);
    cells[0] = 2;
    there = pointer;
    seen = *there;
    if (RIGHT)
        pthread_mutex_unlock(&lock);
    return unused;
}
static void *turns(void *unused)
{
    if (RIGHT)
        pthread_mutex_lock(&lock);
    pointer = &cells[1];
    cells[0] = 1;
    if (RIGHT)
        pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, looks, NULL);
    pthread_create(&u, NULL, turns, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return seen == 1;
}
END_C

# The try fails, and main goes on before the owner does.
cat >try.c <<'END_C'
#include <pthread.h>
static int sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *owner(void *unused)
{
    pthread_mutex_lock(&lock);
    __atomic_fetch_add(&sum, 1, 5);
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t t;
    int busy, before;
    pthread_create(&t, NULL, owner, NULL);
    busy = pthread_mutex_trylock(&lock) != 0;
    if (!busy)
        pthread_mutex_unlock(&lock);
    before = __atomic_fetch_add(&sum, 1, 5);
    pthread_join(t, NULL);
    return busy && before == 0;
}
END_C

# Who yields may go on all the same.
cat >yield.c <<'END_C'
#include <pthread.h>
#include <sched.h>
static int step;
static void *other(void *unused)
{
    __atomic_store_n(&step, 1, 5);
    return unused;
}
int main(void)
{
    pthread_t t;
    int seen;
    pthread_create(&t, NULL, other, NULL);
    sched_yield();
    seen = __atomic_load_n(&step, 5);
    pthread_join(t, NULL);
    return seen == 0;
}
END_C

# And who tries or yields for ever lets others go on.
cat >waits.c <<'END_C'
#include <pthread.h>
#include <sched.h>
static int done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *owner(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    __atomic_store_n(&done, 1, 5);
    return unused;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, owner, NULL);
    while (pthread_mutex_trylock(&lock))
        ;
    pthread_mutex_unlock(&lock);
    while (!__atomic_load_n(&done, 5))
        sched_yield();
    return pthread_join(t, NULL);
}
END_C
for program in late neighbour try yield waits; do
    "$FOREWEAVE" cc -g -O1 -pthread $program.c -o $program || complain "cannot build $program"
done
for right in 0 1; do
    "$FOREWEAVE" cc -g -O1 -pthread -DRIGHT=$right pointer.c -o pointer$right || complain "cannot build pointer"
done
for bound in 1 2 all; do
    expect 0 explore -q -s chess --preemptions=$bound -- ./pointer1
    out_has 'were run'
done
for program in late neighbour try yield pointer0; do
    for bound in 2 all; do
        expect 66 explore -q -s chess --preemptions=$bound -- ./$program
        out_has 'failure 1: exit 1'
    done
    expect 66 explore -q -s random -n 1000 --until-first -- ./$program
done
expect 0 explore -q -s chess --preemptions=1 -- ./waits
out_has 'were run'
for strategy in random pct pos delay none; do
    expect 0 explore -q -s $strategy -n 100 -- ./waits
done

# Plain accesses that meet atomic ones alone: main reads before it writes, and the worker comes between.
cat >mixed.c <<'END_C'
#include <pthread.h>
static int x;
static void *set(void *unused)
{
    __atomic_store_n(&x, 1, 5);
    return unused;
}
int main(void)
{
    pthread_t t;
    int seen;
    pthread_create(&t, NULL, set, NULL);
    seen = x;
    x = seen + 2;
    pthread_join(t, NULL);
    return x == 3;
}
END_C
# What is given up after some tries in vain, and what is not.
cat >tries.c <<'END_C'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x, seen;
static void *owner(void *unused)
{
    pthread_mutex_lock(&lock);
    seen = __atomic_load_n(&x, 5);
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t t;
    int tries = 0, most = argc > 1 ? atoi(argv[1]) : 1;
    pthread_create(&t, NULL, owner, NULL);
    while (pthread_mutex_trylock(&lock) != 0)
        if (++tries == most) {
            __atomic_store_n(&x, 1, 5);
            pthread_join(t, NULL);
            return seen;
        }
    pthread_mutex_unlock(&lock);
    return pthread_join(t, NULL);
}
END_C
# What clocks and random numbers decide.
cat >chance.c <<'END_C'
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
static int x, how;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int choose(void)
{
    struct timespec now;
    unsigned char byte = 0;
    if (how == 'c' || how == 'l')
        clock_gettime(CLOCK_REALTIME, &now);
    if (how == 'c')
        return now.tv_sec % 2;
    if (how == 'l' && pthread_mutex_timedlock(&lock, &now) == 0)
        pthread_mutex_unlock(&lock);
    if (how == 'r' && getrandom(&byte, 1, 0) != 1)
        abort();
    return byte % 2;
}
static void *work(void *unused)
{
    if (choose())
        __atomic_fetch_add(&x, 1, 5);
    __atomic_fetch_add(&x, 1, 5);
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t one, two;
    how = argc > 1 ? argv[1][0] : 0;
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
END_C
for program in mixed tries chance; do
    "$FOREWEAVE" cc -g -O1 -pthread $program.c -o $program || complain "cannot build $program"
done
for bound in 2 all; do
    expect 66 explore -q -s chess --preemptions=$bound -- ./mixed
    expect 66 explore -q -s chess --preemptions=$bound -- ./tries 3
    out_has 'failure 1: exit 1'
    out_lacks 'held back'
    expect 0 explore -q -s chess --preemptions=$bound -- ./tries 100
    out_has 'a thread that tried in vain again and again was held back'
    out_has 'all fair schedules'
    expect 0 explore -q -s chess --preemptions=$bound -- ./chance
    out_has 'were run'
    out_lacks 'the program reads'
    for how in c r; do
        expect 0 explore -q -s chess --preemptions=$bound -- ./chance $how
        out_has 'the program reads '
        out_has 'not all were run'
    done
done
expect 0 explore -q -s chess -- ./chance l # until when to wait
out_lacks 'the program reads'

# Two limits that pass one after the other: searched with a bound, and without one it is said.
cat >two.c <<'END_C'
#include <pthread.h>
#include <unistd.h>
static int x;
static void *other(void *unused)
{
    usleep(1000);
    usleep(1000);
    __atomic_store_n(&x, 1, 5);
    return unused;
}
int main(void)
{
    pthread_t t;
    int seen;
    pthread_create(&t, NULL, other, NULL);
    usleep(1500);
    seen = __atomic_load_n(&x, 5);
    pthread_join(t, NULL);
    return seen;
}
END_C
"$FOREWEAVE" cc -g -O1 -pthread two.c -o two || complain "cannot build two"
expect 66 explore -q -s chess --preemptions=3 -- ./two
"$FOREWEAVE" explore -q -s chess --preemptions=all --format=json -o all.json -- ./two
grep -q '"complete":false' all.json || complain "the search without a bound says that it is complete"

# Who sleeps until another thread has done something is not led on while that one is held back.
cat >poll.c <<'END_C'
#include <pthread.h>
#include <unistd.h>
static int x;
static void *set(void *unused)
{
    __atomic_store_n(&x, 1, 5);
    return unused;
}
int main(void)
{
    pthread_t t;
    int wrong;
    pthread_create(&t, NULL, set, NULL);
    while (!__atomic_load_n(&x, 5))
        usleep(1000);
    wrong = !__atomic_load_n(&x, 5);
    pthread_join(t, NULL);
    return wrong;
}
END_C
"$FOREWEAVE" cc -g -O1 -pthread poll.c -o poll || complain "cannot build poll"
for strategy in predict iroot random pct; do
    expect 0 explore -q -s $strategy -n 20 -- ./poll
done

# A signal may wake any of those who wait; who has waited longest is woken, so the search is not complete.  If one waits,
# or all are woken, nothing is left out.
cat >waiters.c <<'END_C'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static int waiting, go, first;
static void *waiter(void *number)
{
    pthread_mutex_lock(&lock);
    waiting++;
    while (!go)
        pthread_cond_wait(&change, &lock);
    if (!first)
        first = (int)(long)number;
    pthread_mutex_unlock(&lock);
    return NULL;
}
int main(void)
{
    pthread_t t[WAITERS];
    for (long i = 0; i < WAITERS; i++)
        pthread_create(&t[i], NULL, waiter, (void *)(i + 1));
    pthread_mutex_lock(&lock);
    go = 1;
    NOTIFY(&change);
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&change);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < WAITERS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
END_C
for way in "2 signal" "1 signal" "2 broadcast"; do
    "$FOREWEAVE" cc -g -O1 -pthread -DWAITERS=${way% *} -DNOTIFY=pthread_cond_${way#* } waiters.c -o waiters || complain "cannot build waiters"
    expect 0 explore -q -s chess -- ./waiters
    if [ "$way" = "2 signal" ]; then
        out_has 'not all were run' 'one of several threads that waited was woken: that it is another one is not searched'
    else
        out_has 'schedules with at most 2 preemptions were run'
        out_lacks 'one of several'
    fi
done

# Of more memory than is told apart it is not known which places share it: the search says so.
cat >large.c <<'END_C'
#include <pthread.h>
static int x;
static volatile int table[PAGES * 1024];
static void *touch(void *unused)
{
    for (long i = 0; i < PAGES; i++)
        table[i * 1024] = 1;
    __atomic_store_n(&x, 1, 5);
    return unused;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, touch, NULL);
    __atomic_store_n(&x, 2, 5);
    pthread_join(t, NULL);
    return 0;
}
END_C
for pages in 33000 330; do
    "$FOREWEAVE" cc -g -O1 -pthread -DPAGES=$pages large.c -o large || complain "cannot build large"
    expect 0 explore -q -s chess -n 5 -- ./large
    if [ $pages = 330 ]; then
        out_has 'schedules with at most 2 preemptions were run'
        out_lacks 'used more memory'
    else
        out_has 'used more memory than is told apart: places that share it may be missing'
    fi
done

# --- a call of libc that stores is a point, too; that it stores in one step is said, and a store of the program's own has all
# schedules
cat >stores.c <<'END_C'
#include <pthread.h>
#include <stdio.h>
static int x, bad;
static void *sets(void *unused)
{
    x = 1;
#ifdef CALL
    sscanf("0", "%d", &x);
#else
    x = 0;
#endif
    return unused;
}
static void *looks(void *unused)
{
    if (x == 1)
        bad = 1;
    return unused;
}
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, sets, NULL);
    pthread_create(&two, NULL, looks, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return bad;
}
END_C
"$FOREWEAVE" cc -g -DCALL stores.c -o calls && "$FOREWEAVE" cc -g stores.c -o stores || complain "cannot build"
for bound in 2 all; do
    expect 66 explore -q -s chess --preemptions=$bound --folder=calls$bound -- ./calls
    out_has "calls of libraries used shared memory, each in one step"
    out_has "but not all were run"
    expect 66 replay --runs=3 calls$bound/*.sched
    out_has "(3 of 3 runs)"
    expect 66 explore -q -s chess --preemptions=$bound --folder=stores$bound -- ./stores
    out_lacks "calls of libraries"
done

# --- what a call of libc reads can be written just before it, and after what came before that
cat >reads.c <<'END_C'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static char text[4] = "a", other[4] = "a";
static int flag, bad;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *looks(void *unused)
{
    if (RIGHT)
        pthread_mutex_lock(&lock);
    flag = 1;
    if (READS)
        bad = 1;
    flag = 0;
    if (RIGHT)
        pthread_mutex_unlock(&lock);
    return unused;
}
static void *sets(void *unused)
{
    if (RIGHT)
        pthread_mutex_lock(&lock);
    if (flag)
        text[0] = other[0] = 'x';
    if (RIGHT)
        pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, looks, NULL);
    pthread_create(&two, NULL, sets, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return bad;
}
END_C
for reads in 'strcmp(text, "x") == 0' 'memcmp(text, "x", 2) == 0' 'strchr(text, 120) != 0' 'strtol(text, 0, 36) == 33'; do
    for right in 0 1; do
        "$FOREWEAVE" cc -g -fno-builtin -DRIGHT=$right -DREADS="$reads" reads.c -o reads$right || complain "cannot build"
    done
    expect 66 explore -q -s chess --folder="reads ${reads%%(*}" -- ./reads0
    out_has "all schedules with at most 2 preemptions were run"
    expect 66 replay --runs=3 "reads ${reads%%(*}"/*.sched
    out_has "(3 of 3 runs)"
    expect 0 explore -q -s chess -- ./reads1
    out_has "all schedules with at most 2 preemptions were run"
done
# Two things that both are shared, in one step.
"$FOREWEAVE" cc -g -fno-builtin -DRIGHT=0 -DREADS='strcmp(text, other) != 0' reads.c -o two || complain "cannot build"
expect 66 explore -q -s chess -- ./two
out_has "calls of libraries used shared memory, each in one step"

# --- a handler comes between accesses of the thread that it interrupts, though nobody else uses that memory
cat >handler.c <<'END_C'
#include <pthread.h>
#include <signal.h>
static volatile int one, two;
static int bad;
static void looks(int number)
{
    (void)number;
    if (one != two)
        bad = 1;
}
static void *sends(void *to)
{
    pthread_kill(*(pthread_t *)to, SIGUSR1);
    return NULL;
}
int main(void)
{
    pthread_t self = pthread_self(), thread;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    signal(SIGUSR1, looks);
    pthread_create(&thread, NULL, sends, &self);
    if (RIGHT)
        pthread_sigmask(SIG_BLOCK, &set, NULL);
    one++;
    two++;
    if (RIGHT)
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    pthread_join(thread, NULL);
    return bad;
}
END_C
for right in 0 1; do
    "$FOREWEAVE" cc -g -DRIGHT=$right handler.c -o handler$right || complain "cannot build"
done
expect 66 explore -q -s chess --folder=handler -- ./handler0
out_has "all schedules with at most 2 preemptions were run"
expect 66 replay --runs=3 handler/*.sched
out_has "(3 of 3 runs)"
for strategy in chess random pct; do
    expect 0 explore -q -s $strategy -n 100 -- ./handler1
done
finish
