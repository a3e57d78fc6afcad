/*
 * bounded_buffer_notify: a buffer of one place with one condition for those who fill it and
 * those who empty it.
 *
 * bug: one is notified, and it may be one of the same kind, who goes back to sleep: the others
 * never wake
 * fails-as: hang
 * depth: 3 (both consumers wait before the first element, the producer waits before it is taken)
 * preemptions: 0
 * recorded: no (other threads would have to be woken)
 */
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static int filled;

static void notify()
{
    changed.notify_one();
}

static void produce()
{
    for (int i = 0; i < 2; i++) {
        std::unique_lock<std::mutex> guard(lock);
        while (filled == 1)
            changed.wait(guard); /* @bug */
        filled++;
        notify(); /* @bug */
    }
}

static void consume()
{
    std::unique_lock<std::mutex> guard(lock);

    while (filled == 0)
        changed.wait(guard); /* @bug */
    filled--;
    notify(); /* @bug */
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
