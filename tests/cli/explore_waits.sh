#!/usr/bin/env bash
# foreweave explore, when threads wait in the kernel, end early, or are cancelled where they wait: what
# they share is learnt all the same, and nobody who will be woken is taken for stuck.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

# The worker has ended when the main thread comes back from where it waits.
cat >ended.cc <<'END'
#include <future>
#include <mutex>
#include <pthread.h>
#include <unistd.h>
static int n, ends[2];
static std::promise<int> promised;
static std::mutex lock;
static void add()
{
    for (int i = 0; i < 3; i++)
        if (RIGHT == 1) {
            std::lock_guard<std::mutex> guard(lock);
            n = n + 1;
        } else {
            n = n + 1;
        }
}
static void *work(void *argument)
{
    char byte = 0;
    if (HOW == 'p' && write(ends[1], &byte, 1) != 1)
        _exit(2);
    if (HOW == 'f')
        promised.set_value(4);
    add();
    return argument;
}
int main()
{
    pthread_t thread;
    char byte;
    if (pipe(ends) != 0 || pthread_create(&thread, NULL, work, NULL) != 0)
        return 2;
    if (HOW == 'p' && read(ends[0], &byte, 1) != 1)
        return 2;
    if (HOW == 'f')
        promised.get_future().wait();
    if (HOW == 's')
        usleep(1000);
    if (RIGHT == 2)
        pthread_join(thread, NULL);
    add();
    if (RIGHT != 2)
        pthread_join(thread, NULL);
    return n != 6;
}
END
for how in p f s; do
    for right in 0 1 2; do
        "$FOREWEAVE" c++ -g -DRIGHT=$right -DHOW="'$how'" -o $how-$right ended.cc ||
            complain "ended.cc does not compile"
    done
    expect 0 explore -q -s none -n 2 --format=json -- ./$how-0
    out_lacks '"shared":0,'
    expect 0 explore -q -s none -n 2 --format=json -- ./$how-1
    out_lacks '"shared":0,' # they are, as before
    expect 0 explore -q -s none -n 2 --format=json -- ./$how-2
    [ $how = f ] || out_has '"shared":0,' # what comes behind a join is the joiner's own
done
for how in p f s; do
    expect 66 explore -q -s random -n 1000 --until-first --folder=$how -- ./$how-0
    expect 66 replay --runs=5 $how/*.sched
    out_has '(5 of 5 runs)'
    expect 0 explore -q -s random -n 50 -- ./$how-1
    expect 0 explore -q -s random -n 50 -- ./$how-2
done
for strategy in pct pos delay pctlarge; do
    expect 66 explore -q -s $strategy -n 1000 --until-first -- ./s-0
    expect 0 explore -q -s $strategy -n 20 -- ./s-1
done
# Who was woken can be picked at the next point of who woke it, as a rule; when it is back the kernel decides.
expect 66 explore -q -s chess -- ./p-0
expect 0 explore -q -s chess -n 20 -- ./p-1
out_has 'slept or waited in the kernel'
expect 0 explore -q -s chess -n 20 -- ./f-1
out_lacks 'slept or waited in the kernel' # it does not
expect 0 explore -q -s chess --format=json -- ./s-1 # when a short sleep is over is a choice
out_has '"end":"exhausted","complete":true'
for time in '' --virtual-time; do
    expect 0 explore -q -s chess --format=json --timeouts=never $time -- ./s-1
    out_has '"end":"exhausted","complete":false'
done

# A thread that is cancelled where it waits, or on the way there.
cat >cancelled.c <<'END'
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t zero;
static void unlock(void *argument)
{
    (void)argument;
    pthread_mutex_unlock(&lock);
}
static void *wait(void *argument)
{
    if (DISABLED)
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    if (HOW == 's')
        for (;;)
            sem_wait(&zero);
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(unlock, NULL);
    for (;;)
        pthread_cond_wait(&never, &lock);
    pthread_cleanup_pop(1);
    return argument;
}
int main(void)
{
    pthread_t thread;
    void *result;
    sem_init(&zero, 0, 0);
    pthread_create(&thread, NULL, wait, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    pthread_mutex_lock(&lock);
    return result != PTHREAD_CANCELED;
}
END
for how in c s; do
    "$FOREWEAVE" cc -g -DDISABLED=0 -DHOW="'$how'" -o cancelled-$how cancelled.c ||
        complain "cancelled.c does not compile"
    "$FOREWEAVE" cc -g -DDISABLED=1 -DHOW="'$how'" -o stuck-$how cancelled.c ||
        complain "cancelled.c does not compile"
    for strategy in none random pct pos delay; do
        expect 0 explore -q -s $strategy -n 20 -- ./cancelled-$how
    done
    expect 0 explore -q -s chess -- ./cancelled-$how
    out_has 'all schedules with at most 2 preemptions were run'
    out_lacks ' 2 runs' # it is cancelled before it waits, and where it waits
    out_lacks 'slept or waited in the kernel'
    expect 0 explore -q -s chess --format=json -- ./cancelled-$how
    out_has '"complete":true'
    expect 66 explore -q -s random -n 1 -- ./stuck-$how
    out_has 'failure 1: stuck'
done

# --- a wait that ends by its time leaves a schedule too, however long it takes ----------------------
cat >timed.c <<'END'
#include <pthread.h>
#include <time.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, late;
static void *set(void *argument)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return argument;
}
static void *await(void *argument)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_nsec += 400000000;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    pthread_mutex_lock(&lock);
    if (!RIGHT || !ready)
        late = pthread_cond_timedwait(&changed, &lock, &time) != 0;
    pthread_mutex_unlock(&lock);
    return argument;
}
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, await, NULL);
    pthread_create(&two, NULL, set, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return late ? 3 : 0;
}
END
for right in 0 1; do
    "$FOREWEAVE" cc -g -DRIGHT=$right -o timed-$right timed.c || complain "timed.c does not compile"
done
for strategy in random predict; do
    expect 66 explore -q -s $strategy -n 30 --timeouts=never --until-first --folder=$strategy -- ./timed-0
    out_has 'failure 1: exit 3'
    expect 66 replay "$(sed -n 's/.*replay: foreweave replay //p' "$out")"
    expect 0 explore -q -s $strategy -n 30 --timeouts=never -- ./timed-1
done

# --- where one failing run cannot be repeated, the next one is tried --------------------------------
cat >seldom.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static int x;
static void *add(void *argument)
{
    x++;
    return argument;
}
static long count(void)
{
    int fd = open("counted", O_CREAT | O_WRONLY | O_APPEND, 0600);
    if (write(fd, "x", 1) != 1)
        abort();
    return lseek(fd, 0, SEEK_END);
}
int main(void)
{
    pthread_t one, two;
    long times;
    pthread_create(&one, NULL, add, NULL);
    pthread_create(&two, NULL, add, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    times = x == 2 ? 2 : count();
    return times == 1 || times > 4; /* what follows the first time is no failure for a while */
}
END
"$FOREWEAVE" cc -g seldom.c -o seldom || complain "seldom.c does not compile"
expect 66 explore -q -s random -n 100 --folder=seldom.d -- ./seldom
out_lacks 'no schedule'
expect 66 replay "$(sed -n 's/.*replay: foreweave replay //p' "$out")"

# --- who waits in the kernel for a thread that a witness holds back is not waited for ----------------
cat >kernel.c <<'END'
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>
static int n, ends[2];
static char how;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void caught(int number) { (void)number; }
static void *add(void *argument)
{
    int seen;
    if (RIGHT)
        pthread_mutex_lock(&lock);
    seen = n;
    n = seen + 1;
    if (RIGHT)
        pthread_mutex_unlock(&lock);
    return argument;
}
static void *work(void *main)
{
    add(NULL);
    if (how < 'a')
        pthread_kill(*(pthread_t *)main, how < 'C' ? SIGUSR1 : SIGUSR2);
    else if (write(ends[1], "x", 1) != 1)
        abort();
    return NULL;
}
static void await(void)
{
    struct pollfd polled = { 0, POLLIN, 0 };
    struct epoll_event event = { .events = EPOLLIN };
    struct timespec far = { 1000, 0 };
    sigset_t signals, none;
    siginfo_t about;
    fd_set set;
    int number;
    polled.fd = ends[0];
    sigemptyset(&none);
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    switch (how) {
    case 'A': sigwait(&signals, &number); break;
    case 'B': sigtimedwait(&signals, &about, &far); break;
    case 'C': sigsuspend(&none); break;
    case 'D': ppoll(NULL, 0, NULL, &none); break;
    case 'a': poll(&polled, 1, 1000000); break;
    case 'b': FD_ZERO(&set); FD_SET(ends[0], &set); select(ends[0] + 1, &set, NULL, NULL, NULL); break;
    case 'c':
        number = epoll_create1(0);
        epoll_ctl(number, EPOLL_CTL_ADD, ends[0], &event);
        epoll_wait(number, &event, 1, -1);
        break;
    }
}
int main(int count, char **words)
{
    pthread_t self = pthread_self(), threads[2];
    sigset_t signals;
    how = words[count - 1][0];
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    sigaddset(&signals, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    signal(SIGUSR2, caught);
    if (pipe(ends) != 0)
        return 2;
    pthread_create(&threads[0], NULL, add, NULL);
    pthread_create(&threads[1], NULL, work, &self);
    await();
    add(NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return n != 3;
}
END
for right in 0 1; do
    "$FOREWEAVE" cc -g -DRIGHT=$right -o kernel-$right kernel.c || complain "kernel.c does not compile"
done
for how in A B C D a b c; do
    expect 66 explore -q -s predict -n 10 --limit=3 --format=json -- ./kernel-0 $how
    out_has '"kind":"exit","code":1'
    out_lacks '"kind":"hang"' '"kind":"stuck"'
    expect 0 explore -q -s predict -n 10 --limit=3 -- ./kernel-1 $how
done
finish
