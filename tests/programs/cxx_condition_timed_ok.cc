/*
 * cxx_condition_timed_ok: after a timed wait the result is taken under the lock.
 *
 * expect: nothing
 */
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex lock;
std::condition_variable never;
int result;

static void work()
{
    std::lock_guard<std::mutex> guard(lock);

    result = 1; /* @A */
}

static int await()
{
    std::unique_lock<std::mutex> guard(lock);

    never.wait_for(guard, std::chrono::milliseconds(2));
    return result; /* @B */
}

int main()
{
    std::thread worker(work);
    int seen = await();

    worker.join();
    std::printf("%d\n", seen <= result);
    return 0;
}
