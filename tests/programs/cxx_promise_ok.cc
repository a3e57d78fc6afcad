/*
 * cxx_promise_ok: the promise is kept when the data is complete.
 *
 * expect: nothing
 */
#include <cstdio>
#include <future>
#include <thread>

int data;

static void produce(std::promise<int> *promise)
{
    data = 8; /* @A */
    promise->set_value(1);
}

int main()
{
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread thread(produce, &promise);
    int one = future.get();
    int seen = data; /* @B */

    thread.join();
    std::printf("%d %d\n", one, seen);
    return 0;
}
