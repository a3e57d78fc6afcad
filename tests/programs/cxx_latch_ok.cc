/*
 * cxx_latch_ok: the latch is counted down when the result is there; jthreads are joined in the end.
 *
 * flags: -std=c++20
 * expect: nothing
 */
#include <cstdio>
#include <latch>
#include <thread>

std::latch done(1);
int result;

static void work()
{
    result = 5; /* @A */
    done.count_down();
}

int main()
{
    int seen;
    {
        std::jthread thread(work);

        done.wait();
        seen = result; /* @B */
    }
    std::printf("%d\n", seen);
    return 0;
}
