/*
 * thread_pool_ok: a worker sleeps until there is work or the pool is closed.
 *
 * mended: closed under the lock
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
        std::lock_guard<std::mutex> guard(lock);

        closed.store(true);
        changed.notify_one();
    }

    void run()
    {
        std::unique_lock<std::mutex> guard(lock);

        for (;;) {
            if (waiting > 0)
                waiting--;
            else if (closed.load())
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
