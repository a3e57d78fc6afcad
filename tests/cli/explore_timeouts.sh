#!/usr/bin/env bash
# Waits with a limit, and sleeps: that the time is over is a choice of the schedule, like a preemption. What fails only then is
# found by all strategies and can be replayed; who deals with it stays silent; loops of such waits do not make a search endless.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

cat >timeouts.cc <<'END_C'
// A wait with a limit, and who ends it in time as a rule. right: that it times out is dealt with.
#include <chrono>
#include <condition_variable>
#include <errno.h>
#include <future>
#include <mutex>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static std::timed_mutex timed;
static std::mutex plain;
static std::condition_variable condition;
static std::promise<int> promised;
static sem_t sem;
static bool ready, right;
static char how;
static int ms;
static int shared, pipes[2];
static timespec soon(clockid_t clock)
{
    timespec when;
    clock_gettime(clock, &when);
    when.tv_sec += ms / 1000;
    when.tv_nsec += ms % 1000 * 1000000L;
    when.tv_sec += when.tv_nsec / 1000000000;
    when.tv_nsec %= 1000000000;
    return when;
}
static void *ends(void *argument)
{
    switch (how) {
    case 'c':
    case 'k':
        pthread_mutex_lock(&lock);
        ready = true;
        pthread_cond_signal(&cond);
        pthread_mutex_unlock(&lock);
        break;
    case 'C': {
        std::lock_guard<std::mutex> guard(plain);
        ready = true;
        condition.notify_one();
        break;
    }
    case 's':
        shared = 1;
        sem_post(&sem);
        break;
    case 'm':
        pthread_mutex_lock(&lock);
        shared++;
        pthread_mutex_unlock(&lock);
        break;
    case 'r':
        pthread_rwlock_wrlock(&rwlock);
        shared++;
        pthread_rwlock_unlock(&rwlock);
        break;
    case 't': {
        std::lock_guard<std::timed_mutex> guard(timed);
        shared++;
        break;
    }
    case 'f':
        promised.set_value(1);
        break;
    case 'z':
        __atomic_store_n(&shared, 1, __ATOMIC_SEQ_CST);
        break;
    case 'p':
    case 'l':
    case 'e': {
        uint64_t one = 1;
        shared = write(pipes[1], &one, sizeof one) != sizeof one;
        break;
    }
    case 'j':
        break;
    }
    return argument;
}
// 0: it was ended in time
static int waits(pthread_t thread)
{
    timespec when = soon(CLOCK_REALTIME);
    int status = 0;
    switch (how) {
    case 'c':
        pthread_mutex_lock(&lock);
        while (!ready && status == 0)
            status = pthread_cond_timedwait(&cond, &lock, &when);
        pthread_mutex_unlock(&lock);
        return status;
    case 'k':
        when = soon(CLOCK_MONOTONIC);
        pthread_mutex_lock(&lock);
        while (!ready && status == 0)
            status = pthread_cond_clockwait(&cond, &lock, CLOCK_MONOTONIC, &when);
        pthread_mutex_unlock(&lock);
        return status;
    case 'C': {
        std::unique_lock<std::mutex> guard(plain);
        return !condition.wait_for(guard, std::chrono::milliseconds(ms), [] { return ready; });
    }
    case 's':
        return sem_timedwait(&sem, &when);
    case 'm':
        status = pthread_mutex_timedlock(&lock, &when);
        if (status == 0)
            pthread_mutex_unlock(&lock);
        return status;
    case 'r':
        status = pthread_rwlock_timedrdlock(&rwlock, &when);
        if (status == 0)
            pthread_rwlock_unlock(&rwlock);
        return status;
    case 't':
        if (!timed.try_lock_for(std::chrono::milliseconds(ms)))
            return 1;
        timed.unlock();
        return 0;
    case 'f':
        return promised.get_future().wait_for(std::chrono::milliseconds(ms)) != std::future_status::ready;
    case 'z':
        usleep(ms * 1000);
        return !__atomic_load_n(&shared, __ATOMIC_SEQ_CST);
    case 'p':
    case 'e': {
        pollfd one = { pipes[0], POLLIN, 0 };
        return poll(&one, 1, ms) != 1;
    }
    case 'l': {
        fd_set set;
        timeval time = { ms / 1000, ms % 1000 * 1000 };
        FD_ZERO(&set);
        FD_SET(pipes[0], &set);
        return select(pipes[0] + 1, &set, NULL, NULL, &time) != 1 || !FD_ISSET(pipes[0], &set);
    }
    case 'j':
        return pthread_timedjoin_np(thread, NULL, &when);
    }
    return 2;
}
int main(int, char **words)
{
    pthread_t thread;
    timespec before, after;
    how = words[1][0];
    right = words[2][0] == '1';
    ms = atoi(words[3]);
    if (pipe(pipes) != 0)
        return 2;
    if (how == 'e')
        pipes[0] = pipes[1] = eventfd(0, 0);
    sem_init(&sem, 0, 0);
    clock_gettime(CLOCK_MONOTONIC, &before);
    pthread_create(&thread, NULL, ends, NULL);
    int late = waits(thread);
    clock_gettime(CLOCK_MONOTONIC, &after);
    long passed = (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000;
    if (late && passed < ms - 1)
        return 3; // the clock must say so, too
    if (how != 'j' || late)
        pthread_join(thread, NULL);
    return late && !right;
}
END_C
"$FOREWEAVE" c++ -g -o timeouts timeouts.cc || complain "timeouts.cc does not compile"
for how in c k C s m r t f z j p l e; do
    expect 66 explore -q -s random -n 500 --until-first --folder=$how -- ./timeouts $how 0 50
    out_has 'a wait times out: '
    expect 66 replay --runs=3 $how/*.sched
    out_has '(3 of 3 runs)'
    expect 0 explore -q -s random -n 30 -- ./timeouts $how 1 50
    expect 66 explore -q -s chess --preemptions=3 --format=json -- ./timeouts $how 0 50
    out_has '"complete":true'
    expect 0 explore -q -s chess --preemptions=3 --format=json -- ./timeouts $how 1 50
    out_has '"complete":true'
done
for strategy in pct pos delay pctlarge; do
    expect 66 explore -q -s $strategy -n 500 --until-first -- ./timeouts c 0 50
    expect 0 explore -q -s $strategy -n 30 -- ./timeouts c 1 50
done

# The schedule says where, and holds for another build.
grep -q '^0 times out at pthread_cond_timedwait in waits ".*" +[0-9]* #1 after 0.05 s$' c/*.sched || complain "no such step"
grep -q '^timeouts 1$' c/*.sched || complain "which limits are choices is not said"
"$FOREWEAVE" c++ -g -O2 -o fast timeouts.cc || complain "timeouts.cc does not compile"
expect 66 replay c/*.sched -- ./fast c 0 50
cat >hand.sched <<'END'
foreweave schedule 1
timeouts any
shows exit 1
0 until it waits
0 times out
END
expect 66 replay hand.sched -- ./timeouts c 0 50
sed 's/times out/times/' hand.sched >bad.sched
expect 125 replay bad.sched -- ./timeouts c 0 50
err_has "bad.sched:5: 'times' goes on with 'out'"
sed 's/any/soon/' hand.sched >bad.sched
expect 125 replay bad.sched -- ./timeouts c 0 50
err_has 'bad.sched:2: not a number of seconds'

# Long limits pass only if that is asked for; then the report says which.
expect 0 explore -q -s random -n 50 -- ./timeouts c 0 30000
expect 0 explore -q -s chess --format=json -- ./timeouts c 0 30000
out_has '"complete":false,"why":"waits with long limits were not made time out"'
expect 0 explore -q -s chess -- ./timeouts c 0 30000
out_has 'limits that are longer than a second: that they pass is not searched (--timeouts=any)'
expect 66 explore -q -s chess --timeouts=any -- ./timeouts c 0 30000
out_has 'a wait times out: pthread_cond_timedwait in waits, 30 s'
out_has 'all schedules with at most 2 preemptions were run'
expect 0 explore -q -s chess --timeouts=never -- ./timeouts c 0 50
out_has 'limits that pass as time does'

cat >loops.c <<'END_C'
#include <sched.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_int stop, ticks;
static void *beats(void *argument)
{
    pthread_mutex_lock(&lock);
    while (!stop) {
        struct timespec when;
        clock_gettime(CLOCK_REALTIME, &when);
        when.tv_nsec += 1000000;
        if (when.tv_nsec >= 1000000000) {
            when.tv_sec++;
            when.tv_nsec -= 1000000000;
        }
        pthread_cond_timedwait(&cond, &lock, &when);
        ticks++;
    }
    pthread_mutex_unlock(&lock);
    return argument;
}
static void *sleeps(void *argument)
{
    while (!stop)
        usleep(1000);
    return argument;
}
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, beats, NULL);
    pthread_create(&two, NULL, sleeps, NULL);
    if (WAITS)
        while (ticks < 3)
            sched_yield();
    stop = 1;
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
END_C
"$FOREWEAVE" cc -g -DWAITS=0 -o loops loops.c || complain "loops.c does not compile"
"$FOREWEAVE" cc -g -DWAITS=1 -o yields loops.c || complain "loops.c does not compile"
for strategy in none random pct pos delay; do
    expect 0 explore -q -s $strategy -n 50 -- ./loops
    expect 0 explore -q -s $strategy -n 20 -- ./yields
done
expect 0 explore -q -s chess --time=100 -- ./loops
out_has 'ended because all fair schedules with at most 2 preemptions were run'
expect 0 explore -q -s chess --preemptions=0 --time=100 -- ./yields
out_has 'ended because all fair schedules with at most 0 preemptions were run'
finish
