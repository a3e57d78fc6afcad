// cxx.cc - what the C++ library builds on: guards, once with exceptions, conditions, futures.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <future>
#include <mutex>
#include <pthread.h>
#include <shared_mutex>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

template <typename Work> static void four(Work work)
{
    std::vector<std::thread> threads;

    for (int i = 0; i < 4; i++)
        threads.emplace_back(work);
    for (auto &thread : threads)
        thread.join();
}

static std::once_flag flag;
static int tries, done;

static void sometimes()
{
    std::this_thread::yield();
    if (tries++ < 2)
        throw 1;
    done++;
}

static std::atomic<int> made, caught;

struct Heavy {
    int value = 0;
    Heavy()
    {
        std::this_thread::yield();
        if (made++ == 0)
            throw std::runtime_error("the first one fails");
        value = 42;
    }
};

static Heavy &heavy()
{
    static Heavy one;
    return one;
}

static void once_and_guards()
{
    four([] {
        try {
            std::call_once(flag, sometimes);
            if (done != 1)
                abort();
        } catch (int) {
            caught++;
        }
    });
    std::printf("once: %d tries, %d caught\n", tries, caught.exchange(0));
    four([] {
        try {
            if (heavy().value != 42)
                abort();
        } catch (std::exception &) {
            caught++;
        }
    });
    std::printf("guard: %d made, %d caught\n", made.load(), caught.load());
}

static void conditions()
{
    std::mutex mutex;
    std::condition_variable cond;
    bool ready = false;
    std::thread thread([&] {
        std::unique_lock<std::mutex> lock(mutex);
        cond.wait(lock, [&] { return ready; });
    });
    {
        std::lock_guard<std::mutex> lock(mutex);
        ready = true;
    }
    cond.notify_one();
    thread.join();
    std::unique_lock<std::mutex> lock(mutex);
    std::printf("steady: %d\n", cond.wait_for(lock, 2ms) == std::cv_status::timeout);
    std::printf("system: %d\n", cond.wait_until(lock, std::chrono::system_clock::now() + 2ms) ==
                                    std::cv_status::timeout);
}

static void locks()
{
    std::shared_mutex shared;
    std::timed_mutex timed;
    bool got = true;

    shared.lock_shared();
    std::thread([&] { got = shared.try_lock(); }).join();
    std::printf("shared: %d\n", got);
    shared.unlock_shared();
    timed.lock();
    std::thread([&] { got = timed.try_lock_for(2ms); }).join();
    std::printf("timed: %d\n", got);
    timed.unlock();
}

static void futures()
{
    std::promise<int> promise;
    auto answer = promise.get_future();
    auto other = std::async(std::launch::async, [] { return 5; });
    std::thread thread([&] { promise.set_value(7); });

    std::printf("futures: %d %d\n", answer.get(), other.get());
    thread.join();
}

int main()
{
    once_and_guards();
    conditions();
    locks();
    futures();
    std::thread thread([] {
        try {
            pthread_exit(nullptr);
        } catch (abi::__forced_unwind &) {
            std::puts("forced");
            throw;
        }
    });
    thread.join();
}
