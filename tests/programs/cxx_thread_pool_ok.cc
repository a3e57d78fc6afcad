/*
 * cxx_thread_pool_ok: the pool's workers count finished jobs in an atomic variable.
 *
 * expect: nothing
 */
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

std::mutex lock;
std::condition_variable changed;
std::deque<std::function<int()>> jobs;
bool closing;
std::atomic<int> finished;
int results[6];

__attribute__((noinline)) static void count()
{
    finished++; /* @A */
}

static void worker()
{
    std::unique_lock<std::mutex> guard(lock);

    for (;;) {
        while (jobs.empty() && !closing)
            changed.wait(guard);
        if (jobs.empty())
            break;
        std::function<int()> job = std::move(jobs.front());
        jobs.pop_front();
        guard.unlock();
        job();
        guard.lock();
    }
    guard.unlock();
    count();
}

int main()
{
    std::vector<std::thread> workers;
    int sum = 0;

    for (int i = 0; i < 2; i++)
        workers.emplace_back(worker);
    for (int i = 0; i < 6; i++) {
        std::lock_guard<std::mutex> guard(lock);
        jobs.push_back([i] { return results[i] = i * i; });
        changed.notify_one();
    }
    {
        std::lock_guard<std::mutex> guard(lock);
        closing = true;
        changed.notify_all();
    }
    for (std::thread &thread : workers)
        thread.join();
    for (int result : results)
        sum += result;
    std::printf("%d %d\n", sum, finished.load());
    return 0;
}
