/*
 * cxx_thread: a lambda captures a local variable by reference, and main goes on using it.
 *
 * expect: race A B
 */
#include <cstdio>
#include <thread>

int main()
{
    int sum = 0;
    std::thread thread([&sum] {
        sum += 5; /* @A */
    });

    sum += 1; /* @B */
    thread.join();
    std::printf("%d\n", sum > 0);
    return 0;
}
