/*
 * cxx_condition_variable: the flag is set without the lock.
 *
 * expect: race A B
 */
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex lock;
std::condition_variable changed;
bool ready;
int data;

static void produce()
{
    data = 6;
    ready = true; /* @A */
    std::lock_guard<std::mutex> guard(lock);
    changed.notify_one();
}

static void consume()
{
    std::unique_lock<std::mutex> guard(lock);

    while (!ready) /* @B */
        changed.wait(guard);
    data++;
}

int main()
{
    std::thread one(produce);
    std::thread two(consume);

    one.join();
    two.join();
    std::printf("%d\n", data);
    return 0;
}
