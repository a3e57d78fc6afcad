/*
 * lost_wakeup_ok: one thread sleeps until another one says that it is done.
 *
 * mended: looked up under the lock
 */
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static bool done;

static void work()
{
    std::lock_guard<std::mutex> guard(lock);

    done = true;
    changed.notify_one();
}

static void wait()
{
    std::unique_lock<std::mutex> guard(lock);

    while (!done)
        changed.wait(guard);
}

int main()
{
    std::thread worker(work);
    std::thread waiter(wait);

    worker.join();
    waiter.join();
    return 0;
}
