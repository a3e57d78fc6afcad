/*
 * cxx_exception: an exception leaves the locked region; its handler counts without the lock.
 *
 * expect: race A A
 */
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <thread>

std::mutex lock;
int failures;

__attribute__((noinline)) static void fail(int depth)
{
    if (depth == 0)
        throw std::runtime_error("too deep");
    fail(depth - 1);
    std::puts("never");
}

static void work()
{
    try {
        std::lock_guard<std::mutex> guard(lock);

        fail(5);
    } catch (const std::runtime_error &) {
        failures++; /* @A */
    }
}

int main()
{
    std::thread one(work);
    std::thread two(work);

    one.join();
    two.join();
    std::printf("%d\n", failures > 0);
    return 0;
}
