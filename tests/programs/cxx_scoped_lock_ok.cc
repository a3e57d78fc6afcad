/*
 * cxx_scoped_lock_ok: std::scoped_lock takes both, in whatever order they are named.
 *
 * expect: nothing
 */
#include "program.h"
#include <mutex>
#include <thread>

std::mutex a, b;
int value;

static void forward()
{
    std::scoped_lock<std::mutex, std::mutex> both(a, b);

    value++;
}

static void backward()
{
    step_aside();
    std::scoped_lock<std::mutex, std::mutex> both(b, a);

    value++;
}

int main()
{
    std::thread one(forward);
    std::thread two(backward);

    one.join();
    two.join();
    std::printf("%d\n", value);
    return 0;
}
