#!/usr/bin/env bash
# foreweave run and replay, when threads wait in the kernel: what is foreseen there is confirmed as well,
# and a step waits for who comes back, not for who can only be woken by a thread that the step holds up.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

# What comes behind the wake races with what comes behind the wait.  The last write is told late.
cat >woken.cc <<'END'
#include <future>
#include <pthread.h>
#include <unistd.h>
static int n, ends[2];
static std::promise<int> promised;
static void add()
{
    for (int i = 0; i < 20; i++)
        n = n + 1;
}
static void *work(void *argument)
{
    char byte = 0;
    if (RIGHT)
        add();
    if (HOW == 'p' && write(ends[1], &byte, 1) != 1)
        _exit(2);
    if (HOW == 'f')
        promised.set_value(4);
    if (!RIGHT)
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
    if (HOW == 'f' && promised.get_future().get() != 4)
        return 2;
    add();
    pthread_join(thread, NULL);
    return n != 40;
}
END
for how in p f; do
    for right in 0 1; do
        "$FOREWEAVE" c++ -g -DRIGHT=$right -DHOW="'$how'" -o $how-$right woken.cc ||
            complain "woken.cc does not compile"
    done
    expect 66 run -q -- ./$how-0
    out_lacks 'not reproduced'
    for kind in 'data race (predicted by race' 'atomicity violation (predicted by atomicity'; do
        out_has "WARNING: Foreweave: $kind, confirmed, harmful)"
    done
    last="foreweave run -q -- ./$how-1"
    "$FOREWEAVE" run -q -- ./$how-1 >"$out" 2>"$err"
    out_lacks 'data race'
    out_lacks "global 'n'" # the future's own words are read at different times
done

# The main thread is held up by who cannot run, or by another process.
cat >held.cc <<'END'
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
enum { BY_THREAD, BY_PROCESS, BY_PIPE };
static int here, *there = &here, ends[2];
static void wake()
{
    usleep(OTHER == BY_PROCESS ? 300000 : 0);
    if (OTHER == BY_PIPE && write(ends[1], "", 1) != 1)
        _exit(2);
    __atomic_store_n(there, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, there, FUTEX_WAKE, 1, 0, 0, 0);
}
static void *work(void *argument)
{
    wake();
    return argument;
}
int main()
{
    pthread_t thread;
    char byte;
    if (pipe(ends) != 0)
        return 2;
    if (OTHER == BY_PROCESS) {
        there = (int *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (fork() == 0) {
            wake();
            _exit(0);
        }
    } else if (pthread_create(&thread, NULL, work, NULL) != 0) {
        return 2;
    }
    if (OTHER == BY_PIPE && read(ends[0], &byte, 1) != 1)
        return 2;
    while (!__atomic_load_n(there, __ATOMIC_SEQ_CST))
        syscall(SYS_futex, there, FUTEX_WAIT, 0, 0, 0, 0);
    if (OTHER != BY_PROCESS)
        pthread_join(thread, NULL);
    else
        wait(NULL);
    return 3;
}
END
for other in 0 2 1; do
    "$FOREWEAVE" c++ -g -DOTHER=$other -o held-$other held.cc || complain "held.cc does not compile"
    {
        printf 'foreweave schedule 1\nprogram "./held-%d"\nshows exit 3\n' $other
        printf '0 until it waits\n%.0s' 1 2
        [ $other = 1 ] || printf '0 until it waits\n%.0s' 3 4 5 6 7 8 9
    } >held-$other.sched
    expect 66 replay held-$other.sched
done
out_lacks 'went otherwise'
for other in 0 2; do
    expect 66 replay held-$other.sched
    out_has 'step 2'
done

# A server and its clients in one process: what is foreseen is confirmed, and nothing is said of the connections
# themselves.
for how in '' _ok; do
    "$FOREWEAVE" cc -g -o server$how "$FOREWEAVE_SOURCE/tests/programs/server$how.c" ||
        complain "server$how.c does not compile"
done
expect 66 run -q -- ./server
out_has 'WARNING: Foreweave: data race (predicted by race, confirmed'
out_has 'receive(channel'
out_lacks 'not reproduced'
out_lacks 'hb:'
expect 0 run -q --analysis=race,deadlock -- ./server_ok

# Who waits for a routine that runs once, for a static object, or for a lock that another thread holds is not back by
# itself: a schedule that holds that thread up goes on with it, and does not end in a hang.
cat >shut.cc <<'END'
#include <mutex>
#include <pthread.h>
#include <threads.h>
static pthread_once_t posix = PTHREAD_ONCE_INIT;
static std::once_flag flag;
static ::once_flag plain = ONCE_FLAG_INIT;
static pthread_spinlock_t spin;
static std::mutex lock;
static int v, seen[2];
static void init()
{
    if (!v)
        v = 1;
}
static int made()
{
    init();
    return v;
}
static void enter()
{
    if (HOW == 'p')
        pthread_once(&posix, init);
    if (HOW == 'c')
        std::call_once(flag, init);
    if (HOW == 't')
        ::call_once(&plain, init);
    if (HOW == 'g') {
        static int local = made();
        (void)local;
    }
    if (HOW == 's') {
        pthread_spin_lock(&spin);
        init();
        pthread_spin_unlock(&spin);
    }
    if (HOW == 'm') {
        std::lock_guard<std::mutex> guard(lock);
        init();
    }
}
static void *work(void *argument)
{
    enter();
    *(int *)argument = v;
    return nullptr;
}
int main()
{
    pthread_t a, b;
    pthread_spin_init(&spin, 0);
    pthread_create(&a, nullptr, work, &seen[0]);
    pthread_create(&b, nullptr, work, &seen[1]);
    pthread_join(a, nullptr);
    pthread_join(b, nullptr);
    return seen[0] + seen[1] - 2;
}
END
printf '%s\n' 'foreweave schedule 1' 'program "./shut"' 'shows exit 0' '0 until it waits' \
    '0.1 before write in init "v = 1;" +3 #1' '0.2 before read in work "*(int *)argument = v;" +3 #1' >shut.sched
for how in p c t g s m; do
    "$FOREWEAVE" c++ -g -DHOW="'$how'" shut.cc -pthread -o shut || complain "cannot build"
    expect 66 replay --near=0 --time=5 shut.sched
    out_has "reproduced: exit 0"
    out_has "the thread waits before it came there"
done
finish
