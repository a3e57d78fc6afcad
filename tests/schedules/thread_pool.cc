/*
 * thread_pool: a worker sleeps until there is work or the pool is closed.
 *
 * bug: the pool is closed without the lock: the worker can look before and fall asleep after it
 * fails-as: hang
 * depth: 2 (the look before the change, the notification before the wait)
 * preemptions: 2 (the pool's own thread comes first)
 * recorded: no (where the worker has seen the pool closed, it must see it again)
 */
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

class Pool {
public:
    Pool() : worker([this] { run(); })
    {
    }

    ~Pool()
    {
        close();
        worker.join();
    }

    void submit()
    {
        std::lock_guard<std::mutex> guard(lock);

        waiting++;
        changed.notify_one();
    }

private:
    void close()
    {
        closed.store(true); /* @bug */
        changed.notify_one();
    }

    void run()
    {
        std::unique_lock<std::mutex> guard(lock);

        for (;;) {
            if (waiting > 0)
                waiting--;
            else if (closed.load()) /* @bug */
                return;
            else
                changed.wait(guard);
        }
    }

    std::mutex lock;
    std::condition_variable changed;
    int waiting = 0;
    std::atomic<bool> closed { false };
    std::thread worker;
};

int main()
{
    Pool pool;

    pool.submit();
    return 0;
}
