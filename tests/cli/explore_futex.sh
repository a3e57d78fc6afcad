#!/usr/bin/env bash
# Futexes that programs and libstdc++ wait for by themselves: who goes on is decided by the schedule
# alone, so a search comes to its end, failures replay, and whom nobody wakes is found at once.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

cat >futex.c <<'END_OF_C'
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static _Atomic uint32_t state; /* 0: free, 1: taken, 2: taken, and somebody waits */
static int x;
static long futex(int what, uint32_t value, const struct timespec *time)
{
    return syscall(SYS_futex, &state, what, value, time, NULL, FUTEX_BITSET_MATCH_ANY);
}
static void take(void)
{
    uint32_t none = 0;
    if (atomic_compare_exchange_strong(&state, &none, 1))
        return;
    while (atomic_exchange(&state, 2) != 0)
        futex(BITS ? FUTEX_WAIT_BITSET_PRIVATE : FUTEX_WAIT, 2, NULL);
}
static void give(void)
{
    if (RIGHT ? atomic_exchange(&state, 0) == 2 : (atomic_store(&state, 0), 0))
        futex(BITS ? FUTEX_WAKE_PRIVATE : FUTEX_WAKE, 1, NULL);
}
static void *work(void *argument)
{
    take();
    x++;
    give();
    return argument;
}
int main(void)
{
    struct timespec soon = { 0, 1000000 };
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (futex(FUTEX_WAIT, 7, NULL) != -1 || errno != EAGAIN)
        return 2;
    atomic_store(&state, 7);
    if (futex(FUTEX_WAIT, 7, &soon) != -1 || errno != ETIMEDOUT)
        return 3;
    if (futex(FUTEX_WAKE, 1, NULL) != 0)
        return 4;
    return x != 2;
}
END_OF_C
for bits in 0 1; do
    "$FOREWEAVE" cc -g -DBITS=$bits -DRIGHT=1 -o right$bits futex.c || complain "right does not compile"
    "$FOREWEAVE" cc -g -DBITS=$bits -DRIGHT=0 -o wrong$bits futex.c || complain "wrong does not compile"
    for strategy in none random pct chess; do
        expect 0 explore -q -s $strategy -n 200 -- ./right$bits
        out_lacks 'did not follow'
    done
    for strategy in random chess; do
        expect 66 explore -q -s $strategy -n 2000 --until-first --folder=$strategy$bits -- ./wrong$bits
        out_has 'failure 1: stuck'
        expect 66 replay --runs=20 $strategy$bits/*.sched
        out_has '(20 of 20 runs)'
    done
done

cat >pool.cc <<'END_OF_C'
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <stdexcept>
#include <thread>
#include <vector>
class Pool {
    std::vector<std::thread> threads;
    std::queue<std::function<void()>> tasks;
    std::mutex lock;
    std::condition_variable changed;
    bool stops = false;
    void work()
    {
        for (;;) {
            std::function<void()> task;
            {
                std::unique_lock<std::mutex> guard(lock);
                changed.wait(guard, [this] { return stops || !tasks.empty(); });
                if (tasks.empty())
                    return;
                task = std::move(tasks.front());
                tasks.pop();
            }
            task();
        }
    }
public:
    Pool(int count)
    {
        for (int i = 0; i < count; i++)
            threads.emplace_back([this] { work(); });
    }
    template <class F> std::future<int> submit(F f)
    {
        auto task = std::make_shared<std::packaged_task<int()>>(f);
        auto future = task->get_future();
        {
            std::lock_guard<std::mutex> guard(lock);
            tasks.emplace([task] { (*task)(); });
        }
        changed.notify_one();
        return future;
    }
    ~Pool()
    {
        if (RIGHT)
            lock.lock();
        stops = true;
        if (RIGHT)
            lock.unlock();
        changed.notify_all();
        for (auto &thread : threads)
            thread.join();
    }
};
int main()
{
    int sum = 0;
    {
        Pool pool(2);
        std::vector<std::future<int>> futures;
        for (int i = 0; i < 3; i++)
            futures.push_back(pool.submit([i] { if (i == 1) throw std::runtime_error("x"); return i; }));
        for (auto &future : futures)
            try { sum += future.get(); } catch (std::exception &) { sum += 10; }
    }
    return sum != 12;
}
END_OF_C
"$FOREWEAVE" c++ -g -DRIGHT=1 -o right pool.cc || complain "the right pool does not compile"
"$FOREWEAVE" c++ -g -DRIGHT=0 -o wrong pool.cc || complain "the wrong pool does not compile"
for strategy in chess pctlarge; do
    expect 0 explore -q -s $strategy -n 300 -- ./right
    out_lacks 'did not follow'
done
expect 66 explore -q -s pctlarge -n 3000 --until-first --folder=pool -- ./wrong
out_has 'failure 1: stuck'
expect 66 replay --runs=30 pool/*.sched
out_has '(30 of 30 runs)'
finish
