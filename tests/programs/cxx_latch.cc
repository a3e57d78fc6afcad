/*
 * cxx_latch: the latch is counted down before the result is there.
 *
 * flags: -std=c++20
 * expect: race A B
 */
#include <cstdio>
#include <latch>
#include <thread>

std::latch done(1);
int result;

static void work()
{
    done.count_down();
    result = 5; /* @A */
}

int main()
{
    int seen;
    {
        std::jthread thread(work);

        done.wait();
        seen = result; /* @B */
    }
    std::printf("%d\n", seen <= result);
    return 0;
}
