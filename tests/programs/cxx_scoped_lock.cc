/*
 * cxx_scoped_lock: two guards in opposite orders.
 *
 * expect: deadlock A B
 */
#include "program.h"
#include <mutex>
#include <thread>

std::mutex a, b;
int value;

static NOINLINE std::unique_lock<std::mutex> hold(std::mutex &mutex)
{
    return std::unique_lock<std::mutex>(mutex);
}

static void forward()
{
    std::unique_lock<std::mutex> first = hold(a);
    std::lock_guard<std::mutex> second(b); /* @A */

    value++;
}

static void backward()
{
    step_aside();
    std::unique_lock<std::mutex> first = hold(b);
    std::lock_guard<std::mutex> second(a); /* @B */

    value++;
}

int main()
{
    end_when_stuck("2\n");
    std::thread one(forward);
    std::thread two(backward);

    one.join();
    two.join();
    std::printf("%d\n", value);
    return 0;
}
