/*
 * cxx_condition_variable_ok: the flag is set under the lock.
 *
 * expect: nothing
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
    std::lock_guard<std::mutex> guard(lock);
    ready = true; /* @A */
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
