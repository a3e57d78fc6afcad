/*
 * lost_wakeup: one thread sleeps until another one says that it is done.
 *
 * bug: whether it is done is looked up before the lock is taken: the notification can come in
 * between
 * fails-as: hang
 * depth: 2 (the look before the change, the notification before the wait)
 * preemptions: 1
 * recorded: yes
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

    done = true; /* @bug */
    changed.notify_one();
}

static void wait()
{
    if (!done) { /* @bug */
        std::unique_lock<std::mutex> guard(lock);

        changed.wait(guard);
    }
}

int main()
{
    std::thread worker(work);
    std::thread waiter(wait);

    worker.join();
    waiter.join();
    return 0;
}
