/*
 * cxx_call_once_ok: std::call_once makes the table once.
 *
 * expect: nothing
 */
#include <cstdio>
#include <mutex>
#include <thread>

std::once_flag flag;
int table;

static void make()
{
    table = 9; /* @A */
}

static int use()
{
    std::call_once(flag, make);
    return table;
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
