/*
 * cxx_thread_ok: a lambda captures a local variable by reference, and main waits for it.
 *
 * expect: nothing
 */
#include <cstdio>
#include <thread>

int main()
{
    int sum = 0;
    std::thread thread([&sum] {
        sum += 5; /* @A */
    });

    thread.join();
    sum += 1; /* @B */
    std::printf("%d\n", sum);
    return 0;
}
