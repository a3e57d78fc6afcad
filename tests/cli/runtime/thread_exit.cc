/*
 * thread_exit.cc - threads that keep promises and notify when they end, after all they do; with
 * EARLY one keeps its promise before.
 */
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <thread>

int data, more;
bool gone;
std::mutex lock;
std::condition_variable condition;

static void produce(std::promise<int> *promise)
{
#ifdef EARLY
    promise->set_value(1);
#else
    promise->set_value_at_thread_exit(1);
#endif
    data = 8;
}

static void compute(std::packaged_task<int()> task)
{
    task.make_ready_at_thread_exit();
}

static void leave()
{
    std::unique_lock<std::mutex> guard(lock);

    gone = true;
    std::notify_all_at_thread_exit(condition, std::move(guard));
    more = 3;
}

int main()
{
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread producer(produce, &promise);
    int one = future.get();
    int seen = data;
    std::packaged_task<int()> task([] { return 5; });
    std::future<int> result = task.get_future();
    std::thread computer(compute, std::move(task));
    int five = result.get();
    std::thread leaver(leave);
    std::unique_lock<std::mutex> guard(lock);

    condition.wait(guard, [] { return gone; });
    int three = more;

    guard.unlock();
    producer.join();
    computer.join();
    leaver.join();
    std::printf("%d %d %d %d\n", one, seen <= data, five, three);
    return 0;
}
