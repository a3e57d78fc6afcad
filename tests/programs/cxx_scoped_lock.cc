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

static void forward()
{
    std::lock_guard<std::mutex> first(a);
    std::lock_guard<std::mutex> second(b); /* @A */

    value++;
}

static void backward()
{
    step_aside();
    std::lock_guard<std::mutex> first(b);
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
