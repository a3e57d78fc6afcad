/*
 * cxx_call_once: each thread has a once_flag of its own.
 *
 * expect: race A A
 */
#include <cstdio>
#include <mutex>
#include <thread>

int table;

static void make()
{
    table = 9; /* @A */
}

static int use()
{
    std::once_flag flag;

    std::call_once(flag, make);
    return 0;
}

int main()
{
    std::thread one(use);
    std::thread two(use);

    one.join();
    two.join();
    std::printf("%d\n", table);
    return 0;
}
