#!/usr/bin/env bash
# What a search must see or say: what libc and the kernel keep for all threads is searched; what no schedule decides (other
# processes, signals of timers, ids, second mappings of memory) keeps it from being called complete.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

# Two threads, each of which does one thing; main judges, by the order in which they were done.
cat >hidden.c <<'END_C'
#define _GNU_SOURCE
#include <locale.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
static pthread_t one, two;
static long first, second, last;
#if defined RAND
#define BEFORE srand(5)
#define ONE first = rand()
#define TWO second = rand()
#elif defined RAND48
#define BEFORE srand48(5)
#define ONE first = lrand48()
#define TWO second = lrand48()
#elif defined KEYS
static pthread_key_t a, b;
#define ONE pthread_key_create(&a, NULL), first = a
#define TWO pthread_key_create(&b, NULL), second = b
#elif defined MAPS
#define MAP (long)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
#define ONE first = MAP
#define TWO second = MAP
#elif defined ENVIRONMENT
#define ONE setenv("FOREWEAVE_TEST_X", "1", 1)
#define TWO second = getenv("FOREWEAVE_TEST_X") != NULL
#elif defined LOCALE
#define ONE setlocale(LC_ALL, "C.UTF-8")
#define TWO second = strcmp(setlocale(LC_ALL, NULL), "C") != 0
#elif defined MASK
#define BEFORE umask(0)
#define ONE umask(077)
#define TWO second = umask(022) != 0
#elif defined SIGNALS
static void handler(int number) { (void)number; last = 1; }
static void block(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    sigpending(&set);
    second = sigismember(&set, SIGUSR1);
}
#define BEFORE signal(SIGUSR1, handler)
#define ONE pthread_kill(two, SIGUSR1)
#define TWO block()
#elif defined CANCEL
#define ONE pthread_cancel(two)
#define TWO pthread_testcancel(), second = 1
#elif defined CANCEL_WAIT
static sem_t tokens;
#define BEFORE sem_init(&tokens, 0, 1)
#define ONE pthread_cancel(two)
#define TWO sem_wait(&tokens), second = 1
#elif defined ENDING
static void finish(void) { _exit((int)last); }
static void a(void) { last = 1; }
static void b(void) { last = 2; }
#define BEFORE atexit(finish)
#define ONE atexit(a)
#define TWO atexit(b)
#endif
#ifndef BEFORE
#define BEFORE (void)0
#endif
static void *work_one(void *unused) { ONE; return unused; }
static void *work_two(void *unused) { TWO; return unused; }
int main(void)
{
    BEFORE;
    pthread_create(&two, NULL, work_two, NULL);
    pthread_create(&one, NULL, work_one, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return first < second ? 1 : 2; /* no status is 0: each order is a failure of its own */
}
END_C
for what in RAND RAND48 KEYS MAPS ENVIRONMENT LOCALE MASK SIGNALS ENDING CANCEL CANCEL_WAIT; do
    "$FOREWEAVE" cc -g -w -pthread -D$what hidden.c -o hidden || complain "cannot build with $what"
    for bound in 2 all; do
        expect 66 explore -q -s chess --preemptions=$bound -- ./hidden
        out_has 'failure 1: exit' 'failure 2: exit' 'were run'
        out_lacks 'not all were run'
    done
done

# What keeps a search from being complete, and what does not.
cat >chance.c <<'END_C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
extern char **environ;
static int x;
static void handler(int number) { (void)number; }
static void ignore(long unused) { (void)unused; }
static void map(int flags)
{
    int fd = flags & MAP_ANONYMOUS ? -1 : memfd_create("x", 0);
    if (fd >= 0)
        ignore(ftruncate(fd, 4096));
    ignore(mmap(NULL, 4096, PROT_READ | PROT_WRITE, flags, fd, 0) == MAP_FAILED);
}
static void look_into(const char *path)
{
    char byte;
    int fd = open(path, O_RDONLY);
    ignore(read(fd, &byte, 1));
    close(fd);
}
static void spawn(void)
{
    char *words[] = { "/bin/true", NULL };
    pid_t child;
    posix_spawn(&child, words[0], NULL, NULL, words, environ);
    waitpid(child, NULL, 0);
}
static void act(const char *how, char **words)
{
    struct itimerval soon = { { 0, 0 }, { 1, 0 } };
    struct rusage usage;
    struct stat about;
    struct statvfs room;
    struct utsname host;
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    char name[] = "name.XXXXXX";
    if (!strcmp(how, "fork") && fork() == 0)
        _exit(0);
    if (!strcmp(how, "exec") && words[2])
        execl(words[0], words[0], (char *)NULL);
    if (!strcmp(how, "spawn"))
        spawn();
    if (!strcmp(how, "system"))
        ignore(system("true"));
    if (!strcmp(how, "timer"))
        setitimer(ITIMER_REAL, &soon, NULL);
    if (!strcmp(how, "queue"))
        sigqueue(getpid(), SIGUSR1, (union sigval){ 0 });
    if (!strcmp(how, "default"))
        kill(getpid(), SIGCHLD);
    if (!strcmp(how, "cancel"))
        pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    if (!strcmp(how, "shared"))
        map(MAP_SHARED);
    if (!strcmp(how, "private"))
        map(MAP_PRIVATE);
    if (!strcmp(how, "anonymous"))
        map(MAP_SHARED | MAP_ANONYMOUS);
    if (!strcmp(how, "pid"))
        ignore(getpid());
    if (!strcmp(how, "tid"))
        ignore(syscall(SYS_gettid));
    if (!strcmp(how, "name"))
        unlink((close(mkstemp(name)), name));
    if (!strcmp(how, "heap") || !strcmp(how, "both"))
        free(malloc(10));
    if (!strcmp(how, "clock"))
        ignore(clock());
    if (!strcmp(how, "usage"))
        getrusage(RUSAGE_SELF, &usage);
    if (!strcmp(how, "cpu"))
        ignore(sched_getcpu());
    if (!strcmp(how, "stat"))
        stat(".", &about);
    if (!strcmp(how, "room"))
        statvfs(".", &room);
    if (!strcmp(how, "port"))
        getsockname(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&address, &length);
    if (!strcmp(how, "host"))
        uname(&host);
    if (!strcmp(how, "proc"))
        look_into("/proc/self/stat");
    if (!strcmp(how, "urandom"))
        look_into("/dev/urandom");
}
static char **arguments;
static void *work(void *unused)
{
    act(arguments[1] ? arguments[1] : "", arguments);
    __atomic_fetch_add(&x, 1, 5);
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t t;
    arguments = argv;
    signal(SIGUSR1, handler);
    signal(SIGALRM, handler);
    pthread_create(&t, NULL, work, NULL);
    if (argc > 1 && !strcmp(argv[1], "both"))
        free(malloc(10));
    __atomic_fetch_add(&x, 1, 5);
    pthread_join(t, NULL);
    if (argc > 1)
        free(malloc(10)); /* nobody else is there any more */
    return argc < 1;
}
END_C
"$FOREWEAVE" cc -g -w -pthread chance.c -o chance || complain "cannot build chance"
while read -r text words; do
    for how in $words; do
        expect 0 explore -q -s chess -n 60 -- ./chance $how $([ $how != exec ] || echo again)
        out_has "$text"
        [ "$text" = schedules ] || out_lacks 'preemptions were run'
    done
done <<'END_TABLE'
processes fork exec spawn system
signals timer cancel queue
mapped shared
differs clock usage proc cpu
random urandom
schedules private anonymous pid tid name stat room port host heap default
END_TABLE

# Whether ids, names and addresses of blocks matter is not known: it is complete provided that they do not, and says so.
for how in pid tid name both stat room port; do
    text='no result depends on ids of processes or threads, names of temporary files, times, numbers and room of files, or ports'
    [ $how != both ] || text='no result depends on the addresses of blocks of memory'
    expect 0 explore -q -s chess --format=json -- ./chance $how
    out_has "\"complete\":true,\"preemptions\":2,\"provided\":[\"$text\"]"
    expect 0 explore -q -s chess -- ./chance $how
    out_has 'results that depend on' 'all schedules with at most 2 preemptions were run'
done
for how in heap private host none; do
    expect 0 explore -q -s chess --format=json -- ./chance $how
    out_has '"complete":true,"preemptions":2,"provided":[]'
    expect 0 explore -q -s chess -- ./chance $how
    out_lacks 'results that depend on'
done

# Other strategies say of other processes that they are not controlled, and count only those.
expect 0 explore -q -n 3 -- ./chance fork
out_has 'in 3 runs the program started other processes'
expect 0 explore -q -n 3 -- ./chance clock
out_lacks 'differs from run to run'
"$FOREWEAVE" explore -q -s chess --format=json -- ./chance clock >json
grep -q '"system":[1-9].*"complete":false,"why":"the program asks for what differs from run to run"' json ||
    complain "JSON does not tell why the search is not complete: $(cat json)"

# The journal remembers it.
expect 0 explore -q -s chess --folder=kept -- ./chance shared
expect 0 explore -q -s chess --folder=kept -- ./chance shared
out_has 'of them before' 'mapped as shared memory' 'not all were run'

# What std::random_device gives.
cat >device.cc <<'END_C'
#include <random>
#include <thread>
static unsigned seen;
int main()
{
    std::thread t([] { seen = std::random_device()(); });
    t.join();
    return 0;
}
END_C
"$FOREWEAVE" c++ -g device.cc -o device || complain "cannot build device"
expect 0 explore -q -s chess -- ./device
out_has 'random numbers' 'not all were run'
finish
