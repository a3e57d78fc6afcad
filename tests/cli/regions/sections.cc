// sections.cc - atomic sections that are violated, or are not: two threads do what is asked for.
// Lines that a section is made of are marked @name.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static std::mutex mutex;
long balance;
static const char *how;
static bool locked; // everything happens under the mutex
static bool part;   // the end is reached in another activation

static bool is(const char *word)
{
    return strcmp(how, word) == 0;
}

// Locks for each access, or for all.
struct Each {
    Each()
    {
        if (!locked)
            mutex.lock();
    }
    ~Each()
    {
        if (!locked)
            mutex.unlock();
    }
};

static long get()
{
    Each each;
    return 1;
}

static void split()
{
    long old;
    {
        Each each;
        old = balance; // @load
    }
    get();
    Each each;
    balance = old + 1; // @store
}

static void chain()
{
    long old = balance; // @first
    old += balance;     // @second
    balance = old;      // @third
}

static void circle()
{
    for (int i = 0; i < 5; i++) {
        balance = i; // @round
        get();
    }
}

static void deep(int left)
{
    long old = balance; // @enter
    if (left)
        deep(left - 1);
    balance = old + 1; // @leave
}

static sigjmp_buf jump;
static thread_local sigjmp_buf here;

static void go_away()
{
    if (is("throw"))
        throw 1;
    if (is("longjmp"))
        siglongjmp(here, 1);
}

// Both in one activation, or the first in one and the second in another.
static void halves(int which)
{
    long old = 0;
    if (which != 2)
        old = balance; // @half
    if (which == 1) {
        go_away();
        return;
    }
    get();
    balance = old + 1; // @other
}

static void call_halves()
{
    if (!part) {
        halves(0);
        return;
    }
    if (sigsetjmp(here, 0) == 0) {
        try {
            halves(1);
        } catch (int) {
        }
    }
    halves(2);
}

static long other;

static void by_exit(bool out)
{
    long old = balance; // @begin
    if (out)
        other++; // @exit
    get();
    balance = old + 1; // @finish
}

static long *block;

static void heap(bool fresh)
{
    long *mine = block;
    long old = *mine; // @cell
    if (fresh) {
        free(mine);
        block = mine = static_cast<long *>(malloc(sizeof *mine));
        get();
    }
    *mine = old + 1; // @cell_end
}

static void once()
{
    if (is("split"))
        split();
    else if (is("chain"))
        chain();
    else if (is("circle"))
        circle();
    else if (is("deep"))
        deep(3);
    else if (is("exit"))
        by_exit(part);
    else
        call_halves();
}

static void *work(void *)
{
    for (int i = 0; i < 60; i++) {
        if (locked)
            mutex.lock();
        once();
        if (locked)
            mutex.unlock();
    }
    return nullptr;
}

static void *read_on(void *)
{
    volatile long seen = 0;
    for (int i = 0; i < 200; i++) {
        Each each;
        seen = balance;
    }
    (void)seen;
    return nullptr;
}

static void *write_cell(void *)
{
    for (int i = 0; i < 300; i++) {
        long *cell = block;
        *cell = i;
    }
    return nullptr;
}

static void *work_heap(void *)
{
    for (int i = 0; i < 60; i++)
        heap(part);
    return nullptr;
}

static void handler(int)
{
    siglongjmp(jump, 1);
}

// A handler jumps out of the section, now and then in the middle of our code; nobody is left waiting.
static int jumps()
{
    pthread_t second;
    struct sigaction action = {};
    action.sa_handler = handler;
    sigaction(SIGALRM, &action, nullptr);
    how = "split";
    sigset_t alarm; // which is for this thread: the jump leads to its stack
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, nullptr);
    pthread_create(&second, nullptr, work, nullptr);
    pthread_sigmask(SIG_UNBLOCK, &alarm, nullptr);
    for (volatile int i = 0; i < 20; i++) {
        if (sigsetjmp(jump, 1) == 0) {
            ualarm(300, 0);
            for (;;)
                chain();
        }
    }
    pthread_join(second, nullptr);
    return 0;
}

// Both are there before one of them begins.
static pthread_barrier_t both;

struct Work {
    void *(*function)(void *);
};

static void *begin(void *work)
{
    pthread_barrier_wait(&both);
    return static_cast<Work *>(work)->function(nullptr);
}

static void run(void *(*first)(void *), void *(*second)(void *))
{
    pthread_t threads[2];
    Work works[2] = {{first}, {second}};
    pthread_barrier_init(&both, nullptr, 2);
    pthread_create(&threads[0], nullptr, begin, &works[0]);
    pthread_create(&threads[1], nullptr, begin, &works[1]);
    pthread_join(threads[0], nullptr);
    pthread_join(threads[1], nullptr);
}

int main(int argc, char **argv)
{
    how = argc > 1 ? argv[1] : "";
    for (int i = 2; i < argc; i++) {
        locked |= !strcmp(argv[i], "locked");
        part |= !strcmp(argv[i], "part");
    }
    block = static_cast<long *>(malloc(sizeof *block));
    if (is("jump"))
        return jumps();
    if (is("fork")) {
        int status = 0;
        how = "split";
        if (fork() == 0) {
            run(work, work);
            _exit(3);
        }
        wait(&status);
        return WEXITSTATUS(status);
    }
    if (is("read")) {
        how = "split";
        run(work, read_on);
    } else if (is("heap")) {
        run(work_heap, write_cell);
    } else {
        run(work, work);
    }
    return 0;
}
