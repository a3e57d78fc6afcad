/*
 * cxx_promise: the promise is kept before the data is complete.
 *
 * expect: race A B
 */
#include <cstdio>
#include <future>
#include <thread>

int data;

static void produce(std::promise<int> *promise)
{
    promise->set_value(1);
    data = 8; /* @A */
}

int main()
{
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread thread(produce, &promise);
    int one = future.get();
    int seen = data; /* @B */

    thread.join();
    std::printf("%d %d\n", one, seen <= data);
    return 0;
}
