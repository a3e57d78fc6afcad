/*
 * bounded_buffer_notify_ok: a buffer of one place with one condition for those who fill it and
 * those who empty it.
 *
 * mended: all are notified
 */
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static int filled;

static void notify()
{
    changed.notify_all();
}

static void produce()
{
    for (int i = 0; i < 2; i++) {
        std::unique_lock<std::mutex> guard(lock);
        while (filled == 1)
            changed.wait(guard);
        filled++;
        notify();
    }
}

static void consume()
{
    std::unique_lock<std::mutex> guard(lock);

    while (filled == 0)
        changed.wait(guard);
    filled--;
    notify();
}

int main()
{
    std::thread producer(produce);
    std::thread one(consume);
    std::thread two(consume);

    producer.join();
    one.join();
    two.join();
    return 0;
}
